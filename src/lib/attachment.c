/* SPDX-License-Identifier: ISC */
/* The connections to the sessions, and the flow of output on each. */
#include "lib/attachment.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "lib/library.h"
#include "lib/model.h"
#include "lib/state.h"
#include "lib/track.h"

/* So many panes are paused or continued by one command. */
#define FLOW_ARGS_MAX 100
/* A connection that lived so long was no failure: the next try is soon. */
#define LONG_LIFE_MS 10000

static void on_ready(void *data, const struct muxbus_version *version, uint32_t session)
{
	struct follow *follow = data;

	if (follow->state != FOLLOW_OPENING)
		return;
	follow->state = FOLLOW_LIVE;
	follow->live_ms = clock_mono_ms();
	follow->on_since = follow->sync->lister.begun;
	if (follow->session == MUXBUS_NO_ID)
		follow->session = session;
	if (follow->session != session) { /* it went while we came, and tmux took us elsewhere */
		follow_close(follow);
		return;
	}
	sync_follow_ready(follow->sync, follow, version);
}

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms)
{
	struct follow *follow = data;

	(void)age_ms;
	follow->last_output_pane = pane;
	follow->outputs++;
	track_output(follow->sync, follow, pane, bytes, len);
}

static void on_block(void *data)
{
	struct follow *follow = data;

	follow->outputs_at_block = follow->outputs;
}

static void on_event(void *data, const struct muxbus_event *event)
{
	struct follow *follow = data;

	if (follow->state != FOLLOW_CLOSING)
		sync_event(follow->sync, follow, event);
}

/* The connection may be freed here, but the follow may have a second life. */
static void on_closed(void *data, int error, const char *reason)
{
	struct follow *follow = data;
	bool was_closing = follow->state == FOLLOW_CLOSING;
	bool was_long =
	    follow->state == FOLLOW_LIVE && clock_mono_ms() - follow->live_ms > LONG_LIFE_MS;

	track_forget_follow(follow->sync, follow);
	follow->state = was_closing ? FOLLOW_CLOSING : FOLLOW_WAITING;
	follow->has_output = false;
	follow->knows_last = false;
	follow->flowing = 0;
	follow->flow_changes++;
	map_finish(&follow->paused);
	map_init(&follow->paused);
	if (was_long)
		follow->delay_ms = 0;
	if (!was_closing)
		loop_timer_start(&follow->timer, finder_next_delay_ms(&follow->delay_ms));
	sync_follow_closed(follow->sync, follow, error, reason);
}

static void on_due(void *data)
{
	struct follow *follow = data;

	follow->is_due = true;
	sync_settle_later(follow->sync);
}

struct follow *follow_new(struct muxbus_sync *sync, uint32_t session)
{
	struct follow *follow = mem_calloc(1, sizeof *follow);

	if (follow == NULL)
		return NULL;
	follow->sync = sync;
	follow->session = session;
	follow->state = FOLLOW_WAITING;
	follow->is_due = true;
	follow->last_output_pane = MUXBUS_NO_ID;
	map_init(&follow->paused);
	loop_timer_init(&follow->timer, sync->loop, on_due, follow);
	list_append(&sync->follows, &follow->link);
	return follow;
}

void follow_free(struct follow *follow)
{
	struct muxbus_sync *sync = follow->sync;

	if (sync->primary == follow)
		sync->primary = NULL;
	track_forget_follow(sync, follow);
	loop_timer_stop(&follow->timer);
	list_remove(&follow->link);
	follow->state = FOLLOW_CLOSING;
	muxbus_connection_free(follow->connection);
	map_finish(&follow->paused);
	mem_free(follow);
}

