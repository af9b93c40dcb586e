/* SPDX-License-Identifier: ISC */
/* Waits over hosts. */
#include "daemon/fleet/fleet_wait.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/crc.h"
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
	CONDITIONS_MAX = 64,
	NAME_SIZE = 80,
	KEY_SIZE = 160,
	PARAMS_BYTES = 1024 * 1024,
	CANCEL_MS = 60000,
};

#define TIMEOUT_SEC 600.0
#define TIMEOUT_SEC_MAX (10 * 366 * 86400.0)

static const char *const state_pending = "pending";

/* One condition, and what became of it. */
struct condition {
	struct part *part;
	const struct json *spec; /* lent while the wait is started */
	const char *target; /* name of the member that has a host; NULL: none */
	const char *rest; /* of that member, without the host */
	char kind[32];
	char *members; /* as the host has answered; NULL: pending */
	bool has_matched;
	bool has_ended; /* gone, or its pattern is too slow */
};

/* The conditions of one host; or one of the fleet's own, a time. */
struct part {
	struct list link;
	struct wait *wait;
	struct host *host; /* NULL: a time */
	struct host_call *call; /* NULL: answered */
	struct loop_timer *timer;
};

struct wait {
	struct list link;
	struct fleet_waits *set;
	struct request *request;
	struct list parts;
	struct condition conditions[CONDITIONS_MAX];
	size_t count;
	bool is_all;
	bool is_kept; /* has a name or key of the peer's: it outlives the connection */
	bool has_own_name; /* shown in the answer */
	char name[NAME_SIZE];
	char key[KEY_SIZE];
	double timeout_sec;
	int64_t began_ms;
	struct loop_timer *deadline;
};

struct fleet_waits {
	struct host_set *hosts;
	struct event_base *base;
	struct list waits;
};

struct fleet_waits *fleet_waits_new(struct host_set *hosts, struct event_base *base)
{
	struct fleet_waits *waits = xcalloc(1, sizeof *waits);
	waits->hosts = hosts;
	waits->base = base;
	list_init(&waits->waits);
	return waits;
}

static void on_ignored(void *data, const struct json *message)
{
	(void)data;
	(void)message;
}

/* Ends the wait on a host, which would count among its named ones. */
static void cancel_there(const struct part *part)
{
	char params[NAME_SIZE + 16];
	(void)snprintf(params, sizeof params, "{\"id\":\"%s\"}", part->wait->name);
	(void)host_call(part->host,
	    &(struct host_order){.method = "cancel_watch",
		.params = params,
		.params_len = strlen(params),
		.flags = HOST_CALL_READS, /* a second time it changes nothing */
		.deadline_ms = CANCEL_MS,
		.done = on_ignored});
}

static void wait_free(struct wait *wait, bool ends_there)
{
	list_each_safe (struct part, part, &wait->parts, link) {
		if (part->call != NULL) {
			host_call_cancel(part->call);
			if (ends_there)
				cancel_there(part);
		}
		loop_timer_free(part->timer);
		list_remove(&part->link);
		mem_free(part);
	}
	for (size_t at = 0; at < wait->count; at++)
		mem_free(wait->conditions[at].members);
	loop_timer_free(wait->deadline);
	list_remove(&wait->link);
	mem_free(wait);
}

void fleet_waits_free(struct fleet_waits *waits)
{
	if (waits == NULL)
		return;
	while (!list_is_empty(&waits->waits)) {
		struct wait *wait = list_entry(waits->waits.next, struct wait, link);
		struct request *request = wait->request;
		request_on_cancel(request, NULL, NULL);
		wait_free(wait, false);
		request_fail(request, MESSAGE_CANCELLED, "the daemon ends");
	}
	mem_free(waits);
}

static void on_cancelled(struct request *request, void *data)
{
	struct wait *wait = data;
	wait_free(wait, !wait->is_kept);
	request_fail(request, MESSAGE_CANCELLED, "the peer has gone");
}

