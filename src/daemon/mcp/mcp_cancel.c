/* SPDX-License-Identifier: ISC */
/* notifications/cancelled: cancels an open request of the same client. */
#include "daemon/mcp/mcp_exchange.h"
#include "daemon/server/request.h"

struct cancelled_args {
	const struct json *id;
};

static const struct field cancelled_fields[] = {
    {FIELD_ROW(VALUE, struct cancelled_args, id, "requestId"), .flags = FIELD_REQUIRED},
    {.name = NULL},
};

static void handle_cancelled(struct mcp_exchange *exchange, const void *data)
{
	const struct cancelled_args *args = data;
	struct json_writer writer;
	struct buf id;
	struct request *request;
	if (args->id->len > MESSAGE_ID_MAX || args->id->count > 0)
		return;
	json_start(&writer, &id, MESSAGE_ID_BYTES);
	message_write_id(&writer, args->id);
	request = request_find(exchange->session->peer, (const char *)id.data);
	if (request != NULL)
		request_withdraw(request);
	buf_finish(&id);
}

const struct mcp_method mcp_methods_cancel[] = {
    {.name = "notifications/cancelled",
	.flags = MCP_NOTIFICATION,
	.fields = cancelled_fields,
	.handle = handle_cancelled},
    {.name = NULL},
};
