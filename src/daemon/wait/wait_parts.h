/* SPDX-License-Identifier: ISC */
/* A wait: its limits, its kinds and its members. */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"

#define WAIT_CONDITIONS_MAX 64
#define WAIT_NAMED_MAX 256
#define WAIT_READERS_MAX 1024 /* conditions of the role read_only; about 20 kB each */
#define WAIT_BACKGROUND_MAX 1000
#define WAIT_NAME_MAX 64
#define WAIT_KEEP_SEC 3600 /* for the result of a named wait that no request resumes */

enum wait_kind {
	WAIT_REQUEST, /* wait_for */
	WAIT_IDLE, /* wait_for_idle */
	WAIT_PANE, /* watch_pane */
	WAIT_KIND_COUNT_,
};

struct wait_part {
	struct condition *condition;
	char *spec; /* JSON, with its pane as id */
	struct pane_ref pane; /* of the condition; cleared: none */
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
	bool is_once; /* of a background wait: ends with the first match */
	unsigned matches; /* of a background wait: notified so far */
	struct buf found; /* details of matches that are not yet notified, with commas between */
	size_t first_len; /* of the first details in found */
	unsigned found_count; /* not yet notified */
	int64_t posted_ms; /* last notification of matches, CLOCK_MONOTONIC */
	bool is_over, is_timed_out;
	int64_t due_ms; /* CLOCK_REALTIME; 0: none */
	int64_t due_run_ms; /* the same time on the clock of wait_run_ms() */
	char boot_id[BOOT_ID_SIZE]; /* the boot in which the wait began */
	int64_t asked_due_ms; /* timeout of the resuming request, CLOCK_MONOTONIC; 0: none */
	int64_t began_ms; /* CLOCK_MONOTONIC */
	int64_t over_ms;
	struct pane_ref pane; /* is notified of the end; cleared: none */
	uint64_t notified; /* number of this notification; 0: none yet */
	struct loop_timer *deadline;
	struct loop_timer *settled; /* runs at the end of the turn, when a condition has changed */
};
