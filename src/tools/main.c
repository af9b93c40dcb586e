/* SPDX-License-Identifier: ISC */
/*
 * muxbus-tools BYTES NAME PROGRAM [ARGUMENT…]: runs an MCP server, and provides its tools and
 * events to muxbusd, which starts this program. BYTES is the limit of a result; the variable MUXBUS
 * is the path of muxbusd's socket. When the server ends, this program ends too; if the server was
 * not asked to end, the reason goes to standard error. When a connection to muxbusd is lost, this
 * program waits for the next muxbusd, at most ALONE_MS. Kept calls, whose caller does not wait,
 * continue, and the next muxbusd gets their answers. Other calls are cancelled.
 */
#include "base/process.h"
#include "client/loop_link.h"
#include "io/loop_timer.h"
#include "tools/mcp_content.h"
#include "tools/mcp_server.h"

enum {
	EXIT_USAGE = 2,
	ID_SIZE = 24, /* bytes of the id of a call or of its record, with the NUL */
	START_MS = 20000,
	TEXT_MAX = 2000, /* bytes of the text of a progress report */
	FIRST_ARGUMENT = 3,
	ALONE_MS = 600000, /* the longest wait for the next muxbusd */
	KINDS_MAX = 16 * 1024, /* bytes of the kinds of events */
	CALLS_MAX = 64 * 1024, /* bytes of the list of kept calls */
	KEPT_CALLS = 512, /* with more calls, an answer is sent at once and not kept */
	ENVELOPE = 1024, /* bytes of a line in addition to its result */
};

#define LINE_MAX_BYTES ((size_t)16 * 1024 * 1024) /* bytes of a line from muxbusd */
#define HELD_MAX LOOP_LINK_UNSENT_MAX
#define KEPT_MAX (LOOP_LINK_UNSENT_MAX / 2) /* bytes of answers that are not stored yet */

struct tools_main {
	struct event_base *base;
	struct event *signals[2];
	struct loop_link *link;
	struct json_reader *reader; /* of lines from muxbusd */
	struct mcp_server *server;
	const char *name;
	size_t result_max; /* bytes */
	struct list calls;
	char *rows; /* the server's tools as JSON; NULL until they were listed */
	struct buf kinds; /* kinds of events that the server may publish, as JSON; empty if none */
	struct loop_timer *alone; /* armed while the connection to muxbusd is lost */
	struct buf held; /* lines to muxbusd that are held back */
	bool is_held; /* lines are held back until the tools are provided */
	size_t kept_bytes; /* bytes of all answers in served_call.answer */
	bool was_up;
	int status;
};

struct served_call {
	struct list link;
	struct tools_main *main;
	struct mcp_server_call *call; /* NULL when answered */
	char id[ID_SIZE];
	char kept[ID_SIZE]; /* id of the record of a call whose caller does not wait; else "" */
	struct buf answer; /* the answer of a kept call, until muxbusd has stored it; else empty */
	bool is_sent; /* answer was sent to the present muxbusd */
};

static void send_line(struct tools_main *main, struct buf *line)
{
	if (!main->is_held || buf_append(&main->held, line->data, line->len) != 0)
		loop_link_write_all(main->link, line->data, line->len);
	buf_finish(line);
}

static void call_free(struct served_call *call)
{
	call->main->kept_bytes -= call->answer.len;
	buf_finish(&call->answer);
	list_remove(&call->link);
	mem_free(call);
}

static void drop_held(struct tools_main *main)
{
	buf_finish(&main->held);
	buf_init(&main->held, HELD_MAX);
}

static void flush_held(struct tools_main *main)
{
	main->is_held = false;
	if (main->held.len > 0)
		loop_link_write_all(main->link, main->held.data, main->held.len);
	drop_held(main);
}

static void begin_line(struct json_writer *writer, struct buf *line, size_t max)
{
	json_start_object(writer, line, max + ENVELOPE);
	json_put_str(writer, "jsonrpc", "2.0");
}

static void send_kept(struct tools_main *main)
{
	list_each (struct served_call, call, &main->calls, link) {
		if (call->answer.len == 0 || call->is_sent)
			continue;
		call->is_sent = true;
		loop_link_write_all(main->link, call->answer.data, call->answer.len);
	}
}

/*
 * Sends an answer. If there is room, the answer of a kept call stays until muxbusd has stored it.
 */
static void send_answer(struct served_call *call, struct buf *line)
{
	struct tools_main *main = call->main;
	call->call = NULL;
	if (call->kept[0] == '\0' || main->kept_bytes + line->len > KEPT_MAX ||
	    list_count(&main->calls) > KEPT_CALLS) {
		send_line(main, line);
		call_free(call);
		return;
	}
	call->answer = *line;
	main->kept_bytes += line->len;
	if (!main->is_held)
		send_kept(main);
}

