/* SPDX-License-Identifier: ISC */
/* Pulls of notifications over hosts. */
#include "daemon/fleet/fleet_next.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/fleet/fleet_forward.h"
#include "daemon/fleet/fleet_missing.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/host.h"
#include "daemon/server/request.h"
#include "io/loop_timer.h"
#include "wire/json.h"

enum {
	SPEC_BYTES = 64 * 1024,
	POLL_SEC = 60, /* of a call; a request that still waits begins the next one */
	KEEP_MS = 45000, /* of an answer that no request waits for: its host sends it again then */
	ACK_MS = 60000,
	ACKS_MAX = 1000,
	GAP_SIZE = 512,
};

#define TIMEOUT_SEC 60.0
#define TIMEOUT_SEC_MAX 86400.0

/* A call of one host for a consumer. */
struct pull {
	struct list link;
	struct fleet_nexts *set;
	struct host *host;
	char *spec; /* the parameters there */
	struct host_call *call; /* NULL: answered */
	struct buf entries; /* as JSON, with commas; empty: none */
	char *gap; /* NULL: none */
	struct loop_timer *stale;
};

/* A request that waits. */
struct next {
	struct list link;
	struct fleet_nexts *set;
	struct request *request;
	char *spec;
	struct loop_timer *timer; /* the time is up */
	struct loop_timer *ready; /* entries are there: at the end of the turn */
};

struct fleet_nexts {
	struct host_set *hosts;
	struct event_base *base;
	struct list pulls;
	struct list nexts;
	size_t count; /* of pulls */
};

struct fleet_nexts *fleet_nexts_new(struct host_set *hosts, struct event_base *base)
{
	struct fleet_nexts *nexts = xcalloc(1, sizeof *nexts);
	nexts->hosts = hosts;
	nexts->base = base;
	list_init(&nexts->pulls);
	list_init(&nexts->nexts);
	return nexts;
}

static void pull_free(struct pull *pull)
{
	if (pull->call != NULL)
		host_call_cancel(pull->call);
	loop_timer_free(pull->stale);
	list_remove(&pull->link);
	pull->set->count--;
	buf_finish(&pull->entries);
	mem_free(pull->gap);
	mem_free(pull->spec);
	mem_free(pull);
}

static void next_free(struct next *next)
{
	loop_timer_free(next->timer);
	loop_timer_free(next->ready);
	list_remove(&next->link);
	mem_free(next->spec);
	mem_free(next);
}

void fleet_nexts_free(struct fleet_nexts *nexts)
{
	if (nexts == NULL)
		return;
	while (!list_is_empty(&nexts->nexts)) {
		struct next *next = list_entry(nexts->nexts.next, struct next, link);
		struct request *request = next->request;
		request_on_cancel(request, NULL, NULL);
		next_free(next);
		request_fail(request, MESSAGE_CANCELLED, "the daemon ends");
	}
	while (!list_is_empty(&nexts->pulls))
		pull_free(list_entry(nexts->pulls.next, struct pull, link));
	mem_free(nexts);
}

void fleet_nexts_removed(struct fleet_nexts *nexts, struct host *host)
{
	list_each_safe (struct pull, pull, &nexts->pulls, link) {
		if (pull->host == host)
			pull_free(pull);
	}
}

/* The request that waits for a pull, the oldest first. NULL: none. */
static struct next *find_next(const struct pull *pull)
{
	list_each (struct next, next, &pull->set->nexts, link) {
		if (strcmp(next->spec, pull->spec) == 0)
			return next;
	}
	return NULL;
}

/* Answers with all that is there for the consumer. */
static void answer(struct next *next)
{
	struct request *request = next->request;
	struct json_writer *writer = request_result(request);
	json_array_begin(writer, "notifications");
	list_each (const struct pull, pull, &next->set->pulls, link) {
		if (pull->entries.len > 0 && strcmp(pull->spec, next->spec) == 0)
			json_put_raw(writer, NULL, pull->entries.data, pull->entries.len);
	}
	json_array_end(writer);
	json_array_begin(writer, "gaps");
	list_each (const struct pull, pull, &next->set->pulls, link) {
		if (pull->gap != NULL && strcmp(pull->spec, next->spec) == 0)
			json_put_raw(writer, NULL, pull->gap, strlen(pull->gap));
	}
	json_array_end(writer);
	json_array_begin(writer, "missing");
	list_each_safe (struct pull, pull, &next->set->pulls, link) {
		if (strcmp(pull->spec, next->spec) != 0)
			continue;
		if (host_state(pull->host) != HOST_UP)
			fleet_missing_put(writer, pull->host);
		if (pull->call == NULL)
			pull_free(pull); /* answered */
	}
	json_array_end(writer);
	request_on_cancel(request, NULL, NULL);
	next_free(next);
	request_done(request);
}

