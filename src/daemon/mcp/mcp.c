/* SPDX-License-Identifier: ISC */
#include "daemon/mcp/mcp.h"

#include "daemon/mcp/mcp_exchange.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/server/server.h"

#define DISCOVER_TTL_MS 60000

static const struct mcp_method *const tables[] = {
    mcp_methods_complete,
    mcp_methods_core,
    mcp_methods_listen,
    mcp_methods_log,
    mcp_methods_prompt,
    mcp_methods_resource,
    mcp_methods_task,
    mcp_methods_tool,
    NULL,
};

static const struct mcp_method *find_row(const char *name)
{
	for (const struct mcp_method *const *table = tables; *table; table++)
		for (const struct mcp_method *row = *table; row->name; row++)
			if (row->name[0] == name[0] && strcmp(row->name, name) == 0)
				return row;
	return NULL;
}

static void session_finish(void *data)
{
	struct mcp_session *session = data;
	mcp_listening_free(session->listening);
	mem_free(session->tools_wanted);
	mem_free(session->tools_reason);
	mem_free(session);
}

static struct mcp_session *session_of(struct mcp *mcp, struct peer *peer)
{
	struct mcp_session *session = peer_attachment(peer);
	if (session != NULL)
		return session;
	session = xcalloc(1, sizeof *session);
	*session = (struct mcp_session){
	    .mcp = mcp, .peer = peer, .client = mcp_client_find(""), .log_level = -1};
	mcp_tool_set_default(&session->tools);
	peer_attach(peer, session, session_finish);
	return session;
}

static void learn_client(struct mcp_session *session, const struct json *info)
{
	const char *name = json_get_str(info, "name", NULL);
	if (name != NULL)
		session->client = mcp_client_find(name);
}

static void refuse_version(struct request *request, const struct json *version)
{
	struct buf data;
	struct json_writer writer;
	bool is_text = version->type == JSON_STRING;
	const char *text = is_text ? version->text : json_type_name(version->type);
	size_t len = strnlen(text, 64);
	json_start(&writer, &data, 1024);
	json_array_begin(&writer, "supported");
	json_put_str(&writer, NULL, MCP_MODERN);
	json_array_end(&writer);
	(void)json_put_text(&writer, "requested", text, len);
	request_fail_data(request, MESSAGE_PROTOCOL_VERSION, (const char *)data.data,
	    "this revision of MCP is not spoken here; in _meta only " MCP_MODERN
	    " is, older ones begin with initialize (" MCP_NEWEST_LEGACY ")");
	buf_finish(&data);
}

static void refuse_meta(struct request *request, const char *name, const char *reason)
{
	char data[128];
	(void)snprintf(
	    data, sizeof data, "\"field\":\"_meta\",\"member\":\"" MCP_META "%s\"", name);
	request_fail_data(
	    request, MESSAGE_PARAMS, data, "_meta[\"" MCP_META "%s\"]: %s", name, reason);
}

static void refuse_row(struct request *request, const struct mcp_method *row)
{
	request_fail(request, MESSAGE_METHOD, "%s: %s", row->name,
	    row->flags & MCP_NOTIFICATION ? "is a notification: it has no id and is not answered"
					  : "is no part of revision " MCP_MODERN " any more");
}

static bool is_admitted(struct mcp_exchange *exchange, const struct mcp_method *row)
{
	struct request *request = exchange->request;
	const struct json *meta = exchange->meta;
	const struct json *version =
	    meta != NULL ? json_member(meta, MCP_META "protocolVersion") : NULL;
	const struct json *capabilities;
	if (!exchange->is_modern) {
		if (row->flags & MCP_MODERN_ONLY)
			refuse_meta(request, "protocolVersion", "is required with this method");
		return !(row->flags & MCP_MODERN_ONLY);
	}
	if (version->type != JSON_STRING || strcmp(version->text, MCP_MODERN) != 0) {
		refuse_version(request, version);
		return false;
	}
	capabilities = json_member(meta, MCP_META "clientCapabilities");
	if (capabilities == NULL || capabilities->type != JSON_OBJECT) {
		refuse_meta(request, "clientCapabilities", "is required, and must be an object");
		return false;
	}
	if (row->flags & MCP_LEGACY_ONLY) {
		refuse_row(request, row);
		return false;
	}
	learn_client(exchange->session, json_member(meta, MCP_META "clientInfo"));
	return true;
}

static void run(struct mcp_exchange *exchange, const struct mcp_method *row)
{
	static const struct field_tolerance tolerance = {.ignores_unknown = true};
	char args[MCP_ARGS_MAX] __attribute__((aligned(16)));
	struct field_error error = {0};
	struct buf scratch;
	buf_init(
	    &scratch, (size_t)exchange->mcp->daemon->config->limits.line_bytes * 2 + (size_t)65536);
	if (field_read_tolerant(row->fields, &tolerance, exchange->params, args, sizeof args,
		&scratch, &error) == 0) {
		row->handle(exchange, args);
	} else if (exchange->request) {
		dispatch_refuse(exchange->request, &error);
	}
	buf_finish(&scratch);
}

