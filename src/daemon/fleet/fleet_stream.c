/* SPDX-License-Identifier: ISC */
/* Merged streams: one subscription on each host, and one line of output. */
#include "daemon/fleet/fleet_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/event/event_log.h"
#include "daemon/fleet/fleet_missing.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/host.h"
#include "daemon/server/method.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"
#include "wire/json.h"

enum {
	NAME_SIZE = 24, /* of a subscription, here and on a host */
	FILTER_BYTES_MAX = 1024 * 1024,
	CALL_MS = 20000, /* a host that has not answered by then is asked again at its next state */
};

/* One host's part of a stream. */
struct source {
	struct list link;
	struct stream *stream;
	struct host *host;
	char *filter; /* members of the parameters there, without after; NULL: only its state */
	char name[NAME_SIZE]; /* there; "": not subscribed now */
	struct ask *ask; /* subscribe; NULL: not under way */
	uint64_t last; /* number of its last event */
	bool has_last;
	bool is_behind; /* the peer does not read: it goes on behind last when the peer does */
	bool is_up; /* as the peer knows it */
	bool is_shown; /* the peer knows its state */
};

/* A subscribe under way. Its source may have gone, but its answer has to be ended then. */
struct ask {
	struct list link;
	struct source *source; /* NULL: gone */
	struct host *host;
	struct host_call *call;
};

struct stream {
	struct list link;
	struct fleet_streams *set;
	struct peer *peer;
	struct request *hold; /* ends with the peer; it has no response */
	char name[NAME_SIZE];
	bool has_states; /* events of kind host_state are wanted */
	bool is_started; /* the response has its place */
	struct list sources;
};

struct fleet_streams {
	struct host_set *hosts;
	struct list streams;
	struct list asks;
	size_t count;
	uint64_t last_name;
};

/* A request without a response, which ends with its peer. */
static const struct method hold_method = {.name = METHOD("subscribe", METHOD_READS | METHOD_SEES),
    .flags = METHOD_WAITS | METHOD_UNNOTED};

static void resume(struct source *source);

/* A number of an event or place in a stream. False: value is absent, or is none. */
static bool read_seq(const struct json *value, uint64_t *ret_seq)
{
	int64_t seq;
	if (value == NULL || !json_int(value, &seq) || seq < 0)
		return false;
	*ret_seq = (uint64_t)seq;
	return true;
}

struct fleet_streams *fleet_streams_new(struct host_set *hosts)
{
	struct fleet_streams *streams = xcalloc(1, sizeof *streams);
	streams->hosts = hosts;
	list_init(&streams->streams);
	list_init(&streams->asks);
	return streams;
}

static void on_ignored(void *data, const struct json *message)
{
	(void)data;
	(void)message;
}

static void ask_free(struct ask *ask)
{
	list_remove(&ask->link);
	mem_free(ask);
}

static void unsubscribe(struct host *host, const char *name)
{
	char params[NAME_SIZE + 32];
	(void)snprintf(params, sizeof params, "{\"subscription\":\"%s\"}", name);
	(void)host_call(host,
	    &(struct host_order){.method = "unsubscribe",
		.params = params,
		.params_len = strlen(params),
		.deadline_ms = CALL_MS,
		.done = on_ignored});
}

/* Ends the subscription on the host, if there is one. */
static void leave_host(struct source *source)
{
	if (source->ask != NULL)
		source->ask->source = NULL;
	source->ask = NULL;
	if (source->name[0] != '\0' && host_state(source->host) == HOST_UP)
		unsubscribe(source->host, source->name);
	source->name[0] = '\0';
}

static void source_free(struct source *source)
{
	list_remove(&source->link);
	mem_free(source->filter);
	mem_free(source);
}

static void stream_free(struct stream *stream)
{
	list_each_safe (struct source, source, &stream->sources, link) {
		leave_host(source);
		source_free(source);
	}
	list_remove(&stream->link);
	stream->set->count--;
	mem_free(stream);
}

/* The peer has gone, or ends the stream. */
static void stream_end(struct stream *stream)
{
	struct request *hold = stream->hold;
	stream_free(stream);
	request_on_cancel(hold, NULL, NULL);
	request_done(hold);
}

void fleet_streams_free(struct fleet_streams *streams)
{
	if (streams == NULL)
		return;
	while (!list_is_empty(&streams->streams))
		stream_free(list_entry(streams->streams.next, struct stream, link));
	while (!list_is_empty(&streams->asks)) {
		struct ask *ask = list_entry(streams->asks.next, struct ask, link);
		host_call_cancel(ask->call);
		ask_free(ask);
	}
	mem_free(streams);
}

