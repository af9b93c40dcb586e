/* SPDX-License-Identifier: ISC */
/* Merged event streams: one subscription per host, written as one stream to the peer. */
#include "daemon/event/event_log.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"

enum {
	NAME_SIZE = 24, /* bytes of a subscription's name */
	FILTER_BYTES_MAX = 1024 * 1024,
	CALL_MS = 20000, /* timeout of a call; the source tries again when the host next comes up */
};

/* One host's part of a stream. */
struct stream_source {
	struct list link;
	struct fleet *fleet;
	struct fleet_stream *stream; /* NULL if ended, but subscribe is not answered yet */
	struct host *host; /* NULL while the list of hosts does not have the host */
	char *away; /* name of the host while `host` is NULL; else NULL */
	char *filter; /* parameters for the host, but no "after"; NULL: only its state is wanted */
	char name[NAME_SIZE]; /* id of the subscription on the host; "" if none */
	struct host_call *call; /* the pending subscribe, or NULL */
	uint64_t last; /* number of the last event sent to the peer */
	bool has_last;
	bool is_behind; /* the peer does not read; resumes after `last` when it does */
	bool is_up; /* the state last sent to the peer */
	bool is_shown; /* is_up was sent to the peer */
};

struct fleet_stream {
	struct list link;
	struct fleet *fleet;
	struct peer *peer;
	struct request *hold; /* a request without a response, which ends with the peer */
	char name[NAME_SIZE];
	char *filter; /* filter for hosts added later */
	bool follows_all; /* includes hosts added later */
	bool has_states; /* wants events of kind host_state */
	bool is_started; /* the response is queued, so events may follow */
};

/* The method of stream requests: they get no response, and end with their peer. */
static const struct method hold_method = {.name = METHOD("subscribe", METHOD_READS | METHOD_SEES),
    .flags = METHOD_WAITS | METHOD_UNNOTED};

static void resume(struct stream_source *source);

/* Reads the number of an event. Returns false if the value is absent or not valid. */
static bool read_seq(const struct json *value, uint64_t *ret_seq)
{
	int64_t seq;
	if (!json_int(value, &seq) || seq < 0)
		return false;
	*ret_seq = (uint64_t)seq;
	return true;
}

static void unsubscribe(struct host *host, const char *name)
{
	char params[NAME_SIZE + 32];
	(void)snprintf(params, sizeof params, "{\"subscription\":\"%s\"}", name);
	(void)host_call(host,
	    &(struct host_order){.method = "unsubscribe",
		.params = params,
		.params_len = strlen(params),
		.deadline_ms = CALL_MS});
}

/* Ends the subscription on the host, if any. */
static void leave_host(struct stream_source *source)
{
	if (source->name[0] != '\0' && source->host->state == HOST_UP)
		unsubscribe(source->host, source->name);
	source->name[0] = '\0';
}

/* Forgets that the host is away. */
static void set_back(struct stream_source *source)
{
	if (source->away != NULL)
		source->fleet->away_count--;
	mem_free(source->away);
	source->away = NULL;
}

static void source_free(struct stream_source *source)
{
	list_remove(&source->link);
	set_back(source);
	mem_free(source->filter);
	mem_free(source);
}

/* Removes a source from its stream. If a subscribe is pending, the answer frees the source. */
static void source_end(struct stream_source *source)
{
	leave_host(source);
	source->stream = NULL;
	if (source->call == NULL)
		source_free(source);
}

/* Ends a stream because the peer has disconnected or unsubscribed. */
static void stream_end(void *data)
{
	struct fleet_stream *stream = data;
	list_each_safe (struct stream_source, source, &stream->fleet->sources, link)
		if (source->stream == stream)
			source_end(source);
	list_remove(&stream->link);
	stream->fleet->stream_count--;
	mem_free(stream->filter);
	mem_free(stream);
}

/* Frees the sources that are left. The streams have ended with their peers. */
void fleet_event_free(struct fleet *fleet)
{
	list_each_safe (struct stream_source, source, &fleet->sources, link) {
		host_call_cancel(source->call);
		source_free(source);
	}
}

