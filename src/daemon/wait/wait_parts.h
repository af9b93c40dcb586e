/* SPDX-License-Identifier: ISC */
/* The struct of a wait, with its limits and kinds. */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"

#define WAIT_CONDITIONS_MAX 64
#define WAIT_NAMED_MAX 256
/* maximum number of conditions of the role read_only, in all waits together */
#define WAIT_READERS_MAX 1024
#define WAIT_BACKGROUND_MAX 1000
#define WAIT_NAME_MAX 64
#define WAIT_KEEP_SEC 3600 /* longest time that the result of a named wait waits for a request */

enum wait_kind {
	WAIT_REQUEST, /* wait_for */
	WAIT_IDLE, /* wait_for_idle */
	WAIT_PANE, /* watch_pane */
	WAIT_KIND_COUNT_,
};

struct wait_part {
	struct condition *condition;
	char *spec; /* the condition as JSON, with its pane and window as ids */
	struct pane_ref pane; /* pane of the condition; cleared: none */
};

struct wait {
	struct list link; /* oldest first */
	struct wait_set *set;
	enum wait_kind kind;
	char name[WAIT_NAME_MAX + 1]; /* "": none; for a background wait, its id */
	bool holds_id; /* the name is an id of the queue, which must be released */
	struct request *request; /* NULL: no request waits now */
	struct wait_part *parts;
	size_t count;
	bool is_all;
	bool is_once; /* background wait: ends with the first match */
	unsigned matches; /* background wait: number of matches that were notified */
	struct buf found; /* details of matches that are not notified yet, with commas between */
	size_t first_len; /* length of the first details in found */
	unsigned found_count; /* number of matches that are not notified yet */
	int64_t posted_ms; /* CLOCK_MONOTONIC of the last notification of matches */
	bool is_over, is_timed_out;
	int64_t due_ms; /* CLOCK_REALTIME; 0: none */
	int64_t due_run_ms; /* the same time on the clock of wait_run_ms() */
	char boot_id[BOOT_ID_SIZE]; /* the boot in which the wait began */
	int64_t asked_due_ms; /* CLOCK_MONOTONIC: timeout of the request that resumed it; 0: none */
	int64_t began_ms; /* CLOCK_MONOTONIC */
	int64_t over_ms; /* CLOCK_MONOTONIC of the end; of a restored wait, of its loading */
	struct pane_ref pane; /* the pane or thread that gets the notifications; cleared: none */
	uint64_t notified; /* number of the notification of the end; 0: none yet */
	struct loop_timer *deadline;
	/* runs when a condition has changed, or matches may be notified */
	struct loop_timer *settled;
};
