/* SPDX-License-Identifier: ISC */
/* Merged event streams: events of many hosts, and the hosts' states, as one stream to a peer. */
#include "daemon/event/event_log.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"

enum {
	NAME_SIZE = 24,
	FILTER_BYTES_MAX = 1024 * 1024,
	CALL_MS = 20000, /* timeout of a call to a host */
};

struct stream_source {
	struct fleet_part part; /* part.host: NULL while the host is not in the list of hosts */
	char away[2 * HOST_NAME_BYTES + 2]; /* name of the host while part.host is NULL */
	/* parameters that only this host gets: "panes" and "sessions"; NULL: none */
	char *targets;
	char name[NAME_SIZE]; /* id of the subscription on the host; "": none */
	uint64_t last; /* number of the event after which the source begins or resumes */
	bool has_last;
	bool is_behind; /* the peer does not read; the source resumes after `last` when it reads */
	bool is_up; /* the state in the last event host_state */
	bool is_shown; /* the peer has got that event */
};

struct fleet_stream {
	/* the ask's request stands for the subscription; without an id, it gets no response */
	struct fleet_ask ask;
	struct list link;
	struct peer *peer;
	char name[NAME_SIZE];
	/* parameters for all hosts, as JSON members; NULL: only states of hosts are wanted */
	char *filter;
	bool follows_all; /* includes hosts added later */
	bool has_states; /* wants events of kind host_state */
	bool is_started; /* the response is queued, so events may follow */
};

static const struct method hold_method = {.name = METHOD("subscribe", METHOD_READS | METHOD_SEES),
    .flags = METHOD_WAITS | METHOD_UNNOTED};

static void resume(struct stream_source *source);

static struct fleet_stream *stream_of(const struct stream_source *source)
{
	return list_entry(source->part.ask, struct fleet_stream, ask);
}

static struct stream_source *find_source(const struct fleet_stream *stream, const struct host *host)
{
	list_each (struct stream_source, source, &stream->ask.parts, part.link)
		if (source->part.host == host)
			return source;
	return NULL;
}

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
	/* Only on this link: the host's next daemon may give the name to another subscription. */
	host_tell(host, "unsubscribe", 0, CALL_MS, "{\"subscription\":\"%s\"}", name);
}

static void leave_host(struct stream_source *source)
{
	if (source->name[0] != '\0' && source->part.host->state == HOST_UP)
		unsubscribe(source->part.host, source->name);
	source->name[0] = '\0';
}

static void clear_source(struct fleet_part *part)
{
	struct stream_source *source = list_entry(part, struct stream_source, part);
	part->ask->fleet->away -= part->host == NULL;
	leave_host(source);
	mem_free(source->targets);
}

static void clear_stream(struct fleet_ask *ask)
{
	struct fleet_stream *stream = list_entry(ask, struct fleet_stream, ask);
	list_remove(&stream->link);
	mem_free(stream->filter);
}

static void begin_event(
    struct json_writer *writer, struct buf *line, const struct stream_source *source)
{
	json_start(writer, line, HOST_LINE_BYTES);
	message_begin_notice(writer, "event");
	json_put_str(writer, "subscription", stream_of(source)->name);
	fleet_name_put_host(writer, source->part.host);
}

/* Returns false if the event was dropped because the peer does not read. */
static bool end_event(
    struct json_writer *writer, struct buf *line, const struct stream_source *source)
{
	bool is_sent;
	message_end_notice(writer);
	is_sent = peer_send_line(stream_of(source)->peer, (const char *)line->data, line->len);
	buf_finish(line);
	return is_sent;
}

static void report_state(struct stream_source *source, bool is_up)
{
	const struct fleet_stream *stream = stream_of(source);
	const struct host *host = source->part.host;
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
	json_put_str(&writer, "state", host_state_names[is_up ? HOST_UP : host->state]);
	json_put_str(&writer, "reason", is_up ? "" : host->reason);
	source->is_shown = end_event(&writer, &line, source);
	source->is_up = is_up;
	source->is_behind = source->is_behind || !source->is_shown;
}

/* Reports a gap of all events after the last one: numbers have begun again, or the host refused. */
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

/* Ends a subscription whose source ended before the host answered. */
static void on_late(void *host, const struct json *message)
{
	const struct json *name = json_member(json_member(message, "result"), "subscription");
	if (fleet_name_is_id(name, NAME_SIZE))
		unsubscribe(host, name->text);
}

