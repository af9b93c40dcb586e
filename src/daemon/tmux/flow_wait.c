/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/flow_wait.h"

#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

struct flow_wait {
	struct stream_tap tap;
	struct muxbus_sync *sync;
	struct stream_set *streams;
	uint32_t pane;
	struct loop_timer *timer;
	flow_wait_fn *done;
	void *data;
};

static void finish(struct flow_wait *wait, bool is_gone)
{
	loop_timer_free(wait->timer);
	/* If the output begins to come later, a gap before it is reported. */
	if (!is_gone && muxbus_sync_output(wait->sync, wait->pane) == MUXBUS_OUTPUT_COMING)
		stream_tell(wait->streams, wait->pane);
	if (!is_gone)
		stream_tap_remove(wait->streams, wait->pane, &wait->tap);
	wait->done(wait->data, is_gone);
	mem_free(wait);
}

static void on_timer(void *data)
{
	finish(data, false);
}

static void on_output(
    struct stream_tap *tap, uint64_t offset UNUSED, const uint8_t *bytes UNUSED, size_t len UNUSED)
{
	struct flow_wait *wait = list_entry(tap, struct flow_wait, tap);
	loop_timer_wake(wait->timer);
}

static void on_gap(struct stream_tap *tap, uint64_t offset UNUSED, const char *reason UNUSED)
{
	struct flow_wait *wait = list_entry(tap, struct flow_wait, tap);
	loop_timer_wake(wait->timer);
}

static void on_closed(struct stream_tap *tap)
{
	finish(list_entry(tap, struct flow_wait, tap), true);
}

void flow_wait(struct event_base *base, struct tmux *tmux, struct stream_set *streams,
    uint32_t pane, flow_wait_fn *done, void *data)
{
	struct flow_wait *wait;
	if (muxbus_sync_output(tmux_sync(tmux), pane) != MUXBUS_OUTPUT_COMING) {
		done(data, false);
		return;
	}
	wait = xalloc(sizeof *wait);
	*wait = (struct flow_wait){
	    .tap = {.output = on_output, .gap = on_gap, .closed = on_closed},
	    .sync = tmux_sync(tmux),
	    .streams = streams,
	    .pane = pane,
	    .done = done,
	    .data = data,
	};
	if (stream_tap_add(streams, pane, &wait->tap) < 0) {
		mem_free(wait);
		done(data, true);
		return;
	}
	wait->timer = loop_timer_new(base, on_timer, wait);
	loop_timer_arm(wait->timer, FLOW_WAIT_MAX_MS);
}
