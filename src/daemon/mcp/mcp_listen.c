/* SPDX-License-Identifier: ISC */
/*
 * Notifications to clients about changed lists and resources, and log messages. In the modern
 * revision a client asks for the first ones with a request that stays open. A target is a resource,
 * the list of resources, or the log; but for the log, it has at most one notification a second.
 */
#include "daemon/mcp/mcp_exchange.h"

#include <muxbus.h>

#include "daemon/core/config.h"
#include "daemon/event/event_log.h"
#include "daemon/job/job.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"
#include "daemon/tmux/subscription.h"
#include "io/loop_timer.h"

#define INTERVAL_MS 1000
#define TARGETS_MAX (SUBSCRIPTIONS_MAX - 1) /* one subscription is left for the log */

struct listen_stream {
	struct list link;
	struct mcp_listening *listening;
	struct request *request;
	bool has_tools; /* wants notifications about the list of tools */
	char id[]; /* id of the request, as JSON */
};

struct listen_target {
	struct list link;
	struct mcp_listening *listening;
	struct listen_stream *stream; /* NULL: not begun by the request subscriptions/listen */
	/* name of the subscription to events; "": none */
	char subscription[SUBSCRIPTION_NAME_SIZE];
	bool has_jobs;
	bool is_log;
	bool is_due;
	int64_t told_ms; /* CLOCK_MONOTONIC of the last notification */
	char uri[]; /* "": the list of resources, or the log */
};

struct mcp_listening {
	struct mcp_session *session;
	struct daemon *daemon;
	struct subscription_set *events;
	struct job_listener jobs;
	struct list targets;
	size_t count;
	struct list streams;
	struct loop_timer *timer;
	bool has_lists; /* a session of an older revision: its list of resources is a target */
};

static void log_event(const struct mcp_session *session, const struct event_entry *event);

static void begin_meta(struct json_writer *writer, const struct listen_stream *stream)
{
	json_object_begin(writer, "_meta");
	json_put_raw(writer, MCP_META "subscriptionId", stream->id, strlen(stream->id));
}

static bool tell(
    struct peer *peer, const char *method, const struct listen_stream *stream, const char *uri)
{
	struct json_writer writer;
	struct buf line;
	bool is_sent;
	json_start(&writer, &line, MESSAGE_ID_BYTES + 4096);
	message_begin_notice(&writer, method);
	if (stream != NULL) {
		begin_meta(&writer, stream);
		json_object_end(&writer);
	}
	json_put_given(&writer, "uri", uri);
	message_end_notice(&writer);
	is_sent = peer_send_line(peer, (const char *)line.data, line.len);
	buf_finish(&line);
	return is_sent;
}

/* Sends the notification. Returns false if the peer does not read; the target then stays due. */
static bool tell_target(const struct listen_target *target)
{
	struct peer *peer = target->listening->session->peer;
	return *target->uri
	    ? tell(peer, "notifications/resources/updated", target->stream, target->uri)
	    : tell(peer, "notifications/resources/list_changed", target->stream, NULL);
}

static void schedule(struct mcp_listening *listening)
{
	int64_t now_ms = clock_mono_ms();
	int64_t wait_ms = -1;
	list_each (const struct listen_target, target, &listening->targets, link) {
		int64_t left_ms = target->told_ms + INTERVAL_MS - now_ms;
		left_ms = target->told_ms == 0 || left_ms < 0 ? 0 : left_ms;
		if (target->is_due && (wait_ms < 0 || left_ms < wait_ms))
			wait_ms = left_ms;
	}
	if (wait_ms >= 0)
		loop_timer_arm(listening->timer, wait_ms);
}

static void on_timer(void *data)
{
	struct mcp_listening *listening = data;
	int64_t now_ms = clock_mono_ms();
	list_each (struct listen_target, target, &listening->targets, link) {
		if (!target->is_due ||
		    (target->told_ms != 0 && target->told_ms + INTERVAL_MS > now_ms))
			continue;
		target->is_due = !tell_target(target);
		target->told_ms = now_ms;
	}
	schedule(listening);
}

static void set_due(struct listen_target *target)
{
	target->is_due = true;
	schedule(target->listening);
}