static void on_subscribed(struct fleet_part *part, const struct json *message)
{
	struct stream_source *source = list_entry(part, struct stream_source, part);
	const struct json *result = json_member(message, "result");
	const struct json *name = json_member(result, "subscription");
	const struct json *about = json_member(json_member(message, "error"), "data");
	if (fleet_name_is_id(name, NAME_SIZE)) {
		(void)snprintf(source->name, sizeof source->name, "%s", name->text);
		if (!source->has_last)
			source->has_last = read_seq(json_member(result, "seq"), &source->last);
		report_state(source, true);
	} else if (source->has_last && strcmp(json_get_str(about, "field", ""), "after") == 0) {
		report_lost(source, "renumbered", NULL);
		resume(source);
	} else {
		report_state(source, false);
		if (part->host->state == HOST_UP)
			report_lost(source, "refused", json_member(message, "error"));
	}
}

/* Subscribes on the host, after the event `last` if there is one, if this is possible now. */
static void resume(struct stream_source *source)
{
	const struct fleet_stream *stream = stream_of(source);
	const struct host *host = source->part.host;
	struct json_writer writer;
	struct buf params;
	if (!stream->is_started || source->part.call != NULL || source->name[0] != '\0' ||
	    source->is_behind || host == NULL || host->state != HOST_UP)
		return;
	if (stream->filter == NULL) {
		report_state(source, true);
		return;
	}
	json_start_object(&writer, &params, 2 * FILTER_BYTES_MAX);
	if (stream->filter[0] != '\0')
		json_put_raw(&writer, NULL, stream->filter, strlen(stream->filter));
	if (source->targets != NULL)
		json_put_raw(&writer, NULL, source->targets, strlen(source->targets));
	if (source->has_last)
		json_put_int(&writer, "after", (int64_t)source->last);
	json_object_end(&writer);
	/* No HOST_CALL_READS: a call that is repeated after a cut would have an old "after". */
	fleet_part_call(&source->part,
	    &(struct host_order){.method = "subscribe",
		.params = (const char *)params.data,
		.deadline_ms = CALL_MS});
	buf_finish(&params);
}

static struct stream_source *add_source(struct fleet_stream *stream, struct host *host)
{
	return list_entry(fleet_part_new(&stream->ask, host), struct stream_source, part);
}

/* Keeps a source whose host is not listed. If there are too many, ends it and returns false. */
static bool set_away(struct stream_source *source, const char *name)
{
	bool is_kept = ++source->part.ask->fleet->away <= FLEET_AWAY_MAX;
	fleet_part_cancel(&source->part);
	source->part.host = NULL;
	(void)snprintf(source->away, sizeof source->away, "%s", name);
	if (!is_kept)
		fleet_part_end(&source->part);
	return is_kept;
}

static struct stream_source *find_away(const struct fleet_stream *stream, const struct host *host)
{
	list_each (struct stream_source, source, &stream->ask.parts, part.link)
		if (source->part.host == NULL &&
		    fleet_name_host(stream->ask.fleet->hosts, source->away) == host)
			return source;
	return NULL;
}

void fleet_event_added(struct fleet *fleet, struct host *host)
{
	list_each (struct fleet_stream, stream, &fleet->streams, link) {
		struct stream_source *source = find_away(stream, host);
		if (source != NULL) {
			source->part.host = host;
			fleet->away--;
		} else if (stream->follows_all) {
			(void)add_source(stream, host);
		}
	}
}

void fleet_event_state(struct fleet *fleet, struct host *host)
{
	list_each (struct fleet_stream, stream, &fleet->streams, link) {
		struct stream_source *source = find_source(stream, host);
		if (source != NULL && host->state == HOST_UP) {
			resume(source);
		} else if (source != NULL) {
			source->name[0] = '\0'; /* a subscription ends with its connection */
			report_state(source, false);
		}
	}
}

/* Returns true for an event to pass on. The fleet itself reports events host_state. */
static bool is_of_host(const struct json *params)
{
	const char *kind = json_get_str(params, "kind", "");
	return *kind != '\0' && strcmp(kind, event_kind_info(EVENT_HOST_STATE)->name) != 0;
}

/* Passes on a valid event of a host, unless the peer has it already. */
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
	    &writer, source->part.host, params, (const char *const[]){"subscription", NULL});
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
	list_each (struct fleet_stream, stream, &fleet->streams, link) {
		struct stream_source *source = find_source(stream, host);
		if (source != NULL && strcmp(source->name, name) == 0) {
			pass_on(source, params);
			return;
		}
	}
}

/* Keeps sources, up to a limit: the daemon may start again, or the host be listed again. */
void fleet_event_removed(struct fleet *fleet, struct host *host)
{
	char name[sizeof host->label];
	(void)snprintf(name, sizeof name, "%s/%s", host->spec.name, host->spec.server);
	list_each (struct fleet_stream, stream, &fleet->streams, link) {
		struct stream_source *source = find_source(stream, host);
		if (source != NULL)
			(void)set_away(source, name);
	}
}

