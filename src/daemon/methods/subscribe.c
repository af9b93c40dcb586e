/* SPDX-License-Identifier: ISC */
/* Methods about events: list_events, subscribe, unsubscribe. */
#include "daemon/event/event_log.h"
#include "daemon/methods/queue_shared.h"
#include "daemon/methods/tables.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/tmux/flow_wait.h"
#include "daemon/tmux/subscription.h"
#include "wire/page.h"

static bool read_kinds(
    struct request *request, const struct field_strings *names, uint64_t *ret_kinds)
{
	*ret_kinds = 0;
	for (size_t i = 0; i < names->count; i++) {
		uint64_t found = event_kinds_find(names->strings[i]);
		char data[128] = "\"field\":\"kinds\"";
		const char *nearest;
		*ret_kinds |= found;
		if (found != 0)
			continue;
		nearest = event_kind_nearest(names->strings[i]);
		if (nearest != NULL)
			(void)snprintf(
			    data, sizeof data, "\"field\":\"kinds\",\"nearest\":\"%s\"", nearest);
		return request_fail_data(request, MESSAGE_PARAMS, data,
		    "kinds: there is no kind of events called \"%.80s\"%s%s%s", names->strings[i],
		    STR_NEAREST(nearest, ""));
	}
	return true;
}

struct list_events_args {
	struct field_strings kinds;
	int64_t after;
	bool has_after;
	int64_t limit;
};

static const struct field list_events_fields[] = {
    {FIELD_ROW(INT, struct list_events_args, after, "after"),
	.given_offset = offsetof(struct list_events_args, has_after), .max = JSON_INT_MAX,
	.help = "Those behind this number, oldest first; left out, the latest ones."},
    {FIELD_ROW(STRINGS, struct list_events_args, kinds, "kinds"), .min = 1, .max = 64,
	.help = "Only these kinds; or patterns, such as pane_*."},
    {FIELD_ROW(INT, struct list_events_args, limit, "limit"), .min = 1, .max = 10000,
	.preset = "100", .help = "How many at most."},
    {0},
};

static const struct field_result list_events_results[] = {
    {"events", "array", "the events, each with seq, time, kind and what its kind has"},
    {"last", "integer", "what to give as after to go on from here"},
    {"more", "boolean", "whether there are more already"},
    {"gap", "object|null",
	"from, to and reason of events before these that are not remembered; null if there are "
	"none"},
    {0},
};

static uint64_t before_latest(struct event_log *log, uint64_t kinds, int64_t limit)
{
	size_t count = 0;
	uint64_t cursor = 0;
	for (struct event_entry *event = event_log_after(log, 0); event != NULL;
	     event = event_log_after(log, event->seq))
		count += subscription_wants_kind(kinds, false, event);
	for (struct event_entry *event = event_log_after(log, 0);
	     event != NULL && count > (size_t)limit; event = event_log_after(log, cursor)) {
		count -= subscription_wants_kind(kinds, false, event);
		cursor = event->seq;
	}
	return cursor;
}

static void handle_list_events(struct request *request, const void *data)
{
	const struct list_events_args *args = data;
	const struct daemon *daemon = request_daemon(request);
	struct event_log *log = daemon->events;
	uint64_t kinds, missed, cursor, after = (uint64_t)args->after;
	const char *reason = "";
	struct json_writer *writer;
	struct page page;
	if (!read_kinds(request, &args->kinds, &kinds) ||
	    (args->has_after && !queue_check_after(request, args->after)))
		return;

	missed = args->has_after ? event_log_missed(log, after, &reason) : 0;
	cursor = args->has_after ? after : before_latest(log, kinds, args->limit);
	writer = request_result(request);
	page_begin(&page, writer, "events", (size_t)daemon->config->limits.result_bytes / 2, 0,
	    args->limit);
	for (struct event_entry *event = event_log_after(log, cursor); event != NULL;
	     event = event_log_after(log, cursor)) {
		if (subscription_wants_kind(kinds, false, event)) {
			if (!page_takes(&page))
				break;
			json_object_begin(writer, NULL);
			json_put_raw(writer, NULL, event->json, event->json_len);
			json_object_end(writer);
			if (!page_keeps(&page))
				break;
		}
		cursor = event->seq;
	}
	json_array_end(writer);
	json_put_int(writer, "last", (int64_t)(page.has_more ? cursor : event_log_last(log)));
	json_put_bool(writer, "more", page.has_more);
	queue_write_gap(writer, after, missed, reason);
	request_done(request);
}

struct subscribe_args {
	struct field_strings kinds;
	struct field_strings panes;
	struct field_strings sessions;
	bool output;
	int64_t after;
	bool has_after;
};

