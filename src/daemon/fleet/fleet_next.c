/* SPDX-License-Identifier: ISC */
/*
 * The method next_notification over all hosts. A pull makes calls of it on one host. The answer to
 * a pull is kept for a limited time, until a request takes it.
 */
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/server/request.h"
#include "io/loop_timer.h"

enum {
	SPEC_BYTES = 64 * 1024,
	CONSUMER_MAX = 256,
	/* timeout_sec of the calls after the first one, repeated while a request waits */
	POLL_SEC = 60,
	/* how long a request with timeout_sec 0 waits for answers at most */
	LOOK_MS = 2000,
	RETRY_MS = 5000, /* delay before a call is repeated after an error */
	/* how long an unused answer is kept; the host delivers its entries again later */
	KEEP_MS = 45000,
	ACK_MS = 60000,
	ACKS_MAX = 1000,
	LIMIT_MAX = 1000,
	GAP_SIZE = 512,
	ACKED_BYTES = 8 * 1024 * sizeof(uint64_t),
};

struct fleet_next_args {
	const char *consumer;
	const struct json *filter, *after, *ack, *ack_up_to, *none;
	double timeout_sec;
	int64_t limit;
	bool parked;
};

static const struct field fields[] = {
    {FIELD_ROW(STRING, struct fleet_next_args, consumer, "consumer"), .flags = FIELD_REQUIRED,
	.min = 1, .max = CONSUMER_MAX},
    {FIELD_ROW(VALUE, struct fleet_next_args, filter, "filter")},
    {FIELD_ROW(INT, struct fleet_next_args, limit, "limit"), .min = 1, .max = LIMIT_MAX,
	.preset = "100"},
    {FIELD_ROW(VALUE, struct fleet_next_args, after, "after")},
    {FIELD_ROW(VALUE, struct fleet_next_args, ack, "ack")},
    {FIELD_ROW(VALUE, struct fleet_next_args, ack_up_to, "ack_up_to")},
    {FIELD_ROW(NUMBER, struct fleet_next_args, timeout_sec, "timeout_sec"), .max = 86400,
	.preset = "60"},
    {FIELD_ROW(BOOL, struct fleet_next_args, parked, "parked")},
    /* fleet_next_take() has checked that these two are null */
    {FIELD_ROW(VALUE, struct fleet_next_args, none, "host")},
    {FIELD_ROW(VALUE, struct fleet_next_args, none, "id")},
    {.name = NULL},
};

struct fleet_pull {
	struct fleet_part part;
	/* parameters for the host as JSON members: consumer, filter, parked */
	char *spec;
	bool has_looked; /* a call has ended, with an answer or an error */
	/* notifications from the host, a JSON line each; empty if there are none */
	struct buf entries;
	char *gap; /* JSON; NULL if none */
	int64_t parked;
	/* Numbers acknowledged since the call. The answer may still have their notifications. */
	struct buf acked; /* an array of uint64_t; numbers for which it has no room are left out */
	uint64_t acked_up_to;
	struct loop_timer *stale; /* drops an unused answer, or retries after an error */
};

/* A waiting request. Its answer comes from pulls, which may outlive it. */
struct next_request {
	struct fleet_ask ask; /* has no parts: the calls belong to the pulls */
	struct list link;
	char *spec;
	int64_t limit;
	/*
	 * Runs answer() at the timeout (LOOK_MS for a look), or sooner, if there are entries or if
	 * no host is left to answer a look.
	 */
	struct loop_timer *timer;
	bool is_look; /* timeout_sec is 0, so the hosts answer with what they have now */
};

static void clear_pull(struct fleet_part *part)
{
	struct fleet_pull *pull = list_entry(part, struct fleet_pull, part);
	loop_timer_free(pull->stale);
	buf_finish(&pull->entries);
	buf_finish(&pull->acked);
	mem_free(pull->gap);
	mem_free(pull->spec);
}