static void send_failure(struct served_call *call, enum message_error error, const char *text)
{
	struct json_writer writer;
	struct buf line;
	begin_line(&writer, &line, 8 * MCP_CONTENT_ERROR_SIZE);
	json_put_str(&writer, "id", call->id);
	json_object_begin(&writer, "error");
	json_put_int(&writer, "code", message_error_info(error)->code);
	json_put_str(&writer, "message", text);
	json_object_end(&writer);
	message_end(&writer);
	send_answer(call, &line);
}

static void send_result(struct served_call *call, const struct json *result)
{
	struct tools_main *main = call->main;
	char failure[MCP_CONTENT_ERROR_SIZE];
	struct json_writer writer;
	struct buf line;
	bool is_good;
	begin_line(&writer, &line, main->result_max);
	json_put_str(&writer, "id", call->id);
	json_object_begin(&writer, "result");
	is_good = mcp_content_write(&writer, result, failure);
	json_object_end(&writer);
	message_end(&writer);
	if (is_good && !writer.is_cut) {
		send_answer(call, &line);
		return;
	}
	buf_finish(&line);
	if (is_good)
		(void)snprintf(failure, sizeof failure,
		    "the server \"%s\" answered with more than %zu bytes (limit result_bytes)",
		    main->name, main->result_max);
	send_failure(call, is_good ? MESSAGE_LIMIT : MESSAGE_TOOL_FAILED, failure);
}

static void on_done(void *data, const struct mcp_answer *answer)
{
	struct served_call *call = data;
	if (answer->result != NULL)
		send_result(call, answer->result);
	else
		send_failure(call, answer->error, answer->text);
}

static void put_number(struct json_writer *writer, const char *name, const struct json *value)
{
	double number;
	if (json_double(value, &number))
		json_put_double(writer, name, number);
}

static void on_progress(void *data, const struct json *params)
{
	const struct served_call *call = data;
	const struct json *text = json_member(params, "message");
	struct json_writer writer;
	struct buf line;
	json_start(&writer, &line, 8 * TEXT_MAX + ENVELOPE);
	message_begin_notice(&writer, "progress");
	json_put_str(&writer, "id", call->id);
	if (text != NULL && text->type == JSON_STRING)
		(void)json_put_text(&writer, "text", text->text,
		    utf8_valid_prefix(text->text, text->len < TEXT_MAX ? text->len : TEXT_MAX));
	put_number(&writer, "done", json_member(params, "progress"));
	put_number(&writer, "of", json_member(params, "total"));
	message_end_notice(&writer);
	send_line(call->main, &line);
}

/* Lists the kept calls, so that the next muxbusd can resume them. */
static void put_kept(const struct tools_main *main, struct json_writer *writer)
{
	bool has_any = false;
	list_each (struct served_call, call, &main->calls, link) {
		if (call->kept[0] == '\0')
			continue;
		if (!has_any)
			json_array_begin(writer, "calls");
		has_any = true;
		json_object_begin(writer, NULL);
		json_put_str(writer, "id", call->id);
		json_put_str(writer, "kept", call->kept);
		json_object_end(writer);
	}
	if (has_any)
		json_array_end(writer);
}

static void provide(struct tools_main *main)
{
	struct json_writer writer;
	struct buf line;
	if (main->rows == NULL || !loop_link_is_up(main->link))
		return;
	begin_line(&writer, &line, MCP_SERVER_ROWS_MAX + KINDS_MAX + CALLS_MAX);
	json_put_int(&writer, "id", 1);
	json_put_str(&writer, "method", "provide");
	json_object_begin(&writer, "params");
	json_put_raw(&writer, "methods", main->rows, strlen(main->rows));
	if (main->kinds.len > 0)
		json_put_raw(&writer, "events", main->kinds.data, main->kinds.len);
	put_kept(main, &writer);
	json_object_end(&writer);
	message_end(&writer);
	loop_link_write_all(main->link, line.data, line.len); /* sent before the held lines */
	buf_finish(&line);
	send_kept(main);
	flush_held(main);
}

static void on_listed(void *data, const char *rows)
{
	struct tools_main *main = data;
	mem_free(main->rows);
	main->rows = xstrdup(rows);
	provide(main);
}

static void on_offered(void *data, const struct json *kinds)
{
	struct tools_main *main = data;
	if (!json_append(&main->kinds, kinds))
		buf_clear(&main->kinds);
}