int follow_open(struct follow *follow)
{
	const struct muxbus_sync *sync = follow->sync;
	const struct muxbus_connection_options options = {
	    .socket_path = sync->socket_path,
	    .tmux_path = sync->tmux_path,
	    .session = follow->session,
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

	loop_timer_stop(&follow->timer);
	follow->is_due = false;
	error =
	    muxbus_connection_open(sync->loop, &options, &handlers, follow, &follow->connection);
	if (error != 0) {
		loop_timer_start(&follow->timer, finder_next_delay_ms(&follow->delay_ms));
		return error;
	}
	follow->state = FOLLOW_OPENING;
	follow->has_output = sync->all_output;
	follow->pid = muxbus_connection_pid(follow->connection);
	return 0;
}

void follow_close(struct follow *follow)
{
	if (follow->state == FOLLOW_CLOSING)
		return;
	if (follow->connection == NULL) {
		follow_free(follow);
		return;
	}
	if (follow->sync->primary == follow)
		follow->sync->primary = NULL;
	loop_timer_stop(&follow->timer);
	follow->state = FOLLOW_CLOSING;
	track_forget_follow(follow->sync, follow);
	muxbus_connection_close(follow->connection);
}

static void on_ignored(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	(void)data;
	(void)error;
	(void)replies;
	(void)count;
}

int follow_run(
    struct follow *follow, struct muxbus_command *command, muxbus_reply_fn *reply, void *data)
{
	if (follow == NULL || follow->connection == NULL) {
		muxbus_command_free(command);
		return MUXBUS_ERR_UNAVAILABLE;
	}
	return muxbus_connection_run(
	    follow->connection, command, reply != NULL ? reply : on_ignored, data);
}

struct follow *follow_find(const struct muxbus_sync *sync, uint32_t session)
{
	struct list *link;

	list_for_each (link, &sync->follows) {
		struct follow *follow = list_entry(link, struct follow, link);

		if (follow->session == session && follow->state != FOLLOW_CLOSING)
			return follow;
	}
	return NULL;
}

static bool may_own(const struct follow *follow, uint32_t window)
{
	return follow != NULL && follow->state == FOLLOW_LIVE &&
	    model_link(follow->sync->model, follow->session, window) != NULL;
}

/* Who has a pane keeps it as long as it can, since each change of hands loses bytes. */
struct follow *follow_owner(const struct muxbus_sync *sync, const struct track *track)
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
		struct follow *follow = follow_find(sync, link->session);

		if (follow != NULL && follow->state == FOLLOW_LIVE)
			return follow;
	}
	return NULL;
}

/* ---- the flow of output ---------------------------------------------------------- */

/* Commands about the flow on one connection, as they are put together. */
struct flow {
	struct follow *follow;
	struct muxbus_command *command; /* NULL: nothing to say yet, or out of memory */
	unsigned args; /* of its last command */
	bool turns_on; /* everything flows after it that is not paused by it */
};

