/* SPDX-License-Identifier: ISC */
#include "lib/sync/attachment.h"

#include "lib/connection/command.h"
#include "lib/connection/connection_parts.h"
#include "lib/library.h"
#include "lib/model/model.h"
#include "lib/sync/detached.h"
#include "lib/sync/state.h"
#include "lib/sync/track.h"

/* Maximum number of panes that one command pauses or continues. */
#define FLOW_ARGS_MAX 100
/* After a connection that lasted this long, the delay starts again at its minimum. */
#define LONG_LIFE_MS 10000

static void on_ready(void *data, const struct muxbus_version *version, uint32_t session)
{
	struct attachment *attachment = data;
	if (attachment->state != ATTACHMENT_OPENING)
		return;
	attachment->state = ATTACHMENT_LIVE;
	attachment->live_ms = clock_mono_ms();
	attachment->on_since = attachment->sync->lister.begun;
	if (attachment->session == MUXBUS_NO_ID)
		attachment->session = session;
	/* The session was closed meanwhile, and tmux chose another one. */
	if (attachment->session != session) {
		attachment_close(attachment);
		return;
	}
	attachment->sync->callbacks->attachment_ready(attachment->sync, attachment, version);
}

static void on_output(
    void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms UNUSED)
{
	struct attachment *attachment = data;
	attachment->last_output_pane = pane;
	attachment->outputs++;
	if (track_output(attachment->sync, attachment, pane, bytes, len))
		return;
	/* Makes the new pane look older than on_since, so that its listing reports a gap. */
	attachment->on_since = attachment->sync->lister.begun;
	attachment->knows_last = false;
}

static void on_block(void *data)
{
	struct attachment *attachment = data;
	attachment->outputs_at_block = attachment->outputs;
}

static void on_event(void *data, const struct muxbus_event *event)
{
	struct attachment *attachment = data;
	if (attachment->state != ATTACHMENT_CLOSING)
		attachment->sync->callbacks->attachment_event(attachment->sync, attachment, event);
}

static void on_closed(void *data, int error, const char *reason)
{
	struct attachment *attachment = data;
	bool was_closing = attachment->state == ATTACHMENT_CLOSING;
	bool was_long = attachment->state == ATTACHMENT_LIVE &&
	    clock_mono_ms() - attachment->live_ms > LONG_LIFE_MS;
	track_forget_attachment(attachment->sync, attachment);
	attachment->state = was_closing ? ATTACHMENT_CLOSING : ATTACHMENT_WAITING;
	attachment->has_output = false;
	attachment->knows_last = false;
	attachment->flowing = 0;
	attachment->flow_changes++;
	map_finish(&attachment->paused);
	if (was_long)
		attachment->delay_ms = 0;
	if (!was_closing)
		loop_timeout_start(&attachment->timer, backoff_next_ms(&attachment->delay_ms));
	attachment->sync->callbacks->attachment_closed(attachment->sync, attachment, error, reason);
}

static void on_due(void *data)
{
	struct attachment *attachment = data;
	attachment->is_due = true;
	sync_settle_later(attachment->sync);
}

struct attachment *attachment_new(struct muxbus_sync *sync, uint32_t session)
{
	struct attachment *attachment = mem_calloc(1, sizeof *attachment);
	if (attachment == NULL)
		return NULL;
	attachment->sync = sync;
	attachment->session = session;
	attachment->state = ATTACHMENT_WAITING;
	attachment->is_due = true;
	attachment->last_output_pane = MUXBUS_NO_ID;
	map_init(&attachment->paused);
	loop_timeout_init(&attachment->timer, sync->loop, on_due, attachment);
	list_append(&sync->attachments, &attachment->link);
	return attachment;
}

struct attachment *attachment_new_detached(struct muxbus_sync *sync)
{
	struct attachment *attachment = attachment_new(sync, MUXBUS_NO_ID);
	if (attachment == NULL)
		return NULL;
	attachment->state = ATTACHMENT_LIVE;
	attachment->is_due = false;
	attachment->on_since = UINT64_MAX;
	attachment->detached = sync->beside != NULL ? sync->beside : detached_new(sync);
	sync->beside = NULL;
	if (attachment->detached != NULL)
		return attachment;
	attachment_free(attachment);
	return NULL;
}

void attachment_free(struct attachment *attachment)
{
	struct muxbus_sync *sync = attachment->sync;
	struct detached *detached = attachment->detached;
	attachment->detached = NULL;
	sync->freed++;
	if (sync->primary == attachment)
		sync->primary = NULL;
	track_forget_attachment(sync, attachment);
	loop_timeout_stop(&attachment->timer);
	list_remove(&attachment->link);
	attachment->state = ATTACHMENT_CLOSING;
	detached_free(detached);
	muxbus_connection_free(attachment->connection);
	map_finish(&attachment->paused);
	mem_free(attachment);
}