/* Passes on an event of the server, with the server's pane if known. muxbusd checks the event. */
static void on_published(void *data, const struct json *params)
{
	struct tools_main *main = data;
	const struct json *kind = json_member(params, "kind");
	const struct json *about = json_member(params, "data");
	const char *pane = getenv("MUXBUS_PANE");
	struct json_writer writer;
	struct buf line;
	if (kind == NULL || kind->type != JSON_STRING || !loop_link_is_up(main->link))
		return;
	json_start(&writer, &line, LINE_MAX_BYTES + ENVELOPE);
	message_begin_notice(&writer, "publish");
	json_put_value(&writer, "kind", kind);
	if (about != NULL)
		json_put_value(&writer, "data", about);
	json_put_given(&writer, "pane", pane);
	message_end_notice(&writer);
	send_line(main, &line);
}

static void on_changing(void *data)
{
	struct tools_main *main = data;
	main->is_held = true;
}

/* Withdraws the tools, so that muxbusd holds later calls until the server is started again. */
static void on_leaving(void *data)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"method\":\"provide\",\"params\":{}}\n";
	struct tools_main *main = data;
	if (main->rows != NULL && loop_link_is_up(main->link))
		loop_link_write_all(main->link, line, strlen(line));
}

static void on_server_ended(void *data, const char *reason)
{
	struct tools_main *main = data;
	if (reason != NULL) {
		(void)fprintf(stderr, "%s\n", reason);
		main->status = EXIT_FAILURE;
	}
	if (loop_link_is_up(main->link)) {
		send_kept(main);
		flush_held(main);
	}
	(void)event_base_loopbreak(main->base);
}

static const struct mcp_server_handlers server_handlers = {.listed = on_listed,
    .offered = on_offered,
    .published = on_published,
    .changing = on_changing,
    .leaving = on_leaving,
    .ended = on_server_ended};

static struct served_call *find_call(const struct tools_main *main, const char *id)
{
	list_each (struct served_call, call, &main->calls, link)
		if (strcmp(call->id, id) == 0)
			return call;
	return NULL;
}

static void take_cancel(struct tools_main *main, const struct json *params)
{
	struct served_call *call = find_call(main, json_get_str(params, "id", ""));
	if (call == NULL || call->call == NULL)
		return; /* the answer was sent, or waits for muxbusd */
	mcp_server_cancel(call->call, json_get_str(params, "reason", "cancelled"));
	call_free(call);
}

static void take_call(
    struct tools_main *main, const char *id, const char *tool, const struct json *message)
{
	const struct json *params = json_member(message, "params");
	struct mcp_order order = {.tool = tool,
	    .caller = json_member(message, "caller"),
	    .progress = on_progress,
	    .done = on_done};
	struct served_call *call = xcalloc(1, sizeof *call);
	struct mcp_server_call *made;
	struct buf arguments = BUF(LINE_MAX_BYTES);
	call->main = main;
	(void)snprintf(call->id, sizeof call->id, "%s", id);
	(void)snprintf(call->kept, sizeof call->kept, "%s", json_get_str(message, "kept", ""));
	list_append(&main->calls, &call->link);
	if (params != NULL)
		(void)json_append(&arguments, params);
	else
		(void)buf_append_str(&arguments, "{}");
	order.arguments = (const char *)arguments.data;
	order.arguments_len = arguments.len;
	order.data = call;
	made = mcp_server_call(main->server, &order);
	if (made != NULL)
		call->call = made; /* else on_done() was called, and may have freed call */
	buf_finish(&arguments);
}

static void take_stored(const struct tools_main *main, const struct json *params)
{
	struct served_call *call = find_call(main, json_get_str(params, "id", ""));
	if (call != NULL && call->is_sent)
		call_free(call);
}

static void take_refusal(struct tools_main *main, const struct json *error)
{
	const struct json *text = json_member(error, "message");
	char shown[STR_SHOWN_SIZE];
	mcp_server_give_up(main->server, "cannot be used: %s",
	    text != NULL && text->type == JSON_STRING ? str_shown(text->text, text->len, shown)
						      : "muxbusd refuses its list of tools");
}

static void on_line(void *data, const char *line, size_t len)
{
	struct tools_main *main = data;
	struct json_error error;
	const struct json *message = json_read(main->reader, line, len, &error);
	const char *method = json_get_str(message, "method", NULL);
	const char *id = json_get_str(message, "id", NULL);
	const struct json *refusal = json_member(message, "error");
	if (method == NULL) {
		if (refusal != NULL)
			take_refusal(main, refusal);
	} else if (id != NULL) {
		take_call(main, id, method, message);
	} else if (strcmp(method, "cancel") == 0) {
		take_cancel(main, json_member(message, "params"));
	} else if (strcmp(method, "stored") == 0) {
		take_stored(main, json_member(message, "params"));
	}
	json_reader_trim(main->reader);
}