static bool flow_begin(struct flow *flow)
{
	if (flow->command == NULL && muxbus_command_new(&flow->command) != 0)
		flow->command = NULL;
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

static const char *gap_reason(const struct track *track)
{
	return track->was_followed ? "reconnect" : "not_watched";
}

/* The newest pane at the moment when output was turned on, from a list of ids. */
static void note_last_pane(struct follow *follow, const struct muxbus_reply *reply)
{
	const char *line = (const char *)reply->body;
	unsigned pane;

	if (line == NULL)
		return;
	while (sscanf(line, "%%%u", &pane) == 1) {
		if (!follow->knows_last || pane > follow->last_pane)
			follow->last_pane = pane;
		follow->knows_last = true;
		line = strchr(line, '\n');
		if (line == NULL)
			return;
		line++;
	}
}

static void on_flowing(void *data, int error, const struct muxbus_reply *replies, size_t count);

/* The first command turned output on, the second says which panes there were then. */
static void on_turned_on(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct follow *follow = data;

	follow->on_since = follow->sync->lister.begun;
	if (error == 0 && count >= 2)
		note_last_pane(follow, &replies[1]);
	on_flowing(data, error, replies, count);
}

/*
 * The panes that were told to flow do so now. Answers come in the order of the commands,
 * so their number says which panes are meant: one may have been paused again meanwhile.
 */
static void on_flowing(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct follow *follow = data;
	struct muxbus_sync *sync = follow->sync;
	uint64_t number = ++follow->flows_answered;
	size_t cursor = 0;
	uint64_t key;
	void *value;

	(void)replies;
	(void)count;
	while (map_next(&sync->tracks, &cursor, &key, &value)) {
		struct track *track = value;

		if (track->coming != follow || track->coming_number != number)
			continue;
		track->coming = NULL;
		if (error == 0 && follow->state == FOLLOW_LIVE)
			track_set_source(sync, track, follow, gap_reason(track));
	}
	if (error != 0 && follow->state == FOLLOW_LIVE)
		library_log(MUXBUS_LOG_WARNING, "session $%u: output cannot be turned on: %s",
		    follow->session, muxbus_strerror(error));
}

static void flow_end(struct flow *flow)
{
	struct follow *follow = flow->follow;

	if (flow->command == NULL)
		return;
	follow->flow_changes++;
	follow->has_output = true;
	if (follow_run(follow, flow->command, flow->turns_on ? on_turned_on : on_flowing, follow) ==
	    0)
		follow->flows_sent++;
	else
		library_log(MUXBUS_LOG_WARNING, "session $%u: the flow of output cannot be set",
		    follow->session);
	flow->command = NULL;
}

/*
 * Whether everything that a pane ever wrote has come over this follow, and was held: all
 * output was on and wanted when a listing began that did not have the pane yet, or when
 * older panes were the newest.
 */
static bool was_born_under(const struct follow *follow, const struct track *track)
{
	const struct muxbus_sync *sync = follow->sync;
	const struct lister *lister = &sync->lister;
	bool was_absent = lister->previous > follow->on_since && lister->previous > sync->all_since;
	bool is_newer = follow->knows_last && track->pane > follow->last_pane &&
	    follow->on_since >= sync->all_since;

	return sync->all_output && track->born == lister->done && (was_absent || is_newer) &&
	    track->is_held && (track->held_from == NULL || track->held_from == follow);
}

/* A wanted pane flows here already: takes it over. */
static void take_flowing(struct follow *follow, struct track *track)
{
	if (track->source == follow)
		return;
	if (was_born_under(follow, track)) {
		track_set_source(follow->sync, track, follow, NULL);
		track_release(follow->sync, track);
		return;
	}
	track_drop_held(track);
	track_set_source(follow->sync, track, follow, gap_reason(track));
}

/* Has a wanted pane flow. */
static void let_flow(struct flow *flow, struct track *track)
{
	struct follow *follow = flow->follow;

	if (track->coming == follow)
		return;
	if (!flow->turns_on && map_get(&follow->paused, track->pane) == NULL) {
		take_flowing(follow, track);
		return;
	}
	if (!flow_begin(flow))
		return;
	if (map_remove(&follow->paused, track->pane) != NULL)
		flow_add(flow, track->pane, "continue");
	track_drop_held(track);
	track->coming = follow;
	track->coming_number = follow->flows_sent + 1;
}

/* Pauses a pane that nobody wants, or that another follow hands over. */
static void stop_flow(struct flow *flow, struct track *track)
{
	struct follow *follow = flow->follow;

	if (track->coming == follow)
		track->coming = NULL;
	if (track->source == follow)
		track->source = NULL;
	if (map_get(&follow->paused, track->pane) != NULL || !flow_begin(flow) ||
	    map_set(&follow->paused, track->pane, follow) != 0)
		return;
	flow_add(flow, track->pane, "pause");
}

static bool is_to_flow(const struct follow *follow, const struct track *track)
{
	return track_is_wanted(follow->sync, track) && follow_owner(follow->sync, track) == follow;
}

/* Calls a function for the track of each pane of a follow's session. */
static void for_each_track(
    struct follow *follow, struct flow *flow, void (*call)(struct flow *flow, struct track *track))
{
	const struct muxbus_model *model = follow->sync->model;
	const struct muxbus_link *link = model_first_session_link(model, follow->session);

	for (; link != NULL; link = model_next_session_link(model, link)) {
		const struct muxbus_pane *pane = model_first_pane(model, link->window);

		for (; pane != NULL; pane = model_next_window_pane(model, pane)) {
			struct track *track = track_find(follow->sync, pane->id);

			if (track != NULL)
				call(flow, track);
		}
	}
}

static void count_wanted(struct flow *flow, struct track *track)
{
	flow->follow->flowing += is_to_flow(flow->follow, track);
}

static void settle_track(struct flow *flow, struct track *track)
{
	if (is_to_flow(flow->follow, track) && track->is_paused && track->source == flow->follow)
		return;
	if (is_to_flow(flow->follow, track))
		let_flow(flow, track);
	else
		stop_flow(flow, track);
}

/* A pane that is no more need not be remembered as paused. */
static void forget_paused(struct follow *follow)
{
	size_t cursor = 0;
	uint64_t pane;
	void *value;

	while (map_next(&follow->paused, &cursor, &pane, &value)) {
		if (track_find(follow->sync, (uint32_t)pane) == NULL)
			(void)map_remove(&follow->paused, pane);
	}
}

static void settle_follow(struct follow *follow)
{
	struct flow flow = {.follow = follow};

	follow->flowing = 0;
	for_each_track(follow, &flow, count_wanted);
	if (!follow->has_output && follow->flowing == 0)
		return;
	if (!follow->has_output) {
		flow.turns_on = true;
		if (!flow_begin(&flow))
			return;
		muxbus_command_args(flow.command, "refresh-client", "-f", "!no-output", NULL);
		muxbus_command_next(flow.command);
		muxbus_command_args(flow.command, "list-panes", "-a", "-F", "#{pane_id}", NULL);
		muxbus_command_next(flow.command);
	}
	for_each_track(follow, &flow, settle_track);
	forget_paused(follow);
	flow_end(&flow);
}

void follow_settle_output(struct muxbus_sync *sync)
{
	struct list *link, *after;

	list_for_each_safe (link, after, &sync->follows) {
		struct follow *follow = list_entry(link, struct follow, link);

		if (follow->state == FOLLOW_LIVE)
			settle_follow(follow);
	}
}

void follow_paused(struct follow *follow, uint32_t pane)
{
	struct track *track = track_find(follow->sync, pane);

	if (track == NULL || track->source != follow || track->is_paused ||
	    map_set(&follow->paused, pane, follow) != 0)
		return;
	track->source = NULL;
	sync_settle_later(follow->sync);
}
