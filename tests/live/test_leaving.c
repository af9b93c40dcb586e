/* SPDX-License-Identifier: ISC */
/*
 * A window is closed whose program goes on: whether its pane is in another window is not known at
 * once. Meanwhile no listing has the pane, and nothing counts as proven.
 */
#include <stdio.h>
#include <stdlib.h>

#include "followed.h"
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

int main(void)
{
	for (const char *const *paths = live_tmux_paths(); *paths != NULL; paths++)
		test_leaving(*paths);
	return done_testing();
}
