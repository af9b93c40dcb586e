/* SPDX-License-Identifier: ISC */
/*
 * Requests go beside the connection after a hook has delayed a list, and not after tmux stood.
 * A list that tmux's end fails may stop the sync, with a listing behind it.
 */
#include <signal.h>

#include "followed.h"
#include "lib/sync/state.h"

#define DELAY_MS 1100

static void on_reply(
    void *data, int error, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	is_int(error, 0, "the list is answered");
	*(bool *)data = true;
}

static bool is_set(void *data)
{
	return *(const bool *)data;
}

static void run(struct followed *followed, bool *ret_is_answered)
{
	struct muxbus_command *command;
	*ret_is_answered = false;
	if (muxbus_command_new(&command) != 0)
		return;
	muxbus_command_args(command, "send-keys", "-t", "%0", "x", NULL);
	(void)muxbus_sync_run(followed->sync, command, false, on_reply, ret_is_answered);
}

static void test_hooked(const char *tmux_path)
{
	struct live *live = live_new(tmux_path);
	struct followed *followed;
	bool is_answered, is_other;
	live_start_tmux(live, "cat");
	followed = followed_new(live, false);
	(void)kill(live->server_pid, SIGSTOP);
	run(followed, &is_answered);
	followed_run_ms(followed, 30);
	run(followed, &is_other);
	followed_run_ms(followed, DELAY_MS);
	(void)kill(live->server_pid, SIGCONT);
	(void)followed_until(followed, is_set, &is_other);
	ok(followed_until(followed, is_set, &is_answered) && followed->sync->hooked_ms == 0,
	    "tmux %s stood, and no hook is suspected", live->version);
	live_tmux(live, "set-hook -g after-send-keys 'wait-for held'");
	run(followed, &is_answered);
	followed_run_ms(followed, DELAY_MS);
	ok(!is_answered, "a hook delays a list");
	live_tmux(live, "wait-for -S held");
	ok(followed_until(followed, is_set, &is_answered) && followed->sync->hooked_ms != 0,
	    "which is noticed");
	followed_free(followed);
	live_free(live);
}

struct stopping {
	struct muxbus_sync *sync;
	unsigned answers;
	bool is_listed, is_stopped;
};

static void on_stopped(void *data)
{
	((struct stopping *)data)->is_stopped = true;
}

static void on_lost(
    void *data, int error UNUSED, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	struct stopping *stopping = data;
	stopping->answers++;
	muxbus_sync_stop(stopping->sync, on_stopped, stopping);
}

static void on_listed(void *data, int error UNUSED)
{
	((struct stopping *)data)->is_listed = true;
}

static bool is_over(void *data)
{
	return ((const struct stopping *)data)->is_stopped;
}

static bool is_detached(void *data)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(data, &info);
	return info.connections == 0;
}

static void test_stop(void)
{
	struct live *live = live_new(NULL);
	struct followed *followed;
	struct stopping stopping = {.answers = 0};
	live_start_tmux(live, "exec sleep 3600");
	followed = followed_new(live, false);
	stopping.sync = followed->sync;
	muxbus_sync_set_attached(followed->sync, false, NULL, NULL);
	ok(followed_until(followed, is_detached, followed->sync), "detached");
	for (int i = 0; i < 2; i++) {
		struct muxbus_command *command;
		if (muxbus_command_new(&command) != 0)
			return;
		muxbus_command_args(command, "wait-for", "never", NULL);
		(void)muxbus_sync_run(followed->sync, command, false, on_lost, &stopping);
	}
	(void)muxbus_sync_refresh(followed->sync, MUXBUS_PART_ALL, 0, on_listed, &stopping);
	followed_run_ms(followed, 5);
	(void)kill(live->server_pid, SIGKILL);
	ok(followed_until(followed, is_over, &stopping), "a lost list stops the sync");
	is_int(stopping.answers, 2, "... with both lists answered");
	ok(stopping.is_listed, "... and the listing");
	followed_free(followed);
	live_free(live);
}

int main(void)
{
	for (const char *const *paths = live_tmux_paths(); *paths != NULL; paths++)
		test_hooked(*paths);
	test_stop();
	return done_testing();
}
