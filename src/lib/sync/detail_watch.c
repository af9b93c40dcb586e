/* SPDX-License-Identifier: ISC */
#include "lib/sync/detail_watch.h"

#include "base/process.h"
#include "lib/sync/lister.h"

#define PERIOD_MS 1000
/* The period is this long per pane, if that is more. tmux takes about 10 us for a pane. */
#define PANE_MS 10
#define EMPTY_US (30 * INT64_C(1000000)) /* period without sessions and child processes */

bool detail_watch_is_due(const struct muxbus_sync *sync)
{
	pid_t child;
	size_t count;
	return muxbus_model_next_session(sync->model, NULL) != NULL ||
	    !process_children(sync->server.pid, &child, 1, &count) || count > 0 ||
	    clock_mono_us() - sync->lister.whole_begun_us > EMPTY_US;
}

static void arm(struct muxbus_sync *sync)
{
	struct muxbus_model_counts counts = {0};
	if (sync->model != NULL)
		muxbus_model_counts(sync->model, &counts);
	loop_timeout_start(&sync->details_timer,
	    counts.panes > PERIOD_MS / PANE_MS ? counts.panes * PANE_MS : PERIOD_MS);
}

/*
 * tmux does not announce title, command, path and death. A tmux subscription would cost as much as
 * a listing. It would also crash tmux up to 3.6b if a session ends while the reader is slow.
 */
static void on_due(void *data)
{
	/* With titles, commands and directories are read too; pidfds show ends of processes. */
	static const struct parts titles = {.titles = true};
	struct muxbus_sync *sync = data;
	if (sync->details_wanted == 0)
		return;
	if (sync->state == MUXBUS_SYNC_LIVE && detail_watch_is_due(sync))
		(void)lister_wait(sync, &titles, 0, NULL, NULL);
	arm(sync);
}

void detail_watch_init(struct muxbus_sync *sync)
{
	loop_timeout_init(&sync->details_timer, sync->loop, on_due, sync);
}

void muxbus_sync_want_details(struct muxbus_sync *sync, bool is_wanted)
{
	if (!is_wanted && sync->details_wanted == 0)
		return;
	sync->details_wanted += is_wanted ? 1 : -1u;
	if (is_wanted && sync->details_wanted == 1)
		arm(sync);
	else if (sync->details_wanted == 0)
		loop_timeout_stop(&sync->details_timer);
}
