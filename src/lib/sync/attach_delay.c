/* SPDX-License-Identifier: ISC */
#include "lib/sync/attach_delay.h"

#include "lib/sync/attachment.h"
#include "lib/sync/lister.h"
#include "lib/sync/track.h"

struct read_back {
	muxbus_reply_fn *reply;
	void *data;
	int error;
	struct muxbus_reply *replies; /* copies, followed by their bodies */
	size_t count;
	bool is_answered; /* by tmux */
	bool is_read_back;
};

/* Answers when both the reply and the listing have come. */
static void answer(struct read_back *read_back)
{
	if (!read_back->is_answered || !read_back->is_read_back)
		return;
	read_back->reply(read_back->data, read_back->error, read_back->replies, read_back->count);
	mem_free(read_back->replies);
	mem_free(read_back);
}

/* One block of memory holds the replies and then their bodies. NULL if out of memory. */
static struct muxbus_reply *copy_replies(const struct muxbus_reply *replies, size_t count)
{
	size_t size = count * sizeof *replies;
	struct muxbus_reply *copies;
	uint8_t *body;
	for (size_t i = 0; i < count; i++)
		size += replies[i].body_len + 1;
	copies = mem_alloc(size);
	if (copies == NULL)
		return NULL;
	body = (uint8_t *)(copies + count);
	for (size_t i = 0; i < count; i++) {
		copies[i] = replies[i];
		copies[i].body = body;
		if (replies[i].body_len > 0)
			memcpy(body, replies[i].body, replies[i].body_len);
		body[replies[i].body_len] = '\0';
		body += replies[i].body_len + 1;
	}
	return copies;
}

/*
 * Without memory for copies the bodies are lost; the error is MUXBUS_ERR_NOMEM.
 */
static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct read_back *read_back = data;
	read_back->error = error;
	read_back->replies = copy_replies(replies, count);
	read_back->count = read_back->replies != NULL ? count : 0;
	if (read_back->replies == NULL)
		read_back->error = MUXBUS_ERR_NOMEM;
	read_back->is_answered = true;
	answer(read_back);
}

/* The answer of tmux is valid even if the listing failed. */
static void on_listed(void *data, int error UNUSED)
{
	struct read_back *read_back = data;
	read_back->is_read_back = true;
	answer(read_back);
}

/*
 * Runs the list on the primary connection; parts is what it can change. Errors as
 * muxbus_sync_run().
 */
static int read_back_run(struct muxbus_sync *sync, struct muxbus_command *command,
    const struct parts *parts, muxbus_reply_fn *reply, void *data)
{
	struct read_back *read_back = mem_calloc(1, sizeof *read_back);
	int error;
	if (read_back == NULL) {
		muxbus_command_free(command);
		return MUXBUS_ERR_NOMEM;
	}
	read_back->reply = reply;
	read_back->data = data;
	error = attachment_run(sync->primary, command, on_reply, read_back);
	if (error != 0) {
		mem_free(read_back);
		return error;
	}
	if (lister_wait(sync, parts, 0, on_listed, read_back) != 0)
		read_back->is_read_back = true;
	return 0;
}

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

static void end_one(struct muxbus_sync *sync, struct track *track)
{
	struct muxbus_command *command;
	if (muxbus_command_new(&command) != 0)
		return;
	track->is_ending = true;
	muxbus_command_args(command, "if-shell", "-F", "-t", NULL);
	muxbus_command_argf(command, "%%%u", track->pane);
	muxbus_command_args(command, "#{pane_dead}", NULL);
	muxbus_command_argf(command, "kill-pane -t %%%u", track->pane);
	(void)attach_delay_run(sync, command, NULL, NULL, NULL);
}

void adopted_end(struct muxbus_sync *sync)
{
	size_t cursor = 0;
	struct track *track;
	while ((track = track_next(sync, &cursor)) != NULL)
		if (track->is_adopted && !track->is_kept && !track->is_ending &&
		    track->exit_is_reported && track->now != NULL && track->now->is_dead)
			end_one(sync, track);
}

int muxbus_sync_adopt_pane(struct muxbus_sync *sync, uint32_t pane, bool keep)
{
	struct track *track = track_find(sync, pane);
	struct muxbus_command *command;
	int error;
	if (sync->state != MUXBUS_SYNC_LIVE || sync->primary == NULL)
		return MUXBUS_ERR_UNAVAILABLE;
	if (track == NULL)
		return MUXBUS_ERR_NOT_FOUND;
	error = muxbus_command_new(&command);
	if (error != 0)
		return error;
	muxbus_command_args(command, "set-option", "-p", "-t", NULL);
	muxbus_command_argf(command, "%%%u", pane);
	muxbus_command_args(command, "remain-on-exit", "on", NULL);
	error = attach_delay_run(sync, command, NULL, NULL, NULL);
	if (error != 0)
		return error;
	track->is_adopted = true;
	track->is_kept = keep;
	track->is_ending = false;
	return 0;
}
