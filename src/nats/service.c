/* SPDX-License-Identifier: ISC */
/* The service. */
#include "nats/service.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "wire/json.h"
#include "wire/message.h"

#include "config.h"

enum {
	REQUEST_MAX = 4 * 1024 * 1024, /* bytes, as the daemon takes them */
	REPLY_MAX = 64 * 1024 * 1024, /* bytes; NATS takes less */
	VERBS_COUNT = 3,
};

struct service {
	struct broker *broker;
	struct loop_link *daemon;
	const struct grant *grant;
	struct json_reader *reader;
	char subject[NAME_SUBJECT_SIZE];
	char id[32];
	struct names names;
	char started[CLOCK_TEXT_SIZE];
	struct list calls;
	size_t open;
	uint64_t requests;
	uint64_t errors;
	int64_t took_us;
	char last_error[128];
};

/* A request under way. */
struct service_call {
	struct list link;
	struct service *service;
	char *reply; /* subject */
	char *id; /* the requester's, as JSON */
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

/* The daemon's response, under the requester's id. */
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
	struct buf params;
	if (service->open >= SERVICE_OPEN_MAX) {
		reply_error(service, reply, id, MESSAGE_BUSY, "too many requests are under way");
		return;
	}
	buf_init(&params, REQUEST_MAX * 2);
	if (message->params != NULL) {
		json_writer_init(&writer, &params);
		json_put_value(&writer, NULL, message->params);
		(void)buf_append_byte(&params, '\0');
	}
	call = xcalloc(1, sizeof *call);
	call->service = service;
	call->reply = xstrdup(reply);
	call->id = xstrdup(id);
	call->begun_us = clock_mono_us();
	list_append(&service->calls, &call->link);
	service->open++;
	if (!loop_link_ask(
		service->daemon, message->method, (char *)params.data, on_response, call)) {
		reply_error(service, reply, id, MESSAGE_NOT_READY, "muxbusd does not run");
		call_free(call);
	}
	buf_finish(&params);
}

/* Checks a request. The id is written first, for errors. */
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
	(void)buf_append_byte(&id, '\0');
	if (r < 0 || message.method == NULL) {
		reply_error(service, from->reply, (char *)id.data, MESSAGE_REQUEST,
		    r < 0 ? reason : "this is no request");
	} else if (!grant_is_ready(service->grant)) {
		reply_error(service, from->reply, (char *)id.data, MESSAGE_NOT_READY,
		    "muxbusd does not run");
	} else {
		enum grant_answer answer =
		    grant_check(service->grant, message.method, reason, sizeof reason);
		if (answer == GRANT_ALLOWED)
			pass_on(service, from->reply, (char *)id.data, &message);
		else
			reply_error(service, from->reply, (char *)id.data,
			    answer == GRANT_UNKNOWN ? MESSAGE_METHOD : MESSAGE_REFUSED, reason);
	}
	buf_finish(&id);
}

static void on_request(void *data, const struct broker_message *from)
{
	struct service *service = data;
	const struct json *value;
	struct json_error error;
	if (from->reply == NULL)
		return; /* an answer could not be sent */
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

/* The answers to discovery, in the forms of NATS micro services. */
static void answer(struct service *service, const struct broker_message *from, const char *verb)
{
	bool is_info = strcmp(verb, "info") == 0, is_stats = strcmp(verb, "stats") == 0;
	struct json_writer writer;
	char type[64];
	struct buf out;
	if (from->reply == NULL)
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

struct service *service_new(struct broker *broker, struct loop_link *daemon,
    const struct grant *grant, const struct names *names)
{
	static const struct {
		const char *name;
		broker_message_fn *take;
	} verbs[VERBS_COUNT] = {{"PING", on_ping}, {"INFO", on_info}, {"STATS", on_stats}};
	struct service *service = xcalloc(1, sizeof *service);
	char subject[NAME_SUBJECT_SIZE];
	service->broker = broker;
	service->daemon = daemon;
	service->grant = grant;
	service->names = *names;
	service->reader = json_reader_new(REQUEST_MAX);
	clock_format(clock_real_ms(), service->started);
	list_init(&service->calls);
	broker_new_inbox(subject, sizeof subject); /* ends with a text that is unique */
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
	return service;
}

void service_free(struct service *service)
{
	if (service == NULL)
		return;
	while (!list_is_empty(&service->calls))
		call_free(list_entry(service->calls.next, struct service_call, link));
	json_reader_free(service->reader);
	mem_free(service);
}