static void clear_next(struct fleet_ask *ask)
{
	struct next_request *next = list_entry(ask, struct next_request, ask);
	loop_timer_free(next->timer);
	list_remove(&next->link);
	mem_free(next->spec);
}

void fleet_next_removed(struct fleet *fleet, struct host *host)
{
	list_each_safe (struct fleet_part, part, &fleet->pulls->parts, link)
		if (part->host == host)
			fleet_part_end(part);
}

static struct next_request *find_next(const struct fleet_pull *pull)
{
	list_each (struct next_request, next, &pull->part.ask->fleet->nexts, link)
		if (strcmp(next->spec, pull->spec) == 0)
			return next;
	return NULL;
}

static bool is_same_consumer(const char *spec, const char *other)
{
	size_t len = strcspn(spec, ",");
	return strcspn(other, ",") == len && strncmp(spec, other, len) == 0;
}

static bool is_left(const struct fleet_pull *pull, const char *spec)
{
	return find_next(pull) == NULL && is_same_consumer(pull->spec, spec);
}

/*
 * Returns true if a request may take the entries of a pull. Either both have the same spec, or the
 * request is of the same consumer without a filter, and no request waits for the pull.
 */
static bool is_for(const struct fleet_pull *pull, const struct next_request *next)
{
	return strcmp(pull->spec, next->spec) == 0 ||
	    (strchr(next->spec, ',') == NULL && is_left(pull, next->spec));
}

/* Writes at most *left entries, and counts *left down; the others stay in the pull. */
static void put_entries(struct json_writer *writer, struct fleet_pull *pull, int64_t *left)
{
	struct json_reader *reader = json_reader_new(HOST_LINE_BYTES);
	struct json_error error;
	for (; pull->entries.len > 0 && *left > 0; --*left) {
		const char *line = (const char *)pull->entries.data;
		size_t len = (size_t)((const char *)memchr(line, '\n', pull->entries.len) - line);
		json_object_begin(writer, NULL);
		fleet_name_put_members(
		    writer, pull->part.host, json_read(reader, line, len, &error));
		json_object_end(writer);
		buf_consume(&pull->entries, len + 1);
	}
	json_reader_free(reader);
}

static void answer(void *data)
{
	struct next_request *next = data;
	struct list *pulls = &next->ask.fleet->pulls->parts;
	struct json_writer *writer = request_result(next->ask.request);
	int64_t parked = 0, left = next->limit;
	json_array_begin(writer, "notifications");
	list_each (struct fleet_pull, pull, pulls, part.link) {
		if (!is_for(pull, next))
			continue;
		parked += pull->parked;
		put_entries(writer, pull, &left);
	}
	json_array_end(writer);
	json_put_int(writer, "parked", parked);
	json_array_begin(writer, "gaps");
	list_each (const struct fleet_pull, pull, pulls, part.link)
		if (pull->gap != NULL && is_for(pull, next))
			json_put_raw(writer, NULL, pull->gap, strlen(pull->gap));
	json_array_end(writer);
	json_array_begin(writer, "missing");
	list_each_safe (struct fleet_pull, pull, pulls, part.link) {
		const struct host *host = pull->part.host;
		if (!is_for(pull, next))
			continue;
		if (host->state != HOST_UP && strcmp(pull->spec, next->spec) == 0)
			fleet_put_missing(writer, host, host->reason);
		if (pull->part.call == NULL && pull->entries.len == 0)
			fleet_part_end(&pull->part); /* all its entries were handed out */
	}
	json_array_end(writer);
	request_done(fleet_ask_end(&next->ask));
}

/* Calls the host. The first call returns at once, later ones wait for notifications. */
static void begin(struct fleet_pull *pull, const struct next_request *next);

static void on_stale(void *data)
{
	struct fleet_pull *pull = data;
	const struct next_request *next = find_next(pull);
	if (pull->entries.len == 0 && next != NULL)
		begin(pull, next);
	else
		fleet_part_end(&pull->part);
}

