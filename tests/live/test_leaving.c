/* SPDX-License-Identifier: ISC */
/*
 * A window is closed whose program goes on: whether its pane is in another window is not known at
 * once. Meanwhile no listing has the pane, and nothing counts as proven. The same if the connection
 * is lost that lists. A dead pane has its last exit status.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "followed.h"
#include "lib/sync/attachment.h"
#include "lib/sync/state.h"

static bool is_held(void *data)
{
	return ((const struct followed *)data)->sync->leaving.is_held;
}

static void on_refreshed(void *data, int error)
{
	is_int(error, 0, "a listing is answered");
	*(bool *)data = true;
}

static bool is_set(void *data)
{
	return *(const bool *)data;
}

/* Makes a window whose program ignores that its terminal goes, and closes it. */
static void close_window(struct followed *followed, unsigned number)
{
	live_tmux(followed->live, "new-window -d -t main: \"trap '' HUP; sleep 10\"");
	ok(followed_until_line(followed, "pane_created $0 @%u %%%u", number, number),
	    "a window is made");
	ok(followed_refresh(followed), "and listed");
	live_tmux(followed->live, "kill-window -t @%u", number);
}

static void test_leaving(const char *tmux_path)
{
	struct live *live = live_new(tmux_path);
	struct followed *followed;
	struct muxbus_sync *sync;
	bool is_refreshed = false;
	live_start_tmux(live, "cat");
	followed = followed_new(live, false);
	sync = followed->sync;
	close_window(followed, 1);
	sync->lister.rounds = 2; /* as after two listings that have found more to list */
	(void)muxbus_sync_refresh_window(sync, 1, 0, on_refreshed, &is_refreshed);
	ok(followed_until(followed, is_set, &is_refreshed) &&
		muxbus_model_pane(muxbus_sync_model(sync), 1) == NULL,
	    "a listing after it does not have its pane");
	close_window(followed, 2);
	ok(followed_until(followed, is_held, followed), "tmux %s: it may be elsewhere",
	    live->version);
	ok(!muxbus_sync_is_fresh(sync, MUXBUS_PART_PANES, 60000), "so nothing is proven");
	followed_free(followed);
	live_free(live);
}

static bool is_idle(void *data)
{
	const struct lister *lister = &((const struct followed *)data)->sync->lister;
	return !lister->is_running && parts_are_empty(&lister->dirty);
}

static bool is_listing(void *data)
{
	const struct muxbus_sync *sync = ((const struct followed *)data)->sync;
	return sync->lister.is_running && sync->lister.source == sync->primary;
}

/*
 * The connection is lost while it lists for a caller, behind the end of a window. The listing on
 * the next connection must be repeated, since only tmux knows the command of a dead pane.
 */
static void test_lost_listing(const char *tmux_path)
{
	struct live *live = live_new(tmux_path);
	struct followed *followed;
	struct muxbus_sync *sync;
	bool is_refreshed = false;
	live_start_tmux(live, "cat");
	live_tmux(live, "new-session -d -s other cat");
	followed = followed_new(live, false);
	sync = followed->sync;
	live_tmux(live, "set-option -g remain-on-exit on");
	live_tmux(live, "new-window -d -t main: 'exit 3'");
	live_tmux(live, "new-window -d -t main: cat");
	ok(followed_until_line(followed, "pane_exited $0 @2 %%2") && followed_refresh(followed) &&
		followed_until(followed, is_idle, followed),
	    "a dead pane and a window are listed");
	sync->lister.needs_names = false; /* as if no whole listing had met the dead pane */
	live_tmux(live, "kill-window -t @3");
	(void)kill(live->server_pid, SIGSTOP);
	(void)muxbus_sync_refresh(sync, MUXBUS_PART_PANES, 0, on_refreshed, &is_refreshed);
	ok(followed_until(followed, is_listing, followed), "tmux %s is asked", live->version);
	attachment_close(sync->primary);
	sync_settle_later(sync);
	ok(followed_until(followed, is_listing, followed), "and on the other connection");
	(void)kill(live->server_pid, SIGCONT);
	ok(followed_until(followed, is_set, &is_refreshed) &&
		muxbus_model_pane(muxbus_sync_model(sync), 3) == NULL,
	    "the answer does not have the pane of the closed window");
	followed_free(followed);
	live_free(live);
}

/* Another program runs in a dead pane and ends, while only the other pane is listed again. */
static void test_dead_again(const char *tmux_path)
{
	struct live *live = live_new(tmux_path);
	struct followed *followed;
	bool is_refreshed = false;
	live_start_tmux(live, "cat");
	followed = followed_new(live, false);
	live_tmux(live, "set-option -g remain-on-exit on");
	live_tmux(live, "new-window -d -t main: 'exit 3'");
	ok(followed_until_line(followed, "pane_exited $0 @1 %%1 status 3") &&
		followed_refresh(followed) && followed_until(followed, is_idle, followed),
	    "a dead pane is listed");
	live_tmux(live, "respawn-pane -k -t %%1 'exit 4'");
	/* tmux 3.3a sometimes misses the end of a child until the next one ends. */
	ok(live_tmux_until(
	       live, "4", "run-shell true \\; display-message -p -t %%1 '#{pane_dead_status}'"),
	    "tmux %s: it is dead again", live->version);
	(void)muxbus_sync_refresh(
	    followed->sync, MUXBUS_PART_PANES, 0, on_refreshed, &is_refreshed);
	(void)followed_until(followed, is_set, &is_refreshed);
	is_int(muxbus_model_pane(muxbus_sync_model(followed->sync), 1)->exit_status, 4,
	    "a listing has its new status");
	followed_free(followed);
	live_free(live);
}

static bool is_full(void *data)
{
	return ((const struct followed *)data)->sync->is_full;
}

static bool is_not_full(void *data)
{
	return !is_full(data);
}

/* Too many sessions for connections; then again few enough. */
static void test_full(const char *tmux)
{
	struct live *live = live_new(tmux);
	struct followed *followed;
	live_start_tmux(live, "exec sleep 1000");
	(void)live_run(live,
	    "for i in $(seq 256); do echo \"new-session -d -x 20 -y 5 -s s$i 'exec sleep 1000'\"; "
	    "done >%s/sessions",
	    live->dir);
	live_tmux(live, "source-file %s/sessions", live->dir);
	followed = followed_new_searching(live, false);
	ok(followed_until(followed, is_full, followed), "tmux %s: 257 sessions are too many",
	    live->version);
	live_tmux(live, "kill-session -t s7 \\; kill-session -t s8");
	ok(followed_until(followed, is_not_full, followed), "tmux %s: 255 are not", live->version);
	followed_free(followed);
	live_free(live);
}

int main(void)
{
	for (const char *const *paths = live_tmux_paths(); *paths != NULL; paths++) {
		test_leaving(*paths);
		test_lost_listing(*paths);
		test_dead_again(*paths);
		test_full(*paths);
	}
	return done_testing();
}