static void on_gone(struct request *hold, void *data)
{
	(void)hold;
	stream_end(data);
}

/* Begins an event for the peer; the caller writes its members. */
static void begin_event(struct json_writer *writer, struct buf *line, const struct stream *stream)
{
	buf_init(line, HOST_LINE_BYTES);
	json_writer_init(writer, line);
	json_object_begin(writer, NULL);
	json_put_str(writer, "jsonrpc", "2.0");
	json_put_str(writer, "method", "event");
	json_object_begin(writer, "params");
	json_put_str(writer, "subscription", stream->name);
}

/* Sends it. False: the peer does not read, and the event is dropped. */
static bool end_event(struct json_writer *writer, struct buf *line, const struct stream *stream)
{
	bool is_sent;
	json_object_end(writer);
	json_object_end(writer);
	json_end_line(writer);
	is_sent = peer_send_line(stream->peer, (const char *)line->data, line->len);
	buf_finish(line);
	return is_sent;
}

/* The host's state as an event, if it is news for the peer. */
static void tell_state(struct source *source, bool is_up)
{
	struct stream *stream = source->stream;
	struct json_writer writer;
	struct buf line;
	if (!stream->is_started || !stream->has_states ||
	    (source->is_shown && source->is_up == is_up))
		return;
	begin_event(&writer, &line, stream);
	if (is_up && source->has_last)
		json_put_int(&writer, "seq", (int64_t)source->last);
	json_put_time(&writer, "time", clock_real_ms());
	json_put_str(&writer, "kind", event_kind_info(EVENT_HOST_STATE)->name);
	json_put_str(&writer, "host", host_name(source->host));
	json_put_str(&writer, "server", host_server(source->host));
	json_put_str(&writer, "state", host_state_name(is_up ? HOST_UP : host_state(source->host)));
	json_put_str(&writer, "reason", is_up ? "" : host_reason(source->host));
	source->is_shown = end_event(&writer, &line, stream);
	source->is_up = is_up;
	source->is_behind = source->is_behind || !source->is_shown;
}

/* The numbers of the host begin anew: all behind the last one is lost. */
static void tell_renumbered(struct source *source)
{
	struct json_writer writer;
	struct buf line;
	begin_event(&writer, &line, source->stream);
	json_put_int(&writer, "seq", 0);
	json_put_time(&writer, "time", clock_real_ms());
	json_put_str(&writer, "kind", event_kind_info(EVENT_GAP)->name);
	json_put_str(&writer, "host", host_name(source->host));
	json_put_str(&writer, "server", host_server(source->host));
	json_put_int(&writer, "from", (int64_t)source->last + 1);
	json_put_null(&writer, "to");
	json_put_str(&writer, "reason", "renumbered");
	(void)end_event(&writer, &line, source->stream);
}

/* Whether an error is about a parameter. */
static bool is_about(const struct json *error, const char *field)
{
	const struct json *name = json_member(json_member(error, "data"), "field");
	return name != NULL && name->type == JSON_STRING && strcmp(name->text, field) == 0;
}

/* The host has answered subscribe. */
static void on_subscribed(void *data, const struct json *message)
{
	struct ask *ask = data;
	struct source *source = ask->source;
	const struct json *result = json_member(message, "result");
	const struct json *name = json_member(result, "subscription");
	bool is_named = fleet_name_is_id(name, NAME_SIZE);
	if (source == NULL && is_named)
		unsubscribe(ask->host, name->text);
	ask_free(ask);
	if (source == NULL)
		return;
	source->ask = NULL;
	if (is_named) {
		(void)snprintf(source->name, sizeof source->name, "%s", name->text);
		if (!source->has_last)
			source->has_last = read_seq(json_member(result, "seq"), &source->last);
		tell_state(source, true);
	} else if (source->has_last && is_about(json_member(message, "error"), "after")) {
		tell_renumbered(source);
		source->has_last = false;
		resume(source);
	} else {
		tell_state(source, false);
	}
}

