/* SPDX-License-Identifier: ISC */
/* The method wait_for over hosts: the conditions on one host are one wait there. */
#include "base/hash.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/server/request.h"
#include "io/loop_timer.h"

enum {
	CONDITIONS_MAX = 64,
	NAME_SIZE = 64 + 1, /* hosts refuse longer names */
	NUMBERED_MAX = 61, /* a longer name is replaced by its hash before a number is appended */
	PARAMS_BYTES = 1024 * 1024,
	CANCEL_MS = 60000,
	LATE_MS = 1000, /* extra time for answers: the waits on the hosts have the same timeout */
};

#define TIMEOUT_SEC_MAX (10 * 366 * 86400.0)

struct fleet_wait_args {
	const struct json *any, *all;
	double timeout_sec;
	const char *wait, *key, *host;
};

static const struct field fields[] = {
    {FIELD_ROW(VALUE, struct fleet_wait_args, any, "any")},
    {FIELD_ROW(VALUE, struct fleet_wait_args, all, "all")},
    {FIELD_ROW(NUMBER, struct fleet_wait_args, timeout_sec, "timeout_sec"), .min = 0.001,
	.max = TIMEOUT_SEC_MAX, .preset = "600"},
    {FIELD_ROW(STRING, struct fleet_wait_args, wait, "wait"), .min = 1, .max = NAME_SIZE - 1},
    {FIELD_ROW(STRING, struct fleet_wait_args, key, "key"), .min = 1, .max = NOTIFICATION_KEY_MAX},
    {FIELD_ROW(STRING, struct fleet_wait_args, host, "host")},
    {.name = NULL},
};

struct fleet_condition {
	/* NULL: a time condition (sec), which the fleet handles itself */
	struct wait_host *part;
	char kind[32];
	char *members; /* the result as JSON members; NULL: not known yet */
	int64_t due_ms; /* of a time condition (CLOCK_MONOTONIC) */
	bool has_matched;
	bool has_ended; /* the state is gone or limit */
};

struct wait_host {
	struct fleet_part part;
	struct buf specs; /* the host's conditions as JSON, separated by commas */
	size_t count;
	/* Appended to the wait's name and key: hosts may be the same daemon. 0: not appended. */
	size_t number;
	bool is_unnamed; /* the host refuses names, so a cut restarts this wait */
};

struct fleet_wait {
	struct fleet_ask ask;
	struct fleet_condition conditions[CONDITIONS_MAX];
	size_t count;
	bool is_all;
	bool is_kept; /* the peer gave a name or key, so the hosts' waits outlive the connection */
	bool has_own_name; /* the peer gave a name, which the answer shows */
	bool is_late; /* the timeout is over, and the wait goes on for LATE_MS */
	char name[NAME_SIZE];
	char key[NOTIFICATION_KEY_MAX + 1];
	double timeout_sec;
	int64_t began_ms;
	struct loop_timer *timer; /* for the next time condition or the timeout */
};

static struct fleet_wait *wait_of(struct fleet_ask *ask)
{
	return list_entry(ask, struct fleet_wait, ask);
}

static void clear(struct fleet_ask *ask)
{
	struct fleet_wait *wait = wait_of(ask);
	for (size_t at = 0; at < wait->count; at++)
		mem_free(wait->conditions[at].members);
	loop_timer_free(wait->timer);
}

static void clear_part(struct fleet_part *part)
{
	buf_finish(&list_entry(part, struct wait_host, part)->specs);
}

static void put_name(
    struct json_writer *writer, const char *member, const char *name, const struct wait_host *own)
{
	char number[24] = "", text[NOTIFICATION_KEY_MAX + sizeof number];
	if (own->number > 0)
		(void)snprintf(number, sizeof number, ".%zu", own->number);
	if (own->number > 0 && strlen(name) > NUMBERED_MAX)
		(void)snprintf(text, sizeof text, "fleet.%08" PRIx32 "%s",
		    crc32c(0, name, strlen(name)), number);
	else
		(void)snprintf(text, sizeof text, "%s%s", name, number);
	json_put_str(writer, member, text);
}

