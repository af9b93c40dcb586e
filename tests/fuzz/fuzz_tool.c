/* SPDX-License-Identifier: ISC */
/*
 * A tool server that sends anything: each line of the input is one of its lines, or something that
 * happens. Each call is answered once, with a text or with members that are valid JSON, also as an
 * agent gets them; all that the server is sent is valid JSON.
 *
 *   !c call  !x cancel the oldest call  !e its end  !o end of its output  !l a line too long
 *   !s stop  !r calls itself again from done  + the true answer to its last request
 *
 * In other lines @0 is the id of its last request, @1 that before, and so on.
 */
#include <event2/event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "daemon/mcp/mcp_shown.h"
#include "daemon/mcp/mcp_text.h"
#include "daemon/methods/tables.h"
#include "daemon/server/method.h"
#include "daemon/server/rest.h"
#include "tools/mcp_content.h"
#include "tools/mcp_server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_BYTES = 64 * 1024, CALLS = 8, IDS = 10, SHOWN = 2000 };

/* The process in place of a real one. */
struct loop_process {
	const struct loop_process_handlers *handlers;
	void *data;
	bool is_stopping;
};

static struct event_base *base;
static struct json_reader *own_reader;
static struct rest_set *rests;
static struct loop_process *process; /* NULL: none */
static struct mcp_server *server;
static bool has_list, has_ended;
static bool repeats; /* done calls again */

/* The requests to the server. */
static int64_t ids[IDS];
static char asked[32]; /* the method of the last request; "": it has been answered */

static struct mcp_server_call *calls[CALLS]; /* NULL: free */

static void must(bool holds)
{
	if (!holds)
		abort();
}

struct loop_process *loop_process_new(struct event_base *loop, const char *supervisor,
    const struct loop_program *program, const struct loop_process_handlers *handlers, void *data)
{
	(void)loop;
	(void)supervisor;
	(void)program;
	must(process == NULL);
	process = xcalloc(1, sizeof *process);
	process->handlers = handlers;
	process->data = data;
	return process;
}

void loop_process_free(struct loop_process *old)
{
	must(old == NULL || old == process);
	mem_free(old);
	process = NULL;
}

void loop_process_stop(struct loop_process *old)
{
	old->is_stopping = true;
}

bool loop_process_has_room(const struct loop_process *to, size_t len)
{
	return to != NULL && len < LOOP_PROCESS_QUEUE_MAX;
}

bool loop_process_write(struct loop_process *to, const void *bytes, size_t len)
{
	const char *line = bytes;
	struct json_error error;
	const struct json *message, *method;
	must(to == process && len > 1 && memchr(line, '\n', len) == line + len - 1);
	message = json_read(own_reader, line, len - 1, &error);
	must(message != NULL);
	method = json_member(message, "method");
	if (method == NULL || json_member(message, "id") == NULL)
		return true;
	memmove(ids + 1, ids, sizeof ids - sizeof *ids);
	must(json_int(json_member(message, "id"), &ids[0]));
	(void)snprintf(asked, sizeof asked, "%s", method->text);
	return true;
}

void loop_process_remark(const struct loop_process *of, char out[LOOP_PROCESS_REMARK_SIZE])
{
	(void)of;
	(void)snprintf(out, LOOP_PROCESS_REMARK_SIZE, "a remark");
}

static bool write_shown(struct buf *out, const struct mcp_cut *cut, void *data)
{
	struct mcp_asked how = {.tool = method_find("capture_pane"), .rests = rests};
	return mcp_shown_write(out, cut, data, &how);
}

/* The result as an agent gets it: as content with images, and cut. */
static void show(const struct json *result)
{
	static const struct method *tool;
	struct mcp_cut cut = {0};
	struct json_writer writer;
	struct json_error error;
	struct buf out;
	tool = tool != NULL ? tool : method_find("capture_pane");
	buf_init(&out, (size_t)1 << 22);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	if (mcp_image_is_in(result))
		mcp_image_write(&writer, result, SHOWN, rests);
	json_object_end(&writer);
	must(!writer.is_cut && json_read(own_reader, (char *)out.data, out.len, &error) != NULL);
	buf_clear(&out);
	out.max = SHOWN;
	if (mcp_cut_find(&cut, result, SHOWN, write_shown, (void *)(uintptr_t)result) &&
	    cut.is_needed) {
		must(write_shown(&out, &cut, (void *)(uintptr_t)result));
		must(json_read(own_reader, (char *)out.data, out.len, &error) != NULL);
	}
	mcp_cut_nothing(&cut);
	buf_clear(&out);
	out.max = (size_t)1 << 22;
	must(mcp_text_write(&out, tool, result, &cut, NULL) && utf8_is_valid(out.data, out.len));
	buf_finish(&out);
}

static void check_result(const struct json *result)
{
	char failure[MCP_CONTENT_ERROR_SIZE];
	struct json_writer writer;
	struct json_error error;
	const struct json *value;
	struct buf out;
	static struct json_reader *result_reader;
	if (result_reader == NULL)
		result_reader = json_reader_new((size_t)1 << 22);
	buf_init(&out, (size_t)1 << 22);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	if (!mcp_content_write(&writer, result, failure)) {
		must(failure[0] != '\0' && utf8_is_valid(failure, strlen(failure)));
		buf_finish(&out);
		return;
	}
	json_object_end(&writer);
	must(!writer.is_cut);
	value = json_read(result_reader, (char *)out.data, out.len, &error);
	must(value != NULL && json_member(value, "text") != NULL);
	show(value);
	buf_finish(&out);
}

static void call(void);