/* Begins an event of a host for the peer. The caller writes the other members. */
static void begin_event(
    struct json_writer *writer, struct buf *line, const struct stream_source *source)
{
	json_start(writer, line, HOST_LINE_BYTES);
	message_begin_notice(writer, "event");
	json_put_str(writer, "subscription", source->stream->name);
	fleet_name_put_host(writer, source->host);
}

/* Sends the event. Returns false if it was dropped because the peer does not read. */
static bool end_event(
    struct json_writer *writer, struct buf *line, const struct stream_source *source)
{
	bool is_sent;
	message_end_notice(writer);
	is_sent = peer_send_line(source->stream->peer, (const char *)line->data, line->len);
	buf_finish(line);
	return is_sent;
}

/* Sends the host's state as an event, unless the peer knows it. */
static void report_state(struct stream_source *source, bool is_up)
{
	const struct fleet_stream *stream = source->stream;
	struct json_writer writer;
	struct buf line;
	if (!stream->is_started || !stream->has_states ||
	    (source->is_shown && source->is_up == is_up))
		return;
	begin_event(&writer, &line, source);
	if (is_up && source->has_last)
		json_put_int(&writer, "seq", (int64_t)source->last);
	json_put_time(&writer, "time", clock_real_ms());
	json_put_str(&writer, "kind", event_kind_info(EVENT_HOST_STATE)->name);
	json_put_str(&writer, "state", host_state_names[is_up ? HOST_UP : source->host->state]);
	json_put_str(&writer, "reason", is_up ? "" : source->host->reason);
	source->is_shown = end_event(&writer, &line, source);
	source->is_up = is_up;
	source->is_behind = source->is_behind || !source->is_shown;
}

/* Sends a gap for all events after the last one, because numbers restarted or the host refused. */
static void report_lost(struct stream_source *source, const char *reason, const struct json *error)
{
	struct json_writer writer;
	struct buf line;
	begin_event(&writer, &line, source);
	json_put_int(&writer, "seq", 0);
	json_put_time(&writer, "time", clock_real_ms());
	json_put_str(&writer, "kind", event_kind_info(EVENT_GAP)->name);
	json_put_int(&writer, "from", (int64_t)source->last + 1);
	json_put_null(&writer, "to");
	json_put_str(&writer, "reason", reason);
	if (error != NULL)
		json_put_str(&writer, "error", fleet_error_text(error));
	(void)end_event(&writer, &line, source);
	source->has_last = false;
}

/* Takes the answer of the host to subscribe. */
static void on_subscribed(void *data, const struct json *message)
{
	struct stream_source *source = data;
	const struct json *result = json_member(message, "result");
	const struct json *name = json_member(result, "subscription");
	const struct json *about = json_member(json_member(message, "error"), "data");
	bool is_named = fleet_name_is_id(name, NAME_SIZE);
	source->call = NULL;
	if (source->stream == NULL) {
		if (is_named)
			unsubscribe(source->host, name->text);
		source_free(source);
	} else if (is_named) {
		(void)snprintf(source->name, sizeof source->name, "%s", name->text);
		if (!source->has_last)
			source->has_last = read_seq(json_member(result, "seq"), &source->last);
		report_state(source, true);
	} else if (source->has_last && strcmp(json_get_str(about, "field", ""), "after") == 0) {
		report_lost(source, "renumbered", NULL);
		resume(source);
	} else {
		report_state(source, false);
		if (source->host->state == HOST_UP)
			report_lost(source, "refused", json_member(message, "error"));
	}
}

/* Subscribes on the host, starting after the last event that the peer has. */
static void resume(struct stream_source *source)
{
	struct buf params;
	if (!source->stream->is_started || source->call != NULL || source->name[0] != '\0' ||
	    source->is_behind || source->host == NULL || source->host->state != HOST_UP)
		return;
	if (source->filter == NULL) {
		report_state(source, true);
		return;
	}
	buf_init(&params, FILTER_BYTES_MAX + 64);
	(void)buf_printf(&params, "{%s", source->filter);
	if (source->has_last)
		(void)buf_printf(
		    &params, "%s\"after\":%" PRIu64, source->filter[0] ? "," : "", source->last);
	(void)buf_append_byte(&params, '}');
	/* No HOST_CALL_READS: after a cut, the link must not repeat an outdated "after". */
	source->call = host_call(source->host,
	    &(struct host_order){.method = "subscribe",
		.params = (const char *)params.data,
		.params_len = params.len,
		.deadline_ms = CALL_MS,
		.done = on_subscribed,
		.data = source});
	buf_finish(&params);
}