struct stream_args {
	struct field_strings kinds, targets[2]; /* of target_names */
	bool output, has_output;
	const struct json *after;
	const char *host;
	/* check() sets the members below. */
	struct host *only; /* the host of the parameter host; NULL: none was given */
	bool has_targets, has_states;
	bool has_events; /* wants events of hosts */
};

static const char *const target_names[] = {"panes", "sessions"};

static const struct field fields[] = {
    {FIELD_ROW(STRINGS, struct stream_args, kinds, "kinds"), .min = 1, .max = 64},
    {FIELD_ROW(STRINGS, struct stream_args, targets[0], "panes"), .min = 1},
    {FIELD_ROW(STRINGS, struct stream_args, targets[1], "sessions"), .min = 1},
    {FIELD_ROW(BOOL, struct stream_args, output, "output"),
	.given_offset = offsetof(struct stream_args, has_output)},
    {FIELD_ROW(VALUE, struct stream_args, after, "after")},
    {FIELD_ROW(STRING, struct stream_args, host, "host")},
    {.name = NULL},
};

/* Finds the rest of a target and its host, or the request's host or the only one; NULL: none. */
static struct host *host_of(const struct fleet *fleet, const struct stream_args *args,
    const char *target, const char **ret_rest)
{
	struct host *host = fleet_name_split(fleet->hosts, target, ret_rest);
	if (host != NULL)
		return host;
	*ret_rest = target;
	return args->only != NULL ? args->only : fleet_only_host(fleet);
}

static bool check_targets(
    const struct fleet *fleet, struct request *request, const struct stream_args *args, size_t of)
{
	const char *rest;
	for (size_t at = 0; at < args->targets[of].count; at++) {
		const char *target = args->targets[of].strings[at];
		if (host_of(fleet, args, target, &rest) == NULL)
			return request_fail(request, MESSAGE_AMBIGUOUS_TARGET,
			    "%s: \"%.80s\" names no host: write HOST:%.80s; see muxbus hosts",
			    target_names[of], target, target);
	}
	return true;
}

