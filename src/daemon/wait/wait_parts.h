/* SPDX-License-Identifier: ISC */
/* A wait: its limits, its kinds and its members. */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"

#define WAIT_CONDITIONS_MAX 64
#define WAIT_NAMED_MAX 256
#define WAIT_READERS_MAX \
	1024 /* conditions in all waits of the role read_only, of about 20 kB each */
#define WAIT_BACKGROUND_MAX 1000
#define WAIT_NAME_MAX 64
#define WAIT_KEEP_SEC 3600 /* how long the result of a named wait stays if no request asks for it */

enum wait_kind {
	WAIT_REQUEST, /* wait_for */
	WAIT_IDLE, /* wait_for_idle */
	WAIT_PANE, /* watch_pane */
	WAIT_KIND_COUNT_,
};

/* A condition of a wait. */
struct wait_part {
	struct condition *condition;
	char *spec; /* as JSON, with its pane as id */
	struct pane_ref pane; /* the pane of the condition; cleared: none */
};

struct wait {
	struct list link; /* oldest first */
	struct wait_set *set;
	enum wait_kind kind;
	char name[WAIT_NAME_MAX + 1]; /* "": none; the id of a background wait */
	bool holds_id; /* the name is an id of the queue, which must be released */
	struct request *request; /* NULL: no request waits now */
	struct wait_part *parts;
	size_t count;
	bool is_all;
	bool is_once; /* background: it ends with the first match */
	unsigned matches; /* background: number of matches that were notified */
	struct buf found; /* details of matches that are not yet notified, separated by commas */
	size_t first_len; /* length of the first details in found */
	unsigned found_count; /* matches that are not yet notified */
	int64_t posted_ms; /* time of the last notification of matches, CLOCK_MONOTONIC */
	bool is_over, is_timed_out;
	int64_t due_ms; /* CLOCK_REALTIME; 0: none */
	int64_t due_run_ms; /* the same time on the clock of wait_run_ms() */
	char boot_id[BOOT_ID_SIZE]; /* of the boot in which the wait began */
	int64_t asked_due_ms; /* when the resuming request times out, CLOCK_MONOTONIC; 0: never */
	int64_t began_ms; /* CLOCK_MONOTONIC */
	int64_t over_ms;
	struct pane_ref pane; /* gets a notification at the end; cleared: no pane does */
	uint64_t notified; /* number of this notification; 0: none yet */
	struct loop_timer *deadline;
	struct loop_timer *settled; /* runs at the end of the turn, when a condition has changed */
};