/* Adds a host to a stream. Takes ownership of filter. */
static struct stream_source *add_source(
    struct fleet_stream *stream, struct host *host, char *filter)
{
	struct stream_source *source = xcalloc(1, sizeof *source);
	source->fleet = stream->fleet;
	source->stream = stream;
	source->host = host;
	source->filter = filter;
	list_append(&stream->fleet->sources, &source->link);
	return source;
}

/* Adds a host to a stream that follows all. */
static struct stream_source *add_follower(struct fleet_stream *stream, struct host *host)
{
	return add_source(stream, host, stream->filter != NULL ? xstrdup(stream->filter) : NULL);
}

/*
 * Keeps a source without a host, until a host of this name is added. Returns false if too many
 * sources are kept.
 */
static bool set_away(struct stream_source *source, const char *name)
{
	if (source->fleet->away_count == FLEET_AWAY_MAX)
		return false;
	source->fleet->away_count++;
	source->host = NULL;
	source->away = xstrdup(name);
	return true;
}

/* Returns the source that a stream has kept for this host, or NULL. */
static struct stream_source *find_away(const struct fleet_stream *stream, const struct host *host)
{
	list_each (struct stream_source, source, &stream->fleet->sources, link)
		if (source->stream == stream && source->away != NULL &&
		    fleet_name_host(stream->fleet->hosts, source->away, strlen(source->away)) ==
			host)
			return source;
	return NULL;
}

void fleet_event_added(struct fleet *fleet, struct host *host)
{
	list_each (struct fleet_stream, stream, &fleet->streams, link) {
		struct stream_source *source = find_away(stream, host);
		if (source != NULL) {
			source->host = host;
			set_back(source);
		} else if (stream->follows_all) {
			(void)add_follower(stream, host);
		}
	}
}

void fleet_event_state(struct fleet *fleet, struct host *host)
{
	list_each (struct stream_source, source, &fleet->sources, link) {
		if (source->host != host || source->stream == NULL)
			continue;
		if (host->state == HOST_UP) {
			resume(source);
			continue;
		}
		source->name[0] = '\0'; /* a subscription ends with its connection */
		report_state(source, false);
	}
}

/* Returns true if a host may send this event. Events of kind host_state are the fleet's own. */
static bool is_of_host(const struct json *params)
{
	const char *kind = json_get_str(params, "kind", "");
	return *kind != '\0' && strcmp(kind, event_kind_info(EVENT_HOST_STATE)->name) != 0;
}

/* Passes on an event of a host, unless the peer has it already. */
static void pass_on(struct stream_source *source, const struct json *params)
{
	struct json_writer writer;
	struct buf line;
	uint64_t seq;
	if (!is_of_host(params) || !read_seq(json_member(params, "seq"), &seq) ||
	    (source->has_last && seq <= source->last))
		return;
	begin_event(&writer, &line, source);
	fleet_name_put_rest(
	    &writer, source->host, params, (const char *const[]){"subscription", NULL});
	if (end_event(&writer, &line, source)) {
		source->last = seq;
		source->has_last = true;
		return;
	}
	source->is_behind = true;
	leave_host(source);
}

void fleet_event_line(void *data, struct host *host, const struct json *message)
{
	struct fleet *fleet = data;
	const struct json *params = json_member(message, "params");
	const char *name = json_get_str(params, "subscription", "");
	if (*name == '\0')
		return;
	list_each (struct stream_source, source, &fleet->sources, link) {
		if (source->host == host && strcmp(source->name, name) == 0) {
			pass_on(source, params);
			return;
		}
	}
}

/*
 * Keeps the sources of a removed host, because the host may be added again: a daemon that restarts
 * has no socket for a moment, and a line may return to the hosts file.
 */