static void put_condition(struct json_writer *writer, const struct condition *condition)
{
	const struct host *host = condition->part->host;
	json_object_begin(writer, NULL);
	if (condition->members != NULL) {
		json_put_raw(writer, NULL, condition->members, strlen(condition->members));
	} else {
		json_put_str(writer, "condition", condition->kind);
		json_put_str(writer, "state", condition->has_matched ? "matched" : state_pending);
		if (host != NULL) {
			json_put_str(writer, "host", host_name(host));
			json_put_str(writer, "server", host_server(host));
		}
	}
	json_object_end(writer);
}

/* Hosts that wait and are not up: what is pending there is not known. */
static void put_missing(struct json_writer *writer, const struct wait *wait)
{
	json_array_begin(writer, "missing");
	list_each (const struct part, part, &wait->parts, link) {
		if (part->call != NULL && host_state(part->host) != HOST_UP)
			fleet_missing_put(writer, part->host);
	}
	json_array_end(writer);
}

static void answer(struct wait *wait, bool is_timed_out)
{
	struct request *request = wait->request;
	struct json_writer *writer = request_result(request);
	json_array_begin(writer, "matched");
	for (size_t at = 0; at < wait->count; at++)
		if (wait->conditions[at].has_matched)
			json_put_int(writer, NULL, (int64_t)at);
	json_array_end(writer);
	json_array_begin(writer, "conditions");
	for (size_t at = 0; at < wait->count; at++)
		put_condition(writer, &wait->conditions[at]);
	json_array_end(writer);
	json_put_double(writer, "elapsed_sec", (double)(clock_mono_ms() - wait->began_ms) / 1000);
	json_put_bool(writer, "timed_out", is_timed_out);
	if (wait->has_own_name)
		json_put_str(writer, "wait", wait->name);
	put_missing(writer, wait);
	request_on_cancel(request, NULL, NULL);
	wait_free(wait, true);
	request_done(request);
}

static bool is_over(const struct wait *wait)
{
	size_t matched = 0, ended = 0;
	for (size_t at = 0; at < wait->count; at++) {
		matched += wait->conditions[at].has_matched;
		ended += wait->conditions[at].has_ended;
	}
	if (wait->is_all)
		return ended > 0 || matched == wait->count;
	return matched > 0 || ended == wait->count;
}

/* Whether a host has yet to answer, or a time to come. */
static bool is_open(const struct wait *wait)
{
	list_each (const struct part, part, &wait->parts, link) {
		if (part->call != NULL || part->timer != NULL)
			return true;
	}
	return false;
}

static bool is_state(const struct json *value, const char *state)
{
	const struct json *member = json_member(value, "state");
	return member != NULL && member->type == JSON_STRING && strcmp(member->text, state) == 0;
}

/* Keeps what a host says of a condition. */
static void take(struct condition *condition, const struct json *value)
{
	struct json_writer writer;
	struct buf out;
	buf_init(&out, PARAMS_BYTES);
	json_writer_init(&writer, &out);
	fleet_name_put_members(&writer, condition->part->host, value);
	mem_free(condition->members);
	condition->members = (char *)buf_steal(&out, NULL);
	condition->has_matched = is_state(value, "matched");
	condition->has_ended = is_state(value, "gone") || is_state(value, "limit");
}

/* The host is no part of the fleet any more. */
static void lose(struct condition *condition)
{
	const struct host *host = condition->part->host;
	struct json_writer writer;
	struct buf out;
	buf_init(&out, PARAMS_BYTES);
	json_writer_init(&writer, &out);
	json_put_str(&writer, "condition", condition->kind);
	json_put_str(&writer, "state", "gone");
	json_put_str(&writer, "host", host_name(host));
	json_put_str(&writer, "server", host_server(host));
	mem_free(condition->members);
	condition->members = (char *)buf_steal(&out, NULL);
	condition->has_ended = true;
}

/* Whether a call has failed since its host is no part of the fleet any more. */
static bool is_removed(const struct json *message)
{
	const struct json *data = json_member(json_member(message, "error"), "data");
	const struct json *kind = json_member(data, "kind");
	return kind != NULL && kind->type == JSON_STRING && strcmp(kind->text, "gone") == 0;
}

