/* SPDX-License-Identifier: ISC */
/*
 * Each allocation of a sync at work fails once: while it attaches, reads, reports changes, turns
 * output on, takes a capture; while it follows all output; and while it runs a burst of lists
 * without a connection. It goes on; soon the model is true again, every accepted command was
 * answered, output comes or a gap is reported, and nothing leaks.
 */
#include <muxbus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail_alloc.h"
#include "harness.h"
#include "tap.h"

enum { POINTS_MAX = 6000, TURNS_MS = 20000, BURST_LISTS = 60, PRINTED = 200 };

struct run {
	struct live *live;
	struct muxbus_loop *loop;
	struct muxbus_sync *sync;
	unsigned promised; /* answers */
	unsigned answered;
	char want[16]; /* the body of the awaited list; "": any */
	bool is_wrong; /* a list was answered with another body and no error */
	bool is_new; /* output of the new pane is awaited, else that of the first */
	uint64_t output; /* bytes of that pane */
	bool has_gap; /* bytes of that pane are missing */
	bool is_stopped;
};

struct scenario {
	const char *name;
	const char *(*work)(struct run *run); /* returns what was wrong; NULL: nothing */
	bool all_output;
	bool has_channels; /* needs a tmux that takes channels */
	size_t step; /* one allocation in so many fails, unless MUXBUS_TEST_LONG is set */
};

static void on_done(void *data, int error)
{
	(void)error;
	((struct run *)data)->answered++;
}

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct run *run = data;
	run->answered++;
	run->is_wrong |= error == 0 && run->want[0] != '\0' &&
	    (count != 1 || strcmp((const char *)replies[0].body, run->want) != 0);
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

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len)
{
	struct run *run = data;
	(void)bytes;
	if ((pane != 0) == run->is_new)
		run->output += len;
}

static void on_gap(void *data, uint32_t pane, uint64_t offset, const char *reason)
{
	struct run *run = data;
	(void)offset;
	(void)reason;
	run->has_gap |= (pane != 0) == run->is_new;
}

/* Runs tmux without memory of the library, which may fail. */
static void tmux(const struct run *run, const char *arguments)
{
	char command[1024];
	(void)snprintf(command, sizeof command, "'%s' -S '%s' %s", run->live->tmux,
	    run->live->tmux_socket, arguments);
	if (system(command) != 0)
		live_bail("tmux does not run");
}

static bool flows(const struct run *run)
{
	return muxbus_sync_output(run->sync, 0) == MUXBUS_OUTPUT_FLOWING;
}

static bool has_output(const struct run *run)
{
	return run->output > 0;
}

static bool has_all(const struct run *run)
{
	return run->output >= PRINTED || run->has_gap;
}

static const char *follow(struct run *run)
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
	if (!turn_until(run, is_answered))
		return "a caller waits for ever at the end";
	if (!turn_until(run, flows))
		return "wanted output does not begin";
	run->output = 0;
	tmux(run, "send-keys -t %0 x");
	return turn_until(run, has_output) ? NULL : "flowing output does not come";
}

/* A new pane prints text: it comes from the first byte, or a gap says that it does not. */
static const char *follow_all(struct run *run)
{
	if (!turn_until(run, is_live))
		return "it was not live in time";
	run->is_new = true;
	tmux(run,
	    "new-window -d 'for i in 1 2 3 4 5 6 7 8 9 10; do printf 01234567890123456789; done; "
	    "exec cat'");
	if (!turn_until(run, has_all))
		return "output is missing without a gap";
	tmux(run, "kill-window -a -t %0");
	return NULL;
}

/* Lists that follow each other at once, so that they share channels. */
static const char *burst(struct run *run)
{
	muxbus_sync_set_attached(run->sync, false, NULL, NULL);
	if (!turn_until(run, is_live))
		return "it was not live in time";
	for (unsigned i = 0; i < BURST_LISTS; i++) {
		struct muxbus_command *command;
		(void)snprintf(run->want, sizeof run->want, "%u\n", i);
		if (muxbus_command_new(&command) != 0)
			continue;
		muxbus_command_args(command, "display-message", "-p", NULL);
		muxbus_command_argf(command, "%u", i);
		run->promised += muxbus_sync_run(run->sync, command, false, on_reply, run) == 0;
		if (!turn_until(run, is_answered))
			return "a list is not answered";
		if (run->is_wrong)
			return "a list has the answer of another";
		if (!turn_until(run, is_live))
			return "it was not live again";
	}
	return NULL;
}

static const char *run_once(const struct scenario *scenario, struct live *live)
{
	const struct muxbus_sync_options options = {
	    .socket_path = live->tmux_socket, .all_output = scenario->all_output};
	const struct muxbus_sync_handlers handlers = {.output = on_output, .gap = on_gap};
	struct run run = {.live = live};
	const char *wrong = NULL;
	if (muxbus_loop_new(&run.loop) != 0)
		return NULL;
	if (muxbus_sync_new(run.loop, &options, &handlers, &run, &run.sync) == 0) {
		if (muxbus_sync_start(run.sync) == 0)
			wrong = scenario->work(&run);
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

static void test(const struct scenario *scenario, const char *tmux)
{
	struct live *live = live_new(tmux);
	size_t step = getenv("MUXBUS_TEST_LONG") != NULL ? 1 : scenario->step;
	unsigned wrong = 0, leaks = 0;
	size_t nth;
	live_start_tmux(live, "cat");
	for (nth = 0; nth < POINTS_MAX; nth += step) {
		const char *fault;
		bool has_failed;
		fail_alloc_arm(nth);
		fault = run_once(scenario, live);
		if (fail_alloc_live() != 0) {
			diag("allocation %zu: %ld blocks leak", nth, fail_alloc_live());
			leaks++;
		}
		has_failed = fail_alloc_disarm();
		if (fault != NULL) {
			diag("allocation %zu: %s", nth, fault);
			wrong++;
		}
		if (!has_failed)
			break;
	}
	ok(nth > 50 && nth < POINTS_MAX, "%s: %zu allocations, one in %zu fails", scenario->name,
	    nth, step);
	is_int(wrong, 0, "%s: the sync always continues", scenario->name);
	is_int(leaks, 0, "%s: nothing leaks", scenario->name);
	live_free(live);
}

int main(void)
{
	static const struct scenario scenarios[] = {
	    {"following", follow, false, false, 7},
	    {"all output", follow_all, true, false, 1},
	    {"a burst", burst, false, true, 7},
	};
	const char *const *paths = live_tmux_paths();
	const char *last = NULL; /* takes channels, unless it is the only one */
	for (size_t i = 0; paths[i] != NULL; i++)
		last = paths[i];
	for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
		test(&scenarios[i], scenarios[i].has_channels ? last : NULL);
	return done_testing();
}