void fleet_event_removed(struct fleet *fleet, struct host *host)
{
	char name[sizeof host->label];
	(void)snprintf(name, sizeof name, "%s/%s", host->spec.name, host->spec.server);
	list_each_safe (struct stream_source, source, &fleet->sources, link) {
		if (source->host != host || source->stream == NULL)
			continue;
		if (source->call != NULL)
			host_call_cancel(source->call);
		source->call = NULL;
		if (!set_away(source, name))
			source_end(source);
	}
}

/* The parameters of subscribe, lent by the request. */
struct stream_args {
	struct field_strings kinds, panes, sessions;
	bool output, has_output;
	const struct json *after;
	const char *host;
	/* Derived from these: */
	struct host *only; /* the host named; NULL: all hosts */
	bool has_states;
	bool has_events; /* wants events of hosts */
};

static const struct field fields[] = {
    {FIELD_ROW(STRINGS, struct stream_args, kinds, "kinds"), .min = 1, .max = 64},
    {FIELD_ROW(STRINGS, struct stream_args, panes, "panes"), .min = 1},
    {FIELD_ROW(STRINGS, struct stream_args, sessions, "sessions"), .min = 1},
    {FIELD_ROW(BOOL, struct stream_args, output, "output"),
	.given_offset = offsetof(struct stream_args, has_output)},
    {FIELD_ROW(VALUE, struct stream_args, after, "after")},
    {FIELD_ROW(STRING, struct stream_args, host, "host")},
    {.name = NULL},
};

/* Finds the host of a target in panes or sessions, and the rest of the target. NULL: unknown. */
static struct host *host_of(const struct fleet *fleet, const struct stream_args *args,
    const char *target, const char **ret_rest)
{
	struct host *host = fleet_name_split(fleet->hosts, target, ret_rest);
	if (host != NULL)
		return host;
	*ret_rest = target;
	return args->only != NULL ? args->only : fleet_only_host(fleet);
}

static bool check_targets(const struct fleet *fleet, struct request *request,
    const struct stream_args *args, const struct field_strings *targets, const char *field)
{
	const char *rest;
	for (size_t at = 0; at < targets->count; at++) {
		if (host_of(fleet, args, targets->strings[at], &rest) != NULL)
			continue;
		return request_fail(request, MESSAGE_AMBIGUOUS_TARGET,
		    "%s: \"%.80s\" names no host: write HOST:%.80s; see muxbus hosts", field,
		    targets->strings[at], targets->strings[at]);
	}
	return true;
}

/* Checks the kinds. If the request names a host, an unknown kind may be of a provider. */
static bool check_kinds(
    const struct fleet *fleet, struct request *request, struct stream_args *args)
{
	uint64_t states = UINT64_C(1) << EVENT_HOST_STATE;
	bool names_host = args->only != NULL || args->panes.is_given || args->sessions.is_given ||
	    fleet_only_host(fleet) != NULL;
	args->has_states = args->has_events = !args->kinds.is_given;
	for (size_t at = 0; at < args->kinds.count; at++) {
		uint64_t found = event_kinds_find(args->kinds.strings[at]);
		args->has_states |= (found & states) != 0;
		args->has_events |= found != states;
		if (found == 0 && !names_host)
			return request_fail_field(request, "kinds",
			    "there is no kind of events called \"%.80s\"; for one of a provider "
			    "add \"host\"",
			    args->kinds.strings[at]);
	}
	return true;
}

static bool check_after(struct request *request, struct stream_args *args)
{
	const struct json *after = args->after;
	uint64_t seq;
	if (after == NULL)
		return true;
	if (after->type != JSON_OBJECT && !(args->only != NULL && read_seq(after, &seq)))
		return request_fail_field(request, "after",
		    "must be an object with a number for each host, such as {\"B\": 123}");
	json_each_member (member, after)
		if (!read_seq(member, &seq))
			return request_fail_field(request, "after",
			    "\"%.80s\" must be a whole number, and not below 0", member->name);
	return true;
}

/* Checks the parameters. Returns false if one is not valid, after failing the request. */
static bool check(struct fleet *fleet, struct request *request, struct stream_args *args)
{
	if (args->host != NULL &&
	    (args->only = fleet_find_host(fleet, request, args->host)) == NULL)
		return false;
	return check_after(request, args) && check_kinds(fleet, request, args) &&
	    check_targets(fleet, request, args, &args->panes, "panes") &&
	    check_targets(fleet, request, args, &args->sessions, "sessions");
}

