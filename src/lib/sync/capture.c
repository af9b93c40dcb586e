/* SPDX-License-Identifier: ISC */
#include "lib/sync/capture.h"

#include "lib/connection/command.h"
#include "lib/sync/attach_delay.h"
#include "lib/sync/attachment.h"
#include "lib/sync/detached.h"
#include "lib/sync/lister.h"
#include "lib/sync/primary.h"
#include "lib/sync/track.h"

enum {
	REPLY_STATE,
	/* Only if needs_panes: shows if a pane died, since tmux drops the output of a dead pane. */
	REPLY_PANES,
	REPLY_TEXT,
	REPLY_COUNT,
};

struct capture {
	struct list link; /* in sync->captures */
	struct muxbus_sync *sync;
	uint32_t pane;
	uint32_t history;
	unsigned flags;
	muxbus_capture_fn *done; /* NULL after it was called */
	void *data;
	unsigned tries;
	int64_t since_ms;
	unsigned awaited; /* number of pending replies; the capture is freed after the last reply */
	bool is_begun;
	uint64_t behind; /* waits until this list of sync->beside has ended or is held */
	bool needs_panes; /* output arrived during a try */
	bool keeps; /* keep() was called, and let_go() was not */

	/* The state when the command was written: */
	struct attachment *attachment;
	uint64_t pieces;
	uint64_t offset;
	uint64_t flow_changes;

	/* The capture while it is checked: */
	struct muxbus_capture picture;
	uint8_t *text;
	uint8_t *panes;
	size_t panes_len;
};

static void capture_free(struct capture *capture)
{
	list_remove(&capture->link);
	mem_free(capture->text);
	mem_free(capture->panes);
	mem_free(capture);
}

/* Makes this capture the only one that may hold the pane's output or pause the pane. */
static void keep(struct capture *capture, struct track *track)
{
	track->keeper = capture;
	capture->keeps = true;
}

static void let_go(struct capture *capture)
{
	struct track *track = track_find(capture->sync, capture->pane);
	if (!capture->keeps)
		return;
	capture->keeps = false;
	sync_settle_later(capture->sync);
	if (track == NULL || track->keeper != capture)
		return;
	track->keeper = NULL;
	track->is_paused = false;
	if (track->is_held)
		track_release(capture->sync, track);
}

static void finish(struct capture *capture, int error, const struct muxbus_capture *picture)
{
	muxbus_capture_fn *done = capture->done;
	capture->done = NULL;
	if (done != NULL)
		done(capture->data, error, picture);
	let_go(capture);
	if (capture->awaited == 0)
		capture_free(capture);
}

static bool take_reply(struct capture *capture)
{
	capture->awaited--;
	if (capture->done != NULL)
		return true;
	if (capture->awaited == 0)
		capture_free(capture);
	return false;
}

/* Reads "columns rows cursor_column cursor_row visible history alternate". */
static int read_state(const struct muxbus_reply *reply, struct muxbus_capture *ret_picture)
{
	unsigned visible, alternate;
	struct muxbus_capture picture = {0};
	if (sscanf((const char *)reply->body, "%u %u %u %u %u %u %u", &picture.columns,
		&picture.rows, &picture.cursor_column, &picture.cursor_row, &visible,
		&picture.history_size, &alternate) != 7)
		return MUXBUS_ERR_TIMEOUT; /* tmux gave up formatting the text */
	picture.cursor_visible = visible != 0;
	picture.alternate_screen = alternate != 0;
	*ret_picture = picture;
	return 0;
}

static void write_panes(struct muxbus_command *command, const struct capture *capture)
{
	muxbus_command_args(command, "list-pane", "-s", "-F", "#{pane_id}#{pane_dead}", "-t", NULL);
	if (capture->attachment->detached != NULL)
		muxbus_command_argf(command, "%%%u", capture->pane);
	else
		muxbus_command_argf(command, "$%u", capture->attachment->session);
	muxbus_command_next(command);
}