static bool take(void *data, struct peer *peer, const struct message *message, const char *id)
{
	struct mcp *mcp = data;
	const struct mcp_method *row = find_row(message->method);
	const struct json *meta = row != NULL ? json_member(message->params, "_meta") : NULL;
	const struct method *method = NULL;
	struct mcp_exchange exchange;
	if (row == NULL || (row->flags & MCP_NATIVE && meta == NULL))
		return false;
	exchange = (struct mcp_exchange){.mcp = mcp,
	    .session = session_of(mcp, peer),
	    .params = message->params,
	    .meta = meta,
	    .is_modern = json_member(meta, MCP_META "protocolVersion") != NULL};
	if (row->flags & MCP_NOTIFICATION && !message->id) {
		run(&exchange, row);
		return true;
	}
	if (row->method != NULL)
		method = row->method(&exchange);
	else if (row->runs != NULL)
		method = method_find(row->runs);
	exchange.request = request_new(mcp->daemon, peer, id, method);
	if (row->flags & MCP_NOTIFICATION)
		refuse_row(exchange.request, row);
	else if (is_admitted(&exchange, row)) {
		if (row->handle != NULL)
			run(&exchange, row);
		else
			method->handle(exchange.request, NULL);
	}
	return true;
}

static void goodbye(void *data UNUSED, struct peer *peer)
{
	if (peer_attachment(peer) != NULL)
		mcp_listen_end(peer_attachment(peer));
}

static const struct dialect dialect = {.take = take, .goodbye = goodbye};

struct mcp *mcp_new(struct daemon *daemon, struct dispatch *dispatch)
{
	struct mcp *mcp = xcalloc(1, sizeof *mcp);
	mcp->daemon = daemon;
	mcp->dispatch = dispatch;
	mcp->reader = json_reader_new((size_t)daemon->config->limits.result_bytes + 1024);
	mcp->shown_reader = json_reader_new(MCP_RESULT_MAX);
	mcp->params_reader = json_reader_new(4096);
	dispatch_hooks(dispatch)->dialect = &dialect;
	dispatch_hooks(dispatch)->dialect_data = mcp;
	return mcp;
}

void mcp_free(struct mcp *mcp)
{
	if (mcp == NULL)
		return;
	json_reader_free(mcp->reader);
	json_reader_free(mcp->shown_reader);
	json_reader_free(mcp->params_reader);
	mem_free(mcp);
}

/*
 * Supported revisions that begin with initialize, the oldest first. A client gets the newest one
 * that is not newer than its own. If there is none, it gets the newest of all.
 */
static const char *const legacy_versions[] = {"2024-11-05", "2025-06-18", MCP_NEWEST_LEGACY, NULL};

static void put_tasks(struct json_writer *writer)
{
	json_object_begin(writer, "tasks");
	json_put_raw(writer, "cancel", "{}", 2);
	json_put_raw(writer, "list", "{}", 2);
	json_put_raw(writer, "requests", "{\"tools\":{\"call\":{}}}", 21);
	json_object_end(writer);
}

static void put_capabilities(struct json_writer *writer, bool is_modern, bool has_tasks)
{
	static const char *const lists[] = {"prompts", "resources", "tools"};
	json_object_begin(writer, "capabilities");
	json_object_begin(writer, "completions");
	json_object_end(writer);
	if (!is_modern) {
		json_object_begin(writer, "logging");
		json_object_end(writer);
	}
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		json_object_begin(writer, lists[i]);
		json_put_bool(writer, "listChanged", true);
		if (strcmp(lists[i], "resources") == 0)
			json_put_bool(writer, "subscribe", true);
		json_object_end(writer);
	}
	if (has_tasks)
		put_tasks(writer);
	json_object_end(writer);
}

static void put_instructions(struct mcp_exchange *exchange, struct json_writer *writer)
{
	bool is_weak;
	char name[16];
	uint32_t pane = request_peer_pane(exchange->request, &is_weak);
	struct buf text = BUF(MCP_INSTRUCTIONS_MAX);
	(void)snprintf(name, sizeof name, "%%%u", (unsigned)pane);
	mcp_client_instructions(
	    &text, exchange->session->client, pane == MUXBUS_NO_ID ? NULL : name);
	json_put_str(writer, "instructions", (const char *)text.data);
	buf_finish(&text);
}

struct initialize_args {
	const char *version;
	const struct json *info;
};

static const struct field initialize_fields[] = {
    {FIELD_ROW(STRING, struct initialize_args, version, "protocolVersion")},
    {FIELD_ROW(VALUE, struct initialize_args, info, "clientInfo")},
    {.name = NULL},
};

