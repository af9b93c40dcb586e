/* SPDX-License-Identifier: ISC */
#include "nats/service.h"

#include <fnmatch.h>

#include "config.h"
#include "wire/message.h"

enum { WORDS_MAX = 64, METHODS_MAX = 1024, METHOD_NAME_MAX = 64 };

static const char *const effects[] = {
    "reads", "sees", "types", "runs", "closes", "speaks_for", "writes", "administers", NULL};

struct rule {
	char name[METHOD_NAME_MAX + 1];
	unsigned effects; /* bit n: row n of the table effects */
	bool is_claimed; /* of a declared tool or provider, so muxbusd cannot verify the effects */
	bool is_known; /* the method has effects, and all are in the table */
};

struct grant {
	char *allowed;
	char *words[WORDS_MAX]; /* patterns of method names */
	size_t words_count;
	unsigned effects;
	struct rule *rules; /* sorted by name */
	size_t rules_count;
};

static unsigned effect_bit(const char *name)
{
	for (unsigned at = 0; effects[at] != NULL; at++)
		if (strcmp(effects[at], name) == 0)
			return 1U << at;
	return 0;
}

struct grant *grant_new(const char *allowed, char *ret_reason, size_t size)
{
	static const char characters[] = "abcdefghijklmnopqrstuvwxyz0123456789_*?";
	struct grant *grant = xcalloc(1, sizeof *grant);
	char *rest, *word;
	grant->allowed = rest = xstrdup(allowed);
	while ((word = strsep(&rest, ",")) != NULL) {
		unsigned bit = effect_bit(word);
		grant->effects |= bit;
		if (bit != 0 || *word == '\0')
			continue;
		if (word[strspn(word, characters)] != '\0' || grant->words_count == WORDS_MAX) {
			(void)str_refuse(ret_reason, size,
			    "\"%.80s\" is neither an effect nor a pattern of methods", word);
			grant_free(grant);
			return NULL;
		}
		grant->words[grant->words_count++] = word;
	}
	return grant;
}

void grant_free(struct grant *grant)
{
	if (grant == NULL)
		return;
	mem_free(grant->rules);
	mem_free(grant->allowed);
	mem_free(grant);
}

static int compare_rules(const void *one, const void *other)
{
	return strcmp(((const struct rule *)one)->name, ((const struct rule *)other)->name);
}

static bool is_of_any(const struct grant *grant, const char *pattern)
{
	for (size_t at = 0; at < grant->rules_count; at++)
		if (fnmatch(pattern, grant->rules[at].name, 0) == 0)
			return true;
	return false;
}

void grant_learn(struct grant *grant, const struct json *methods)
{
	size_t count =
	    methods != NULL && methods->count < METHODS_MAX ? methods->count : METHODS_MAX;
	mem_free(grant->rules);
	grant->rules = xcalloc(count + 1, sizeof *grant->rules);
	grant->rules_count = 0;
	for (const struct json *method = methods != NULL ? methods->child : NULL;
	     method != NULL && grant->rules_count < count; method = method->next) {
		const struct json *list = json_member(method, "effects");
		struct rule *rule = &grant->rules[grant->rules_count];
		if (list == NULL || method->name_len > METHOD_NAME_MAX)
			continue;
		*rule = (struct rule){.is_known = list->count > 0,
		    .is_claimed = json_member(method, "group") != NULL};
		(void)snprintf(rule->name, sizeof rule->name, "%s", method->name);
		json_each (effect, list) {
			unsigned bit = effect->type == JSON_STRING ? effect_bit(effect->text) : 0;
			rule->effects |= bit;
			rule->is_known &= bit != 0;
		}
		grant->rules_count++;
	}
	qsort(grant->rules, grant->rules_count, sizeof *grant->rules, compare_rules);
	for (size_t at = 0; at < grant->words_count && methods != NULL; at++)
		if (!is_of_any(grant, grant->words[at]))
			log_warning("--allow: muxbusd has no method \"%.80s\"", grant->words[at]);
}

/*
 * Returns true if no methods are granted by name, and no effect but reading. Requests then run with
 * the role read_only.
 */
static bool grant_only_reads(const struct grant *grant)
{
	unsigned reading = effect_bit("reads") | effect_bit("sees");
	return grant->words_count == 0 && (grant->effects & ~reading) == 0;
}

