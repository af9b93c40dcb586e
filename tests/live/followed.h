/* SPDX-License-Identifier: ISC */
/* A sync of the library on a live server: its reports are written down, line by line. */
#pragma once

#include <muxbus.h>

#include "base/buf.h"
#include "base/map.h"
#include "harness.h"

struct followed {
	struct live *live;
	struct muxbus_loop *loop;
	struct muxbus_sync *sync;
	/*
	 * One line each: "pane_created $0 @1 %2", "pane_exited ... status 3", "state live",
	 * "state searching", "gap %1 0 not_watched", "output %1".
	 */
	struct buf log;
	struct map outputs; /* struct buf by pane: its output, from the first delivered byte */
	bool keeps_output;
};

/* Starts a sync and waits until it is live and every wanted session is followed. */
struct followed *followed_new(struct live *live, bool all_output);
/* Starts a sync on a server that may not exist. */
struct followed *followed_new_searching(struct live *live, bool all_output);
/* Detaches in good order. */
void followed_free(struct followed *followed);

/* Runs the loop until done returns true; false if it did not within LIVE_TIMEOUT_MS. */
bool followed_until(struct followed *followed, bool (*done)(void *data), void *data);
/* Runs the loop until a line that begins with text was logged. */
bool followed_until_line(struct followed *followed, const char *format, ...) LIVE_PRINTF(2, 3);
/* Runs it for a time, to let things that must not happen happen. */
void followed_run_ms(struct followed *followed, int ms);
/* Whether a line that begins with text was logged, and how often. */
unsigned followed_count(const struct followed *followed, const char *text);
void followed_forget(struct followed *followed);

/* Reads the whole model again. */
bool followed_refresh(struct followed *followed);