static bool is_looked(const struct next_request *next)
{
	list_each (const struct fleet_pull, pull, &next->ask.fleet->pulls->parts, part.link)
		if (strcmp(pull->spec, next->spec) == 0 && !pull->has_looked &&
		    pull->part.host->state == HOST_UP)
			return false;
	return true;
}

static bool is_acked(const struct fleet_pull *pull, uint64_t seq)
{
	const uint64_t *acked = (const void *)pull->acked.data;
	for (size_t at = 0; at < pull->acked.len / sizeof *acked; at++)
		if (acked[at] == seq)
			return true;
	return seq <= pull->acked_up_to;
}

static void drop_acked(struct fleet_pull *pull)
{
	static const char head[] = "{\"seq\":";
	struct buf entries = pull->entries;
	buf_init(&pull->entries, HOST_LINE_BYTES);
	for (const char *line = buf_text(&entries), *end; *line != '\0'; line = end) {
		uint64_t seq = strncmp(line, head, sizeof head - 1) == 0
		    ? strtoull(line + sizeof head - 1, NULL, 10)
		    : UINT64_MAX;
		end = strchr(line, '\n') + 1;
		if (!is_acked(pull, seq))
			(void)buf_append(&pull->entries, line, (size_t)(end - line));
	}
	buf_finish(&entries);
}

/* Keeps the entries of an answer. Ids get their prefix later, as the host may be renamed. */
static void take(struct fleet_pull *pull, const struct json *result)
{
	const struct json *gap = json_member(result, "gap");
	struct json_writer writer;
	struct buf out;
	buf_clear(&pull->entries);
	json_each (entry, json_member(result, "notifications")) {
		char *text = json_text(entry, HOST_LINE_BYTES);
		bool is_kept = text != NULL && buf_printf(&pull->entries, "%s\n", text) == 0;
		mem_free(text);
		if (!is_kept)
			break; /* the host will deliver the rest again */
	}
	drop_acked(pull); /* the host may have sent the answer before it got an acknowledgement */
	mem_free(pull->gap);
	pull->gap = NULL;
	pull->parked = json_get_int(result, "parked", 0);
	if (gap == NULL || gap->type != JSON_OBJECT)
		return;
	json_start_object(&writer, &out, GAP_SIZE + JSON_SPARE);
	fleet_name_put_members(&writer, pull->part.host, gap);
	json_object_end(&writer);
	pull->gap = (char *)buf_steal(&out, NULL);
}

/* No request waits for this pull: wakes one without a filter, which may take its entries. */
static void offer(const struct fleet_pull *pull)
{
	list_each (const struct next_request, next, &pull->part.ask->fleet->nexts, link)
		if (!next->is_look && is_for(pull, next)) {
			loop_timer_wake(next->timer);
			return;
		}
}

static void on_pulled(struct fleet_part *part, const struct json *message)
{
	struct fleet_pull *pull = list_entry(part, struct fleet_pull, part);
	struct next_request *next = find_next(pull);
	const struct json *result = json_member(message, "result");
	if (!fleet_name_is_list(json_member(result, "notifications")))
		result = NULL;
	pull->has_looked = true;
	if (result != NULL)
		take(pull, result);
	if (next != NULL && (next->is_look ? is_looked(next) : pull->entries.len > 0))
		loop_timer_wake(next->timer);
	if (pull->entries.len > 0) {
		loop_timer_arm(pull->stale, KEEP_MS);
		if (next == NULL)
			offer(pull);
	} else if (next == NULL) {
		fleet_part_end(part);
	} else if (result != NULL) {
		begin(pull, next);
	} else if (strcmp(fleet_error_kind(message), "invalid_params") == 0) {
		const struct host *host = part->host;
		fleet_part_end(part);
		fleet_fail(fleet_ask_end(&next->ask), host, json_member(message, "error"));
	} else {
		loop_timer_arm(pull->stale, RETRY_MS);
	}
}

