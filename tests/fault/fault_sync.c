/* SPDX-License-Identifier: ISC */
/*
 * Each allocation of a sync at work fails once: while it attaches, reads, reports
 * changes, turns output on, takes a capture. It goes on; soon the model is true again,
 * every accepted command was answered, and nothing leaks.
 */
#include <muxbus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail_alloc.h"
#include "harness.h"
#include "tap.h"

enum { POINTS_MAX = 3000, TURNS_MS = 20000 };

struct run {
	struct muxbus_loop *loop;
	struct muxbus_sync *sync;
	unsigned promised; /* answers */
	unsigned answered;
	bool is_stopped;
};

static void on_done(void *data, int error)
{
	(void)error;
	((struct run *)data)->answered++;
}

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	(void)error;
	(void)replies;
	(void)count;
	((struct run *)data)->answered++;
}

static void on_capture(void *data, int error, const struct muxbus_capture *capture)
{
	(void)error;
	(void)capture;
	((struct run *)data)->answered++;
}

static void on_audit(void *data, int error, unsigned count, const char *difference)
{
	(void)error;
	(void)count;
	(void)difference;
	((struct run *)data)->answered++;
}

static void on_stopped(void *data)
{
	((struct run *)data)->is_stopped = true;
}

static bool is_live(const struct run *run)
{
	return muxbus_sync_state(run->sync) == MUXBUS_SYNC_LIVE;
}

static bool is_answered(const struct run *run)
{
	return run->answered == run->promised;
}

static bool is_stopped(const struct run *run)
{
	return run->is_stopped;
}

static bool turn_until(struct run *run, bool (*done)(const struct run *run))
{
	int64_t end_ms = live_now_ms() + TURNS_MS;
	while (!done(run)) {
		if (live_now_ms() > end_ms)
			return false;
		(void)muxbus_loop_dispatch(run->loop, 50);
	}
	return true;
}

/* Makes one request of each kind; a refused request promises nothing. */
static void ask(struct run *run)
{
	struct muxbus_command *command;
	uint32_t pane = 0;
	run->promised += muxbus_sync_refresh(run->sync, MUXBUS_PART_ALL, 0, on_done, run) == 0;
	run->promised += muxbus_sync_capture(run->sync, pane, 0, 0, on_capture, run) == 0;
	run->promised += muxbus_sync_audit(run->sync, on_audit, run) == 0;
	(void)muxbus_sync_want_output(run->sync, pane, true);
	if (muxbus_command_new(&command) != 0)
		return;
	muxbus_command_args(command, "rename-window", "-t", "@0", NULL);
	muxbus_command_argf(command, "n%u", run->promised);
	run->promised += muxbus_sync_run(run->sync, command, true, on_reply, run) == 0;
}

/* The error of the run, or NULL. */
static const char *work(struct run *run)
{
	if (!turn_until(run, is_live))
		return "it was not live in time";
	ask(run);
	if (!turn_until(run, is_answered))
		return "a caller waits for ever";
	if (!turn_until(run, is_live))
		return "it was not live again";
	(void)muxbus_sync_want_output(run->sync, 0, false);
	ask(run);
	return turn_until(run, is_answered) ? NULL : "a caller waits for ever at the end";
}

static const char *scenario(const struct live *live)
{
	const struct muxbus_sync_options options = {.socket_path = live->tmux_socket};
	const struct muxbus_sync_handlers handlers = {NULL};
	struct run run = {0};
	const char *wrong = NULL;
	if (muxbus_loop_new(&run.loop) != 0)
		return NULL;
	if (muxbus_sync_new(run.loop, &options, &handlers, &run, &run.sync) == 0) {
		if (muxbus_sync_start(run.sync) == 0)
			wrong = work(&run);
		muxbus_sync_stop(run.sync, on_stopped, &run);
		if (!turn_until(&run, is_stopped) && wrong == NULL)
			wrong = "it does not stop";
		muxbus_sync_free(run.sync);
		if (run.answered != run.promised && wrong == NULL)
			wrong = "not all were answered";
	}
	muxbus_loop_free(run.loop);
	return wrong;
}

int main(void)
{
	struct live *live = live_new(NULL);
	size_t step = getenv("MUXBUS_TEST_LONG") != NULL ? 1 : 7;
	unsigned wrong = 0, leaks = 0;
	size_t nth;
	live_start_tmux(live, "cat");
	for (nth = 0; nth < POINTS_MAX; nth += step) {
		const char *what;
		bool has_failed;
		fail_alloc_arm(nth);
		what = scenario(live);
		if (fail_alloc_live() != 0) {
			diag("allocation %zu: %ld blocks leak", nth, fail_alloc_live());
			leaks++;
		}
		has_failed = fail_alloc_disarm();
		if (what != NULL) {
			diag("allocation %zu: %s", nth, what);
			wrong++;
		}
		if (!has_failed)
			break;
	}
	ok(nth > 100 && nth < POINTS_MAX, "%zu allocations, one in %zu fails", nth, step);
	is_int(wrong, 0, "the sync always continues");
	is_int(leaks, 0, "nothing leaks");
	live_free(live);
	return done_testing();
}