static size_t count_of(const struct part *part)
{
	size_t count = 0;
	for (size_t at = 0; at < part->wait->count; at++)
		count += part->wait->conditions[at].part == part;
	return count;
}

/* A host has answered. */
static void on_done(void *data, const struct json *message)
{
	struct part *part = data;
	struct wait *wait = part->wait;
	const struct json *result = json_member(message, "result");
	const struct json *list = json_member(result, "conditions");
	const struct json *value = list != NULL ? list->child : NULL;
	bool is_gone = is_removed(message);
	part->call = NULL;
	if (!is_gone && (!fleet_name_is_list(list) || list->count != count_of(part))) {
		struct request *request = wait->request;
		struct host *host = part->host;
		request_on_cancel(request, NULL, NULL);
		/* The same request asked again finds what came true on the other hosts. */
		wait_free(wait, !wait->is_kept || !fleet_forward_may_pass(message));
		fleet_forward_error(request, host, json_member(message, "error"));
		return;
	}
	for (size_t at = 0; at < wait->count; at++) {
		if (wait->conditions[at].part != part)
			continue;
		if (is_gone) {
			lose(&wait->conditions[at]);
		} else {
			take(&wait->conditions[at], value);
			value = value->next;
		}
	}
	if (is_over(wait))
		answer(wait, false);
	else if (!is_open(wait))
		answer(wait, true);
}

/* The time of a condition of the fleet's own has come. */
static void on_time(void *data)
{
	struct part *part = data;
	struct wait *wait = part->wait;
	for (size_t at = 0; at < wait->count; at++)
		wait->conditions[at].has_matched |= wait->conditions[at].part == part;
	if (is_over(wait))
		answer(wait, false);
}

static void on_deadline(void *data)
{
	answer(data, true);
}