static void list_missing(unsigned missing, char *out, size_t size)
{
	size_t len = 0;
	out[0] = '\0';
	for (unsigned at = 0; effects[at] != NULL && len < size; at++) {
		if (missing & 1U << at)
			len += (size_t)snprintf(
			    out + len, size - len, "%s%s", len > 0 ? ", " : "", effects[at]);
	}
}

/* Returns true for methods that change the connection, which all requesters share. */
static bool needs_connection(const char *method)
{
	static const char *const names[] = {
	    "subscribe", "unsubscribe", "narrow", "provide", "publish", "progress", NULL};
	return str_is_in(method, names);
}

enum grant_answer grant_check(
    const struct grant *grant, const char *method, char *ret_reason, size_t size)
{
	struct rule key = {.effects = 0};
	const struct rule *rule;
	char missing[128];
	(void)snprintf(key.name, sizeof key.name, "%s", method);
	rule = strlen(method) > METHOD_NAME_MAX
	    ? NULL
	    : bsearch(&key, grant->rules, grant->rules_count, sizeof key, compare_rules);
	if (rule == NULL) {
		(void)str_refuse(ret_reason, size, "there is no method \"%.64s\"", method);
		return GRANT_UNKNOWN;
	}
	if (needs_connection(method)) {
		(void)str_refuse(ret_reason, size,
		    "%s needs a connection of its own; the events are in the stream", method);
		return GRANT_REFUSED;
	}
	for (size_t at = 0; at < grant->words_count; at++)
		if (fnmatch(grant->words[at], method, 0) == 0)
			return GRANT_ALLOWED;
	if (rule->is_claimed) {
		(void)str_refuse(ret_reason, size,
		    "%s is not one of muxbusd's own methods, so its effects are only claimed. The "
		    "operator of this host grants it by its name with muxbus-nats --allow",
		    method);
		return GRANT_REFUSED;
	}
	if (rule->is_known && (rule->effects & ~grant->effects) == 0)
		return GRANT_ALLOWED;
	list_missing(rule->effects & ~grant->effects, missing, sizeof missing);
	(void)str_refuse(ret_reason, size,
	    "%s has effects that are not granted here: %s. The operator of this host grants them "
	    "with muxbus-nats --allow",
	    method, missing);
	return GRANT_REFUSED;
}

enum {
	REQUEST_MAX = 4 * 1024 * 1024, /* bytes; the daemon's preset of line_bytes */
	REPLY_MAX = 64 * 1024 * 1024, /* bytes; NATS allows no more */
	VERBS_COUNT = 3,
};

struct service {
	struct broker *broker;
	struct loop_link *daemon; /* a connection for requests only */
	const struct grant *grant;
	struct json_reader *reader;
	char subject[NAME_SUBJECT_SIZE], id[32];
	struct names names;
	char started[CLOCK_TEXT_SIZE];
	struct list calls;
	size_t open;
	uint64_t requests, errors;
	int64_t took_us;
	char last_error[128];
};

struct service_call {
	struct list link;
	struct service *service;
	char *reply; /* subject of the reply */
	char *id; /* id of the request, as JSON */
	int64_t begun_us;
};

static void send_reply(struct service *service, const char *subject, struct buf *out)
{
	(void)broker_publish(service->broker, subject, NULL, out->data, out->len);
}

static void reply_error(struct service *service, const char *subject, const char *id,
    enum message_error error, const char *text)
{
	struct json_writer writer;
	struct buf out;
	service->errors++;
	(void)snprintf(service->last_error, sizeof service->last_error, "%s", text);
	json_start(&writer, &out, MESSAGE_ID_BYTES + 4096);
	message_write_error(&writer, id, error, text, NULL);
	send_reply(service, subject, &out);
	buf_finish(&out);
}

static void call_free(struct service_call *call)
{
	list_remove(&call->link);
	call->service->open--;
	mem_free(call->reply);
	mem_free(call->id);
	mem_free(call);
}

static void on_response(void *data, const struct json *response)
{
	struct service_call *call = data;
	struct service *service = call->service;
	const struct json *error = json_member(response, "error");
	const char *name = error != NULL ? "error" : "result";
	struct json_writer writer;
	struct buf out;
	service->took_us += clock_mono_us() - call->begun_us;
	if (response == NULL) {
		reply_error(service, call->reply, call->id, MESSAGE_GONE,
		    "muxbusd was lost before it answered: the request may have been done");
		call_free(call);
		return;
	}
	json_start(&writer, &out, REPLY_MAX);
	message_begin(&writer, call->id);
	json_put_value(&writer, name, json_member(response, name));
	message_end(&writer);
	service->errors += error != NULL;
	if (out.len > broker_payload_max(service->broker))
		reply_error(service, call->reply, call->id, MESSAGE_LIMIT,
		    "the result is larger than a message of NATS may be: ask for less, with limit");
	else
		send_reply(service, call->reply, &out);
	buf_finish(&out);
	call_free(call);
}