/* Subscribes on the host, behind the last event that the peer has. */
static void resume(struct source *source)
{
	struct buf params;
	if (!source->stream->is_started || source->ask != NULL || source->name[0] != '\0' ||
	    source->is_behind || host_state(source->host) != HOST_UP)
		return;
	if (source->filter == NULL) {
		tell_state(source, true);
		return;
	}
	buf_init(&params, FILTER_BYTES_MAX + 64);
	(void)buf_printf(&params, "{%s", source->filter);
	if (source->has_last)
		(void)buf_printf(
		    &params, "%s\"after\":%" PRIu64, source->filter[0] ? "," : "", source->last);
	(void)buf_append_byte(&params, '}');
	source->ask = xcalloc(1, sizeof *source->ask);
	*source->ask = (struct ask){.source = source, .host = source->host};
	list_append(&source->stream->set->asks, &source->ask->link);
	/* Not asked again by the link after a cut: the number is another one then. */
	source->ask->call = host_call(source->host,
	    &(struct host_order){.method = "subscribe",
		.params = (const char *)params.data,
		.params_len = params.len,
		.deadline_ms = CALL_MS,
		.done = on_subscribed,
		.data = source->ask});
	buf_finish(&params);
}

void fleet_streams_state(struct fleet_streams *streams, struct host *host)
{
	list_each (struct stream, stream, &streams->streams, link) {
		list_each (struct source, source, &stream->sources, link) {
			if (source->host != host)
				continue;
			if (host_state(host) == HOST_UP) {
				resume(source);
				continue;
			}
			source->name[0] = '\0'; /* names belong to a connection */
			tell_state(source, false);
		}
	}
}

/* Writes the members of an event of a host, but the name of its subscription there. */
static void put_members(
    struct json_writer *writer, const struct host *host, const struct json *params)
{
	json_put_str(writer, "host", host_name(host));
	json_put_str(writer, "server", host_server(host));
	fleet_name_put_rest(writer, host, params, (const char *const[]){"subscription", NULL});
}

/* Whether an event is one that a host may have: its state is the fleet's to tell. */
static bool is_of_host(const struct json *params)
{
	const struct json *kind = json_member(params, "kind");
	return kind != NULL && kind->type == JSON_STRING &&
	    strcmp(kind->text, event_kind_info(EVENT_HOST_STATE)->name) != 0;
}

/* Passes on an event of a host, unless the peer has seen that event. */
static void pass_on(struct source *source, const struct json *params)
{
	struct json_writer writer;
	struct buf line;
	uint64_t seq;
	if (!is_of_host(params) || !read_seq(json_member(params, "seq"), &seq) ||
	    (source->has_last && seq <= source->last))
		return;
	begin_event(&writer, &line, source->stream);
	put_members(&writer, source->host, params);
	if (end_event(&writer, &line, source->stream)) {
		source->last = seq;
		source->has_last = true;
		return;
	}
	source->is_behind = true;
	leave_host(source);
}

void fleet_streams_line(
    struct fleet_streams *streams, struct host *host, const struct json *message)
{
	const struct json *params = json_member(message, "params");
	const struct json *name = json_member(params, "subscription");
	if (name == NULL || name->type != JSON_STRING || name->len == 0)
		return;
	list_each (struct stream, stream, &streams->streams, link) {
		list_each (struct source, source, &stream->sources, link) {
			if (source->host == host && strcmp(source->name, name->text) == 0) {
				pass_on(source, params);
				return;
			}
		}
	}
}

void fleet_streams_removed(struct fleet_streams *streams, struct host *host)
{
	list_each (struct stream, stream, &streams->streams, link) {
		list_each_safe (struct source, source, &stream->sources, link) {
			if (source->host != host)
				continue;
			tell_state(source, false);
			if (source->ask != NULL)
				source->ask->source = NULL;
			source_free(source);
		}
	}
}

/* The parameters of subscribe; all is lent. */
struct wish {
	struct fleet_streams *set;
	struct host *host; /* NULL: all */
	const struct json *kinds, *panes, *sessions, *output, *after;
	bool has_states;
	bool has_events; /* kinds of the hosts' own are wanted */
};

/* The host of a target in panes or sessions, and the rest. NULL: unknown. */
static struct host *host_of(const struct wish *wish, const char *target, const char **ret_rest)
{
	struct host *host = fleet_name_split(wish->set->hosts, target, ret_rest);
	if (host != NULL)
		return host;
	*ret_rest = target;
	if (wish->host != NULL)
		return wish->host;
	return host_set_count(wish->set->hosts) == 1 ? host_set_next(wish->set->hosts, NULL) : NULL;
}

/* Whether a member is a list of strings, or absent; fails the request if not. */
static bool is_list(struct request *request, const struct json *list, const char *field)
{
	const struct json *element = list != NULL && list->type == JSON_ARRAY ? list->child : NULL;
	if (list == NULL || list->type == JSON_NULL)
		return true;
	while (element != NULL && element->type == JSON_STRING)
		element = element->next;
	if (list->type == JSON_ARRAY && list->count > 0 && element == NULL)
		return true;
	request_fail_field(request, field, "must be an array of strings");
	return false;
}