int attachment_open(struct attachment *attachment)
{
	struct muxbus_sync *sync = attachment->sync;
	const struct muxbus_connection_options options = {
	    .socket_path = sync->socket_path,
	    .tmux_path = sync->tmux_path,
	    .way = sync->way,
	    .session = attachment->session,
	    .flags = sync->all_output ? 0 : MUXBUS_CONNECTION_NO_OUTPUT,
	    .command_timeout_ms = sync->command_timeout_ms,
	};
	const struct muxbus_connection_handlers handlers = {
	    .ready = on_ready,
	    .output = on_output,
	    .event = on_event,
	    .block = on_block,
	    .closed = on_closed,
	};
	int error;
	loop_timeout_stop(&attachment->timer);
	attachment->is_due = false;
	error = connection_open(
	    sync->loop, &options, &sync->spare, &handlers, attachment, &attachment->connection);
	if (error != 0) {
		loop_timeout_start(&attachment->timer, backoff_next_ms(&attachment->delay_ms));
		return error;
	}
	attachment->state = ATTACHMENT_OPENING;
	attachment->has_output = sync->all_output;
	attachment->pid = muxbus_connection_pid(attachment->connection);
	return 0;
}

void attachment_settle_spare(struct muxbus_sync *sync)
{
	bool is_wanted = sync->primary != NULL && sync->primary->detached == NULL &&
	    sync->way != MUXBUS_WAY_PROCESS;
	if (!is_wanted)
		loop_close_fd(&sync->spare);
	else if (sync->spare < 0)
		sync->spare = locate_connect_now(sync->socket_path);
}

void attachment_close(struct attachment *attachment)
{
	if (attachment->state == ATTACHMENT_CLOSING)
		return;
	if (attachment->connection == NULL) {
		attachment_free(attachment);
		return;
	}
	if (attachment->sync->primary == attachment)
		attachment->sync->primary = NULL;
	loop_timeout_stop(&attachment->timer);
	attachment->state = ATTACHMENT_CLOSING;
	track_forget_attachment(attachment->sync, attachment);
	muxbus_connection_close(attachment->connection);
}

void attachment_close_others(struct muxbus_sync *sync)
{
	struct list *link = sync->attachments.next;
	while (link != &sync->attachments) {
		struct attachment *attachment = list_entry(link, struct attachment, link);
		link = link->next;
		if (attachment == sync->primary || attachment->state == ATTACHMENT_CLOSING)
			continue;
		attachment_close(attachment);
		link = sync->attachments.next; /* callbacks of the close may have freed others */
	}
}

int attachment_run(struct attachment *attachment, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data)
{
	if (command == NULL)
		return MUXBUS_ERR_NOMEM;
	if (attachment != NULL && attachment->detached != NULL)
		return detached_run(attachment->detached, command, reply, data);
	if (attachment != NULL && attachment->connection != NULL)
		return muxbus_connection_run(attachment->connection, command, reply, data);
	muxbus_command_free(command);
	return MUXBUS_ERR_UNAVAILABLE;
}

void attachment_end_beside(struct muxbus_sync *sync)
{
	struct detached *beside = sync->beside;
	sync->beside = NULL;
	detached_free(beside);
}

struct attachment *attachment_find(const struct muxbus_sync *sync, uint32_t session)
{
	list_each (struct attachment, attachment, &sync->attachments, link)
		if (attachment->session == session && attachment->state != ATTACHMENT_CLOSING)
			return attachment;
	return NULL;
}

bool attachment_any(const struct muxbus_sync *sync, enum attachment_state state)
{
	list_each (struct attachment, attachment, &sync->attachments, link)
		if (attachment->state == state)
			return true;
	return false;
}

static bool may_own(const struct attachment *attachment, uint32_t window)
{
	return attachment != NULL && attachment->state == ATTACHMENT_LIVE &&
	    model_link(attachment->sync->model, attachment->session, window) != NULL;
}

/* Returns the attachment for a pane's output, or NULL; the current one if possible. */
static struct attachment *attachment_owner(
    const struct muxbus_sync *sync, const struct track *track)
{
	const struct muxbus_link *link;
	if (track->now == NULL)
		return NULL;
	if (may_own(track->source, track->now->window))
		return track->source;
	if (may_own(track->held_from, track->now->window))
		return track->held_from;
	link = model_first_link(sync->model, track->now->window);
	for (; link != NULL; link = model_next_window_link(sync->model, link)) {
		struct attachment *attachment = attachment_find(sync, link->session);
		if (attachment != NULL && attachment->state == ATTACHMENT_LIVE)
			return attachment;
	}
	return NULL;
}

