/* SPDX-License-Identifier: ISC */
#include "tools/mcp_server.h"

#include "config.h"
#include "io/loop_timer.h"
#include "tools/mcp_repair.h"

/*
 * Messages to a tool server, each one line. The caller finishes the buffer, which is empty if the
 * message does not fit.
 */

#define MCP_MESSAGE_CURSOR_MAX 4096 /* bytes */
#define MCP_MESSAGE_MAX 65536 /* bytes of a message without its cursor or arguments */

#define FIRST_VERSION "2024-11-05"
#define ASKED_VERSION "2025-06-18"
#define LAST_VERSION "2025-11-25"

enum { METHOD_NOT_FOUND = -32601 };

/* The versions of MCP that a server may speak, oldest first. */
static const char *const mcp_message_versions[] = {
    FIRST_VERSION, "2025-03-26", ASKED_VERSION, LAST_VERSION, NULL};

static void begin(struct json_writer *writer, struct buf *out, size_t max)
{
	json_start_object(writer, out, max + JSON_SPARE);
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

static void mcp_message_initialize(struct buf *out, int64_t id)
{
	buf_init(out, MCP_MESSAGE_MAX);
	(void)buf_printf(out,
	    "{\"jsonrpc\":\"2.0\",\"id\":%" PRId64 ",\"method\":\"initialize\",\"params\":{"
	    "\"protocolVersion\":\"" ASKED_VERSION "\",\"capabilities\":{},"
	    "\"clientInfo\":{\"name\":\"muxbus\",\"version\":\"" PACKAGE_VERSION "\"}}}\n",
	    id);
}

static void mcp_message_initialized(struct buf *out)
{
	buf_init(out, MCP_MESSAGE_MAX);
	(void)buf_append_str(
	    out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
}

static void mcp_message_list(struct buf *out, int64_t id, const char *cursor)
{
	struct json_writer writer;
	begin_request(&writer, out, MCP_MESSAGE_CURSOR_MAX * 6 + MCP_MESSAGE_MAX, id, "tools/list");
	json_put_given(&writer, "cursor", cursor);
	json_object_end(&writer);
	end(&writer, out);
}

/* Writes a call of a tool. If progress is wanted, the id is also its token. */
static void mcp_message_call(struct buf *out, int64_t id, const struct mcp_order *order)
{
	struct json_writer writer;
	begin_request(&writer, out, order->arguments_len + MCP_MESSAGE_MAX, id, "tools/call");
	json_put_str(&writer, "name", order->tool);
	json_put_raw(&writer, "arguments", order->arguments, order->arguments_len);
	json_object_begin(&writer, "_meta");
	if (order->progress != NULL)
		json_put_int(&writer, "progressToken", id);
	if (order->caller != NULL)
		json_put_value(&writer, "muxbus/caller", order->caller);
	json_object_end(&writer);
	json_object_end(&writer);
	end(&writer, out);
}

static void mcp_message_cancelled(struct buf *out, int64_t id, const char *reason)
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

/* Answers a request of the server: ping with success, any other method with an error. */
static void mcp_message_answer(struct buf *out, const struct json *id, const char *method)
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

enum mcp_server_state {
	STATE_INITIALIZING, /* initialize was sent */
	STATE_LISTING, /* tools/list was sent, for the first time */
	STATE_READY,
	STATE_ENDING, /* the process was asked to end, or has ended */
};

enum { TRIM_BYTES = 64 * 1024 }; /* after a longer message, the reader's memory is freed */

struct mcp_server {
	struct mcp_server_parts parts;
	struct json_reader *reader; /* for lines of LOOP_PROCESS_LINE_MAX */
	enum mcp_server_state state;
	struct loop_process *process;
	struct list calls; /* in the order of their ids */
	struct loop_timer *timer; /* armed while initialize or the list of tools is awaited */
	int64_t last_id; /* of the last request sent */
	int64_t state_id; /* id of the pending initialize or tools/list; 0 if none */
	struct buf rows; /* the tools read so far, as a JSON array */
	unsigned pages;
	bool is_list_old; /* the list changed while it was being read */
	bool has_list; /* the list was read at least once */
	bool is_closed; /* the server closed its output before it was asked to end */
	bool has_reason;
	char reason[MCP_SERVER_TEXT_SIZE]; /* why the server cannot be used, or has ended */
	unsigned strays;
	char stray[STR_SHOWN_SIZE]; /* the last stray line */
};

struct mcp_server_call {
	struct list entry;
	struct mcp_server *server;
	int64_t id;
	struct mcp_order order;
};

static void __attribute__((format(printf, 4, 5))) refuse(const struct mcp_server *server,
    const struct mcp_order *order, enum message_error error, const char *format, ...)
{
	char text[MCP_SERVER_TEXT_SIZE + 64], *whole;
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	whole = xasprintf("the server \"%s\" %s", server->parts.name, text);
	order->done(order->data, &(struct mcp_answer){.error = error, .text = whole});
	mem_free(whole);
}

static struct mcp_order take_order(struct mcp_server_call *call)
{
	struct mcp_order order = call->order;
	list_remove(&call->entry);
	mem_free(call);
	return order;
}

static void fail_calls(struct mcp_server *server, enum message_error error, const char *text)
{
	int64_t last_id = server->last_id; /* calls that done starts do not fail here */
	while (!list_is_empty(&server->calls)) {
		struct mcp_server_call *call =
		    list_entry(server->calls.next, struct mcp_server_call, entry);
		struct mcp_order order;
		if (call->id > last_id)
			return;
		order = take_order(call);
		refuse(server, &order, error, "%s", text);
	}
}

static bool send_message(struct mcp_server *server, struct buf *message)
{
	bool is_sent =
	    message->len > 0 && loop_process_write(server->process, message->data, message->len);
	buf_finish(message);
	return is_sent;
}

static void send_list(struct mcp_server *server, const char *cursor)
{
	struct buf message;
	server->state_id = ++server->last_id;
	mcp_message_list(&message, server->state_id, cursor);
	(void)send_message(server, &message);
}

static void begin_list(struct mcp_server *server)
{
	server->is_list_old = false;
	server->pages = 0;
	buf_clear(&server->rows);
	(void)buf_append_byte(&server->rows, '[');
	loop_timer_arm(server->timer, server->parts.start_ms);
	send_list(server, NULL);
}

static void list_again(struct mcp_server *server)
{
	server->parts.handlers->changing(server->parts.data);
	begin_list(server);
}

static void add_remark(const struct mcp_server *server, char *reason, size_t size)
{
	char remark[LOOP_PROCESS_REMARK_SIZE];
	size_t len = strlen(reason);
	loop_process_remark(server->process, remark);
	if (remark[0] != '\0')
		(void)snprintf(reason + len, size - len, ": %s", remark);
	else if (server->stray[0] != '\0')
		(void)snprintf(reason + len, size - len, "; it wrote: %s", server->stray);
}

static void leave(struct mcp_server *server)
{
	loop_timer_disarm(server->timer);
	if (server->state != STATE_ENDING && server->parts.handlers->leaving != NULL)
		server->parts.handlers->leaving(server->parts.data);
	server->state = STATE_ENDING;
}

static void end_process(struct mcp_server *server)
{
	leave(server);
	loop_process_stop(server->process);
}

void mcp_server_give_up(struct mcp_server *server, const char *format, ...)
{
	va_list args;
	if (server->state == STATE_ENDING)
		return;
	va_start(args, format);
	(void)vsnprintf(server->reason, sizeof server->reason - 64, format, args);
	va_end(args);
	add_remark(server, server->reason, sizeof server->reason - 64);
	for (char *at = server->reason; *at != '\0'; at++)
		*at = (unsigned char)*at < ' ' ? ' ' : *at; /* muxbusd reads reasons as one line */
	server->has_reason = true;
	end_process(server);
	fail_calls(server, MESSAGE_GONE, server->reason);
}

static void on_timer(void *data)
{
	struct mcp_server *server = data;
	mcp_server_give_up(server, "did not answer %s within %.10g s",
	    server->state == STATE_INITIALIZING ? "initialize" : "tools/list",
	    (double)server->parts.start_ms / 1000);
}

static void on_ended(void *data, const char *how)
{
	struct mcp_server *server = data;
	char reason[MCP_SERVER_TEXT_SIZE + 64];
	bool was_asked = server->state == STATE_ENDING && !server->is_closed;
	if (!was_asked) {
		(void)snprintf(server->reason, sizeof server->reason - 64, "%s: %s",
		    server->has_list ? "has ended" : "did not start", how);
		add_remark(server, server->reason, sizeof server->reason - 64);
		server->has_reason = true;
	}
	leave(server);
	(void)snprintf(reason, sizeof reason, "%s; the effect of the call is unknown",
	    server->has_reason ? server->reason : "has ended");
	fail_calls(server, MESSAGE_GONE, reason);
	server->parts.handlers->ended(
	    server->parts.data, server->has_reason ? server->reason : NULL);
}

static const char *error_text(const struct json *error, char shown[STR_SHOWN_SIZE])
{
	const struct json *message = json_member(error, "message");
	if (message == NULL || message->type != JSON_STRING)
		return "an error without a message";
	return str_shown(message->text, message->len, shown);
}

/* Reads the kinds of events that the server may publish, an extension of MCP. */
static void take_kinds(const struct mcp_server *server, const struct json *capabilities)
{
	const struct json *kinds =
	    json_member(json_member(capabilities, "experimental"), "muxbus/events");
	if (kinds != NULL && kinds->type == JSON_ARRAY && server->parts.handlers->offered != NULL)
		server->parts.handlers->offered(server->parts.data, kinds);
}

static void take_initialize(struct mcp_server *server, const struct json *result)
{
	const struct json *version = json_member(result, "protocolVersion");
	char shown[STR_SHOWN_SIZE];
	struct buf message;
	if (version == NULL || version->type != JSON_STRING) {
		mcp_server_give_up(server, "answered initialize without a version of the protocol");
		return;
	}
	if (!str_is_in(version->text, mcp_message_versions)) {
		mcp_server_give_up(server,
		    "speaks the version %s of MCP; muxbus speaks " FIRST_VERSION
		    " to " LAST_VERSION,
		    str_shown(version->text, version->len, shown));
		return;
	}
	take_kinds(server, json_member(result, "capabilities"));
	mcp_message_initialized(&message);
	(void)send_message(server, &message);
	server->state = STATE_LISTING;
	begin_list(server);
}

/* Adds a tool to the rows; muxbusd checks the row. Returns false if there is no room. */
static bool add_row(struct buf *rows, const struct json *tool)
{
	const struct json *required = json_member(json_member(tool, "inputSchema"), "required");
	const struct json *name = json_member(tool, "name");
	struct json_writer writer;
	if (rows->len > 1)
		(void)buf_append_byte(rows, ',');
	json_writer_init(&writer, rows);
	json_object_begin(&writer, NULL);
	if (name != NULL)
		json_put_value(&writer, "name", name);
	if (required != NULL && required->type == JSON_ARRAY) {
		json_object_begin(&writer, "parameters");
		json_put_value(&writer, "required", required);
		json_object_end(&writer);
	}
	json_object_end(&writer);
	return !writer.is_cut;
}

static void take_list(struct mcp_server *server, const struct json *result)
{
	const struct json *tools = json_member(result, "tools");
	const struct json *cursor = json_member(result, "nextCursor");
	bool has_room = true;
	if (tools == NULL || tools->type != JSON_ARRAY) {
		mcp_server_give_up(server, "cannot be used: its answer to tools/list has no tools");
		return;
	}
	for (const struct json *tool = tools->child; tool != NULL && has_room; tool = tool->next)
		has_room = add_row(&server->rows, tool);
	if (!has_room) {
		mcp_server_give_up(server,
		    "cannot be used: its list of tools has more than %zu bytes",
		    MCP_SERVER_ROWS_MAX);
		return;
	}
	if (cursor != NULL && cursor->type == JSON_STRING) {
		if (++server->pages == MCP_SERVER_PAGES_MAX || cursor->len > MCP_MESSAGE_CURSOR_MAX)
			mcp_server_give_up(server,
			    "cannot be used: its list of tools has more than %d pages, or a cursor "
			    "of more than %d bytes",
			    MCP_SERVER_PAGES_MAX, MCP_MESSAGE_CURSOR_MAX);
		else
			send_list(server, cursor->text);
		return;
	}
	(void)buf_append_byte(&server->rows, ']'); /* JSON_SPARE has room for the bracket */
	loop_timer_disarm(server->timer);
	server->state = STATE_READY;
	server->state_id = 0;
	server->has_list = true;
	server->parts.handlers->listed(server->parts.data, (const char *)server->rows.data);
	if (server->is_list_old)
		list_again(server);
}

/* Returns an id as a number, or 0 if the id is not ours. Some servers send numbers as strings. */
static int64_t read_id(const struct json *id)
{
	uint64_t digits;
	int64_t number;
	if (id != NULL && id->type == JSON_STRING)
		return str_parse_u64(id->text, id->len, &digits) ? (int64_t)digits : 0;
	return id != NULL && json_int(id, &number) ? number : 0;
}

static struct mcp_server_call *find_call(struct mcp_server *server, const struct json *id)
{
	int64_t number = read_id(id);
	list_each (struct mcp_server_call, call, &server->calls, entry)
		if (call->id == number)
			return call;
	return NULL;
}

static void take_answer(
    struct mcp_server_call *call, const struct json *result, const struct json *error)
{
	const struct mcp_server *server = call->server;
	struct mcp_order order = take_order(call);
	char shown[STR_SHOWN_SIZE];
	if (error != NULL)
		refuse(
		    server, &order, MESSAGE_TOOL_FAILED, "answered: %s", error_text(error, shown));
	else if (result == NULL || result->type != JSON_OBJECT)
		refuse(server, &order, MESSAGE_TOOL_FAILED, "answered without a result");
	else
		order.done(order.data, &(struct mcp_answer){.result = result});
}

static void take_response(
    struct mcp_server *server, const struct json *id, const struct json *message)
{
	const struct json *error = json_member(message, "error");
	const struct json *result = json_member(message, "result");
	struct mcp_server_call *call = find_call(server, id);
	char shown[STR_SHOWN_SIZE];
	if (call != NULL) {
		take_answer(call, result, error);
	} else if (server->state == STATE_ENDING || server->state_id == 0 ||
	    read_id(id) != server->state_id) {
		return; /* such as a late answer to a cancelled call */
	} else if (error != NULL) {
		mcp_server_give_up(server, "refused %s: %s",
		    server->state == STATE_INITIALIZING ? "initialize" : "tools/list",
		    error_text(error, shown));
	} else if (server->state == STATE_INITIALIZING) {
		take_initialize(server, result);
	} else {
		take_list(server, result);
	}
}

static void take_notification(
    struct mcp_server *server, const char *method, const struct json *params)
{
	struct mcp_server_call *call;
	if (strcmp(method, "notifications/tools/list_changed") == 0 && server->has_list) {
		server->is_list_old = true;
		if (server->state_id == 0 && server->state == STATE_READY)
			list_again(server);
		return;
	}
	if (strcmp(method, "notifications/muxbus/publish") == 0 &&
	    server->parts.handlers->published != NULL)
		server->parts.handlers->published(server->parts.data, params);
	if (strcmp(method, "notifications/progress") != 0)
		return;
	call = find_call(server, json_member(params, "progressToken"));
	if (call != NULL && call->order.progress != NULL)
		call->order.progress(call->order.data, params);
}

/* An unreadable message may answer any call: all calls fail, or an unready server is given up. */
static void take_unreadable(struct mcp_server *server, enum message_error error, const char *reason)
{
	if (server->state == STATE_READY)
		fail_calls(server, error, reason);
	else
		mcp_server_give_up(server, "%s", reason);
}

static void take_stray(struct mcp_server *server, const char *line, size_t len)
{
	struct buf text = BUF(STR_SHOWN_SIZE * 2);
	(void)str_append_visible(&text, line, len);
	if (text.len > 0)
		str_shown((char *)text.data, text.len, server->stray);
	buf_finish(&text);
	if (++server->strays > MCP_SERVER_STRAYS_MAX)
		mcp_server_give_up(server, "does not speak MCP");
}

static const struct json *read_message(
    struct json_reader *reader, const char *line, size_t len, struct json_error *ret_error)
{
	const struct json *message = json_read(reader, line, len, ret_error);
	struct buf repaired;
	if (message != NULL)
		return message;
	buf_init(&repaired, 3 * len);
	if (mcp_repair(&repaired, line, len) == 0)
		message = json_read(reader, (const char *)repaired.data, repaired.len, ret_error);
	buf_finish(&repaired);
	return message;
}

static void take_message(struct mcp_server *server, const struct json *message)
{
	const struct json *id = json_member(message, "id");
	const struct json *method = json_member(message, "method");
	struct buf answer;
	server->strays = 0;
	if (method == NULL || method->type != JSON_STRING) {
		take_response(server, id, message);
	} else if (id != NULL) {
		mcp_message_answer(&answer, id, method->text);
		(void)send_message(server, &answer);
	} else {
		take_notification(server, method->text, json_member(message, "params"));
	}
}

static void on_line(void *data, const char *line, size_t len)
{
	struct mcp_server *server = data;
	const struct json *message;
	char reason[MCP_SERVER_TEXT_SIZE / 2];
	struct json_error error;
	if (len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
		line += 3;
		len -= 3;
	}
	while (len > 0 && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (len == 0)
		return;
	message =
	    *line == '{' || *line == '[' ? read_message(server->reader, line, len, &error) : NULL;
	if (*line != '{' && (message == NULL || message->child == NULL)) {
		take_stray(server, line, len);
	} else if (message != NULL && *line == '[') {
		json_each (at, message)
			take_message(server, at);
	} else if (message != NULL) {
		take_message(server, message);
	} else {
		(void)snprintf(
		    reason, sizeof reason, "wrote a message that cannot be read: %s", error.text);
		take_unreadable(server, MESSAGE_TOOL_FAILED, reason);
	}
	if (len > TRIM_BYTES)
		json_reader_trim(server->reader);
}

static void on_too_long(void *data)
{
	char reason[MCP_SERVER_TEXT_SIZE / 2];
	(void)snprintf(
	    reason, sizeof reason, "wrote a line of more than %zu bytes", LOOP_PROCESS_LINE_MAX);
	take_unreadable(data, MESSAGE_LIMIT, reason);
}

/* Pending calls fail when the process has ended, so that the reason has the exit status. */
static void on_closed(void *data)
{
	struct mcp_server *server = data;
	if (server->state == STATE_ENDING)
		return;
	server->is_closed = true;
	end_process(server);
}

static const struct loop_process_handlers process_handlers = {
    .line = on_line,
    .too_long = on_too_long,
    .closed = on_closed,
    .ended = on_ended,
};

struct mcp_server *mcp_server_new(const struct mcp_server_parts *parts)
{
	struct mcp_server *server = xcalloc(1, sizeof *server);
	struct buf message;
	server->parts = *parts;
	server->reader = json_reader_new(LOOP_PROCESS_LINE_MAX);
	json_reader_limit_depth(server->reader); /* muxbusd accepts no deeper nesting */
	list_init(&server->calls);
	buf_init(&server->rows, MCP_SERVER_ROWS_MAX + JSON_SPARE);
	server->timer = loop_timer_new(parts->base, on_timer, server);
	loop_timer_arm(server->timer, parts->start_ms);
	server->process = loop_process_new(
	    parts->base, parts->supervisor, &parts->program, &process_handlers, server);
	server->state_id = ++server->last_id;
	mcp_message_initialize(&message, server->state_id);
	(void)send_message(server, &message);
	return server;
}

void mcp_server_free(struct mcp_server *server)
{
	if (server == NULL)
		return;
	while (!list_is_empty(&server->calls))
		(void)take_order(list_entry(server->calls.next, struct mcp_server_call, entry));
	loop_process_free(server->process);
	loop_timer_free(server->timer);
	buf_finish(&server->rows);
	json_reader_free(server->reader);
	mem_free(server);
}

struct mcp_server_call *mcp_server_call(struct mcp_server *server, const struct mcp_order *order)
{
	struct mcp_server_call *call;
	struct buf message;
	if (order->arguments_len > MCP_SERVER_ARGUMENTS_MAX) {
		refuse(server, order, MESSAGE_LIMIT, "takes no arguments of more than %zu bytes",
		    MCP_SERVER_ARGUMENTS_MAX);
		return NULL;
	}
	if (server->state == STATE_ENDING ||
	    !loop_process_has_room(server->process, order->arguments_len)) {
		refuse(server, order, MESSAGE_BUSY, "%s",
		    server->state == STATE_ENDING ? "takes no calls" : "does not read its calls");
		return NULL;
	}
	mcp_message_call(&message, server->last_id + 1, order);
	if (!send_message(server, &message)) {
		refuse(server, order, MESSAGE_BUSY, "takes no calls");
		return NULL;
	}
	call = xalloc(sizeof *call);
	*call =
	    (struct mcp_server_call){.server = server, .id = ++server->last_id, .order = *order};
	list_append(&server->calls, &call->entry);
	return call;
}

void mcp_server_cancel(struct mcp_server_call *call, const char *reason)
{
	struct mcp_server *server = call->server;
	struct buf message;
	if (server->state != STATE_ENDING) {
		mcp_message_cancelled(&message, call->id, reason);
		(void)send_message(server, &message);
	}
	(void)take_order(call);
}

void mcp_server_stop(struct mcp_server *server, const char *reason)
{
	if (server->state != STATE_ENDING)
		end_process(server);
	fail_calls(server, MESSAGE_GONE, reason);
}