static bool check_targets(
    struct request *request, const struct wish *wish, const struct json *list, const char *field)
{
	const char *rest;
	if (!is_list(request, list, field))
		return false;
	for (const struct json *target = list != NULL ? list->child : NULL; target != NULL;
	     target = target->next) {
		if (host_of(wish, target->text, &rest) != NULL)
			continue;
		request_fail(request, MESSAGE_AMBIGUOUS_TARGET,
		    "%s: \"%.80s\" names no host: write HOST:%.80s; see muxbus hosts", field,
		    target->text, target->text);
		return false;
	}
	return true;
}

static bool check_kinds(struct request *request, struct wish *wish)
{
	uint64_t states = UINT64_C(1) << EVENT_HOST_STATE;
	if (!is_list(request, wish->kinds, "kinds"))
		return false;
	wish->has_states = wish->has_events = wish->kinds == NULL;
	for (const struct json *kind = wish->kinds != NULL ? wish->kinds->child : NULL;
	     kind != NULL; kind = kind->next) {
		uint64_t found = event_kinds_find(kind->text);
		wish->has_states |= (found & states) != 0;
		wish->has_events |= (found & ~states) != 0;
		if (found != 0)
			continue;
		return request_fail_field(
		    request, "kinds", "there is no kind of events called \"%.80s\"", kind->text);
	}
	return true;
}

static const struct json *given(const struct json *params, const char *name)
{
	const struct json *member = json_member(params, name);
	return member != NULL && member->type != JSON_NULL ? member : NULL;
}

/* Reads what is wanted. False after failing the request. */
static bool read_wish(struct request *request, const struct json *params, struct wish *wish)
{
	const struct json *host = given(params, "host");
	wish->kinds = given(params, "kinds");
	wish->panes = given(params, "panes");
	wish->sessions = given(params, "sessions");
	wish->output = given(params, "output");
	wish->after = given(params, "after");
	if (host != NULL &&
	    (host->type != JSON_STRING ||
		(wish->host = fleet_name_host(wish->set->hosts, host->text, host->len)) == NULL)) {
		request_fail_field(request, "host", "there is no such host; see muxbus hosts");
		return false;
	}
	if (wish->output != NULL && wish->output->type != JSON_BOOL) {
		request_fail_field(request, "output", "must be true or false");
		return false;
	}
	if (wish->after != NULL && wish->after->type != JSON_OBJECT &&
	    !(wish->host != NULL && wish->after->type == JSON_NUMBER)) {
		request_fail_field(request, "after",
		    "must be an object with a number for each host, such as {\"B\": 123}");
		return false;
	}
	return check_kinds(request, wish) && check_targets(request, wish, wish->panes, "panes") &&
	    check_targets(request, wish, wish->sessions, "sessions");
}

/* Writes the targets that are on a host. Returns how many. */
static size_t put_targets(struct json_writer *writer, const struct wish *wish,
    const struct host *host, const char *name, const struct json *list)
{
	size_t count = 0;
	const char *rest;
	for (const struct json *target = list != NULL ? list->child : NULL; target != NULL;
	     target = target->next) {
		if (host_of(wish, target->text, &rest) != host)
			continue;
		if (count++ == 0)
			json_array_begin(writer, name);
		json_put_str(writer, NULL, rest);
	}
	if (count > 0)
		json_array_end(writer);
	return count;
}

/* The members of the parameters for a host; NULL: nothing there is wanted. */
static char *write_filter(const struct wish *wish, const struct host *host)
{
	struct json_writer writer;
	struct buf out;
	size_t count;
	if (!wish->has_events)
		return NULL;
	buf_init(&out, FILTER_BYTES_MAX);
	json_writer_init(&writer, &out);
	if (wish->kinds != NULL) {
		json_array_begin(&writer, "kinds");
		/* A daemon of another version may not know the fleet's own kind. */
		for (const struct json *kind = wish->kinds->child; kind != NULL; kind = kind->next)
			if (event_kinds_find(kind->text) != UINT64_C(1) << EVENT_HOST_STATE)
				json_put_str(&writer, NULL, kind->text);
		json_array_end(&writer);
	}
	if (wish->output != NULL)
		json_put_bool(&writer, "output", wish->output->boolean);
	count = put_targets(&writer, wish, host, "panes", wish->panes);
	count += put_targets(&writer, wish, host, "sessions", wish->sessions);
	if (count == 0 && (wish->panes != NULL || wish->sessions != NULL)) {
		buf_finish(&out);
		return NULL;
	}
	return out.len > 0 ? (char *)buf_steal(&out, NULL) : xstrdup("");
}