/* Writes the targets that are on the host. Returns their number. */
static size_t put_targets(struct json_writer *writer, const struct fleet *fleet,
    const struct stream_args *args, const struct host *host, const char *name,
    const struct field_strings *targets)
{
	size_t count = 0;
	const char *rest;
	for (size_t at = 0; at < targets->count; at++) {
		if (host_of(fleet, args, targets->strings[at], &rest) != host)
			continue;
		if (count++ == 0)
			json_array_begin(writer, name);
		json_put_str(writer, NULL, rest);
	}
	if (count > 0)
		json_array_end(writer);
	return count;
}

/* Returns the parameters for a host, or NULL if the stream wants no events of it. */
static char *write_filter(
    const struct fleet *fleet, const struct stream_args *args, const struct host *host)
{
	struct json_writer writer;
	struct buf out;
	size_t count;
	if (!args->has_events)
		return NULL;
	json_start(&writer, &out, FILTER_BYTES_MAX);
	if (args->kinds.is_given) {
		json_array_begin(&writer, "kinds");
		/* Leave out the kind host_state, which daemons of other versions may not know. */
		for (size_t at = 0; at < args->kinds.count; at++)
			if (event_kinds_find(args->kinds.strings[at]) !=
			    UINT64_C(1) << EVENT_HOST_STATE)
				json_put_str(&writer, NULL, args->kinds.strings[at]);
		json_array_end(&writer);
	}
	if (args->has_output)
		json_put_bool(&writer, "output", args->output);
	count = put_targets(&writer, fleet, args, host, "panes", &args->panes);
	count += put_targets(&writer, fleet, args, host, "sessions", &args->sessions);
	if (count == 0 && (args->panes.is_given || args->sessions.is_given)) {
		buf_finish(&out);
		return NULL;
	}
	return out.len > 0 ? (char *)buf_steal(&out, NULL) : xstrdup("");
}

/* Sets the number after which a host's events begin. The stream's sources are last in the list. */
static void begin_after(
    const struct fleet_stream *stream, const struct host *host, const struct json *number)
{
	const struct list *sources = &stream->fleet->sources, *at = sources->prev;
	for (; at != sources; at = at->prev) {
		struct stream_source *source = list_entry(at, struct stream_source, link);
		if (source->stream != stream)
			return;
		if (source->host == host)
			source->has_last = read_seq(number, &source->last);
	}
}

/* Resumes the sources of a peer that reads again, after the last event that the peer has. */
static void on_room(struct peer *peer, void *data)
{
	struct fleet *fleet = data;
	list_each (struct stream_source, source, &fleet->sources, link) {
		if (source->stream == NULL || source->stream->peer != peer || !source->is_behind)
			continue; /* the source is not behind, or its host has refused it */
		source->is_behind = false;
		resume(source);
	}
}

static struct fleet_stream *find_stream(
    const struct fleet *fleet, const struct peer *peer, const char *name)
{
	list_each (struct fleet_stream, stream, &fleet->streams, link)
		if (stream->peer == peer && strcmp(stream->name, name) == 0)
			return stream;
	return NULL;
}

/* Argument of on_sent(), which starts the stream behind the response. */
struct stream_start {
	struct fleet *fleet;
	char name[NAME_SIZE];
};

static void on_sent(struct peer *peer, void *data)
{
	const struct stream_start *start = data;
	struct fleet_stream *stream = find_stream(start->fleet, peer, start->name);
	if (stream == NULL)
		return;
	stream->is_started = true;
	list_each (struct stream_source, source, &stream->fleet->sources, link) {
		if (source->stream != stream)
			continue;
		if (source->host != NULL && source->host->state != HOST_UP)
			report_state(source, false);
		resume(source);
	}
}