static const struct field subscribe_fields[] = {
    {FIELD_ROW(STRINGS, struct subscribe_args, kinds, "kinds"), .min = 1, .max = 64,
	.help =
	    "Only these kinds, or those that match patterns such as pane_*; left out, all but "
	    "pane_output and line, which no pattern matches. Some kinds cost tmux work, and the "
	    "daemon looks for them only where they are named or matched: those that tmux does not "
	    "announce (command_changed, mode_changed, pane_exited of kept panes, path_changed, "
	    "title_changed; within about a second, with more than 200 panes within 5 ms for each) "
	    "and those that come from output (bell, pane_quiet, command_started, command_finished, "
	    "program_notified, progress_changed, line). Else they come when the daemon learns of "
	    "them, if it does."},
    {FIELD_ROW(STRINGS, struct subscribe_args, panes, "panes"), .min = 1,
	.max = SUBSCRIPTION_PANES_MAX,
	.help = "Only events about these panes (ids or targets), and server_lost and "
		"server_found."},
    {FIELD_ROW(STRINGS, struct subscribe_args, sessions, "sessions"), .min = 1,
	.max = SUBSCRIPTION_PANES_MAX,
	.help = "Only events about what is in these sessions (ids or names)."},
    {FIELD_ROW(BOOL, struct subscribe_args, output, "output"), .preset = "false",
	.help = "pane_output too: the text that programs write, as it comes."},
    {FIELD_ROW(INT, struct subscribe_args, after, "after"),
	.given_offset = offsetof(struct subscribe_args, has_after), .max = JSON_INT_MAX,
	.help = "Begin behind this number with what is remembered; a gap event says what is not."},
    {0},
};

static const struct field_result subscribe_results[] = {
    {"subscription", "string", "its name on this connection, such as S1"},
    {"seq", "integer", "the last number given: live events come behind it"},
    {"panes", "array", "the ids of the panes that were named"},
    {"sessions", "array", "the ids of the sessions that were named"},
    {0},
};

static bool read_panes(
    struct request *request, const struct field_strings *targets, uint32_t *ret_ids)
{
	for (size_t i = 0; i < targets->count; i++) {
		const struct muxbus_pane *pane;
		if (!target_pane(request, targets->strings[i], &pane))
			return false;
		ret_ids[i] = pane->id;
	}
	return true;
}

static bool read_sessions(
    struct request *request, const struct field_strings *targets, uint32_t *ret_ids)
{
	for (size_t i = 0; i < targets->count; i++) {
		const struct muxbus_session *session;
		if (!target_session(request, targets->strings[i], &session))
			return false;
		ret_ids[i] = session->id;
	}
	return true;
}

static bool can_resolve(struct request *request, const struct subscribe_args *args)
{
	const struct tmux *tmux = request_daemon(request)->tmux;
	if (args->panes.count + args->sessions.count == 0 || (tmux != NULL && tmux_is_live(tmux)))
		return true;
	return request_fail(request, MESSAGE_TMUX_UNAVAILABLE,
	    "panes and sessions cannot be looked up: tmux is not followed now: %s",
	    tmux != NULL ? tmux_reason(tmux) : "");
}

static void put_ids(
    struct json_writer *writer, const char *name, char sigil, const uint32_t *ids, size_t count)
{
	if (count == 0)
		return;
	json_array_begin(writer, name);
	for (size_t i = 0; i < count; i++)
		json_put_id(writer, NULL, sigil, ids[i]);
	json_array_end(writer);
}

/* Called when the response was sent: events may follow. */
static void on_subscribed(struct peer *peer, void *data)
{
	subscription_start(peer_subscriptions(peer), data);
}

struct starting {
	struct request *request;
	char name[SUBSCRIPTION_NAME_SIZE];
	uint32_t panes[SUBSCRIPTION_PANES_MAX];
	size_t panes_count;
	size_t flowing; /* number of panes for whose output the request waits or has waited */
	uint32_t sessions[SUBSCRIPTION_PANES_MAX];
	size_t sessions_count;
};

static void answer(struct starting *starting)
{
	struct request *request = starting->request;
	struct json_writer *writer = request_result(request);
	json_put_str(writer, "subscription", starting->name);
	json_put_int(writer, "seq", (int64_t)event_log_last(request_daemon(request)->events));
	put_ids(writer, "panes", '%', starting->panes, starting->panes_count);
	put_ids(writer, "sessions", '$', starting->sessions, starting->sessions_count);
	request_on_sent(request, on_subscribed, xstrdup(starting->name));
	request_done(request);
	mem_free(starting);
}