static bool is_name(const char *name, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

/* Finds the host of a condition: its member host, or the prefix of the object that it names. */
static struct host *find_host(const struct wait *wait, struct condition *condition)
{
	static const char *const targets[] = {
	    "pane", "job", "agent", "exited", "ready", "command_finished", NULL};
	static const char *const others[] = {
	    "host", "pane", "agent", "where", "regex", "for_sec", "from_start", NULL};
	const struct json *named = json_member(condition->spec, "host");
	struct host *host = NULL;
	for (const struct json *member = condition->spec->child; member != NULL;
	     member = member->next) {
		const char *rest;
		struct host *found;
		if (condition->kind[0] == '\0' && !is_name(member->name, others))
			(void)snprintf(condition->kind, sizeof condition->kind, "%s", member->name);
		if (member->type != JSON_STRING || !is_name(member->name, targets))
			continue;
		found = fleet_name_split(wait->set->hosts, member->text, &rest);
		if (found != NULL) {
			host = found;
			condition->target = member->name;
			condition->rest = rest;
		}
	}
	if (host == NULL && named != NULL && named->type == JSON_STRING)
		host = fleet_name_host(wait->set->hosts, named->text, named->len);
	return host;
}

static struct part *get_part(struct wait *wait, struct host *host)
{
	struct part *part;
	struct list *link;
	list_for_each (link, &wait->parts) {
		part = list_entry(link, struct part, link);
		if (host != NULL && part->host == host)
			return part;
	}
	part = xcalloc(1, sizeof *part);
	part->wait = wait;
	part->host = host;
	list_append(&wait->parts, &part->link);
	return part;
}

/* Adds a condition to the part of its host. False after failing the request. */
static bool add(struct wait *wait, const struct json *spec, struct host *preset)
{
	struct condition *condition = &wait->conditions[wait->count];
	const struct json *sec = json_member(spec, "sec");
	struct host *host;
	double seconds;
	condition->spec = spec;
	host = find_host(wait, condition);
	if (host == NULL && sec != NULL && json_double(sec, &seconds) && seconds >= 0 &&
	    seconds <= TIMEOUT_SEC_MAX) {
		condition->part = get_part(wait, NULL);
		condition->part->timer = loop_timer_new(wait->set->base, on_time, condition->part);
		loop_timer_arm(condition->part->timer, clock_seconds_to_ms(seconds));
		wait->count++;
		return true;
	}
	host = host != NULL ? host : preset;
	if (host == NULL) {
		request_fail(wait->request, MESSAGE_AMBIGUOUS_TARGET,
		    "any, all: the condition \"%s\" names no host: write its pane, job or agent as "
		    "HOST:%%3, or add \"host\"; see muxbus hosts",
		    condition->kind);
		return false;
	}
	condition->part = get_part(wait, host);
	wait->count++;
	return true;
}

/* Writes a condition as its host reads it. */
static void put_spec(struct json_writer *writer, const struct condition *condition)
{
	json_object_begin(writer, NULL);
	for (const struct json *member = condition->spec->child; member != NULL;
	     member = member->next) {
		if (condition->target != NULL && strcmp(member->name, condition->target) == 0)
			json_put_str(writer, member->name, condition->rest);
		else if (strcmp(member->name, "host") != 0)
			json_put_value(writer, member->name, member);
	}
	json_object_end(writer);
}

/* Sends a host its part. After a cut the link asks again, which resumes the wait by its name. */
static void ask(struct wait *wait, struct part *part)
{
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, PARAMS_BYTES);
	json_array_begin(&writer, wait->is_all ? "all" : "any");
	for (size_t at = 0; at < wait->count; at++)
		if (wait->conditions[at].part == part)
			put_spec(&writer, &wait->conditions[at]);
	json_array_end(&writer);
	json_put_double(&writer, "timeout_sec", wait->timeout_sec);
	json_put_str(&writer, "wait", wait->name);
	json_put_str(&writer, "key", wait->key);
	json_object_end(&writer);
	part->call = host_call(part->host,
	    &(struct host_order){.method = "wait_for",
		.params = (const char *)out.data,
		.params_len = out.len,
		.flags = HOST_CALL_READS | HOST_CALL_WAITS,
		.done = on_done,
		.data = part});
	buf_finish(&out);
}

static const struct json *given(const struct json *params, const char *name)
{
	const struct json *member = json_member(params, name);
	return member != NULL && member->type != JSON_NULL ? member : NULL;
}

static void fail_field(struct wait *wait, const char *field, const char *text)
{
	char data[64];
	(void)snprintf(data, sizeof data, "\"field\":\"%s\"", field);
	request_fail_data(wait->request, MESSAGE_PARAMS, data, "%s: %s", field, text);
}

static bool is_short(const struct json *text, size_t size)
{
	return text == NULL || (text->type == JSON_STRING && text->len > 0 && text->len < size);
}

/*
 * Names the wait: as the peer does, or by the peer's key, which is the same after a restart, or at
 * random.
 */
static bool name_wait(struct wait *wait, const struct json *params)
{
	const struct json *name = given(params, "wait"), *key = given(params, "key");
	uint64_t number = 0;
	if (!is_short(name, NAME_SIZE) || !is_short(key, KEY_SIZE)) {
		fail_field(
		    wait, is_short(name, NAME_SIZE) ? "key" : "wait", "must be a short text");
		return false;
	}
	if (getrandom(&number, sizeof number, 0) != sizeof number) {
		request_fail(wait->request, MESSAGE_INTERNAL, "no random number");
		return false;
	}
	wait->is_kept = name != NULL || key != NULL;
	wait->has_own_name = name != NULL;
	if (key != NULL)
		(void)snprintf(wait->key, sizeof wait->key, "%s", key->text);
	else
		(void)snprintf(wait->key, sizeof wait->key, "fleet/%016" PRIx64, number);
	if (name != NULL)
		(void)snprintf(wait->name, sizeof wait->name, "%s", name->text);
	else
		(void)snprintf(wait->name, sizeof wait->name, "fleet.%08" PRIx32,
		    crc32c(0, wait->key, strlen(wait->key)));
	return true;
}