static void write_picture(struct muxbus_command *command, const struct capture *capture)
{
	muxbus_command_args(command, "display-message", "-p", "-t", NULL);
	muxbus_command_argf(command, "%%%u", capture->pane);
	muxbus_command_args(command,
	    "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} "
	    "#{history_size} #{alternate_on}",
	    NULL);
	muxbus_command_next(command);
	if (capture->needs_panes) {
		write_panes(command, capture);
	} else {
		muxbus_command_args(command, COMMAND_NOTHING, NULL);
		muxbus_command_next(command);
	}
	muxbus_command_args(command, "capture-pane", "-p", "-t", NULL);
	muxbus_command_argf(command, "%%%u", capture->pane);
	if (capture->flags & MUXBUS_CAPTURE_ESCAPES)
		muxbus_command_args(command, "-e", NULL);
	if (capture->flags & MUXBUS_CAPTURE_JOIN)
		muxbus_command_args(command, "-J", NULL);
	if (capture->flags & MUXBUS_CAPTURE_BLANKS)
		muxbus_command_args(command, "-N", NULL);
	if (capture->flags & MUXBUS_CAPTURE_ALTERNATE)
		muxbus_command_args(command, "-a", NULL);
	if (capture->history > 0) {
		muxbus_command_args(command, "-S", NULL);
		muxbus_command_argf(command, "-%u", capture->history);
	}
	muxbus_command_next(command);
}

static void write_flow(struct muxbus_command *command, uint32_t pane, const char *word)
{
	muxbus_command_args(command, "refresh-client", "-A", NULL);
	muxbus_command_argf(command, "%%%u:%s", pane, word);
	muxbus_command_next(command);
}

static int begin(struct capture *capture);

static int run(struct capture *capture, struct muxbus_command *command, muxbus_reply_fn *reply)
{
	int error = attachment_run(capture->attachment, command, reply, capture);
	if (error == 0)
		capture->awaited++;
	return error;
}

static void try_again(struct capture *capture)
{
	int error;
	let_go(capture);
	capture->tries++;
	mem_free(capture->text);
	mem_free(capture->panes);
	capture->text = NULL;
	capture->panes = NULL;
	error = begin(capture);
	if (error != 0)
		finish(capture, error, NULL);
}

/* Handles the second list of panes. If it is unchanged, no pane died and no output was dropped. */
static void on_checked(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct capture *capture = data;
	const struct track *track = track_find(capture->sync, capture->pane);
	if (!take_reply(capture))
		return;
	if (error != 0 || count != 1 || track == NULL || track->source != capture->attachment ||
	    capture->flow_changes != capture->attachment->flow_changes ||
	    replies[0].body_len != capture->panes_len ||
	    memcmp(replies[0].body, capture->panes, capture->panes_len) != 0) {
		if (muxbus_error_is_fatal(error) || track == NULL)
			finish(capture, track == NULL ? MUXBUS_ERR_GONE : error, NULL);
		else
			try_again(capture);
		return;
	}
	capture->picture.text = capture->text;
	finish(capture, 0, &capture->picture);
}

static int check(struct capture *capture, struct track *track, const struct muxbus_capture *picture,
    const struct muxbus_reply *panes)
{
	struct muxbus_command *command;
	int error;
	capture->picture = *picture;
	capture->text = mem_memdup(picture->text, picture->text_len);
	capture->panes = mem_memdup(panes->body, panes->body_len);
	capture->panes_len = panes->body_len;
	if (capture->text == NULL || capture->panes == NULL)
		return MUXBUS_ERR_NOMEM;
	command = command_new();
	write_panes(command, capture);
	error = run(capture, command, on_checked);
	if (error != 0)
		return error;
	keep(capture, track);
	track_hold(track, capture->attachment);
	return 0;
}

static int read_picture(const struct capture *capture, int error,
    const struct muxbus_reply *replies, size_t count, struct muxbus_capture *ret_picture)
{
	const struct track *track = track_find(capture->sync, capture->pane);
	struct muxbus_capture picture;
	if (muxbus_error_is_fatal(error) || error == MUXBUS_ERR_CANCELLED)
		return error;
	if (track == NULL || count == 0 || replies[REPLY_STATE].error != 0)
		return MUXBUS_ERR_GONE;
	/* The session of the connection is closed, but the pane may be in another session. */
	if (count < REPLY_COUNT || replies[REPLY_PANES].error != 0)
		return MUXBUS_ERR_CLOSED;
	/* capture-pane fails only if there is no such pane, or no alternate screen. */
	if (replies[REPLY_TEXT].error != 0)
		return capture->flags & MUXBUS_CAPTURE_ALTERNATE ? replies[REPLY_TEXT].error
								 : MUXBUS_ERR_GONE;
	error = read_state(&replies[REPLY_STATE], &picture);
	if (error != 0)
		return error;
	picture.pane = capture->pane;
	picture.text = replies[REPLY_TEXT].body;
	picture.text_len = replies[REPLY_TEXT].body_len;
	/* If the program reads the output itself, the replies say nothing about the offset. */
	picture.offset = track->own == MUXBUS_OUTPUT_FLOWING ? capture->offset : track->offset;
	*ret_picture = picture;
	return 0;
}