/* Adds a host's part. */
static void add_source(struct stream *stream, const struct wish *wish, struct host *host)
{
	char *filter = write_filter(wish, host);
	const struct json *after = wish->after;
	struct source *source;
	if (filter == NULL && (wish->panes != NULL || wish->sessions != NULL || !wish->has_states))
		return;
	source = xcalloc(1, sizeof *source);
	source->stream = stream;
	source->host = host;
	source->filter = filter;
	if (after != NULL && after->type == JSON_OBJECT)
		after = json_member(after, host_label(host));
	source->has_last = read_seq(after, &source->last);
	list_append(&stream->sources, &source->link);
}

/* The peer reads again: what it missed is sent from behind the last event that it has. */
static void on_room(struct peer *peer, void *data)
{
	struct fleet_streams *streams = data;
	list_each (struct stream, stream, &streams->streams, link) {
		if (stream->peer != peer)
			continue;
		list_each (struct source, source, &stream->sources, link) {
			source->is_behind = false;
			resume(source);
		}
	}
}

static struct stream *find_stream(
    const struct fleet_streams *streams, const struct peer *peer, const char *name)
{
	list_each (struct stream, stream, &streams->streams, link) {
		if (stream->peer == peer && strcmp(stream->name, name) == 0)
			return stream;
	}
	return NULL;
}

/* Of request_on_sent(): the stream whose response has its place. */
struct start {
	struct fleet_streams *streams;
	char name[NAME_SIZE];
};

static void on_sent(struct peer *peer, void *data)
{
	const struct start *start = data;
	struct stream *stream = find_stream(start->streams, peer, start->name);
	if (stream == NULL)
		return;
	stream->is_started = true;
	list_each (struct source, source, &stream->sources, link) {
		if (host_state(source->host) != HOST_UP)
			tell_state(source, false);
		resume(source);
	}
}

static struct stream *stream_new(
    struct fleet_streams *streams, struct request *request, const struct wish *wish)
{
	struct stream *stream = xcalloc(1, sizeof *stream);
	stream->set = streams;
	stream->peer = request_peer(request);
	stream->has_states = wish->has_states;
	list_init(&stream->sources);
	(void)snprintf(stream->name, sizeof stream->name, "S%" PRIu64, ++streams->last_name);
	list_append(&streams->streams, &stream->link);
	streams->count++;
	for (struct host *host = host_set_next(streams->hosts, NULL); host != NULL;
	     host = host_set_next(streams->hosts, host))
		if (wish->host == NULL || wish->host == host)
			add_source(stream, wish, host);
	stream->hold = request_new(request_parts(request), stream->peer, NULL, &hold_method);
	request_on_cancel(stream->hold, on_gone, stream);
	peer_set_room(stream->peer, on_room, streams);
	return stream;
}

void fleet_streams_subscribe(
    struct fleet_streams *streams, struct request *request, const struct json *params)
{
	struct wish wish = {.set = streams};
	struct json_writer *writer;
	struct stream *stream;
	struct start *start;
	if (!read_wish(request, params, &wish))
		return;
	if (streams->count == FLEET_STREAMS_MAX) {
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d subscriptions of the fleet already: unsubscribe from some first",
		    FLEET_STREAMS_MAX);
		return;
	}
	if (request_peer(request) == NULL) {
		request_done(request);
		return;
	}
	stream = stream_new(streams, request, &wish);
	writer = request_result(request);
	json_put_str(writer, "subscription", stream->name);
	json_array_begin(writer, "missing");
	list_each (struct source, source, &stream->sources, link) {
		const struct host *host = source->host;
		if (host_state(host) != HOST_UP)
			fleet_missing_put(writer, host);
	}
	json_array_end(writer);
	start = xcalloc(1, sizeof *start);
	start->streams = streams;
	(void)snprintf(start->name, sizeof start->name, "%s", stream->name);
	request_on_sent(request, on_sent, start);
	request_done(request);
}

void fleet_streams_unsubscribe(
    struct fleet_streams *streams, struct request *request, const struct json *params)
{
	const struct json *name = json_member(params, "subscription");
	struct stream *stream = name != NULL && name->type == JSON_STRING
	    ? find_stream(streams, request_peer(request), name->text)
	    : NULL;
	if (stream == NULL) {
		request_fail(request, MESSAGE_NO_SUCH_SUBSCRIPTION,
		    "this connection has no subscription of this name");
		return;
	}
	json_put_str(request_result(request), "subscription", stream->name);
	stream_end(stream);
	request_done(request);
}