static struct listen_target *find_by_subscription(struct mcp_listening *listening, const char *name)
{
	list_each (struct listen_target, target, &listening->targets, link)
		if (strcmp(target->subscription, name) == 0)
			return target;
	return NULL;
}

static bool on_event(void *data, const char *name, struct event_entry *event)
{
	struct mcp_listening *listening = data;
	struct listen_target *target = find_by_subscription(listening, name);
	if (target != NULL && target->is_log)
		log_event(listening->session, event);
	else if (target != NULL)
		set_due(target);
	return true;
}

static bool on_gap(void *data, const char *name, uint64_t from UNUSED, uint64_t to UNUSED,
    const char *reason UNUSED)
{
	struct listen_target *target = find_by_subscription(data, name);
	if (target != NULL && !target->is_log)
		set_due(target);
	return true;
}

static void on_job(struct job_listener *listener, const struct job *job)
{
	struct mcp_listening *listening = list_entry(listener, struct mcp_listening, jobs);
	if (job->is_silent)
		return;
	list_each (struct listen_target, target, &listening->targets, link)
		if (target->has_jobs &&
		    (strncmp(target->uri, "muxbus://jobs/", 14) != 0 ||
			strncmp(target->uri + 14, job->id, strlen(job->id)) == 0))
			set_due(target);
}

static struct mcp_listening *listening_of(struct mcp_session *session)
{
	struct mcp_listening *listening = session->listening;
	if (listening != NULL)
		return listening;
	listening = xcalloc(1, sizeof *listening);
	listening->session = session;
	listening->daemon = session->mcp->daemon;
	list_init(&listening->targets);
	list_init(&listening->streams);
	listening->timer = loop_timer_new(listening->daemon->base, on_timer, listening);
	listening->events = subscription_set_new(listening->daemon,
	    &(struct subscription_sink){.event = on_event, .gap = on_gap, .data = listening});
	listening->jobs.started = on_job;
	listening->jobs.ended = on_job;
	if (listening->daemon->jobs != NULL)
		job_listen(listening->daemon->jobs, &listening->jobs, "");
	session->listening = listening;
	return listening;
}

static void target_free(struct listen_target *target)
{
	if (*target->subscription)
		(void)subscription_remove(target->listening->events, target->subscription);
	target->listening->count -= !target->is_log;
	list_remove(&target->link);
	mem_free(target);
}

static void stream_free(void *data)
{
	struct listen_stream *stream = data;
	list_each_safe (struct listen_target, target, &stream->listening->targets, link)
		if (target->stream == stream)
			target_free(target);
	list_remove(&stream->link);
	mem_free(stream);
}

void mcp_listening_free(struct mcp_listening *listening)
{
	if (listening == NULL)
		return;
	while (!list_is_empty(&listening->streams))
		stream_free(list_entry(listening->streams.next, struct listen_stream, link));
	while (!list_is_empty(&listening->targets))
		target_free(list_entry(listening->targets.next, struct listen_target, link));
	if (listening->daemon->jobs != NULL)
		list_remove(&listening->jobs.link);
	subscription_set_free(listening->events);
	loop_timer_free(listening->timer);
	mem_free(listening);
}

static struct listen_target *add_target(struct mcp_listening *listening,
    struct listen_stream *stream, const char *uri, const struct mcp_change *change, bool is_log)
{
	size_t len = strlen(uri);
	struct subscription_filter filter = {.kinds = change->kinds,
	    .wants_output = change->has_output,
	    .panes = &change->pane,
	    .panes_count = change->pane != MUXBUS_NO_ID,
	    .is_passive = *uri == '\0' ||
		(stream != NULL && request_role(stream->request) == ROLE_READ_ONLY)};
	struct listen_target *target;
	if (listening->count >= TARGETS_MAX + (size_t)is_log)
		return NULL;
	target = xcalloc(1, sizeof *target + len + 1);
	target->listening = listening;
	target->stream = stream;
	target->has_jobs = change->has_jobs;
	target->is_log = is_log;
	memcpy(target->uri, uri, len);
	list_append(&listening->targets, &target->link);
	listening->count += !is_log;
	if (change->kinds &&
	    subscription_add(listening->events, &filter, target->subscription) == 0)
		subscription_start(listening->events, target->subscription);
	return target;
}