/* Returns true if output may have overtaken the capture, so that the offset is unknown. */
static bool is_uncertain(const struct capture *capture, const struct track *track)
{
	return track->source != capture->attachment ||
	    capture->flow_changes != capture->attachment->flow_changes ||
	    capture->attachment->outputs != capture->attachment->outputs_at_block ||
	    track->keeper != NULL || track->is_held ||
	    (track->pieces != capture->pieces &&
		capture->attachment->last_output_pane != capture->pane);
}

static bool is_patient(const struct capture *capture)
{
	return capture->tries < capture->sync->capture_tries &&
	    clock_mono_ms() - capture->since_ms < CAPTURE_TRIES_MS;
}

static void on_picture(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct capture *capture = data;
	struct track *track = track_find(capture->sync, capture->pane);
	struct muxbus_capture picture;
	lister_note_reading(capture->sync, replies, count);
	if (!take_reply(capture))
		return;
	error = read_picture(capture, error, replies, count, &picture);
	if (error == MUXBUS_ERR_TIMEOUT && is_patient(capture)) {
		try_again(capture);
	} else if (error == MUXBUS_ERR_CLOSED && is_patient(capture)) {
		capture->tries++;
		capture->needs_panes = false;
		capture->is_begun = false; /* start over, perhaps on another connection */
		sync_settle_later(capture->sync);
	} else if (error != 0) {
		finish(capture, error, NULL);
	} else if (track->source == NULL || !track_is_wanted(capture->sync, track)) {
		finish(capture, 0, &picture);
	} else if (is_uncertain(capture, track)) {
		try_again(capture);
	} else if (track->pieces == capture->pieces) {
		finish(capture, 0, &picture);
	} else if (!capture->needs_panes) {
		/* Only now, since the list of panes costs tmux 10 us for each pane. */
		capture->needs_panes = true;
		try_again(capture);
	} else {
		error = check(capture, track, &picture, &replies[REPLY_PANES]);
		if (error != 0)
			finish(capture, error, NULL);
	}
}

static int choose_attachment(struct capture *capture, const struct track *track)
{
	struct attachment *attachment;
	if (track == NULL)
		return MUXBUS_ERR_GONE;
	attachment = track->source != NULL ? track->source : track->coming;
	if (attachment == NULL)
		attachment = capture->sync->primary;
	capture->attachment = attachment;
	return attachment != NULL ? 0 : MUXBUS_ERR_UNAVAILABLE;
}

static int try_picture(struct capture *capture)
{
	const struct track *track = track_find(capture->sync, capture->pane);
	struct muxbus_command *command;
	int error = choose_attachment(capture, track);
	if (error != 0)
		return error;
	command = command_new();
	write_picture(command, capture);
	capture->pieces = track->pieces;
	capture->offset = track->offset;
	capture->flow_changes = capture->attachment->flow_changes;
	if (track->source != NULL || track->coming != NULL)
		return run(capture, command, on_picture);
	capture->attachment = NULL; /* may be freed before the reply */
	error = attach_delay_run(capture->sync, command, NULL, on_picture, capture);
	capture->awaited += error == 0;
	return error;
}

/* The same tick of tmux continued the pane and captured it, so no output came in between. */
static void on_paused_picture(
    void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct capture *capture = data;
	struct muxbus_sync *sync = capture->sync;
	struct track *track = track_find(sync, capture->pane);
	struct muxbus_capture picture;
	if (count > 0)
		(void)map_remove(&capture->attachment->paused, capture->pane);
	if (!take_reply(capture))
		return;
	if (track != NULL && track->source != capture->attachment) {
		try_again(capture);
		return;
	}
	if (track != NULL)
		track_gap(sync, track, "capture");
	if (count > 0) {
		replies++;
		count--;
	}
	error = read_picture(capture, error, replies, count, &picture);
	finish(capture, error, error == 0 ? &picture : NULL);
}