static void on_flowing(void *data, bool is_gone)
{
	struct starting *starting = data;
	const struct daemon *daemon = request_daemon(starting->request);
	(void)is_gone; /* a closed pane does not fail the request: it gives no output */
	if (starting->flowing == starting->panes_count)
		answer(starting);
	else
		flow_wait(daemon->base, daemon->tmux, daemon->streams,
		    starting->panes[starting->flowing++], on_flowing, starting);
}

static void handle_subscribe(struct request *request, const void *data)
{
	const struct subscribe_args *args = data;
	struct starting *starting = xcalloc(1, sizeof *starting);
	struct subscription_filter filter = {
	    .wants_output = args->output,
	    .panes = starting->panes,
	    .panes_count = args->panes.count,
	    .sessions = starting->sessions,
	    .sessions_count = args->sessions.count,
	    .after = (uint64_t)args->after,
	    .has_after = args->has_after,
	};
	struct peer *peer = request_peer(request);
	starting->request = request;
	starting->panes_count = args->panes.count;
	starting->sessions_count = args->sessions.count;
	if (!read_kinds(request, &args->kinds, &filter.kinds) ||
	    (subscription_follows(filter.kinds, filter.wants_output,
		 filter.panes_count > 0 && config_pipes(request_daemon(request)->config)) &&
		dispatch_attach_first(request)) ||
	    (args->has_after && !queue_check_after(request, args->after)) ||
	    !can_resolve(request, args) || !read_panes(request, &args->panes, starting->panes) ||
	    !read_sessions(request, &args->sessions, starting->sessions)) {
		mem_free(starting);
	} else if (peer == NULL) {
		request_done(request);
		mem_free(starting);
	} else if (subscription_add(peer_subscriptions(peer), &filter, starting->name) < 0) {
		request_fail(request, MESSAGE_LIMIT,
		    "this connection has %d subscriptions already: unsubscribe from some first",
		    SUBSCRIPTIONS_MAX);
		mem_free(starting);
	} else {
		on_flowing(starting, false);
	}
}

struct unsubscribe_args {
	const char *subscription;
};

static const struct field unsubscribe_fields[] = {
    {FIELD_ROW(STRING, struct unsubscribe_args, subscription, "subscription"),
	.flags = FIELD_REQUIRED, .min = 1, .max = SUBSCRIPTION_NAME_SIZE - 1,
	.help = "Its name, as subscribe gave it."},
    {0},
};

static const struct field_result unsubscribe_results[] = {
    {"subscription", "string", "its name; no event of it comes behind this response"},
    {0},
};

static void handle_unsubscribe(struct request *request, const void *data)
{
	const struct unsubscribe_args *args = data;
	struct peer *peer = request_peer(request);
	if (peer == NULL || subscription_remove(peer_subscriptions(peer), args->subscription) < 0) {
		request_fail(request, MESSAGE_NO_SUCH_SUBSCRIPTION,
		    "this connection has no subscription \"%s\"", args->subscription);
		return;
	}
	json_put_str(request_result(request), "subscription", args->subscription);
	request_done(request);
}

const struct method methods_subscribe[] = {
    {.name = METHOD("list_events", METHOD_READS | METHOD_SEES),
	.title = "List past events",
	.summary = "Lists past events, as far as they are remembered.",
	.help =
	    "Events pane_output and line are not remembered: read_output has the output of a pane.",
	METHOD_CALL(handle_list_events, list_events_args, list_events_fields, list_events_results),
	.flags = METHOD_OPEN_WORLD,
	.example = "{\"after\":0,\"kinds\":[\"pane_exited\"]}"},
    {.name = METHOD("subscribe", METHOD_READS | METHOD_SEES),
	.title = "Subscribe to events",
	.summary = "Sends events as they happen, each as a line with the method \"event\".",
	.help = "The response comes first, then what is replayed, then what happens. The "
		"subscription ends with the connection, which has 64 at most; it goes on after a "
		"half-close.",
	METHOD_CALL(handle_subscribe, subscribe_args, subscribe_fields, subscribe_results),
	.flags = METHOD_OPEN_WORLD,
	.example = "{\"kinds\":[\"pane_created\",\"pane_exited\"]}"},
    {.name = METHOD("unsubscribe", METHOD_READS),
	.title = "End a subscription",
	.summary = "Ends a subscription of this connection.",
	METHOD_CALL(handle_unsubscribe, unsubscribe_args, unsubscribe_fields, unsubscribe_results),
	.flags = METHOD_WITHOUT_TMUX,
	.example = "{\"subscription\":\"S1\"}"},
    {0},
};