static void on_done(void *data, const struct mcp_answer *answer)
{
	struct mcp_server_call **place = data;
	must(*place != NULL); /* once */
	*place = NULL;
	must((answer->text == NULL) == (answer->result != NULL));
	must(answer->result == NULL || answer->result->type == JSON_OBJECT);
	if (answer->result != NULL)
		check_result(answer->result);
	else
		must(answer->text[0] != '\0' && utf8_is_valid(answer->text, strlen(answer->text)));
	if (repeats) {
		repeats = false;
		call();
	}
}

static void on_progress(void *data, const struct json *params)
{
	must(*(struct mcp_server_call **)data != NULL && params->type == JSON_OBJECT);
}

static void call(void)
{
	static const char arguments[] = "{\"a\":1}";
	struct mcp_order order = {.tool = "echo",
	    .arguments = arguments,
	    .arguments_len = sizeof arguments - 1,
	    .progress = on_progress,
	    .done = on_done};
	for (size_t i = 0; i < CALLS; i++)
		if (calls[i] == NULL) {
			struct mcp_server_call *made;
			order.data = &calls[i];
			calls[i] = (struct mcp_server_call *)calls /* not known yet */;
			made = mcp_server_call(server, &order);
			must((made == NULL) == (calls[i] == NULL)); /* else it is done */
			calls[i] = made;
			return;
		}
}

static void cancel(void)
{
	for (size_t i = 0; i < CALLS; i++)
		if (calls[i] != NULL) {
			struct mcp_server_call *old = calls[i];
			calls[i] = NULL;
			mcp_server_cancel(old, "the caller has left");
			return;
		}
}

static void say(const char *line, size_t len)
{
	char *exact; /* so that a checker sees overruns */
	if (process == NULL || has_ended)
		return;
	exact = malloc(len > 0 ? len : 1);
	if (len > 0)
		memcpy(exact, line, len);
	process->handlers->line(process->data, exact, len);
	free(exact);
}

/* The true answer to the last request. */
static void answer(void)
{
	const char *result = strcmp(asked, "initialize") == 0
	    ? "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}"
	    : strcmp(asked, "tools/list") == 0
	    ? "{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}]}"
	    : "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}";
	char line[256];
	int len = snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"result\":%s}",
	    (long long)ids[0], result);
	if (asked[0] == '\0')
		return;
	asked[0] = '\0';
	say(line, (size_t)len);
}

/* A line with the ids that it names. */
static void say_named(const uint8_t *bytes, size_t len)
{
	struct buf line;
	buf_init(&line, LINE_BYTES * 8);
	for (size_t i = 0; i < len; i++)
		if (bytes[i] == '@' && i + 1 < len && bytes[i + 1] >= '0' && bytes[i + 1] <= '9')
			(void)buf_printf(&line, "%lld", (long long)ids[bytes[++i] - '0']);
		else
			(void)buf_append_byte(&line, (char)bytes[i]);
	say((const char *)line.data, line.len);
	buf_finish(&line);
}

static void end_process(void)
{
	if (process != NULL && !has_ended)
		process->handlers->ended(process->data, "exit status 1");
}

static void happen(char what)
{
	if (what == 'c')
		call();
	else if (what == 'x')
		cancel();
	else if (what == 'e')
		end_process();
	else if (what == 'o' && process != NULL && !has_ended)
		process->handlers->closed(process->data);
	else if (what == 'l' && process != NULL && !has_ended)
		process->handlers->too_long(process->data);
	else if (what == 's')
		mcp_server_stop(server, "is not needed");
	else if (what == 'r')
		repeats = true;
}

static void on_listed(void *data, const char *rows)
{
	struct json_error error;
	const struct json *value = json_read(own_reader, rows, strlen(rows), &error);
	(void)data;
	must(value != NULL && value->type == JSON_ARRAY && !has_ended);
	has_list = true;
}

static void on_changing(void *data)
{
	(void)data;
	must(has_list && !has_ended);
}

static void on_ended(void *data, const char *reason)
{
	(void)data;
	must(!has_ended && (reason == NULL || utf8_is_valid(reason, strlen(reason))));
	has_ended = true;
}

static void set_up(void)
{
	static const struct mcp_server_handlers handlers = {
	    .listed = on_listed, .changing = on_changing, .ended = on_ended};
	if (base == NULL) {
		log_open(2, "fuzz_tool", LOG_LEVEL_ERROR);
		tables_register();
		base = event_base_new();
		own_reader = json_reader_new((size_t)1 << 22);
	}
	rests = rest_set_new((size_t)1 << 24);
	memset(ids, 0, sizeof ids);
	asked[0] = '\0';
	repeats = has_list = has_ended = false;
	server = mcp_server_new(&(struct mcp_server_parts){
	    .base = base, .start_ms = 60000, .name = "fake", .handlers = &handlers});
}

static void tear_down(void)
{
	repeats = false;
	mcp_server_stop(server, "is not needed");
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	end_process();
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	for (size_t i = 0; i < CALLS; i++)
		must(calls[i] == NULL);
	mcp_server_free(server);
	rest_set_free(rests);
	must(process == NULL && has_ended);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	set_up();
	call();
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	while (data < end) {
		const uint8_t *newline = memchr(data, '\n', (size_t)(end - data));
		size_t len = (size_t)((newline != NULL ? newline : end) - data);
		if (len == 2 && data[0] == '!')
			happen((char)data[1]);
		else if (len == 1 && data[0] == '+')
			answer();
		else
			say_named(data, len);
		(void)event_base_loop(base, EVLOOP_NONBLOCK);
		data += len + 1;
	}
	tear_down();
	return 0;
}
