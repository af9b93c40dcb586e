/* SPDX-License-Identifier: ISC */
#include "lib/sync/attach_delay.h"

#include "lib/connection/command.h"
#include "lib/connection/connection_parts.h"
#include "lib/sync/attachment.h"
#include "lib/sync/detached.h"
#include "lib/sync/lister.h"
#include "lib/sync/primary.h"

/* If a reply is awaited for so long, further lists run beside the connection. */
#define BUSY_MS 10

struct delayed_run {
	struct list link;
	struct muxbus_sync *sync;
	struct muxbus_connection *connection; /* set by run_connected(): runs the list */
	struct muxbus_command *command;
	struct pending *pending;
	struct parts read_back; /* parts to list before the reply is passed on; empty: none */

	/* Members for a list with read_back. The pending has copies of the replies. */
	int error;
	uint8_t *bodies; /* text of the copied replies; NULL: out of memory, the text is lost */
	bool is_answered;
	bool is_read_back;
};

static void answer(struct delayed_run *run)
{
	struct pending *pending = run->pending;
	if (!run->is_answered || !run->is_read_back)
		return;
	if (run->bodies == NULL)
		pending_fail(pending, MUXBUS_ERR_NOMEM);
	else
		pending_reply(pending, run->error, pending->replies, pending->count);
	mem_free(run->bodies);
	mem_free(run);
}

static uint8_t *copy_replies(
    struct muxbus_reply *out, const struct muxbus_reply *replies, size_t count)
{
	uint8_t *bodies, *body;
	size_t size = 0;
	for (size_t i = 0; i < count; i++)
		size += replies[i].body_len + 1;
	bodies = body = mem_alloc(size);
	for (size_t i = 0; bodies != NULL && i < count; i++) {
		out[i] = replies[i];
		out[i].body = body;
		if (replies[i].body_len > 0)
			memcpy(body, replies[i].body, replies[i].body_len);
		body[replies[i].body_len] = '\0';
		body += replies[i].body_len + 1;
	}
	return bodies;
}

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct delayed_run *run = data;
	run->error = error;
	run->bodies = copy_replies(run->pending->replies, replies, count);
	run->is_answered = true;
	answer(run);
}

/* The reply is passed on even if the listing has failed. */
static void on_listed(void *data, int error UNUSED)
{
	struct delayed_run *run = data;
	run->is_read_back = true;
	answer(run);
}

static void on_run(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct delayed_run *run = data;
	struct muxbus_sync *sync = run->sync;
	if (connection_ran_none(run->connection, error, replies)) {
		list_append(&sync->attach_delay.runs, &run->link);
		sync_settle_later(sync);
		return;
	}
	if (connection_take_hooked(run->connection) || error == MUXBUS_ERR_TIMEOUT)
		sync->hooked_ms = clock_mono_ms();
	pending_reply(run->pending, error, replies, count);
	muxbus_command_free(run->command);
	mem_free(run);
}

static int new_run(struct muxbus_sync *sync, struct muxbus_command *command, muxbus_reply_fn *reply,
    void *data, struct delayed_run **ret_run)
{
	struct delayed_run *run;
	struct pending *pending;
	int error = pending_of(command, reply, data, &pending);
	if (error != 0)
		return error;
	run = mem_alloc(sizeof *run);
	if (run == NULL) {
		pending_free(pending);
		return MUXBUS_ERR_NOMEM;
	}
	*run = (struct delayed_run){.sync = sync, .command = command, .pending = pending};
	*ret_run = run;
	return 0;
}

/* Runs a list on the primary connection. on_run() repeats the list if tmux has not run it. */
static int run_connected(
    struct muxbus_sync *sync, struct muxbus_command *command, muxbus_reply_fn *reply, void *data)
{
	struct delayed_run *run = NULL;
	int error = new_run(sync, command, reply, data, &run);
	if (error == 0) {
		run->connection = sync->primary->connection;
		error = connection_run_kept(run->connection, command, on_run, run, true);
	}
	if (error == 0)
		return 0;
	if (run != NULL)
		pending_free(run->pending);
	mem_free(run);
	muxbus_command_free(command);
	return error;
}

static struct muxbus_connection *connection_of(const struct muxbus_sync *sync)
{
	return sync->primary != NULL ? sync->primary->connection : NULL;
}

void attach_delay_hold(struct muxbus_sync *sync)
{
	const struct muxbus_connection *connection = connection_of(sync);
	if (connection == NULL || connection_awaited_ms(connection) < detached_hold_ms(sync))
		return;
	pending_first(&connection->queue)->is_ordered = false;
	sync->hooked_ms = clock_mono_ms();
}

/*
 * Runs a list on the primary attachment; but beside its connection, if any, when the list may take
 * long, or a hook or another list may delay it.
 */
