/* SPDX-License-Identifier: ISC */
/* When a connection may be opened. */
#include "lib/sync/attach_delay.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "lib/sync/attachment.h"
#include "lib/sync/read_back.h"

#define QUIET_MS 30
/* On a server that never is quiet, a connection is opened after this time. */
#define PATIENCE_MS 1000

struct delayed_run {
	struct list link;
	struct muxbus_command *command;
	struct parts read_back; /* empty: none */
	muxbus_reply_fn *reply;
	void *data;
};

static void on_due(void *data)
{
	sync_settle_later(data);
}

void attach_delay_init(struct muxbus_sync *sync)
{
	struct attach_delay *delay = &sync->attach_delay;
	loop_timeout_init(&delay->timer, sync->loop, on_due, sync);
	list_init(&delay->runs);
}

static bool is_needed(const struct muxbus_sync *sync)
{
	return sync->way == MUXBUS_WAY_PROCESS &&
	    (sync->version.caps & MUXBUS_CAP_START_CRASH) != 0;
}

void attach_delay_disturb(struct muxbus_sync *sync)
{
	sync->attach_delay.disturbed_ms = clock_mono_ms();
}

bool attach_delay_may_open(struct muxbus_sync *sync)
{
	struct attach_delay *delay = &sync->attach_delay;
	int64_t now_ms = clock_mono_ms();
	int64_t rest_ms = delay->disturbed_ms + QUIET_MS - now_ms;
	/* tmux notifies all clients when our client detaches. */
	if (attachment_any(sync, ATTACHMENT_CLOSING))
		rest_ms = QUIET_MS;
	if (delay->waiting_ms == 0)
		delay->waiting_ms = now_ms;
	if (!is_needed(sync) || delay->disturbed_ms == 0 || rest_ms <= 0 ||
	    now_ms - delay->waiting_ms >= PATIENCE_MS) {
		delay->waiting_ms = 0;
		return true;
	}
	loop_timeout_start(&delay->timer, (unsigned)rest_ms);
	return false;
}

static int run_now(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *read_back, muxbus_reply_fn *reply, void *data)
{
	attach_delay_disturb(sync);
	if (read_back != NULL && !parts_are_empty(read_back))
		return read_back_run(sync, command, read_back, reply, data);
	return attachment_run(sync->primary, command, reply, data);
}

int attach_delay_run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *read_back, muxbus_reply_fn *reply, void *data)
{
	struct delayed_run *run;
	if (!is_needed(sync) ||
	    (!attachment_any(sync, ATTACHMENT_OPENING) && list_is_empty(&sync->attach_delay.runs)))
		return run_now(sync, command, read_back, reply, data);
	run = mem_alloc(sizeof *run);
	if (run == NULL) {
		muxbus_command_free(command);
		return MUXBUS_ERR_NOMEM;
	}
	*run = (struct delayed_run){.command = command, .reply = reply, .data = data};
	if (read_back != NULL)
		run->read_back = *read_back;
	list_append(&sync->attach_delay.runs, &run->link);
	return 0;
}

static struct delayed_run *take_run(struct attach_delay *delay)
{
	struct delayed_run *run = list_entry(delay->runs.next, struct delayed_run, link);
	list_remove(&run->link);
	return run;
}

void attach_delay_release(struct muxbus_sync *sync)
{
	while (
	    !list_is_empty(&sync->attach_delay.runs) && !attachment_any(sync, ATTACHMENT_OPENING)) {
		struct delayed_run *run = take_run(&sync->attach_delay);
		int error = run_now(sync, run->command, &run->read_back, run->reply, run->data);
		if (error != 0 && run->reply != NULL)
			run->reply(run->data, error, NULL, 0);
		mem_free(run);
	}
}

void attach_delay_fail(struct muxbus_sync *sync, int error)
{
	loop_timeout_stop(&sync->attach_delay.timer);
	sync->attach_delay.disturbed_ms = 0;
	sync->attach_delay.waiting_ms = 0;
	while (!list_is_empty(&sync->attach_delay.runs)) {
		struct delayed_run *run = take_run(&sync->attach_delay);
		muxbus_command_free(run->command);
		if (run->reply != NULL)
			run->reply(run->data, error, NULL, 0);
		mem_free(run);
	}
}