/* Reads the parameters beside the conditions. False after failing the request. */
static bool read_params(struct wait *wait, const struct json *params, struct host **ret_preset)
{
	const struct json *host = given(params, "host"), *time = given(params, "timeout_sec");
	wait->timeout_sec = TIMEOUT_SEC;
	if (time != NULL &&
	    (!json_double(time, &wait->timeout_sec) || wait->timeout_sec < 0.001 ||
		wait->timeout_sec > TIMEOUT_SEC_MAX)) {
		fail_field(wait, "timeout_sec", "must be a number of seconds");
		return false;
	}
	*ret_preset =
	    host_set_count(wait->set->hosts) == 1 ? host_set_next(wait->set->hosts, NULL) : NULL;
	if (host != NULL) {
		*ret_preset = host->type == JSON_STRING
		    ? fleet_name_host(wait->set->hosts, host->text, host->len)
		    : NULL;
		if (*ret_preset == NULL) {
			fail_field(wait, "host", "there is no such host; see muxbus hosts");
			return false;
		}
	}
	return name_wait(wait, params);
}

/* Adds all conditions: an array, or one alone. False after failing the request. */
static bool add_all(struct wait *wait, const struct json *list, struct host *preset)
{
	const struct json *first = list->type == JSON_ARRAY ? list->child : list;
	size_t count = list->type == JSON_ARRAY ? list->count : 1;
	bool is_valid = count > 0 && count <= CONDITIONS_MAX;
	for (const struct json *spec = first; is_valid && spec != NULL;
	     spec = list->type == JSON_ARRAY ? spec->next : NULL) {
		is_valid = spec->type == JSON_OBJECT;
		if (is_valid && !add(wait, spec, preset))
			return false;
	}
	if (!is_valid)
		fail_field(wait, wait->is_all ? "all" : "any",
		    "must be an array of 1 to 64 conditions, such as "
		    "[{\"job\":\"HOST:A1B2\"}], or one");
	return is_valid;
}

/* The conditions, which may be a string that holds them as JSON. NULL: not given as they must be. */
static const struct json *read_list(
    struct wait *wait, const struct json *params, struct json_reader **ret_reader)
{
	const struct json *any = given(params, "any"), *all = given(params, "all");
	const struct json *list = any != NULL ? any : all;
	struct json_error error;
	*ret_reader = NULL;
	wait->is_all = any == NULL;
	if ((any == NULL) == (all == NULL)) {
		fail_field(wait, "any",
		    "give either any or all, an array of conditions; with a fleet also to resume");
		return NULL;
	}
	if (list->type == JSON_STRING && list->len > 0) {
		const struct json *held;
		*ret_reader = json_reader_new(list->len);
		held = json_read(*ret_reader, list->text, list->len, &error);
		list = held != NULL ? held : list;
	}
	return list;
}

/* Asks all hosts, and waits. */
static void begin(struct wait *wait)
{
	list_each (struct part, part, &wait->parts, link) {
		if (part->host != NULL)
			ask(wait, part);
	}
	wait->deadline = loop_timer_new(wait->set->base, on_deadline, wait);
	loop_timer_arm(wait->deadline, clock_seconds_to_ms(wait->timeout_sec));
	request_on_cancel(wait->request, on_cancelled, wait);
}

void fleet_waits_start(
    struct fleet_waits *waits, struct request *request, const struct json *params)
{
	struct wait *wait = xcalloc(1, sizeof *wait);
	struct json_reader *reader = NULL;
	const struct json *list;
	struct host *preset;
	wait->set = waits;
	wait->request = request;
	wait->began_ms = clock_mono_ms();
	list_init(&wait->parts);
	list_append(&waits->waits, &wait->link);
	if (read_params(wait, params, &preset) &&
	    (list = read_list(wait, params, &reader)) != NULL && add_all(wait, list, preset))
		begin(wait);
	else
		wait_free(wait, false);
	json_reader_free(reader);
}