static void on_up(void *data)
{
	struct tools_main *main = data;
	main->was_up = true;
	loop_timer_disarm(main->alone);
	provide(main);
}

static void cancel_calls(struct tools_main *main)
{
	list_each_safe (struct served_call, call, &main->calls, link) {
		call->is_sent = false;
		if (call->kept[0] != '\0')
			continue;
		mcp_server_cancel(call->call, "muxbusd has ended");
		call_free(call);
	}
}

static void on_alone(void *data)
{
	struct tools_main *main = data;
	mcp_server_stop(main->server, "has lost muxbusd");
}

static void on_down(void *data, int error)
{
	struct tools_main *main = data;
	if (!main->was_up) {
		(void)fprintf(stderr, "did not reach muxbusd: %s\n", loop_link_reason(error));
		main->status = EXIT_FAILURE;
		mcp_server_stop(main->server, "has lost muxbusd");
		return;
	}
	if (!loop_timer_is_armed(main->alone))
		loop_timer_arm(main->alone, ALONE_MS);
	main->is_held = true;
	drop_held(main);
	cancel_calls(main);
}

static void on_signal(evutil_socket_t number UNUSED, short what UNUSED, void *data)
{
	struct tools_main *main = data;
	mcp_server_stop(main->server, "is ended");
}

static void set_up(struct tools_main *main, char **argv)
{
	static const int numbers[] = {SIGTERM, SIGINT};
	const char *socket = getenv("MUXBUS");
	char supervisor[PATH_MAX];
	main->base = event_base_new();
	if (main->base == NULL || socket == NULL) {
		(void)fprintf(stderr, "did not start: MUXBUS names no socket\n");
		exit(EXIT_FAILURE);
	}
	for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
		main->signals[at] =
		    event_new(main->base, numbers[at], EV_SIGNAL | EV_PERSIST, on_signal, main);
		if (main->signals[at] == NULL || event_add(main->signals[at], NULL) < 0)
			exit(EXIT_FAILURE);
	}
	(void)unsetenv("MUXBUS_JOB"); /* meant for this program, not for the server */
	sibling_find("muxbus-job", supervisor, sizeof supervisor);
	list_init(&main->calls);
	buf_init(&main->held, HELD_MAX);
	buf_init(&main->kinds, KINDS_MAX);
	main->alone = loop_timer_new(main->base, on_alone, main);
	main->is_held = true;
	main->reader = json_reader_new(LINE_MAX_BYTES);
	main->link = loop_link_new(main->base,
	    &(struct loop_link_options){.path = socket, .line_max = LINE_MAX_BYTES},
	    &(struct loop_link_handlers){
		.up = on_up, .down = on_down, .line = on_line, .data = main});
	loop_link_start(main->link);
	main->server = mcp_server_new(&(struct mcp_server_parts){
	    .base = main->base,
	    .supervisor = supervisor,
	    .start_ms = START_MS,
	    .name = main->name,
	    .program = {.argv = (const char *const *)argv + FIRST_ARGUMENT,
		.env = (const char *const *)environ,
		.cwd = "."},
	    .handlers = &server_handlers,
	    .data = main,
	});
}

int main(int argc, char **argv)
{
	struct tools_main main = {.status = EXIT_SUCCESS};
	int64_t bytes;
	process_begin(O_RDWR);
	if (argc <= FIRST_ARGUMENT || !str_parse_i64(argv[1], strlen(argv[1]), &bytes) ||
	    bytes <= 0) {
		(void)fprintf(stderr, "usage: muxbus-tools bytes name program [argument ...]\n");
		return EXIT_USAGE;
	}
	main.result_max = (size_t)bytes;
	main.name = argv[2];
	set_up(&main, argv);
	(void)event_base_dispatch(main.base);
	list_each_safe (struct served_call, call, &main.calls, link)
		call_free(call);
	mcp_server_free(main.server);
	loop_link_free(main.link);
	json_reader_free(main.reader);
	buf_finish(&main.held);
	buf_finish(&main.kinds);
	mem_free(main.rows);
	loop_timer_free(main.alone);
	for (size_t at = 0; at < sizeof main.signals / sizeof *main.signals; at++)
		event_free(main.signals[at]);
	event_base_free(main.base);
	return main.status;
}
