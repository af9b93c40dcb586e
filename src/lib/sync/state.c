/* SPDX-License-Identifier: ISC */
#include "lib/sync/state.h"

enum muxbus_sync_state muxbus_sync_state(const struct muxbus_sync *sync)
{
	return sync->is_started ? sync->state : MUXBUS_SYNC_IDLE;
}

void sync_set_state(
    struct muxbus_sync *sync, enum muxbus_sync_state state, int error, const char *reason)
{
	if (sync->state == state && state != MUXBUS_SYNC_SEARCHING)
		return;
	if (sync->state == state && sync->search_error == error)
		return;
	sync->state = state;
	sync->search_error = error;
	if (sync->handlers.state != NULL)
		sync->handlers.state(sync->data, state, error, reason);
}

void sync_settle_later(struct muxbus_sync *sync)
{
	if (!loop_timeout_is_running(&sync->settle_timer))
		loop_timeout_start(&sync->settle_timer, 0);
}

void sync_lose_later(struct muxbus_sync *sync, int error, const char *reason)
{
	if (!sync->is_lost) {
		sync->is_lost = true;
		sync->lost_error = error;
		snprintf(sync->lost_reason, sizeof sync->lost_reason, "%s", reason);
	}
	sync_settle_later(sync);
}

bool sync_window_is_closed(const struct muxbus_sync *sync, uint32_t window)
{
	const struct leaving *leaving = &sync->leaving;
	return muxbus_model_window(sync->model, window) == NULL ||
	    (leaving->is_held && leaving->window == window && leaving->layout == NULL);
}