static void pass_on(
    struct service *service, const char *reply, const char *id, const struct message *message)
{
	struct json_writer writer;
	struct service_call *call;
	struct buf params = BUF(REQUEST_MAX * JSON_GROWTH);
	if (service->open >= SERVICE_OPEN_MAX) {
		reply_error(service, reply, id, MESSAGE_BUSY, "too many requests are under way");
		return;
	}
	json_writer_init(&writer, &params);
	json_object_begin(&writer, NULL);
	if (message->params != NULL)
		json_each (param, message->params)
			json_put_value(&writer, param->name, param);
	/* Without cwd, the command would start in the directory of the last requester. */
	if (strcmp(message->method, "execute_cli") == 0 &&
	    json_member(message->params, "cwd") == NULL &&
	    json_member(message->params, "working_dir") == NULL)
		json_put_str(&writer, "cwd", "~");
	json_object_end(&writer);
	call = xcalloc(1, sizeof *call);
	call->service = service;
	call->reply = xstrdup(reply);
	call->id = xstrdup(id);
	call->begun_us = clock_mono_us();
	list_append(&service->calls, &call->link);
	service->open++;
	if (!loop_link_ask(
		service->daemon, message->method, buf_text(&params), on_response, call)) {
		reply_error(service, reply, id, MESSAGE_NOT_READY, "muxbusd does not run");
		call_free(call);
	}
	buf_finish(&params);
}

static void take_call(
    struct service *service, const struct broker_message *from, const struct json *value)
{
	struct message message = {0};
	struct json_writer writer;
	char reason[256];
	struct buf id;
	int r = message_read(value, &message, reason, sizeof reason);
	json_start(&writer, &id, MESSAGE_ID_BYTES);
	message_write_id(&writer, message.id);
	if (r < 0 || message.method == NULL) {
		reply_error(service, from->reply, buf_text(&id), MESSAGE_REQUEST,
		    r < 0 ? reason : "the message is not a request");
	} else if (service->grant->rules_count == 0) {
		reply_error(
		    service, from->reply, buf_text(&id), MESSAGE_NOT_READY, "muxbusd does not run");
	} else {
		enum grant_answer answer =
		    grant_check(service->grant, message.method, reason, sizeof reason);
		if (answer == GRANT_ALLOWED)
			pass_on(service, from->reply, buf_text(&id), &message);
		else
			reply_error(service, from->reply, buf_text(&id),
			    answer == GRANT_UNKNOWN ? MESSAGE_METHOD : MESSAGE_REFUSED, reason);
	}
	buf_finish(&id);
}

/*
 * Returns true if a reply may be sent. A reply to a subject of our streams or of NATS itself would
 * act with our account's permissions, which may exceed the requester's.
 */
static bool has_reply(const struct broker_message *from)
{
	return from->reply != NULL && from->reply[0] != '$' &&
	    strncmp(from->reply, "muxbus.", 7) != 0;
}

static void on_request(void *data, const struct broker_message *from)
{
	struct service *service = data;
	const struct json *value;
	struct json_error error;
	if (!has_reply(from))
		return;
	service->requests++;
	value = json_read(service->reader, from->payload, from->len, &error);
	if (value == NULL)
		reply_error(service, from->reply, "null", MESSAGE_PARSE, error.text);
	else
		take_call(service, from, value);
}

static void put_number(struct json_writer *writer, const char *name, uint64_t value)
{
	json_put_int(writer, name, (int64_t)value);
}

static void write_endpoint(struct json_writer *writer, const struct service *service, bool is_stats)
{
	json_array_begin(writer, "endpoints");
	json_object_begin(writer, NULL);
	json_put_str(writer, "name", "request");
	json_put_str(writer, "subject", service->subject);
	json_put_str(writer, "queue_group", "q");
	if (is_stats) {
		put_number(writer, "num_requests", service->requests);
		put_number(writer, "num_errors", service->errors);
		json_put_str(writer, "last_error", service->last_error);
		json_put_int(writer, "processing_time", service->took_us * 1000);
		json_put_int(writer, "average_processing_time",
		    service->requests > 0 ? service->took_us * 1000 / (int64_t)service->requests
					  : 0);
	}
	json_object_end(writer);
	json_array_end(writer);
}

