/* SPDX-License-Identifier: ISC */
/* The messages to a tool server. */
#include "tools/mcp_message.h"

#include "config.h"

#include <string.h>

#include "wire/json.h"

#define ASKED_VERSION "2025-06-18"

enum { METHOD_NOT_FOUND = -32601 };

/* In all of these the tools are the same. */
const char *const mcp_message_versions[] = {
    "2024-11-05", "2025-03-26", ASKED_VERSION, "2025-11-25", NULL};

static void begin(struct json_writer *writer, struct buf *out, size_t max)
{
	buf_init(out, max + JSON_SPARE);
	json_writer_init(writer, out);
	json_object_begin(writer, NULL);
	json_put_str(writer, "jsonrpc", "2.0");
}

static void begin_request(
    struct json_writer *writer, struct buf *out, size_t max, int64_t id, const char *method)
{
	begin(writer, out, max);
	json_put_int(writer, "id", id);
	json_put_str(writer, "method", method);
	json_object_begin(writer, "params");
}

static void end(struct json_writer *writer, struct buf *out)
{
	json_object_end(writer);
	json_end_line(writer);
	if (writer->is_cut)
		buf_clear(out);
}

void mcp_message_initialize(struct buf *out, int64_t id)
{
	struct json_writer writer;
	begin_request(&writer, out, MCP_MESSAGE_MAX, id, "initialize");
	json_put_str(&writer, "protocolVersion", ASKED_VERSION);
	json_object_begin(&writer, "capabilities");
	json_object_end(&writer);
	json_object_begin(&writer, "clientInfo");
	json_put_str(&writer, "name", "muxbus");
	json_put_str(&writer, "version", PACKAGE_VERSION);
	json_object_end(&writer);
	json_object_end(&writer);
	end(&writer, out);
}

void mcp_message_initialized(struct buf *out)
{
	struct json_writer writer;
	begin(&writer, out, MCP_MESSAGE_MAX);
	json_put_str(&writer, "method", "notifications/initialized");
	end(&writer, out);
}

void mcp_message_list(struct buf *out, int64_t id, const char *cursor)
{
	struct json_writer writer;
	begin_request(&writer, out, MCP_MESSAGE_CURSOR_MAX * 6 + MCP_MESSAGE_MAX, id, "tools/list");
	if (cursor != NULL)
		json_put_str(&writer, "cursor", cursor);
	json_object_end(&writer);
	end(&writer, out);
}

void mcp_message_call(struct buf *out, int64_t id, const char *tool, const char *arguments,
    size_t arguments_len, bool wants_progress)
{
	struct json_writer writer;
	begin_request(&writer, out, arguments_len + MCP_MESSAGE_MAX, id, "tools/call");
	json_put_str(&writer, "name", tool);
	json_put_raw(&writer, "arguments", arguments, arguments_len);
	if (wants_progress) {
		json_object_begin(&writer, "_meta");
		json_put_int(&writer, "progressToken", id);
		json_object_end(&writer);
	}
	json_object_end(&writer);
	end(&writer, out);
}

void mcp_message_cancelled(struct buf *out, int64_t id, const char *reason)
{
	struct json_writer writer;
	begin(&writer, out, MCP_MESSAGE_MAX);
	json_put_str(&writer, "method", "notifications/cancelled");
	json_object_begin(&writer, "params");
	json_put_int(&writer, "requestId", id);
	json_put_str(&writer, "reason", reason);
	json_object_end(&writer);
	end(&writer, out);
}

void mcp_message_answer(struct buf *out, const struct json *id, const char *method)
{
	struct json_writer writer;
	begin(&writer, out, MCP_MESSAGE_MAX);
	json_put_value(&writer, "id", id);
	if (strcmp(method, "ping") == 0) {
		json_object_begin(&writer, "result");
	} else {
		json_object_begin(&writer, "error");
		json_put_int(&writer, "code", METHOD_NOT_FOUND);
		json_put_str(&writer, "message", "muxbus only calls tools");
	}
	json_object_end(&writer);
	end(&writer, out);
}
