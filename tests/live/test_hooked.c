/* SPDX-License-Identifier: ISC */
/* Requests go beside the connection after a hook has delayed a list, and not after tmux stood. */
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

int main(void)
{
	for (const char *const *paths = live_tmux_paths(); *paths != NULL; paths++)
		test_hooked(*paths);
	return done_testing();
}