/* Ends the waits that are open on hosts: each host limits the number of named waits. */
static void cancel_there(struct fleet_wait *wait)
{
	list_each (struct wait_host, own, &wait->ask.parts, part.link) {
		struct json_writer writer;
		struct buf params;
		if (own->part.call == NULL)
			continue;
		fleet_part_cancel(&own->part);
		json_start_object(&writer, &params, PARAMS_BYTES);
		put_name(&writer, "id", wait->name, own);
		json_object_end(&writer);
		host_tell(own->part.host, "cancel_watch", HOST_CALL_READS, CANCEL_MS, "%s",
		    (const char *)params.data);
		buf_finish(&params);
	}
}

static void on_cancelled(struct fleet_ask *ask)
{
	if (!wait_of(ask)->is_kept)
		cancel_there(wait_of(ask));
}

/* Sets the result of a condition. value: the answer of its host, or NULL. */
static void set(struct fleet_condition *condition, const char *state, const struct json *value)
{
	struct json_writer writer;
	struct buf out;
	json_start(&writer, &out, PARAMS_BYTES);
	if (value == NULL) {
		json_put_str(&writer, "condition", condition->kind);
		json_put_str(&writer, "state", state);
	}
	if (condition->part != NULL)
		fleet_name_put_members(&writer, condition->part->part.host, value);
	mem_free(condition->members);
	condition->members = (char *)buf_steal(&out, NULL);
	condition->has_matched = strcmp(state, "matched") == 0;
	condition->has_ended = strcmp(state, "gone") == 0 || strcmp(state, "limit") == 0;
}

static void put_condition(struct json_writer *writer, struct fleet_condition *condition)
{
	if (condition->members == NULL)
		set(condition, condition->has_matched ? "matched" : "pending", NULL);
	json_object_begin(writer, NULL);
	json_put_raw(writer, NULL, condition->members, strlen(condition->members));
	json_object_end(writer);
}

static void answer(struct fleet_wait *wait, bool is_timed_out)
{
	struct json_writer *writer = request_result(wait->ask.request);
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
	/* hosts that are down: their conditions may have come true */
	json_array_begin(writer, "missing");
	list_each (const struct fleet_part, part, &wait->ask.parts, link)
		if (part->call != NULL && part->host->state != HOST_UP)
			fleet_put_missing(writer, part->host, part->host->reason);
	json_array_end(writer);
	cancel_there(wait);
	request_done(fleet_ask_end(&wait->ask));
}

static bool is_over(const struct fleet_wait *wait)
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

static bool is_open(const struct fleet_wait *wait)
{
	bool has_time = false;
	for (size_t at = 0; at < wait->count; at++)
		has_time |= wait->conditions[at].part == NULL;
	return wait->ask.open > 0 || has_time;
}

static void ask(struct fleet_wait *wait, struct wait_host *own);

static void on_answered(struct fleet_part *part, const struct json *message)
{
	struct fleet_wait *wait = wait_of(part->ask);
	struct wait_host *own = list_entry(part, struct wait_host, part);
	const struct json *list = json_member(json_member(message, "result"), "conditions");
	const struct json *value = list != NULL ? list->child : NULL;
	const char *kind = fleet_error_kind(message);
	/* After a cut, an object that the host no longer knows counts as gone. */
	bool is_removed = strcmp(kind, "gone") == 0 ||
	    (part->was_cut && strncmp(kind, "no_such_", strlen("no_such_")) == 0);
	if (!wait->is_kept && !own->is_unnamed && strcmp(kind, "forbidden") == 0) {
		own->is_unnamed = true;
		ask(wait, own);
		return;
	}
	if (!is_removed && (!fleet_name_is_list(list) || list->count != own->count)) {
		const struct host *host = part->host;
		/* The waits on other hosts stay if a repeated request can resume them. */
		if (!wait->is_kept || !fleet_error_may_pass(message))
			cancel_there(wait);
		fleet_fail(fleet_ask_end(part->ask), host, json_member(message, "error"));
		return;
	}
	for (size_t at = 0; at < wait->count; at++) {
		if (wait->conditions[at].part != own)
			continue;
		set(&wait->conditions[at], is_removed ? "gone" : json_get_str(value, "state", ""),
		    is_removed ? NULL : value);
		value = value != NULL ? value->next : NULL;
	}
	if (is_over(wait) || !is_open(wait))
		answer(wait, !is_over(wait));
}

static void arm(struct fleet_wait *wait)
{
	int64_t due_ms = wait->began_ms + clock_seconds_to_ms(wait->timeout_sec);
	for (size_t at = 0; at < wait->count; at++) {
		const struct fleet_condition *condition = &wait->conditions[at];
		if (condition->part == NULL && !condition->has_matched &&
		    condition->due_ms < due_ms)
			due_ms = condition->due_ms;
	}
	loop_timer_arm(wait->timer, due_ms - clock_mono_ms());
}