static bool needs_client(const struct mcp_listening *listening, const struct mcp_change *change)
{
	return change->kinds != 0 &&
	    subscription_follows(change->kinds, change->has_output,
		change->pane != MUXBUS_NO_ID && config_pipes(listening->daemon->config));
}

void mcp_listen_lists(struct mcp_session *session)
{
	struct mcp_listening *listening = listening_of(session);
	struct mcp_change change;
	if (listening->has_lists)
		return;
	mcp_resource_list_change(&change);
	listening->has_lists = add_target(listening, NULL, "", &change, false) != NULL;
}

static void listen_for_log(struct mcp_session *session, uint64_t kinds)
{
	struct mcp_listening *listening = listening_of(session);
	struct mcp_change change = {.kinds = kinds, .pane = MUXBUS_NO_ID};
	list_each_safe (struct listen_target, target, &listening->targets, link)
		if (target->is_log)
			target_free(target);
	/* cannot fail: one place is left for the log */
	(void)add_target(listening, NULL, "", &change, true);
}

void mcp_listen_tools_changed(struct mcp_session *session)
{
	if (session->is_initialized)
		(void)tell(session->peer, "notifications/tools/list_changed", NULL, NULL);
	if (!session->listening)
		return;
	list_each (const struct listen_stream, stream, &session->listening->streams, link)
		if (stream->has_tools)
			(void)tell(session->peer, "notifications/tools/list_changed", stream, NULL);
}

static struct listen_target *find_by_uri(struct mcp_listening *listening, const char *uri)
{
	list_each (struct listen_target, target, &listening->targets, link)
		if (target->stream == NULL && *uri && strcmp(target->uri, uri) == 0)
			return target;
	return NULL;
}

static void handle_subscribe(struct mcp_exchange *exchange, const void *data)
{
	const struct mcp_uri_args *args = data;
	struct mcp_listening *listening = listening_of(exchange->session);
	struct mcp_change change;
	if (!mcp_resource_change(args->uri, &change)) {
		mcp_resource_refuse(exchange, args->uri);
		return;
	}
	if (needs_client(listening, &change) && dispatch_attach_first(exchange->request))
		return;
	if (find_by_uri(listening, args->uri) == NULL &&
	    add_target(listening, NULL, args->uri, &change, false) == NULL) {
		request_fail(exchange->request, MESSAGE_LIMIT,
		    "this connection has %d subscriptions already", TARGETS_MAX);
		return;
	}
	(void)mcp_result(exchange);
	request_done(exchange->request);
}

static void handle_unsubscribe(struct mcp_exchange *exchange, const void *data)
{
	const struct mcp_uri_args *args = data;
	struct mcp_listening *listening = listening_of(exchange->session);
	struct listen_target *target = find_by_uri(listening, args->uri);
	if (target != NULL)
		target_free(target);
	(void)mcp_result(exchange);
	request_done(exchange->request);
}

static void add_resources(
    struct listen_stream *stream, const struct json *filter, struct json_writer *writer)
{
	const struct json *uris = json_member(filter, "resourceSubscriptions");
	bool may_attach = stream->listening->daemon->config->attach != ATTACH_NEVER;
	struct mcp_change change;
	if (uris == NULL || uris->type != JSON_ARRAY)
		return;
	json_array_begin(writer, "resourceSubscriptions");
	json_each (uri, uris)
		if (uri->type == JSON_STRING && uri->len <= MCP_URI_MAX &&
		    mcp_resource_change(uri->text, &change) &&
		    (may_attach || !needs_client(stream->listening, &change)) &&
		    add_target(stream->listening, stream, uri->text, &change, false) != NULL)
			json_put_str(writer, NULL, uri->text);
	json_array_end(writer);
}

/*
 * Adds the targets of a stream, and sends the acknowledgement, which comes before its
 * notifications. Returns false if the peer does not read.
 */
