/* SPDX-License-Identifier: ISC */
/* Lists of many hosts. */
#include "daemon/fleet/fleet_gather.h"

#include <string.h>

#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/fleet/fleet_forward.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/host.h"
#include "daemon/server/method.h"
#include "daemon/server/request.h"
#include "wire/json.h"

struct gather;

/* The part of one host. */
struct part {
	struct gather *gather;
	struct host *host;
	struct host_call *call; /* NULL: it has ended, or was not asked */
	struct buf items; /* of the list, as JSON with commas between; may be empty */
	struct buf rest; /* the other members of the result */
	char *reason; /* it is missing; NULL: it is there */
	char *name, *server; /* the host may be removed meanwhile */
};

struct gather {
	struct request *request;
	const char *list;
	bool is_single;
	size_t count, open; /* parts, and those whose calls have not ended */
	struct part parts[];
};

static void free_gather(struct gather *gather)
{
	for (size_t at = 0; at < gather->count; at++) {
		struct part *part = &gather->parts[at];
		if (part->call != NULL)
			host_call_cancel(part->call);
		buf_finish(&part->items);
		buf_finish(&part->rest);
		mem_free(part->reason);
		mem_free(part->name);
		mem_free(part->server);
	}
	mem_free(gather);
}

static void put_part(struct json_writer *writer, const struct part *part)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "host", part->name);
	json_put_str(writer, "server", part->server);
	if (part->reason != NULL)
		(void)json_put_text(writer, "reason", part->reason, strlen(part->reason));
	else if (part->rest.len > 0) /* without host and server */
		json_put_raw(writer, NULL, part->rest.data, part->rest.len);
	json_object_end(writer);
}

/* Answers when all parts have ended. */
static void finish(struct gather *gather)
{
	struct request *request = gather->request;
	struct json_writer *writer = request_result(request);
	request_on_cancel(request, NULL, NULL);
	json_array_begin(writer, gather->list);
	for (size_t at = 0; at < gather->count; at++)
		if (gather->parts[at].items.len > 0)
			json_put_raw(writer, NULL, gather->parts[at].items.data,
			    gather->parts[at].items.len);
	json_array_end(writer);
	json_array_begin(writer, "hosts");
	for (size_t at = 0; at < gather->count; at++)
		if (gather->parts[at].reason == NULL)
			put_part(writer, &gather->parts[at]);
	json_array_end(writer);
	json_array_begin(writer, "missing");
	for (size_t at = 0; at < gather->count; at++)
		if (gather->parts[at].reason != NULL)
			put_part(writer, &gather->parts[at]);
	json_array_end(writer);
	request_done(request);
	free_gather(gather);
}

/* Keeps what the host has answered. */
static void take_result(struct part *part, const struct json *result)
{
	const struct json *list = json_member(result, part->gather->list);
	struct json_writer items, rest;
	if (!fleet_name_is_list(list)) {
		part->reason = xasprintf("its answer has no list of %s", part->gather->list);
		return;
	}
	json_writer_init(&items, &part->items);
	json_writer_init(&rest, &part->rest);
	for (const struct json *item = list->child; item != NULL; item = item->next) {
		json_object_begin(&items, NULL);
		fleet_name_put_members(&items, part->host, item);
		json_object_end(&items);
	}
	fleet_name_put_rest(
	    &rest, part->host, result, (const char *const[]){part->gather->list, NULL});
	if (items.is_cut || rest.is_cut)
		part->reason = xstrdup("its answer is too large: ask this host alone");
}

static void on_done(void *data, const struct json *message)
{
	struct part *part = data;
	struct gather *gather = part->gather;
	const struct json *result = json_member(message, "result");
	const struct json *error = json_member(message, "error");
	const struct json *text = json_member(error, "message");
	part->call = NULL;
	gather->open--;
	if (result != NULL) {
		take_result(part, result);
	} else if (gather->is_single) {
		request_on_cancel(gather->request, NULL, NULL);
		fleet_forward_error(gather->request, part->host, error);
		free_gather(gather);
		return;
	} else {
		part->reason = xstrdup(text != NULL && text->type == JSON_STRING
			? text->text
			: "an error without a message");
	}
	if (gather->open == 0)
		finish(gather);
}

static void on_cancel(struct request *request, void *data)
{
	free_gather(data);
	request_fail(request, MESSAGE_CANCELLED, "cancelled");
}

/* Asks a host, unless it is known to be down. */
static void begin_part(struct part *part, const struct buf *params)
{
	struct gather *gather = part->gather;
	const struct method *method = request_method(gather->request);
	const struct config *config = request_parts(gather->request)->config;
	part->name = xstrdup(host_name(part->host));
	part->server = xstrdup(host_server(part->host));
	buf_init(&part->items, (size_t)config->limits.result_bytes);
	buf_init(&part->rest, (size_t)config->limits.result_bytes);
	if (!gather->is_single && host_is_unreachable(part->host)) {
		part->reason = xstrdup(host_reason(part->host));
		host_look(part->host);
		return;
	}
	gather->open++;
	part->call = host_call(part->host,
	    &(struct host_order){
		.method = method->name,
		.params = (const char *)params->data,
		.params_len = params->len,
		.flags = HOST_CALL_URGENT | HOST_CALL_READS,
		.deadline_ms = FLEET_GATHER_MS,
		.done = on_done,
		.data = part,
	    });
}

void fleet_gather(struct request *request, const struct host_set *hosts, struct host *host,
    const char *list, const struct json *params)
{
	size_t count = host != NULL ? 1 : host_set_count(hosts);
	struct gather *gather = xcalloc(1, sizeof *gather + count * sizeof gather->parts[0]);
	struct host *next = host != NULL ? host : host_set_next(hosts, NULL);
	struct json_writer writer;
	struct buf text;
	*gather = (struct gather){
	    .request = request, .list = list, .is_single = host != NULL, .count = count};
	buf_init(&text, HOST_QUEUE_BYTES);
	json_writer_init(&writer, &text);
	json_put_value(&writer, NULL, params);
	for (size_t at = 0; at < count; at++, next = host_set_next(hosts, next)) {
		gather->parts[at] = (struct part){.gather = gather, .host = next};
		begin_part(&gather->parts[at], &text);
	}
	buf_finish(&text);
	request_on_cancel(request, on_cancel, gather);
	if (gather->open == 0)
		finish(gather);
}