static bool is_asking(const struct fleet_wait *wait)
{
	list_each (const struct fleet_part, part, &wait->ask.parts, link)
		if (part->call != NULL && part->host->state == HOST_UP)
			return true;
	return false;
}

static void on_timer(void *data)
{
	struct fleet_wait *wait = data;
	int64_t now_ms = clock_mono_ms();
	for (size_t at = 0; at < wait->count; at++) {
		struct fleet_condition *condition = &wait->conditions[at];
		condition->has_matched |= condition->part == NULL && now_ms >= condition->due_ms;
	}
	if (is_over(wait))
		answer(wait, false);
	else if (now_ms < wait->began_ms + clock_seconds_to_ms(wait->timeout_sec))
		arm(wait);
	else if (!wait->is_late && (wait->is_late = is_asking(wait)))
		loop_timer_arm(wait->timer, LATE_MS);
	else
		answer(wait, true);
}

static struct wait_host *get_part(struct fleet_wait *wait, struct host *host)
{
	struct wait_host *own;
	/* true: the wait's name gets a number, since two hosts may be the same daemon */
	bool is_twin = !wait->is_kept;
	list_each (struct fleet_part, part, &wait->ask.parts, link) {
		if (part->host == host)
			return list_entry(part, struct wait_host, part);
		is_twin |= host_is_renamed(part->host, &host->spec);
	}
	own = list_entry(fleet_part_new(&wait->ask, host), struct wait_host, part);
	own->number = is_twin ? list_count(&wait->ask.parts) : 0;
	buf_init(&own->specs, PARAMS_BYTES);
	return own;
}

/* Finds the kind of a condition: its first member that is no further one such as pane. */
static void find_kind(struct fleet_condition *condition, const struct json *spec)
{
	static const char *const others[] = {
	    "host", "pane", "agent", "where", "regex", "for_sec", "from_start", NULL};
	json_each_member (member, spec)
		if (condition->kind[0] == '\0' && !str_is_in(member->name, others))
			(void)snprintf(condition->kind, sizeof condition->kind, "%s", member->name);
}

static bool refuse(
    struct fleet_wait *wait, enum message_error error, const char *before, const char *text)
{
	(void)request_fail_data(wait->ask.request, error,
	    wait->is_all ? "\"field\":\"all\"" : "\"field\":\"any\"", "%s: %s%s",
	    wait->is_all ? "all" : "any", before, text);
	(void)fleet_ask_end(&wait->ask);
	return false;
}

static bool add(struct fleet_wait *wait, const struct json *spec, struct host *preset)
{
	struct fleet_condition *condition = &wait->conditions[wait->count++];
	const struct json *sec = json_member(spec, "sec");
	struct host *host;
	double seconds;
	char reason[FLEET_NAME_REASON_SIZE];
	struct buf text = BUF(PARAMS_BYTES);
	bool is_added = true;
	find_kind(condition, spec);
	if (!fleet_name_strip(
		FLEET_NAME_CONDITION, wait->ask.fleet->hosts, spec, &host, &text, reason)) {
		is_added = refuse(wait, MESSAGE_PARAMS, "", reason);
	} else if (host == NULL && sec != NULL && json_double(sec, &seconds) && seconds >= 0 &&
	    seconds <= TIMEOUT_SEC_MAX) {
		condition->due_ms = wait->began_ms + clock_seconds_to_ms(seconds);
	} else if (host == NULL && preset == NULL) {
		is_added = refuse(wait, MESSAGE_AMBIGUOUS_TARGET, condition->kind,
		    " names no host: write its pane, job or agent as HOST:%3, or add \"host\"; "
		    "see muxbus hosts");
	} else {
		condition->part = get_part(wait, host != NULL ? host : preset);
		condition->part->count++;
		if (buf_printf(&condition->part->specs, "%s%s",
			condition->part->specs.len > 0 ? "," : "", (const char *)text.data) < 0)
			is_added = refuse(wait, MESSAGE_PARAMS, "", "too long");
	}
	buf_finish(&text);
	return is_added;
}