const struct fleet_ask_kind fleet_pull_kind = {.size = sizeof(struct fleet_ask),
    .part_size = sizeof(struct fleet_pull),
    .answered = on_pulled,
    .clear_part = clear_pull};

static void begin(struct fleet_pull *pull, const struct next_request *next)
{
	char *params = xasprintf("{%s,\"limit\":%" PRId64 ",\"timeout_sec\":%d}", pull->spec,
	    next->limit, pull->has_looked ? POLL_SEC : 0);
	buf_clear(&pull->acked);
	pull->acked_up_to = 0;
	fleet_part_call(&pull->part,
	    &(struct host_order){.method = "next_notification",
		.params = params,
		.flags = HOST_CALL_READS | HOST_CALL_WAITS});
	mem_free(params);
}

/* Makes a pull unless there is an equal one. Returns true if that one has entries. */
static bool pull_from(struct fleet *fleet, struct host *host, const struct next_request *next)
{
	struct fleet_pull *new;
	list_each (const struct fleet_pull, pull, &fleet->pulls->parts, part.link)
		if (pull->part.host == host && strcmp(pull->spec, next->spec) == 0)
			return pull->entries.len > 0;
	new = list_entry(fleet_part_new(fleet->pulls, host), struct fleet_pull, part);
	new->spec = xstrdup(next->spec);
	new->stale = loop_timer_new(fleet->base, on_stale, new);
	buf_init(&new->entries, HOST_LINE_BYTES);
	buf_init(&new->acked, ACKED_BYTES);
	begin(new, next);
	return false;
}

/* Drops acknowledged entries from answers that are kept, and from those to come. */
static void drop_acknowledged(const struct fleet *fleet, const struct host *host, const char *spec,
    uint64_t seq, bool is_up_to)
{
	list_each_safe (struct fleet_pull, pull, &fleet->pulls->parts, part.link) {
		bool has_entries = pull->entries.len > 0;
		if (pull->part.host != host || !is_same_consumer(pull->spec, spec))
			continue;
		if (!is_up_to)
			(void)buf_append(&pull->acked, &seq, sizeof seq);
		else if (seq > pull->acked_up_to)
			pull->acked_up_to = seq;
		drop_acked(pull);
		if (has_entries && pull->entries.len == 0)
			fleet_part_end(&pull->part);
	}
}

/* Acknowledges "B:123" on its host. Returns false for another form or an unknown host. */
static bool acknowledge(
    const struct fleet *fleet, const struct json *ack, const char *consumer, const char *member)
{
	const char *rest;
	struct host *host =
	    ack->type == JSON_STRING ? fleet_name_split(fleet->hosts, ack->text, &rest) : NULL;
	struct json_writer writer;
	uint64_t seq;
	struct buf out;
	if (host == NULL || !str_parse_u64(rest, strlen(rest), &seq))
		return false;
	json_start_object(&writer, &out, SPEC_BYTES);
	json_put_str(&writer, "consumer", consumer);
	json_put_int(&writer, member, (int64_t)seq);
	json_object_end(&writer);
	host_tell(host, "ack_notification", HOST_CALL_READS, ACK_MS, "%s", (const char *)out.data);
	drop_acknowledged(fleet, host, (const char *)out.data + 1, seq, member[0] == 'u');
	buf_finish(&out);
	return true;
}