static bool acknowledge(struct listen_stream *stream, const struct json *filter)
{
	struct json_writer writer;
	struct buf line;
	struct mcp_change change;
	bool is_sent;
	json_start(&writer, &line, MESSAGE_ID_BYTES + (size_t)TARGETS_MAX * MCP_URI_MAX * 6 + 4096);
	message_begin_notice(&writer, "notifications/subscriptions/acknowledged");
	begin_meta(&writer, stream);
	json_object_end(&writer);
	json_object_begin(&writer, "notifications");
	stream->has_tools = json_get_bool(filter, "toolsListChanged", false);
	if (stream->has_tools)
		json_put_bool(&writer, "toolsListChanged", true);
	if (json_get_bool(filter, "promptsListChanged", false))
		json_put_bool(&writer, "promptsListChanged", true);
	mcp_resource_list_change(&change);
	if (json_get_bool(filter, "resourcesListChanged", false) &&
	    add_target(stream->listening, stream, "", &change, false) != NULL)
		json_put_bool(&writer, "resourcesListChanged", true);
	add_resources(stream, filter, &writer);
	json_object_end(&writer);
	message_end_notice(&writer);
	is_sent =
	    peer_send_line(stream->listening->session->peer, (const char *)line.data, line.len);
	buf_finish(&line);
	return is_sent;
}

struct listen_args {
	const struct json *notifications;
};

static const struct field listen_fields[] = {
    {FIELD_ROW(VALUE, struct listen_args, notifications, "notifications"), .flags = FIELD_REQUIRED},
    {.name = NULL},
};

static void handle_listen(struct mcp_exchange *exchange, const void *data)
{
	const struct listen_args *args = data;
	struct mcp_listening *listening = listening_of(exchange->session);
	const char *id = request_id(exchange->request);
	struct listen_stream *stream;
	if (args->notifications->type != JSON_OBJECT) {
		request_fail_field(exchange->request, "notifications", "must be an object, not %s",
		    json_type_name(args->notifications->type));
		return;
	}
	if (!dispatch_may_wait(exchange->request))
		return;
	if (id == NULL || listening->count >= TARGETS_MAX) {
		request_fail(exchange->request, MESSAGE_LIMIT,
		    "this connection has %d subscriptions already", TARGETS_MAX);
		return;
	}
	stream = xcalloc(1, sizeof *stream + strlen(id) + 1);
	stream->listening = listening;
	stream->request = exchange->request;
	memcpy(stream->id, id, strlen(id));
	list_append(&listening->streams, &stream->link);
	request_on_cancel(exchange->request, stream_free, stream, NULL);
	if (acknowledge(stream, args->notifications))
		return;
	stream_free(stream);
	request_fail(exchange->request, MESSAGE_BUSY, "read the output of this connection first");
}

/* Returns a method whose flags say that the request waits, so that it stays open. */
static const struct method *listen_method(const struct mcp_exchange *exchange UNUSED)
{
	static const struct method method = {.name = "subscriptions/listen", .flags = METHOD_WAITS};
	return &method;
}

void mcp_listen_end(struct mcp_session *session)
{
	struct mcp_listening *listening = session->listening;
	while (listening != NULL && !list_is_empty(&listening->streams)) {
		struct listen_stream *stream =
		    list_entry(listening->streams.next, struct listen_stream, link);
		struct request *request = stream->request;
		struct json_writer *writer = request_result(request);
		json_put_str(writer, "resultType", "complete");
		begin_meta(writer, stream);
		mcp_put_server_info(writer, MCP_META "serverInfo");
		json_object_end(writer);
		stream_free(stream);
		request_done(request);
	}
}

const struct mcp_method mcp_methods_listen[] = {
    {.name = "resources/subscribe",
	.flags = MCP_LEGACY_ONLY,
	.fields = mcp_uri_fields,
	.handle = handle_subscribe},
    {.name = "resources/unsubscribe",
	.flags = MCP_LEGACY_ONLY,
	.fields = mcp_uri_fields,
	.handle = handle_unsubscribe},
    {.name = "subscriptions/listen",
	.flags = MCP_MODERN_ONLY,
	.fields = listen_fields,
	.method = listen_method,
	.handle = handle_listen},
    {.name = NULL},
};

#define DATA_MAX ((size_t)16384) /* maximum size of one message; larger ones are not sent */

/* In the order of enum mcp_level. */
static const char *const level_names[] = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", NULL};