static void on_ready(void *data)
{
	answer(data);
}

static void on_stale(void *data)
{
	pull_free(data);
}

static void begin(struct pull *pull);

/* Keeps the entries of an answer, their ids qualified. */
static void take(struct pull *pull, const struct json *result)
{
	const struct json *list = json_member(result, "notifications");
	const struct json *gap = json_member(result, "gap");
	struct json_writer writer;
	struct buf out;
	buf_clear(&pull->entries);
	json_writer_init(&writer, &pull->entries);
	for (const struct json *entry = list->child; entry != NULL; entry = entry->next) {
		json_object_begin(&writer, NULL);
		fleet_name_put_members(&writer, pull->host, entry);
		json_object_end(&writer);
	}
	mem_free(pull->gap);
	pull->gap = NULL;
	if (gap == NULL || gap->type != JSON_OBJECT)
		return;
	json_start_object(&writer, &out, GAP_SIZE + JSON_SPARE);
	fleet_name_put_members(&writer, pull->host, gap);
	json_object_end(&writer);
	pull->gap = (char *)buf_steal(&out, NULL);
}

/* The errors of the way to a host; all others are of the request. */
static bool is_of_request(const struct json *message)
{
	const struct json *error = json_member(message, "error");
	const struct json *kind = json_member(json_member(error, "data"), "kind");
	return kind != NULL && kind->type == JSON_STRING &&
	    strcmp(kind->text, "invalid_params") == 0;
}

static void on_done(void *data, const struct json *message)
{
	struct pull *pull = data;
	struct next *next = find_next(pull);
	const struct json *result = json_member(message, "result");
	if (!fleet_name_is_list(json_member(result, "notifications")))
		result = NULL;
	pull->call = NULL;
	if (result != NULL)
		take(pull, result);
	if (result != NULL && pull->entries.len > 0) {
		pull->stale = loop_timer_new(pull->set->base, on_stale, pull);
		loop_timer_arm(pull->stale, KEEP_MS);
		if (next != NULL)
			loop_timer_wake(next->ready);
	} else if (next == NULL) {
		pull_free(pull);
	} else if (result != NULL) {
		begin(pull);
	} else if (is_of_request(message)) {
		struct request *request = next->request;
		struct host *host = pull->host;
		request_on_cancel(request, NULL, NULL);
		pull_free(pull);
		next_free(next);
		fleet_forward_error(request, host, json_member(message, "error"));
	} else {
		pull_free(pull); /* the next request tries again */
	}
}

static void begin(struct pull *pull)
{
	pull->call = host_call(pull->host,
	    &(struct host_order){.method = "next_notification",
		.params = pull->spec,
		.params_len = strlen(pull->spec),
		.flags = HOST_CALL_READS | HOST_CALL_WAITS,
		.done = on_done,
		.data = pull});
}

/* Asks a host, unless it is asked already. Returns whether entries are there. */
static bool pull_from(struct fleet_nexts *nexts, struct host *host, const char *spec)
{
	struct pull *pull;
	struct list *link;
	list_for_each (link, &nexts->pulls) {
		pull = list_entry(link, struct pull, link);
		if (pull->host == host && strcmp(pull->spec, spec) == 0)
			return pull->entries.len > 0;
	}
	pull = xcalloc(1, sizeof *pull);
	pull->set = nexts;
	pull->host = host;
	pull->spec = xstrdup(spec);
	buf_init(&pull->entries, HOST_LINE_BYTES);
	list_append(&nexts->pulls, &pull->link);
	nexts->count++;
	begin(pull);
	return false;
}

static const struct json *given(const struct json *params, const char *name)
{
	const struct json *member = json_member(params, name);
	return member != NULL && member->type != JSON_NULL ? member : NULL;
}

static void on_ignored(void *data, const struct json *message)
{
	(void)data;
	(void)message;
}

/* The host and number of "B:123". */
static struct host *read_ack(
    const struct fleet_nexts *nexts, const struct json *text, uint64_t *ret_seq)
{
	const char *rest;
	char *end;
	struct host *host =
	    text->type == JSON_STRING ? fleet_name_split(nexts->hosts, text->text, &rest) : NULL;
	if (host == NULL || *rest < '0' || *rest > '9')
		return NULL;
	*ret_seq = strtoull(rest, &end, 10);
	return *end == '\0' ? host : NULL;
}