/* Commands that pause or continue panes of one connection, while they are built. */
struct flow {
	struct attachment *attachment;
	struct muxbus_command *command; /* NULL: not begun, or out of memory */
	unsigned args; /* number of arguments of the last command */
	bool turns_on; /* the list turns output on: panes that it does not pause flow */
	bool has_failed; /* out of memory: the list lacks a pane */
};

static bool flow_begin(struct flow *flow)
{
	if (flow->command == NULL)
		flow->command = command_new();
	flow->has_failed |= flow->command == NULL;
	return flow->command != NULL;
}

static void flow_add(struct flow *flow, uint32_t pane, const char *word)
{
	if (flow->args == FLOW_ARGS_MAX) {
		muxbus_command_next(flow->command);
		flow->args = 0;
	}
	if (flow->args == 0)
		muxbus_command_args(flow->command, "refresh-client", NULL);
	muxbus_command_args(flow->command, "-A", NULL);
	muxbus_command_argf(flow->command, "%%%u:%s", pane, word);
	flow->args++;
}

/* Reads the highest id in a list of panes, which was made when output was turned on. */
static void note_last_pane(struct attachment *attachment, const struct muxbus_reply *reply)
{
	const char *line = (const char *)reply->body;
	unsigned pane;
	while (sscanf(line, "%%%u", &pane) == 1) {
		if (!attachment->knows_last || pane > attachment->last_pane)
			attachment->last_pane = pane;
		attachment->knows_last = true;
		line = strchr(line, '\n');
		if (line == NULL)
			return;
		line++;
	}
}

/* If memory ran out, it is unknown which panes flow: closes the connection to get a new one. */
static void flow_fail(struct attachment *attachment, int error)
{
	library_log(MUXBUS_LOG_WARNING, "session $%u: the flow of output cannot be set: %s",
	    attachment->session, muxbus_strerror(error));
	if (error == MUXBUS_ERR_NOMEM)
		attachment_close(attachment);
}

/*
 * Replies come in the order of the commands, so counting gives the number of this command. A pane
 * that was paused and continued meanwhile has the number of a later command.
 */
static void on_flowing(
    void *data, int error, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	struct attachment *attachment = data;
	struct muxbus_sync *sync = attachment->sync;
	uint64_t number = ++attachment->flows_answered;
	map_each (struct track, track, &sync->tracks) {
		if (track->coming != attachment || track->coming_number != number)
			continue;
		track->coming = NULL;
		if (error == 0 && attachment->state == ATTACHMENT_LIVE)
			track_set_source(sync, track, attachment, track_gap_reason(track, false));
	}
	if (error != 0 && attachment->state == ATTACHMENT_LIVE)
		flow_fail(attachment, error);
}

/* Handles the replies: the first command turned output on, the second listed the panes. */
static void on_turned_on(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct attachment *attachment = data;
	attachment->on_since = attachment->sync->lister.begun;
	if (error == 0 && count >= 2)
		note_last_pane(attachment, &replies[1]);
	on_flowing(data, error, replies, count);
}

static void flow_end(struct flow *flow)
{
	struct attachment *attachment = flow->attachment;
	int error = MUXBUS_ERR_NOMEM;
	if (flow->command == NULL && !flow->has_failed)
		return;
	attachment->flow_changes++;
	attachment->has_output = true;
	if (flow->has_failed)
		muxbus_command_free(flow->command);
	else
		error = attachment_run(attachment, flow->command,
		    flow->turns_on ? on_turned_on : on_flowing, attachment);
	if (error != 0)
		flow_fail(attachment, error);
	else
		attachment->flows_sent++;
}

/*
 * Returns true if all output of a pane since its creation came over this attachment and was held:
 * output was on before a listing without the pane, or while the highest pane id was lower.
 */
static bool was_born_under(const struct attachment *attachment, const struct track *track)
{
	const struct muxbus_sync *sync = attachment->sync;
	const struct lister *lister = &sync->lister;
	bool was_absent =
	    lister->previous > attachment->on_since && lister->previous > sync->all_since;
	bool is_newer = attachment->knows_last && track->pane > attachment->last_pane &&
	    attachment->on_since >= sync->all_since;
	return sync->all_output && track->born == lister->done && (was_absent || is_newer) &&
	    track->is_held && (track->held_from == NULL || track->held_from == attachment);
}

static void take_flowing(struct attachment *attachment, struct track *track)
{
	if (track->source == attachment)
		return;
	if (was_born_under(attachment, track)) {
		track_set_source(attachment->sync, track, attachment, NULL);
		track_release(attachment->sync, track);
		return;
	}
	track_drop_held(track);
	track_set_source(attachment->sync, track, attachment, track_gap_reason(track, false));
}