static void answer(struct service *service, const struct broker_message *from, const char *verb)
{
	bool is_info = strcmp(verb, "info") == 0, is_stats = strcmp(verb, "stats") == 0;
	struct json_writer writer;
	char type[64];
	struct buf out;
	if (!has_reply(from))
		return;
	json_start(&writer, &out, 8192);
	(void)snprintf(type, sizeof type, "io.nats.micro.v1.%s_response", verb);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "type", type);
	json_put_str(&writer, "name", "muxbus");
	json_put_str(&writer, "id", service->id);
	json_put_str(&writer, "version", PACKAGE_VERSION);
	json_object_begin(&writer, "metadata");
	json_put_str(&writer, "fleet", service->names.fleet);
	json_put_str(&writer, "host", service->names.host);
	json_put_str(&writer, "server", service->names.server);
	json_object_end(&writer);
	if (is_info)
		json_put_str(&writer, "description", "requests to muxbusd, in JSON-RPC");
	if (is_stats)
		json_put_str(&writer, "started", service->started);
	if (is_info || is_stats)
		write_endpoint(&writer, service, is_stats);
	json_object_end(&writer);
	send_reply(service, from->reply, &out);
	buf_finish(&out);
}

static void on_ping(void *data, const struct broker_message *from)
{
	answer(data, from, "ping");
}

static void on_info(void *data, const struct broker_message *from)
{
	answer(data, from, "info");
}

static void on_stats(void *data, const struct broker_message *from)
{
	answer(data, from, "stats");
}

/* Ends the connection if the daemon refuses the role, so that no request runs without the role. */
static void on_narrowed(void *data, const struct json *response)
{
	struct service *service = data;
	if (response != NULL && json_member(response, "result") == NULL)
		loop_link_end(service->daemon);
}

static void on_daemon_up(void *data)
{
	struct service *service = data;
	if (grant_only_reads(service->grant))
		(void)loop_link_ask(
		    service->daemon, "narrow", "{\"role\":\"read_only\"}", on_narrowed, service);
}

static void on_daemon_down(void *data UNUSED, int error UNUSED)
{
}

struct service *service_new(struct event_base *base, const char *socket, struct broker *broker,
    const struct grant *grant, const struct names *names)
{
	static const struct {
		const char *name;
		broker_message_fn *take;
	} verbs[VERBS_COUNT] = {{"PING", on_ping}, {"INFO", on_info}, {"STATS", on_stats}};
	struct service *service = xcalloc(1, sizeof *service);
	char subject[NAME_SUBJECT_SIZE];
	service->broker = broker;
	service->daemon = loop_link_new(base,
	    &(struct loop_link_options){.path = socket, .line_max = LINK_LINE_MAX},
	    &(struct loop_link_handlers){
		.up = on_daemon_up, .down = on_daemon_down, .data = service});
	service->grant = grant;
	service->names = *names;
	service->reader = json_reader_new(REQUEST_MAX);
	json_reader_limit_depth(service->reader); /* muxbusd accepts no deeper nesting */
	clock_format(clock_real_ms(), service->started);
	list_init(&service->calls);
	broker_new_inbox(subject, sizeof subject); /* the part behind the last dot becomes the id */
	(void)snprintf(service->id, sizeof service->id, "%.31s", strrchr(subject, '.') + 1);
	name_subject(service->subject, names, "request", NULL);
	broker_listen(broker, service->subject, "q", on_request, service);
	for (size_t at = 0; at < VERBS_COUNT; at++) {
		(void)snprintf(subject, sizeof subject, "$SRV.%s", verbs[at].name);
		broker_listen(broker, subject, NULL, verbs[at].take, service);
		(void)snprintf(subject, sizeof subject, "$SRV.%s.muxbus", verbs[at].name);
		broker_listen(broker, subject, NULL, verbs[at].take, service);
		(void)snprintf(
		    subject, sizeof subject, "$SRV.%s.muxbus.%s", verbs[at].name, service->id);
		broker_listen(broker, subject, NULL, verbs[at].take, service);
	}
	loop_link_start(service->daemon);
	return service;
}

void service_free(struct service *service)
{
	if (service == NULL)
		return;
	loop_link_free(service->daemon);
	while (!list_is_empty(&service->calls))
		call_free(list_entry(service->calls.next, struct service_call, link));
	json_reader_free(service->reader);
	mem_free(service);
}