static struct fleet_stream *stream_new(
    struct fleet *fleet, struct request *request, const struct stream_args *args)
{
	struct fleet_stream *stream = xcalloc(1, sizeof *stream);
	bool has_targets = args->panes.is_given || args->sessions.is_given;
	stream->fleet = fleet;
	stream->peer = request_peer(request);
	stream->has_states = args->has_states;
	(void)snprintf(stream->name, sizeof stream->name, "S%" PRIu64, ++fleet->last_stream);
	list_append(&fleet->streams, &stream->link);
	fleet->stream_count++;
	stream->follows_all = args->only == NULL && !has_targets;
	if (stream->follows_all)
		stream->filter = write_filter(fleet, args, NULL);
	host_each (fleet->hosts, host) {
		char *filter;
		if (args->only != NULL && args->only != host)
			continue;
		filter = write_filter(fleet, args, host);
		if (filter == NULL && (has_targets || !args->has_states))
			continue;
		add_source(stream, host, filter);
	}
	stream->hold = request_new(request_daemon(request), stream->peer, NULL, &hold_method);
	request_on_cancel(stream->hold, stream_end, stream, NULL);
	peer_set_room(stream->peer, on_room, fleet);
	return stream;
}

/* Takes the numbers to begin after, by host. Writes names of unknown hosts as missing. */
static void take_after(
    struct fleet_stream *stream, const struct json *after, struct json_writer *writer)
{
	json_each_member (member, after) {
		size_t len = strlen(member->name);
		struct host *host = fleet_name_host(stream->fleet->hosts, member->name, len);
		if (host != NULL) {
			begin_after(stream, host, member);
			continue;
		}
		if (stream->follows_all && len < sizeof host->label) {
			struct stream_source *source = add_follower(stream, NULL);
			source->has_last = read_seq(member, &source->last);
			if (!set_away(source, member->name))
				source_free(source);
		}
		json_object_begin(writer, NULL);
		(void)json_put_text(writer, "host", member->name, len);
		json_put_str(writer, "reason", "there is no such host");
		json_object_end(writer);
	}
}

static void subscribe(struct fleet *fleet, struct request *request, const struct stream_args *args)
{
	struct json_writer *writer;
	struct fleet_stream *stream;
	struct stream_start *start;
	if (fleet->stream_count == FLEET_STREAMS_MAX) {
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d subscriptions of the fleet already: unsubscribe from some first",
		    FLEET_STREAMS_MAX);
		return;
	}
	if (request_peer(request) == NULL) {
		request_done(request);
		return;
	}
	stream = stream_new(fleet, request, args);
	writer = request_result(request);
	json_put_str(writer, "subscription", stream->name);
	json_array_begin(writer, "missing");
	list_each (struct stream_source, source, &fleet->sources, link)
		if (source->stream == stream && source->host->state != HOST_UP)
			fleet_put_missing(writer, source->host, source->host->reason);
	if (args->after != NULL && args->after->type == JSON_OBJECT)
		take_after(stream, args->after, writer);
	else
		begin_after(stream, args->only, args->after);
	json_array_end(writer);
	start = xcalloc(1, sizeof *start);
	start->fleet = fleet;
	(void)snprintf(start->name, sizeof start->name, "%s", stream->name);
	request_on_sent(request, on_sent, start);
	request_done(request);
}

bool fleet_event_take(struct fleet *fleet, struct request *request, const struct json *params)
{
	struct stream_args args;
	struct buf scratch = BUF(FILTER_BYTES_MAX);
	if (fleet_read(request, fields, params, &args, sizeof args, &scratch) &&
	    check(fleet, request, &args))
		subscribe(fleet, request, &args);
	buf_finish(&scratch);
	return true;
}

bool fleet_event_end(struct fleet *fleet, struct request *request, const struct json *params)
{
	const struct json *name = json_member(params, "subscription");
	bool is_text = name != NULL && name->type == JSON_STRING;
	struct fleet_stream *stream =
	    is_text ? find_stream(fleet, request_peer(request), name->text) : NULL;
	if (!is_text)
		request_fail_field(request, "subscription", "must be a string");
	else if (stream == NULL)
		request_fail(request, MESSAGE_NO_SUCH_SUBSCRIPTION,
		    "this connection has no subscription \"%.80s\"", name->text);
	if (stream == NULL)
		return true;
	json_put_str(request_result(request), "subscription", stream->name);
	request_done(stream->hold);
	stream_end(stream);
	request_done(request);
	return true;
}