static void let_flow(struct flow *flow, struct track *track)
{
	struct attachment *attachment = flow->attachment;
	if (track->coming == attachment)
		return;
	if (!flow->turns_on && map_get(&attachment->paused, track->pane) == NULL) {
		take_flowing(attachment, track);
		return;
	}
	if (!flow_begin(flow))
		return;
	if (map_remove(&attachment->paused, track->pane) != NULL)
		flow_add(flow, track->pane, "continue");
	track_drop_held(track);
	track->coming = attachment;
	track->coming_number = attachment->flows_sent + 1;
}

static void stop_flow(struct flow *flow, struct track *track)
{
	struct attachment *attachment = flow->attachment;
	if (track->coming == attachment)
		track->coming = NULL;
	if (track->source == attachment)
		track->source = NULL;
	if (map_get(&attachment->paused, track->pane) != NULL || !flow_begin(flow))
		return;
	flow->has_failed |= map_set(&attachment->paused, track->pane, attachment) != 0;
	flow_add(flow, track->pane, "pause");
}

static bool is_to_flow(const struct attachment *attachment, const struct track *track)
{
	return track_is_wanted(attachment->sync, track) &&
	    attachment_owner(attachment->sync, track) == attachment;
}

static void for_each_track(struct attachment *attachment, struct flow *flow,
    void (*call)(struct flow *flow, struct track *track))
{
	const struct muxbus_model *model = attachment->sync->model;
	const struct muxbus_link *link = model_first_session_link(model, attachment->session);
	for (; link != NULL; link = model_next_session_link(model, link)) {
		const struct muxbus_pane *pane = model_first_pane(model, link->window);
		for (; pane != NULL; pane = model_next_window_pane(model, pane)) {
			struct track *track = track_find(attachment->sync, pane->id);
			if (track != NULL)
				call(flow, track);
		}
	}
}

static void count_wanted(struct flow *flow, struct track *track)
{
	flow->attachment->flowing += is_to_flow(flow->attachment, track);
}

static void settle_track(struct flow *flow, struct track *track)
{
	if (is_to_flow(flow->attachment, track) && track->is_paused &&
	    track->source == flow->attachment)
		return;
	if (is_to_flow(flow->attachment, track))
		let_flow(flow, track);
	else
		stop_flow(flow, track);
}

static void forget_paused(struct attachment *attachment)
{
	map_each (void, value, &attachment->paused) {
		uint64_t pane = map_key(&attachment->paused, value_at);
		if (track_find(attachment->sync, (uint32_t)pane) == NULL)
			(void)map_remove(&attachment->paused, pane);
	}
}

static void settle_attachment(struct attachment *attachment)
{
	struct flow flow = {.attachment = attachment};
	attachment->flowing = 0;
	for_each_track(attachment, &flow, count_wanted);
	if (!attachment->has_output && attachment->flowing == 0)
		return;
	if (!attachment->has_output) {
		flow.turns_on = true;
		(void)flow_begin(&flow);
		muxbus_command_args(flow.command, "refresh-client", "-f", "!no-output", NULL);
		muxbus_command_next(flow.command);
		muxbus_command_args(flow.command, LIST_COMMANDS, "-F",
		    "#{S:#{W:#{P:#{pane_id}\n}}}", LIST_ONE, NULL);
		muxbus_command_next(flow.command);
	}
	for_each_track(attachment, &flow, settle_track);
	forget_paused(attachment);
	flow_end(&flow);
}

/*
 * Pauses panes that have left the session. tmux queues their output without limit, and tmux up to
 * 3.7c crashes when such a pane is respawned.
 */
static void pause_moved(struct attachment *attachment)
{
	const struct muxbus_sync *sync = attachment->sync;
	struct flow flow = {.attachment = attachment};
	map_each (struct track, track, &sync->tracks)
		if ((track->source == attachment || track->coming == attachment) &&
		    track->now != NULL && !may_own(attachment, track->now->window))
			stop_flow(&flow, track);
	flow_end(&flow);
}

void attachment_settle_output(struct muxbus_sync *sync)
{
	list_each (struct attachment, attachment, &sync->attachments, link)
		if (attachment->state == ATTACHMENT_LIVE && attachment->has_output)
			pause_moved(attachment);
	list_each_safe (struct attachment, attachment, &sync->attachments, link) {
		uint64_t freed = sync->freed;
		if (attachment->state == ATTACHMENT_LIVE)
			settle_attachment(attachment);
		if (sync->freed != freed) { /* the gap handler has freed attachments */
			sync_settle_later(sync);
			return;
		}
	}
}

void attachment_paused(struct attachment *attachment, uint32_t pane)
{
	struct track *track = track_find(attachment->sync, pane);
	if (track == NULL || track->source != attachment || track->is_paused)
		return;
	track->source = NULL;
	if (map_set(&attachment->paused, pane, attachment) != 0)
		flow_fail(attachment, MUXBUS_ERR_NOMEM);
	sync_settle_later(attachment->sync);
}