/* Sends the acknowledgements of one parameter to the hosts; false after failing the request. */
static bool send_acks(const struct fleet *fleet, struct request *request,
    const struct fleet_next_args *args, const struct json *acks, const char *name)
{
	bool is_array = acks != NULL && acks->type == JSON_ARRAY;
	const char *member = acks == args->ack ? "seq" : "up_to";
	if (acks == NULL)
		return true;
	if (acks->count > ACKS_MAX)
		return request_fail_field(request, name, "must be at most 1000 numbers");
	for (const struct json *ack = is_array ? acks->child : acks; ack != NULL;
	     ack = is_array ? ack->next : NULL)
		if (!acknowledge(fleet, ack, args->consumer, member))
			return request_fail_field(request, name,
			    "must be the host and number of an entry, such as \"B:123\", or an "
			    "array of these");
	return true;
}

static char *write_spec(const struct fleet_next_args *args)
{
	struct json_writer writer;
	struct buf out;
	json_start(&writer, &out, SPEC_BYTES);
	json_put_str(&writer, "consumer", args->consumer);
	if (args->filter != NULL)
		json_put_value(&writer, "filter", args->filter);
	if (args->parked)
		json_put_bool(&writer, "parked", true);
	return (char *)buf_steal(&out, NULL);
}

/*
 * Ends pulls of the consumer that no request waits for and this one cannot use: their calls would
 * take its notifications. Hosts deliver the entries of ended pulls again. Returns true if a pull of
 * another filter that the request may use has entries.
 */
static bool end_others(struct fleet *fleet, const struct next_request *next)
{
	bool has_entries = false;
	list_each_safe (struct fleet_pull, pull, &fleet->pulls->parts, part.link) {
		if (!is_left(pull, next->spec))
			continue;
		if (is_for(pull, next))
			has_entries |= pull->entries.len > 0;
		else
			fleet_part_end(&pull->part);
	}
	return has_entries;
}

static void start(struct fleet *fleet, struct request *request, const struct fleet_next_args *args)
{
	static const struct fleet_ask_kind kind = {
	    .size = sizeof(struct next_request), .clear = clear_next};
	struct next_request *next =
	    list_entry(fleet_ask_new(fleet, request, &kind), struct next_request, ask);
	int64_t timeout_ms = clock_seconds_to_ms(args->timeout_sec);
	bool is_ready;
	next->limit = args->limit;
	next->spec = write_spec(args);
	next->timer = loop_timer_new(fleet->base, answer, next);
	list_append(&fleet->nexts, &next->link);
	is_ready = end_others(fleet, next);
	host_each (fleet->hosts, host)
		is_ready |= pull_from(fleet, host, next);
	next->is_look = timeout_ms == 0;
	if (next->is_look)
		is_ready = is_looked(next);
	loop_timer_arm(next->timer, is_ready ? 0 : next->is_look ? LOOK_MS : timeout_ms);
}

void fleet_next_added(struct fleet *fleet, struct host *host)
{
	list_each (const struct next_request, next, &fleet->nexts, link)
		if (list_count(&fleet->pulls->parts) < FLEET_PULLS_MAX)
			(void)pull_from(fleet, host, next);
}

static bool check(
    const struct fleet *fleet, struct request *request, const struct fleet_next_args *args)
{
	size_t count = list_count(&fleet->pulls->parts);
	if (args->after != NULL)
		return request_fail_field(
		    request, "after", "goes with host: each host has its own numbers");
	if (count + host_set_count(fleet->hosts) > FLEET_PULLS_MAX)
		return request_fail(request, MESSAGE_LIMIT,
		    "%zu requests for notifications are open on the hosts already", count);
	return send_acks(fleet, request, args, args->ack, "ack") &&
	    send_acks(fleet, request, args, args->ack_up_to, "ack_up_to");
}

bool fleet_next_take(struct fleet *fleet, struct request *request, const struct json *params)
{
	struct fleet_next_args args;
	if (json_given(params, "consumer") == NULL || json_given(params, "host") != NULL ||
	    json_given(params, "id") != NULL || host_set_count(fleet->hosts) <= 1)
		return false;
	if (fleet_read(fleet, request, fields, params, &args, sizeof args) &&
	    check(fleet, request, &args))
		start(fleet, request, &args);
	return true;
}