static void handle_initialize(struct mcp_exchange *exchange, const void *data)
{
	const struct initialize_args *args = data;
	struct json_writer *writer = mcp_result(exchange);
	const char *version = MCP_NEWEST_LEGACY;
	for (const char *const *known = legacy_versions; args->version != NULL && *known != NULL;
	     known++)
		if (strcmp(*known, args->version) <= 0)
			version = *known;
	learn_client(exchange->session, args->info);
	exchange->session->is_initialized = true;
	exchange->session->has_tasks = strcmp(version, MCP_NEWEST_LEGACY) == 0;
	json_put_str(writer, "protocolVersion", version);
	put_capabilities(writer, false, exchange->session->has_tasks);
	mcp_put_server_info(writer, "serverInfo");
	put_instructions(exchange, writer);
	request_done(exchange->request);
}

static void handle_discover(struct mcp_exchange *exchange, const void *data UNUSED)
{
	struct json_writer *writer = mcp_cacheable_result(exchange, DISCOVER_TTL_MS);
	json_array_begin(writer, "supportedVersions");
	json_put_str(writer, NULL, MCP_MODERN);
	json_array_end(writer);
	put_capabilities(writer, true, false);
	put_instructions(exchange, writer);
	request_done(exchange->request);
}

/* The client is ready for notifications about changed lists. */
static void handle_initialized(struct mcp_exchange *exchange, const void *data UNUSED)
{
	if (exchange->session->is_initialized)
		mcp_listen_lists(exchange->session);
}

static void handle_nothing(struct mcp_exchange *exchange UNUSED, const void *data UNUSED)
{
}

struct hello_args {
	const char *tools;
	const char *pane;
};

static const struct field hello_fields[] = {
    {FIELD_ROW(STRING, struct hello_args, tools, "tools")},
    {FIELD_ROW(STRING, struct hello_args, pane, "pane")},
    {.name = NULL},
};

static bool read_tools(struct mcp_session *session)
{
	char reason[MCP_TOOL_SET_REASON];
	struct mcp_tool_set before = session->tools;
	bool had_reason = session->tools_reason != NULL, is_good = true;
	if (session->tools_wanted != NULL)
		is_good = mcp_tool_set_read(&session->tools, session->tools_wanted, reason);
	else
		mcp_tool_set_default(&session->tools);
	mem_free(session->tools_reason);
	session->tools_reason = is_good ? NULL : xstrdup(reason);
	return had_reason == is_good || memcmp(&before, &session->tools, sizeof before) != 0;
}

static void set_tools(struct mcp_session *session, const char *text)
{
	mem_free(session->tools_wanted);
	session->tools_wanted = xstrdup(text);
	if (read_tools(session))
		mcp_listen_tools_changed(session);
}

void mcp_tools_changed(struct mcp *mcp, bool is_listed)
{
	next_each (struct peer, peer, server_next_peer, mcp->daemon->server) {
		struct mcp_session *session = peer_attachment(peer);
		bool had_declared = session != NULL && session->tools.has_declared;
		if (session == NULL)
			continue;
		/* The set has places in the method table, which may have changed. */
		(void)read_tools(session);
		if (is_listed && (had_declared || session->tools.has_declared))
			mcp_listen_tools_changed(session);
	}
}

/* A bridge (the program "muxbus mcp") says which tools its agent wants, and the agent's pane. */
static void handle_hello(struct mcp_exchange *exchange, const void *data)
{
	const struct hello_args *args = data;
	struct mcp_session *session = exchange->session;
	uint32_t pane;
	if (args->tools != NULL)
		set_tools(session, args->tools);
	if (args->pane != NULL && str_parse_id(args->pane, strlen(args->pane), '%', &pane))
		peer_speak_for(session->peer, pane);
}

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

const struct mcp_method mcp_methods_core[] = {
    {.name = "initialize",
	.flags = MCP_LEGACY_ONLY,
	.fields = initialize_fields,
	.handle = handle_initialize},
    {.name = "notifications/cancelled",
	.flags = MCP_NOTIFICATION,
	.fields = cancelled_fields,
	.handle = handle_cancelled},
    {.name = "notifications/initialized", .flags = MCP_NOTIFICATION, .handle = handle_initialized},
    {.name = "notifications/muxbus/hello",
	.flags = MCP_NOTIFICATION,
	.fields = hello_fields,
	.handle = handle_hello},
    {.name = "notifications/progress", .flags = MCP_NOTIFICATION, .handle = handle_nothing},
    {.name = "notifications/roots/list_changed",
	.flags = MCP_NOTIFICATION,
	.handle = handle_nothing},
    {.name = "ping", .flags = MCP_LEGACY_ONLY | MCP_NATIVE, .runs = "ping"},
    {.name = "server/discover", .flags = MCP_MODERN_ONLY, .handle = handle_discover},
    {.name = NULL},
};
