/* SPDX-License-Identifier: ISC */
/* Requests that one host answers. */
#include "daemon/fleet/fleet_forward.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/host.h"
#include "daemon/server/method.h"
#include "daemon/server/request.h"
#include "wire/field.h"
#include "wire/json.h"
#include "wire/message.h"

enum {
	DEADLINE_MS = 10000, /* of a request that does not wait */
	DATA_BYTES = 64 * 1024, /* of the members of an error */
	KEY_SIZE = 96,
};

struct forward {
	struct request *request;
	struct host *host;
	struct host_call *call;
};

static enum message_error find_error(const struct json *code)
{
	int64_t number;
	if (code == NULL || !json_int(code, &number))
		return MESSAGE_INTERNAL;
	for (int error = 0; error < MESSAGE_ERROR_COUNT_; error++)
		if (message_error_info((enum message_error)error)->code == number)
			return (enum message_error)error;
	return MESSAGE_INTERNAL;
}

static const char *text_of(const struct json *value, const char *other)
{
	return value != NULL && value->type == JSON_STRING ? value->text : other;
}

void fleet_forward_error(struct request *request, const struct host *host, const struct json *error)
{
	const char *text = text_of(json_member(error, "message"),
	    error != NULL ? "an error without a message" : "its answer cannot be understood");
	const char *label = host_label(host);
	bool has_label = strstr(text, label) != NULL;
	struct json_writer writer;
	struct buf out;
	buf_init(&out, DATA_BYTES);
	json_writer_init(&writer, &out);
	json_put_str(&writer, "host", host_name(host));
	json_put_str(&writer, "server", host_server(host));
	fleet_name_put_rest(
	    &writer, host, json_member(error, "data"), (const char *const[]){"kind", NULL});
	request_fail_data(request, find_error(json_member(error, "code")),
	    writer.is_cut ? NULL : (const char *)out.data, "%s%s%s", has_label ? "" : label,
	    has_label ? "" : ": ", text);
	buf_finish(&out);
}

bool fleet_forward_may_pass(const struct json *message)
{
	static const char *const kinds[] = {"gone", "timeout", "busy", "limit", "not_ready",
	    "cancelled", "internal", "tmux_unavailable"};
	const struct json *data = json_member(json_member(message, "error"), "data");
	const char *kind = text_of(json_member(data, "kind"), "");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kind, kinds[i]) == 0)
			return true;
	return false;
}

static void on_done(void *data, const struct json *message)
{
	struct forward *forward = data;
	struct request *request = forward->request;
	const struct json *result = json_member(message, "result");
	request_on_cancel(request, NULL, NULL);
	if (result != NULL) {
		fleet_name_put_members(request_result(request), forward->host, result);
		request_done(request);
	} else {
		fleet_forward_error(request, forward->host, json_member(message, "error"));
	}
	mem_free(forward);
}

static void on_cancel(struct request *request, void *data)
{
	struct forward *forward = data;
	host_call_cancel(forward->call);
	mem_free(forward);
	request_fail(request, MESSAGE_CANCELLED, "cancelled");
}

/* A key that no other request has: of this daemon's life, and a number. */
static const char *new_key(char key[KEY_SIZE])
{
	static uint64_t life[2], number;
	if (number == 0 && getrandom(life, sizeof life, 0) != (ssize_t)sizeof life)
		life[0] = (uint64_t)clock_real_ms(); /* no other life began then */
	(void)snprintf(
	    key, KEY_SIZE, "fleet-%" PRIx64 "%" PRIx64 "-%" PRIu64, life[0], life[1], ++number);
	return key;
}

/* Writes the parameters, with a key if the method takes one. Returns the flags of the call. */
static unsigned write_params(
    struct buf *out, const struct method *method, const struct json *params)
{
	unsigned flags = HOST_CALL_URGENT;
	struct json_writer writer;
	char key[KEY_SIZE];
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	for (const struct json *member = params->child; member != NULL; member = member->next)
		json_put_value(&writer, member->name, member);
	if (method_is_read_only(method)) {
		flags |= HOST_CALL_READS;
	} else if (method->key_offset > 0) {
		flags |= HOST_CALL_KEYED;
		if (json_member(params, "key") == NULL)
			json_put_str(&writer, "key", new_key(key));
	}
	json_object_end(&writer);
	return flags | (method->flags & METHOD_WAITS ? HOST_CALL_WAITS : 0);
}

void fleet_forward(struct request *request, struct host *host, const struct json *params)
{
	const struct method *method = request_method(request);
	struct forward *forward = xcalloc(1, sizeof *forward);
	struct buf out;
	unsigned flags;
	buf_init(&out, HOST_QUEUE_BYTES);
	flags = write_params(&out, method, params);
	*forward = (struct forward){.request = request, .host = host};
	forward->call = host_call(host,
	    &(struct host_order){
		.method = method->name,
		.params = (const char *)out.data,
		.params_len = out.len,
		.flags = flags,
		.deadline_ms = flags & HOST_CALL_WAITS ? 0 : DEADLINE_MS,
		.done = on_done,
		.data = forward,
	    });
	request_on_cancel(request, on_cancel, forward);
	buf_finish(&out);
}