/* Acknowledges on a host; a second time changes nothing, so that the link may ask again. */
static void acknowledge(struct host *host, const char *consumer, const char *member, uint64_t seq)
{
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, SPEC_BYTES);
	json_put_str(&writer, "consumer", consumer);
	json_put_int(&writer, member, (int64_t)seq);
	json_object_end(&writer);
	(void)host_call(host,
	    &(struct host_order){.method = "ack_notification",
		.params = (const char *)out.data,
		.params_len = out.len,
		.flags = HOST_CALL_READS,
		.deadline_ms = ACK_MS,
		.done = on_ignored});
	buf_finish(&out);
}

/* Sends the acknowledgements that ride on a request: "B:123", or an array. */
static bool send_acks(struct fleet_nexts *nexts, struct request *request, const struct json *params,
    const char *name, const char *member)
{
	const struct json *acks = given(params, name);
	const char *consumer = json_member(params, "consumer")->text;
	const struct json *ack;
	uint64_t seq;
	if (acks == NULL)
		return true;
	ack = acks->type == JSON_ARRAY ? acks->child : acks;
	if (acks->count > ACKS_MAX)
		return request_fail_field(request, name, "must be at most 1000 numbers");
	for (; ack != NULL; ack = acks->type == JSON_ARRAY ? ack->next : NULL) {
		struct host *host = read_ack(nexts, ack, &seq);
		if (host == NULL)
			return request_fail_field(request, name,
			    "must be the host and number of an entry, such as \"B:123\", or an "
			    "array of these");
		acknowledge(host, consumer, member, seq);
	}
	return true;
}

/* Writes what each host is asked. */
static char *write_spec(const struct json *params)
{
	static const char *const names[] = {"consumer", "filter", "limit"};
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, SPEC_BYTES);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (given(params, names[i]) != NULL)
			json_put_value(&writer, names[i], given(params, names[i]));
	json_put_int(&writer, "timeout_sec", POLL_SEC);
	json_object_end(&writer);
	return (char *)buf_steal(&out, NULL);
}

/* Whether the parameters can be meant for all hosts; fails the request if not. */
static bool check(struct fleet_nexts *nexts, struct request *request, const struct json *params,
    double *ret_timeout_sec)
{
	const struct json *consumer = given(params, "consumer");
	const struct json *time = given(params, "timeout_sec");
	*ret_timeout_sec = TIMEOUT_SEC;
	if (consumer == NULL || consumer->type != JSON_STRING)
		return request_fail_field(request, "consumer",
		    "over several hosts give a consumer, which has a place on each; or add host, "
		    "or an id as HOST:A1B2");
	if (given(params, "after") != NULL)
		return request_fail_field(
		    request, "after", "goes with host: each host has its own numbers");
	if (time != NULL &&
	    (!json_double(time, ret_timeout_sec) || *ret_timeout_sec < 0 ||
		*ret_timeout_sec > TIMEOUT_SEC_MAX))
		return request_fail_field(request, "timeout_sec", "must be 0 to 86400 seconds");
	if (nexts->count + host_set_count(nexts->hosts) > FLEET_PULLS_MAX) {
		request_fail(request, MESSAGE_LIMIT,
		    "%zu requests for notifications are open on the hosts already", nexts->count);
		return false;
	}
	return send_acks(nexts, request, params, "ack", "seq") &&
	    send_acks(nexts, request, params, "ack_up_to", "up_to");
}

static void on_cancelled(struct request *request, void *data)
{
	next_free(data);
	request_fail(request, MESSAGE_CANCELLED, "the peer has gone");
}

void fleet_nexts_start(
    struct fleet_nexts *nexts, struct request *request, const struct json *params)
{
	struct next *next;
	double timeout_sec;
	bool is_ready = false;
	if (!check(nexts, request, params, &timeout_sec))
		return;
	next = xcalloc(1, sizeof *next);
	next->set = nexts;
	next->request = request;
	next->spec = write_spec(params);
	next->timer = loop_timer_new(nexts->base, on_ready, next);
	next->ready = loop_timer_new(nexts->base, on_ready, next);
	list_append(&nexts->nexts, &next->link);
	for (struct host *host = host_set_next(nexts->hosts, NULL); host != NULL;
	     host = host_set_next(nexts->hosts, host))
		is_ready |= pull_from(nexts, host, next->spec);
	request_on_cancel(request, on_cancelled, next);
	loop_timer_arm(next->timer, is_ready ? 0 : clock_seconds_to_ms(timeout_sec));
}
