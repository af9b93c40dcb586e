/* SPDX-License-Identifier: ISC */
/* Lists merged from many hosts. */
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/server/handler.h"

struct gather {
	struct fleet_ask ask;
	const char *list;
	bool is_single;
};

/* The answer of one host, as JSON texts. The host may be removed before the texts are used. */
struct gather_part {
	struct fleet_part part;
	/* elements of the list, of "hosts" and of "missing", separated by commas */
	struct buf items, row, missing;
};

static struct gather_part *own_of(struct fleet_part *part)
{
	return list_entry(part, struct gather_part, part);
}

static void clear_part(struct fleet_part *part)
{
	buf_finish(&own_of(part)->items);
	buf_finish(&own_of(part)->row);
	buf_finish(&own_of(part)->missing);
}

/* Writes an array of the texts of all parts, which are at offset in struct gather_part. */
static void put_parts(
    struct json_writer *writer, const struct fleet_ask *ask, const char *name, size_t offset)
{
	json_array_begin(writer, name);
	list_each (const struct fleet_part, part, &ask->parts, link) {
		const struct buf *text = (const void *)((const char *)part + offset);
		if (text->len > 0)
			json_put_raw(writer, NULL, text->data, text->len);
	}
	json_array_end(writer);
}

static void finish(struct fleet_ask *ask)
{
	struct json_writer *writer = request_result(ask->request);
	put_parts(writer, ask, list_entry(ask, struct gather, ask)->list,
	    offsetof(struct gather_part, items));
	put_parts(writer, ask, "hosts", offsetof(struct gather_part, row));
	put_parts(writer, ask, "missing", offsetof(struct gather_part, missing));
	request_done(fleet_ask_end(ask));
}

static void miss(struct gather_part *own, const char *reason)
{
	struct json_writer writer;
	buf_clear(&own->items);
	buf_clear(&own->row);
	json_writer_init(&writer, &own->missing);
	fleet_put_missing(&writer, own->part.host, reason);
}

static void take(struct gather_part *own, const char *name, const struct json *result)
{
	const struct host *host = own->part.host;
	struct json_writer items, row;
	json_writer_init(&items, &own->items);
	json_writer_init(&row, &own->row);
	json_each (item, json_member(result, name)) {
		json_object_begin(&items, NULL);
		fleet_name_put_members(&items, host, item);
		json_object_end(&items);
	}
	json_object_begin(&row, NULL);
	fleet_name_put_host(&row, host);
	fleet_name_put_rest(&row, host, result, (const char *const[]){name, NULL});
	json_object_end(&row);
	if (items.is_cut || row.is_cut)
		miss(own, "its answer is too large: ask this host alone");
}

static void on_answered(struct fleet_part *part, const struct json *message)
{
	struct gather_part *own = own_of(part);
	const struct gather *gather = list_entry(part->ask, struct gather, ask);
	const struct json *result = json_member(message, "result");
	const struct json *error = json_member(message, "error");
	char reason[64];
	if (result == NULL && gather->is_single) {
		const struct host *host = part->host;
		fleet_fail(fleet_ask_end(part->ask), host, error);
		return;
	}
	(void)snprintf(reason, sizeof reason, "its answer has no list of %s", gather->list);
	if (result == NULL)
		miss(own, fleet_error_text(error));
	else if (!fleet_name_is_list(json_member(result, gather->list)))
		miss(own, reason);
	else
		take(own, gather->list, result);
	if (part->ask->open == 0)
		finish(part->ask);
}

/* Calls a host. If the request names no host, lists one known to be unreachable as missing. */
static void add(struct gather *gather, struct host *host, const struct buf *text)
{
	const struct request *request = gather->ask.request;
	size_t max = (size_t)request_daemon(request)->config->limits.result_bytes;
	struct fleet_part *part = fleet_part_new(&gather->ask, host);
	struct gather_part *own = own_of(part);
	buf_init(&own->items, max);
	buf_init(&own->row, max);
	buf_init(&own->missing, max);
	if (!gather->is_single && host_is_unreachable(host)) {
		miss(own, host->reason);
		host_look(host);
		return;
	}
	fleet_part_call(part,
	    &(struct host_order){
		.method = request_method(request)->name,
		.params = (const char *)text->data,
		.flags = HOST_CALL_URGENT | HOST_CALL_READS,
		.deadline_ms = FLEET_GATHER_MS,
	    });
}

void fleet_gather(struct fleet *fleet, struct request *request, struct host *host, const char *list,
    const struct buf *text)
{
	static const struct fleet_ask_kind kind = {.size = sizeof(struct gather),
	    .part_size = sizeof(struct gather_part),
	    .answered = on_answered,
	    .clear_part = clear_part};
	struct fleet_ask *ask = fleet_ask_new(fleet, request, &kind);
	struct gather *gather = list_entry(ask, struct gather, ask);
	struct host *next = host != NULL ? host : host_set_next(fleet->hosts, NULL);
	gather->list = list;
	gather->is_single = host != NULL;
	for (; next != NULL; next = host != NULL ? NULL : host_set_next(fleet->hosts, next))
		add(gather, next, text);
	if (ask->open == 0)
		finish(ask);
}