static int run_request(
    struct muxbus_sync *sync, struct muxbus_command *command, muxbus_reply_fn *reply, void *data)
{
	const struct muxbus_connection *connection = connection_of(sync);
	if (connection == NULL)
		return attachment_run(sync->primary, command, reply, data);
	if (command_is_quick(command) && !detached_is_hooked(sync) &&
	    connection_awaited_ms(connection) < BUSY_MS &&
	    (sync->beside == NULL || !detached_is_busy(sync->beside)))
		return run_connected(sync, command, reply, data);
	if (sync->beside == NULL && (sync->beside = detached_new(sync)) == NULL) {
		muxbus_command_free(command);
		return MUXBUS_ERR_NOMEM;
	}
	return detached_run(sync->beside, command, reply, data);
}

static void on_idle(
    void *data, int error UNUSED, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	struct muxbus_sync *sync = data;
	sync->beside_waits = false;
	if (sync->beside != NULL)
		detached_go_on(sync->beside);
}

bool attach_delay_may_run_beside(struct muxbus_sync *sync)
{
	const struct muxbus_connection *connection;
	lister_take_turn(sync);
	connection = connection_of(sync);
	if (connection != NULL && detached_is_hooked(sync) && connection_may_pass(connection))
		return true;
	if (sync->beside_waits || connection == NULL || connection_is_idle(connection))
		return !sync->beside_waits;
	sync->beside_waits = true;
	if (attachment_run(sync->primary, command_with(COMMAND_NOTHING, NULL), on_idle, sync) != 0)
		sync->beside_waits = false;
	return !sync->beside_waits;
}

#define QUIET_MS 30
/* A connection is opened after this time even if the server was never quiet. */
#define PATIENCE_MS 1000

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

static bool may_run(const struct muxbus_sync *sync)
{
	return !is_needed(sync) || !attachment_any(sync, ATTACHMENT_OPENING);
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
	/* tmux notifies all clients when a client of ours detaches, so wait from then on. */
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

/* Runs a waiting list. If this returns an error, the caller frees the run and its pending. */
static int run_now(struct delayed_run *run)
{
	struct muxbus_sync *sync = run->sync;
	struct pending *pending = run->pending;
	bool reads_back = !parts_are_empty(&run->read_back);
	int error;
	attach_delay_disturb(sync);
	if (reads_back)
		error = run_request(sync, run->command, on_reply, run);
	else
		error = run_request(sync, run->command, pending->reply, pending->data);
	if (error != 0)
		return error;
	if (!reads_back) {
		pending_free(pending);
		mem_free(run);
	} else if (lister_wait(sync, &run->read_back, 0, on_listed, run) != 0) {
		run->is_read_back = true;
	}
	return 0;
}

int attach_delay_run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *read_back, muxbus_reply_fn *reply, void *data)
{
	static const struct parts nothing;
	bool is_now = list_is_empty(&sync->attach_delay.runs) && may_run(sync);
	struct delayed_run *run;
	int error;
	if (command == NULL)
		return MUXBUS_ERR_NOMEM;
	if (read_back == NULL)
		read_back = &nothing;
	if (is_now && parts_are_empty(read_back)) {
		attach_delay_disturb(sync);
		return run_request(sync, command, reply, data);
	}
	error = new_run(sync, command, reply, data, &run);
	if (error != 0) {
		muxbus_command_free(command);
		return error;
	}
	run->read_back = *read_back;
	if (!is_now) {
		list_append(&sync->attach_delay.runs, &run->link);
		return 0;
	}
	error = run_now(run);
	if (error != 0) {
		pending_free(run->pending);
		mem_free(run);
	}
	return error;
}

static struct delayed_run *take_run(struct attach_delay *delay)
{
	struct delayed_run *run = list_entry(delay->runs.next, struct delayed_run, link);
	list_remove(&run->link);
	return run;
}

void attach_delay_release(struct muxbus_sync *sync)
{
	while (!list_is_empty(&sync->attach_delay.runs) && may_run(sync)) {
		struct delayed_run *run = take_run(&sync->attach_delay);
		int error = run_now(run);
		if (error != 0) {
			pending_fail(run->pending, error);
			mem_free(run);
		}
	}
}

void attach_delay_fail(struct muxbus_sync *sync, int error)
{
	loop_timeout_stop(&sync->attach_delay.timer);
	sync->hooked_ms = 0;
	sync->attach_delay.disturbed_ms = 0;
	sync->attach_delay.waiting_ms = 0;
	while (!list_is_empty(&sync->attach_delay.runs)) {
		struct delayed_run *run = take_run(&sync->attach_delay);
		muxbus_command_free(run->command);
		pending_fail(run->pending, error);
		mem_free(run);
	}
}