static int continue_with_picture(struct capture *capture)
{
	struct muxbus_command *command = command_new();
	write_flow(command, capture->pane, "continue");
	write_picture(command, capture);
	return run(capture, command, on_paused_picture);
}

/* Now the queued output was read or dropped, and none follows until the pane continues. */
static void on_paused(
    void *data, int error, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	struct capture *capture = data;
	struct track *track = track_find(capture->sync, capture->pane);
	if (!take_reply(capture))
		return;
	if (track == NULL)
		error = MUXBUS_ERR_GONE;
	if (error == 0 && track->source != capture->attachment) {
		try_again(capture);
		return;
	}
	if (error == 0) {
		track_hold(track, capture->attachment);
		error = continue_with_picture(capture);
	}
	if (error != 0)
		finish(capture, error, NULL);
}

/* Pauses the pane. If the command fails, the pane stays in the map of paused panes. */
static int pause_first(struct capture *capture, struct track *track)
{
	struct muxbus_command *command;
	capture->attachment = track->source;
	if (map_set(&capture->attachment->paused, capture->pane, capture->attachment) != 0)
		return MUXBUS_ERR_NOMEM;
	command = command_new();
	write_flow(command, capture->pane, "pause");
	keep(capture, track);
	capture->needs_panes = false;
	track->is_paused = true;
	capture->attachment->flow_changes++;
	return run(capture, command, on_paused);
}

static int begin(struct capture *capture)
{
	struct track *track = track_find(capture->sync, capture->pane);
	if (track != NULL && track->keeper != NULL) {
		capture->is_begun = false;
		return 0;
	}
	if (capture->since_ms == 0)
		capture->since_ms = clock_mono_ms();
	if (is_patient(capture) || track == NULL || track->source == NULL || track->is_held ||
	    !track_is_wanted(capture->sync, track))
		return try_picture(capture);
	return pause_first(capture, track);
}

void capture_begin(struct muxbus_sync *sync)
{
	for (struct list *link = sync->captures.next; link != &sync->captures;) {
		struct capture *capture = list_entry(link, struct capture, link);
		int error = 0;
		link = link->next;
		if (!capture->is_begun && detached_is_past(sync->beside, capture->behind)) {
			capture->is_begun = true;
			error = begin(capture);
		}
		if (error != 0) {
			finish(capture, error, NULL);
			link = sync->captures.next; /* done may have ended other captures */
		}
	}
}

void capture_fail_all(struct muxbus_sync *sync, int error)
{
	for (struct list *link = sync->captures.next; link != &sync->captures;) {
		struct capture *capture = list_entry(link, struct capture, link);
		link = link->next;
		if (capture->done != NULL) {
			finish(capture, error, NULL);
			link = sync->captures.next;
		}
	}
}

int muxbus_sync_capture(struct muxbus_sync *sync, uint32_t pane, uint32_t history, unsigned flags,
    muxbus_capture_fn *done, void *data)
{
	struct capture *capture;
	if (!primary_can_run(sync))
		return MUXBUS_ERR_UNAVAILABLE;
	if (muxbus_model_pane(sync->model, pane) == NULL)
		return MUXBUS_ERR_NOT_FOUND;
	if (list_count(&sync->captures) >= CAPTURES_MAX)
		return MUXBUS_ERR_LIMIT;
	capture = mem_calloc(1, sizeof *capture);
	if (capture == NULL)
		return MUXBUS_ERR_NOMEM;
	capture->sync = sync;
	capture->pane = pane;
	capture->history = history > CAPTURE_HISTORY_MAX ? CAPTURE_HISTORY_MAX : history;
	capture->flags = flags;
	capture->behind = detached_last(sync->beside);
	capture->done = done;
	capture->data = data;
	list_append(&sync->captures, &capture->link);
	/* The flowing panes may still change, so capture_begin() runs at the end of this turn. */
	sync_settle_later(sync);
	return 0;
}