/* Checks the kinds. If a host is named, an unknown kind may belong to a provider there. */
static bool check_kinds(
    const struct fleet *fleet, struct request *request, struct stream_args *args)
{
	uint64_t states = UINT64_C(1) << EVENT_HOST_STATE;
	bool names_host = args->only != NULL || args->has_targets || fleet_only_host(fleet) != NULL;
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

static bool check(struct fleet *fleet, struct request *request, struct stream_args *args)
{
	if (args->host != NULL &&
	    (args->only = fleet_find_host(fleet, request, args->host)) == NULL)
		return false;
	args->has_targets = args->targets[0].is_given || args->targets[1].is_given;
	return check_after(request, args) && check_kinds(fleet, request, args) &&
	    check_targets(fleet, request, args, 0) && check_targets(fleet, request, args, 1);
}

/* Returns the targets that are on the host, as JSON members, or NULL. The caller frees the text. */
static char *write_targets(
    const struct fleet *fleet, const struct stream_args *args, const struct host *host)
{
	struct json_writer writer;
	struct buf out;
	const char *rest;
	json_start(&writer, &out, FILTER_BYTES_MAX);
	for (size_t of = 0; of < 2; of++) {
		size_t count = 0;
		for (size_t at = 0; at < args->targets[of].count; at++) {
			if (host_of(fleet, args, args->targets[of].strings[at], &rest) != host)
				continue;
			if (count++ == 0)
				json_array_begin(&writer, target_names[of]);
			json_put_str(&writer, NULL, rest);
		}
		if (count > 0)
			json_array_end(&writer);
	}
	return (char *)buf_steal(&out, NULL);
}

/* Returns the filter for hosts as JSON members, for the caller to free; NULL: no events wanted. */
static char *write_filter(const struct stream_args *args)
{
	struct json_writer writer;
	struct buf out;
	if (!args->has_events)
		return NULL;
	json_start(&writer, &out, FILTER_BYTES_MAX);
	if (args->kinds.is_given) {
		json_array_begin(&writer, "kinds");
		/* host_state is left out, as daemons of other versions may not know it. */
		for (size_t at = 0; at < args->kinds.count; at++)
			if (event_kinds_find(args->kinds.strings[at]) !=
			    UINT64_C(1) << EVENT_HOST_STATE)
				json_put_str(&writer, NULL, args->kinds.strings[at]);
		json_array_end(&writer);
	}
	if (args->has_output)
		json_put_bool(&writer, "output", args->output);
	return out.len > 0 ? (char *)buf_steal(&out, NULL) : xstrdup("");
}

static void begin_after(
    const struct fleet_stream *stream, const struct host *host, const struct json *number)
{
	struct stream_source *source = find_source(stream, host);
	if (source != NULL)
		source->has_last = read_seq(number, &source->last);
}

/*
 * Called when the peer reads again: sources resume after the last event that the peer has. A state
 * of a host that was dropped is sent now.
 */
static void on_room(struct peer *peer, void *data)
{
	struct fleet *fleet = data;
	list_each (struct fleet_stream, stream, &fleet->streams, link)
		list_each (struct stream_source, source, &stream->ask.parts, part.link) {
			if (stream->peer != peer || !source->is_behind)
				/* not behind; a host that refused is not asked again */
				continue;
			source->is_behind = false;
			if (source->part.host != NULL &&
			    (source->name[0] != '\0' || source->part.host->state != HOST_UP))
				report_state(source, source->name[0] != '\0');
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
	list_each (struct stream_source, source, &stream->ask.parts, part.link) {
		if (source->part.host != NULL && source->part.host->state != HOST_UP)
			report_state(source, false);
		resume(source);
	}
}

static struct fleet_stream *stream_new(
    struct fleet *fleet, struct request *request, const struct stream_args *args)
{
	static const struct fleet_ask_kind kind = {.size = sizeof(struct fleet_stream),
	    .part_size = sizeof(struct stream_source),
	    .answered = on_subscribed,
	    .late = on_late,
	    .clear = clear_stream,
	    .clear_part = clear_source};
	struct peer *peer = request_peer(request);
	struct request *hold = request_new(request_daemon(request), peer, NULL, &hold_method);
	struct fleet_stream *stream =
	    list_entry(fleet_ask_new(fleet, hold, &kind), struct fleet_stream, ask);
	stream->peer = peer;
	stream->has_states = args->has_states;
	(void)snprintf(stream->name, sizeof stream->name, "S%" PRIu64, ++fleet->last_stream);
	list_append(&fleet->streams, &stream->link);
	stream->follows_all = args->only == NULL && !args->has_targets;
	stream->filter = write_filter(args);
	host_each (fleet->hosts, host) {
		char *targets;
		if (args->only != NULL && args->only != host)
			continue;
		targets = write_targets(fleet, args, host);
		if (!args->has_targets || (targets != NULL && args->has_events))
			add_source(stream, host)->targets = targets;
		else
			mem_free(targets);
	}
	peer_set_room(peer, on_room, fleet);
	return stream;
}

/* Sets where sources begin, from the parameter after. Writes its unknown hosts as missing. */
static void take_after(
    struct fleet_stream *stream, const struct json *after, struct json_writer *writer)
{
	bool may_keep = stream->follows_all;
	json_each_member (member, after) {
		struct host *host = fleet_name_host(stream->ask.fleet->hosts, member->name);
		if (host != NULL) {
			begin_after(stream, host, member);
			continue;
		}
		if (may_keep && member->name_len < sizeof host->label) {
			struct stream_source *source = add_source(stream, NULL);
			source->has_last = read_seq(member, &source->last);
			may_keep = set_away(source, member->name);
		}
		json_object_begin(writer, NULL);
		json_put_str(writer, "host", member->name);
		json_put_str(writer, "reason", "there is no such host");
		json_object_end(writer);
	}
}

static void subscribe(struct fleet *fleet, struct request *request, const struct stream_args *args)
{
	struct json_writer *writer;
	struct fleet_stream *stream;
	struct stream_start *start;
	if (list_count(&fleet->streams) == FLEET_STREAMS_MAX) {
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
	list_each (const struct fleet_part, part, &stream->ask.parts, link)
		if (part->host->state != HOST_UP)
			fleet_put_missing(writer, part->host, part->host->reason);
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
	if (!json_fits(params, FILTER_BYTES_MAX))
		request_fail(request, MESSAGE_LIMIT,
		    "the parameters of a subscription have at most %d bytes", FILTER_BYTES_MAX);
	else if (fleet_read(fleet, request, fields, params, &args, sizeof args) &&
	    check(fleet, request, &args))
		subscribe(fleet, request, &args);
	return true;
}

bool fleet_event_end(struct fleet *fleet, struct request *request, const struct json *params)
{
	const char *name = json_get_str(params, "subscription", NULL);
	struct fleet_stream *stream =
	    name != NULL ? find_stream(fleet, request_peer(request), name) : NULL;
	if (name == NULL) {
		request_fail_field(request, "subscription", "must be a string");
	} else if (stream == NULL) {
		request_fail(request, MESSAGE_NO_SUCH_SUBSCRIPTION,
		    "this connection has no subscription \"%.80s\"", name);
	} else {
		json_put_str(request_result(request), "subscription", stream->name);
		request_done(fleet_ask_end(&stream->ask));
		request_done(request);
	}
	return true;
}
