/* SPDX-License-Identifier: ISC */
/* Members that all MCP results share. */
#include "daemon/mcp/mcp_exchange.h"

#include "config.h"
#include "daemon/server/request.h"

const struct field mcp_list_fields[] = {
    {FIELD_ROW(STRING, struct mcp_list_args, cursor, "cursor")},
    {.name = NULL},
};

void mcp_put_server_info(struct json_writer *writer, const char *name)
{
	json_object_begin(writer, name);
	json_put_str(writer, "name", "muxbus");
	json_put_str(writer, "title", "Muxbus");
	json_put_str(writer, "version", PACKAGE_VERSION);
	json_object_end(writer);
}

void mcp_put_modern(struct json_writer *writer)
{
	json_put_str(writer, "resultType", "complete");
	json_object_begin(writer, "_meta");
	mcp_put_server_info(writer, MCP_META "serverInfo");
	json_object_end(writer);
}

struct json_writer *mcp_result(struct mcp_exchange *exchange)
{
	struct json_writer *writer = request_result(exchange->request);
	if (exchange->is_modern)
		mcp_put_modern(writer);
	return writer;
}

struct json_writer *mcp_cacheable_result(struct mcp_exchange *exchange, int64_t ttl_ms)
{
	struct json_writer *writer = mcp_result(exchange);
	if (exchange->is_modern) {
		json_put_int(writer, "ttlMs", ttl_ms);
		json_put_str(writer, "cacheScope", "private");
	}
	return writer;
}

bool mcp_refuse_cursor(struct mcp_exchange *exchange, const char *cursor)
{
	if (cursor == NULL)
		return false;
	request_fail_field(
	    exchange->request, "cursor", "unknown page; repeat the request without a cursor");
	return true;
}