/* Adds conditions: an array, or a single one. */
static bool add_all(struct fleet_wait *wait, const struct json *list, struct host *preset)
{
	bool is_array = list->type == JSON_ARRAY;
	size_t count = is_array ? list->count : 1;
	bool is_valid = count > 0 && count <= CONDITIONS_MAX;
	for (const struct json *spec = is_array ? list->child : list; is_valid && spec != NULL;
	     spec = is_array ? spec->next : NULL) {
		is_valid = spec->type == JSON_OBJECT;
		if (is_valid && !add(wait, spec, preset))
			return false;
	}
	return is_valid ||
	    refuse(wait, MESSAGE_PARAMS, "",
		"must be an array of 1 to 64 conditions, such as [{\"job\":\"HOST:A1B2\"}], or "
		"one");
}

/* Calls wait_for on a host. A call repeated after a cut resumes a wait that has a name. */
static void ask(struct fleet_wait *wait, struct wait_host *own)
{
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, PARAMS_BYTES);
	json_array_begin(&writer, wait->is_all ? "all" : "any");
	json_put_raw(&writer, NULL, own->specs.data, own->specs.len);
	json_array_end(&writer);
	json_put_double(&writer, "timeout_sec", wait->timeout_sec);
	if (!own->is_unnamed) {
		put_name(&writer, "wait", wait->name, own);
		put_name(&writer, "key", wait->key, own);
	}
	json_object_end(&writer);
	fleet_part_call(&own->part,
	    &(struct host_order){.method = "wait_for",
		.params = (const char *)out.data,
		.flags = HOST_CALL_READS | HOST_CALL_WAITS});
	buf_finish(&out);
}

/*
 * Names the wait as the peer does. Without a name, the name comes from the peer's key, so that it
 * is the same after a restart, or else from a new key.
 */
static void name_wait(struct fleet_wait *wait, const struct fleet_wait_args *args)
{
	wait->is_kept = args->wait != NULL || args->key != NULL;
	wait->has_own_name = args->wait != NULL;
	if (args->key != NULL)
		(void)snprintf(wait->key, sizeof wait->key, "%s", args->key);
	else
		fleet_new_key(wait->key);
	if (args->wait != NULL)
		(void)snprintf(wait->name, sizeof wait->name, "%s", args->wait);
	else
		(void)snprintf(wait->name, sizeof wait->name, "fleet.%08" PRIx32,
		    crc32c(0, wait->key, strlen(wait->key)));
}

/* Adds conditions, which may also be JSON in a string. */
static bool add_list(struct fleet_wait *wait, const struct json *list, struct host *preset)
{
	bool is_text = list->type == JSON_STRING && list->len > 0;
	struct json_reader *reader = json_reader_new(list->len);
	struct json_error error;
	const struct json *held = is_text ? json_read(reader, list->text, list->len, &error) : NULL;
	bool is_added = add_all(wait, held != NULL ? held : list, preset);
	json_reader_free(reader);
	return is_added;
}

static void start(struct fleet *fleet, struct request *request, const struct fleet_wait_args *args,
    struct host *preset)
{
	static const struct fleet_ask_kind kind = {.size = sizeof(struct fleet_wait),
	    .part_size = sizeof(struct wait_host),
	    .answered = on_answered,
	    .cancelled = on_cancelled,
	    .clear = clear,
	    .clear_part = clear_part};
	const struct json *any = args->any, *all = args->all;
	struct fleet_wait *wait;
	if ((any == NULL) == (all == NULL)) {
		request_fail_field(request, "any",
		    "give either any or all, an array of conditions; with a fleet also to resume");
		return;
	}
	wait = wait_of(fleet_ask_new(fleet, request, &kind));
	wait->is_all = any == NULL;
	wait->timeout_sec = args->timeout_sec;
	wait->began_ms = clock_mono_ms();
	wait->timer = loop_timer_new(fleet->base, on_timer, wait);
	name_wait(wait, args);
	if (!add_list(wait, any != NULL ? any : all, preset))
		return;
	list_each (struct wait_host, own, &wait->ask.parts, part.link)
		ask(wait, own);
	arm(wait);
}

bool fleet_wait_take(struct fleet *fleet, struct request *request, const struct json *params)
{
	struct host *preset = fleet_only_host(fleet);
	struct fleet_wait_args args;
	if (fleet_read(fleet, request, fields, params, &args, sizeof args) &&
	    (args.host == NULL || (preset = fleet_find_host(fleet, request, args.host)) != NULL))
		start(fleet, request, &args, preset);
	return true;
}