/* Sends a log message; data is JSON text. */
static void say(struct peer *peer, enum mcp_level level, const void *data, size_t len)
{
	struct json_writer writer;
	struct buf line;
	json_start(&writer, &line, DATA_MAX + 1024);
	message_begin_notice(&writer, "notifications/message");
	json_put_str(&writer, "level", level_names[level]);
	json_put_str(&writer, "logger", "muxbus");
	json_put_raw(&writer, "data", data, len);
	message_end_notice(&writer);
	if (!writer.is_cut)
		(void)peer_send_line(
		    peer, (const char *)line.data, line.len); /* dropped if the peer is slow */
	buf_finish(&line);
}

static void say_text(struct peer *peer, enum mcp_level level, const char *text)
{
	struct json_writer writer;
	struct buf data;
	json_start(&writer, &data, DATA_MAX);
	(void)json_put_text(&writer, NULL, text, strlen(text));
	say(peer, level, data.data, data.len);
	buf_finish(&data);
}

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange)
{
	const struct json *wanted =
	    exchange->meta ? json_member(exchange->meta, MCP_META "logLevel") : NULL;
	*log = (struct mcp_log){.request = exchange->request,
	    .level = exchange->is_modern ? -1 : exchange->session->log_level,
	    .began_ms = clock_mono_ms()};
	if (!exchange->is_modern || wanted == NULL || wanted->type != JSON_STRING)
		return;
	for (int i = 0; level_names[i]; i++)
		if (strcmp(level_names[i], wanted->text) == 0)
			log->level = i;
}

void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error)
{
	enum mcp_level level = error != NULL ? MCP_WARNING : MCP_DEBUG;
	struct peer *peer = request_peer(log->request);
	char text[512];
	if (peer == NULL || log->level < 0 || (int)level < log->level)
		return;
	(void)snprintf(text, sizeof text, "%s: %s%.300s, after %lld ms", tool->name,
	    error != NULL ? "failed: " : "done", error != NULL ? error : "",
	    (long long)(clock_mono_ms() - log->began_ms));
	say_text(peer, level, text);
}

/* The level at which events are logged; others are not logged. */
static const struct {
	enum event_kind kind;
	enum mcp_level level;
} weights[] = {
    {EVENT_GAP, MCP_WARNING},
    {EVENT_NOTIFICATION, MCP_INFO},
    {EVENT_PANE_CLOSED, MCP_DEBUG},
    {EVENT_PANE_CREATED, MCP_DEBUG},
    {EVENT_SERVER_FOUND, MCP_NOTICE},
    {EVENT_SERVER_LOST, MCP_ERROR},
};

#define WEIGHTS_COUNT (sizeof weights / sizeof *weights)

static void log_event(const struct mcp_session *session, const struct event_entry *event)
{
	struct buf data;
	if (event->json_len + 2 > DATA_MAX)
		return;
	buf_init(&data, DATA_MAX);
	(void)buf_append_byte(&data, '{');
	(void)buf_append(&data, event->json, event->json_len);
	(void)buf_append_byte(&data, '}');
	for (size_t i = 0; i < WEIGHTS_COUNT; i++)
		if (weights[i].kind == event->kind && (int)weights[i].level >= session->log_level)
			say(session->peer, weights[i].level, data.data, data.len);
	buf_finish(&data);
}

struct level_args {
	int level;
};

static const struct field level_fields[] = {
    {FIELD_ROW(CHOICE, struct level_args, level, "level"), .flags = FIELD_REQUIRED,
	.choices = level_names},
    {.name = NULL},
};

static void handle_level(struct mcp_exchange *exchange, const void *data)
{
	const struct level_args *args = data;
	uint64_t kinds = 0;
	for (size_t i = 0; i < WEIGHTS_COUNT; i++)
		if ((int)weights[i].level >= args->level)
			kinds |= (uint64_t)1 << weights[i].kind;
	exchange->session->log_level = args->level;
	listen_for_log(exchange->session, kinds);
	(void)mcp_result(exchange);
	request_done(exchange->request);
}

const struct mcp_method mcp_methods_log[] = {
    {.name = "logging/setLevel",
	.flags = MCP_LEGACY_ONLY,
	.fields = level_fields,
	.handle = handle_level},
    {.name = NULL},
};
