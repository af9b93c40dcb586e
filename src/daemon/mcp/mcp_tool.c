/* SPDX-License-Identifier: ISC */
#include "daemon/mcp/mcp_tool.h"

#include <math.h>

#include "base/process.h"
#include "daemon/deliver/queue_command.h"
#include "daemon/mcp/mcp_shown.h"
#include "daemon/pane/presence.h"
#include "daemon/pane/thread_seat.h"
#include "daemon/queue/queue.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "daemon/server/rest.h"
#include "daemon/tool/declaration.h"
#include "io/loop_timer.h"

/* Progress of a call with a progress token: the seconds that it waits, or the tool's reports. */

#define MCP_PROGRESS_MS 10000

#define MCP_PROGRESS_BYTES ((size_t)16384) /* bytes of one notification, without its token */
#define MCP_PROGRESS_STEP 1e-6 /* least growth of a value: MCP requires that it grows */

struct mcp_progress {
	struct request *request;
	struct loop_timer *timer;
	const char *what; /* name of the tool */
	int64_t began_ms;
	char *token; /* as JSON */
	double reports;
	double base; /* the value sent before the first report; added to the values of reports */
	double last; /* the value that was sent last */
};

static void notify(
    const struct mcp_progress *progress, const struct request_report *report, const char *message)
{
	struct peer *peer = request_peer(progress->request);
	struct json_writer writer;
	struct buf line;
	if (peer == NULL)
		return;
	json_start(&writer, &line, MESSAGE_ID_BYTES + MCP_PROGRESS_BYTES);
	message_begin_notice(&writer, "notifications/progress");
	json_put_raw(&writer, "progressToken", progress->token, strlen(progress->token));
	json_put_double(&writer, "progress", progress->last);
	if (report != NULL && report->has_of)
		json_put_double(&writer, "total", progress->base + report->of);
	json_put_given(&writer, "message", message);
	message_end_notice(&writer);
	/* lost if the peer does not read */
	(void)peer_send_line(peer, (const char *)line.data, line.len);
	buf_finish(&line);
}

static void on_tick(void *data)
{
	struct mcp_progress *progress = data;
	int64_t passed = (clock_mono_ms() - progress->began_ms + 500) / 1000;
	char text[128];
	loop_timer_arm(progress->timer, MCP_PROGRESS_MS);
	(void)snprintf(
	    text, sizeof text, "%s: waiting for %lld s", progress->what, (long long)passed);
	progress->base = progress->last = (double)passed;
	notify(progress, NULL, text);
}

/* Sends a report. MCP requires growing values, so the seconds sent before are added. */
static void mcp_progress_pass(struct mcp_progress *progress, const struct request_report *report)
{
	double value = progress->base + (report->has_done ? report->done : progress->reports + 1);
	progress->reports++;
	if (value <= progress->last)
		value = progress->last + MCP_PROGRESS_STEP;
	if (value <= progress->last)
		return; /* the value is so large that the step does not change it */
	progress->last = value;
	loop_timer_disarm(progress->timer); /* the tool's values replace the seconds */
	notify(progress, report, report->text);
}

static struct mcp_progress *mcp_progress_new(
    struct mcp *mcp, struct request *request, const struct json *meta, const char *what)
{
	const struct json *token = json_member(meta, "progressToken");
	struct mcp_progress *progress;
	if (token == NULL || token->len > MESSAGE_ID_MAX ||
	    (token->type != JSON_STRING && token->type != JSON_NUMBER))
		return NULL;
	progress = xcalloc(1, sizeof *progress);
	*progress = (struct mcp_progress){.request = request,
	    .what = what,
	    .began_ms = clock_mono_ms(),
	    .last = -INFINITY,
	    .token = json_text(token, MESSAGE_ID_BYTES),
	    .timer = loop_timer_new(mcp->daemon->base, on_tick, progress)};
	loop_timer_arm(progress->timer, MCP_PROGRESS_MS);
	return progress;
}

static void mcp_progress_free(struct mcp_progress *progress)
{
	if (progress == NULL)
		return;
	loop_timer_free(progress->timer);
	mem_free(progress->token);
	mem_free(progress);
}

/* Codex names its session in _meta.threadId, as one process may serve windows in many panes. */

static pid_t find_server(const char *agent, pid_t peer)
{
	pid_t server = queue_command_process(agent, peer);
	return server == 0 && process_parent(peer) > 1 ? process_parent(peer) : server;
}

/* Reports the thread as a presence in its pane, or in none if there is none or another has it. */
static void report(const struct daemon *daemon, const struct presence_report *report, pid_t peer)
{
	if (report->pane->pane == MUXBUS_NO_ID || !presence_report(daemon->presences, report))
		(void)thread_seat_report(
		    daemon->presences, report, find_server(report->agent, peer));
}

/* Makes the thread the request's address if its name is valid and its agent has a queue command. */
static void bind_thread(
    const struct daemon *daemon, struct request *request, const char *agent, const char *session)
{
	const struct presence *known;
	struct presence_report said = {.agent = agent, .session = session};
	char *thread = request_origin(request)->thread;
	struct pane_ref address;
	pid_t peer;
	if (!queue_command_is_of(agent) || presence_check(agent, session) != NULL)
		return;
	presence_thread(agent, session, thread);
	if (thread[0] == '\0' || request_peer(request) == NULL ||
	    !requester_pane(request, NULL, &address))
		return;
	peer = peer_pid(request_peer(request));
	known = presence_of_session(daemon->presences, agent, session);
	/* A thread known in this pane is reported again only if a notification waits for it. */
	if (known != NULL && known->pid > 0 && !known->is_by_mark &&
	    (address.pane == MUXBUS_NO_ID || pane_ref_same_pane(&known->pane, &address)) &&
	    queue_next_for(daemon->queue, &address, NULL) == NULL) {
		if (known->pane.pane == MUXBUS_NO_ID)
			(void)thread_seat_take(daemon->presences, &said, find_server(agent, peer));
		return;
	}
	said.pane = &address;
	report(daemon, &said, peer);
}

/* Binds a request with the role full: texts for the thread may be typed into its pane. */
static void mcp_thread_bind(const struct mcp_exchange *exchange)
{
	const char *thread = json_get_str(exchange->meta, "threadId", NULL);
	const char *agent = exchange->session->client->agent;
	if (request_role(exchange->request) == ROLE_FULL && agent != NULL && thread != NULL)
		bind_thread(exchange->mcp->daemon, exchange->request, agent, thread);
}

/* Maximum bytes of an answer without images. */
#define LINE_BYTES ((size_t)1024 * 1024)
#define MISFIT_MAX 4096 /* bytes of an answer that the error about its type quotes */
#define NEXT_MAX 1024 /* bytes of the call that reads the next part */

#define LIST_TTL_MS 60000
#define AROUND_BYTES 256 /* bytes of a result in addition to the text of a program */
#define ARGUMENTS_MAX 512 /* bytes of arguments that "rest" may repeat */

struct mcp_call {
	struct mcp *mcp;
	const struct method *tool;
	char *arguments; /* the arguments as JSON; NULL: too long to be repeated in "rest" */
	bool is_modern;
	bool is_task; /* the client has called the tool as a task */
	size_t bytes_max;
	struct rest_set *rests;
	struct mcp_tool_set tools; /* a copy, since the session may end before the call */
	struct mcp_progress *progress; /* NULL: no progress is wanted, or the tool does not wait */
	struct mcp_pending *pending; /* NULL: no timeout is known, or the tool does not wait */
	struct mcp_log log;
};

struct showing {
	const struct json *result;
	struct mcp_asked asked;
	struct json_reader *reader; /* parses the shown part */
};

/* Makes the text from the JSON of the shown part, so that text and JSON have the same numbers. */
static bool write_text(struct buf *out, const struct buf *shown, const struct showing *showing)
{
	struct mcp_cut nothing = {0};
	struct json_error error;
	const struct json *tree =
	    json_read(showing->reader, (const char *)shown->data, shown->len, &error);
	const struct json *rest = tree != NULL ? json_member(tree, "rest") : NULL;
	mcp_cut_nothing(&nothing);
	return tree != NULL &&
	    mcp_text_write(
		out, showing->asked.tool, tree, &nothing, rest != NULL ? rest->text : NULL);
}

/* Tries a cut: writes the result as text into out, and as JSON. Returns true if both fit. */
static bool write_both(struct buf *out, const struct mcp_cut *cut, void *data)
{
	const struct showing *showing = data;
	struct buf shown = BUF(out->max);
	bool fits = (cut->is_needed ? mcp_shown_write(&shown, cut, showing->result, &showing->asked)
				    : json_append(&shown, showing->result)) &&
	    write_text(out, &shown, showing);
	buf_finish(&shown);
	return fits;
}

static void put_content(struct json_writer *writer, const struct buf *text)
{
	json_array_begin(writer, "content");
	json_object_begin(writer, NULL);
	json_put_str(writer, "type", "text");
	(void)json_put_text(writer, "text", text->data, text->len);
	json_object_end(writer);
	json_array_end(writer);
}

/* Writes only the call that reads the result, as it cannot be shown. */
static void put_too_large(struct mcp_call *call, struct json_writer *writer, const struct buf *json)
{
	char rest[64];
	struct buf content = BUF(256);
	(void)snprintf(rest, sizeof rest, "read_rest {\"id\":\"%s\"} reads all of it, as JSON.",
	    rest_keep(call->rests, json->data, json->len));
	(void)buf_printf(&content, "The result is too large to be shown.\nTruncated. %s\n", rest);
	put_content(writer, &content);
	json_object_begin(writer, "structuredContent");
	json_put_bool(writer, "truncated", true);
	json_put_str(writer, "rest", rest);
	json_object_end(writer);
	buf_finish(&content);
}

/* Writes structuredContent. next: the call that reads the next part; NULL: the result is whole. */
static void put_structure(
    struct json_writer *writer, const struct buf *json, const struct json *result, const char *next)
{
	if (next == NULL) {
		json_put_raw(writer, "structuredContent", json->data, json->len);
		return;
	}
	json_object_begin(writer, "structuredContent");
	json_each_member (m, result)
		if (strcmp(m->name, "truncated") != 0)
			json_put_value(writer, m->name, m);
	json_put_bool(writer, "truncated", true);
	json_put_str(writer, "rest", next);
	json_object_end(writer);
}

/* Writes a result that need not be cut; json is its text. Returns false if it is too large. */
static bool put_whole(struct json_writer *writer, const struct buf *json, struct showing *showing,
    struct mcp_cut *cut, size_t bytes_max)
{
	const char *rest = json_get_str(showing->result, "rest", NULL);
	struct buf out, next;
	bool is_small;
	if (json->len > bytes_max)
		return false;
	mcp_cut_nothing(cut);
	buf_init(&out, bytes_max);
	buf_init(&next, NEXT_MAX);
	mcp_shown_put_next(&next, showing->result, &showing->asked);
	if (next.len > 0)
		rest = (const char *)next.data;
	is_small = json->len + next.len <= bytes_max &&
	    mcp_text_write(&out, showing->asked.tool, showing->result, cut, rest);
	if (is_small) {
		put_content(writer, &out);
		put_structure(writer, json, showing->result, next.len > 0 ? rest : NULL);
	}
	buf_finish(&out);
	buf_finish(&next);
	return is_small;
}

static void put_result(struct mcp_call *call, struct json_writer *writer, const struct json *result,
    const struct buf *json)
{
	struct json_error error;
	struct showing showing = {
	    .asked = {.tool = call->tool}, .result = result, .reader = call->mcp->shown_reader};
	static const char *const by_end[] = {"capture_pane", "execute_cli", NULL};
	struct mcp_cut cut = {.keeps_end = str_is_in(call->tool->name, by_end)};
	struct buf out, shown;
	struct request_view *view;
	int64_t last;
	if (call->arguments != NULL)
		showing.asked.arguments = json_read(
		    call->mcp->params_reader, call->arguments, strlen(call->arguments), &error);
	if (put_whole(writer, json, &showing, &cut, call->bytes_max))
		return;
	if (!mcp_cut_find(&cut, result, call->bytes_max, write_both, &showing)) {
		put_too_large(call, writer, json);
		return;
	}
	view = call->log.request != NULL ? request_view(call->log.request) : NULL;
	if (view != NULL && view->cut != NULL && mcp_shown_last(&cut, result, &last))
		view->cut(view->data, (uint64_t)last);
	showing.asked.rests = call->rests;
	buf_init(&out, call->bytes_max);
	buf_init(&shown, call->bytes_max);
	/* Both fit, as mcp_cut_find() has tried this cut. */
	(void)mcp_shown_write(&shown, &cut, result, &showing.asked);
	(void)write_text(&out, &shown, &showing);
	put_content(writer, &out);
	json_put_raw(writer, "structuredContent", shown.data, shown.len);
	buf_finish(&out);
	buf_finish(&shown);
}

void mcp_tool_write_result(const struct mcp_run *run, const struct method *tool,
    struct json_writer *writer, const struct buf *json)
{
	struct mcp_call call = {
	    .mcp = run->mcp, .tool = tool, .bytes_max = MCP_RESULT_BYTES, .rests = run->rests};
	struct json_error error;
	const struct json *result = json_read(run->mcp->reader, buf_text(json), json->len, &error);
	if (result != NULL)
		put_result(&call, writer, result, json);
	else
		put_too_large(&call, writer, json);
}

/* Writes a result without the member structured if it only repeats text; else returns false. */
static bool write_once(struct buf *out, const struct mcp_call *call, const struct json *result)
{
	struct json_writer writer;
	if (result == NULL || !(call->tool->flags & METHOD_IMAGE) || !mcp_text_is_repeated(result))
		return false;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_each_member (m, result)
		if (strcmp(m->name, "structured") != 0)
			json_put_value(&writer, m->name, m);
	json_object_end(&writer);
	return !writer.is_cut;
}

static void on_error(void *data, struct json_writer *writer, enum message_error error,
    const char *text, const char *members);

/*
 * Fails a call whose answer does not fit the schema of its declaration or provider, because clients
 * would refuse the answer. Returns true if it has failed the call.
 */
static bool fails_misfit(
    struct mcp_call *call, struct json_writer *writer, const struct json *result, const char *json)
{
	const struct method *tool = call->tool;
	const char *schema = tool->flags & METHOD_IMAGE ? NULL : tool->result_schema;
	struct json_reader *reader;
	const struct json *value = NULL;
	struct json_error error;
	size_t len = strnlen(json, MISFIT_MAX);
	struct buf path = BUF(MISFIT_MAX);
	bool fits;
	char *text;
	if (schema == NULL || result == NULL)
		return false;
	reader = json_reader_new(strlen(schema));
	fits = field_schema_fits(
	    json_read(reader, schema, strlen(schema), &error), result, &path, &value);
	json_reader_free(reader);
	if (!fits) {
		text = xasprintf("%s: it has answered, but %s is %s, not of a type that its result "
				 "declares: %.*s%s",
		    tool->name, buf_text(&path), json_type_name(value->type),
		    (int)(len - utf8_incomplete_tail(json, len)), json,
		    json[len] != '\0' ? "…" : "");
		on_error(call, writer, MESSAGE_TOOL_FAILED, text, NULL);
		mem_free(text);
	}
	buf_finish(&path);
	return !fits;
}

static void on_result(void *data, struct json_writer *writer, const char *text, size_t len)
{
	struct mcp_call *call = data;
	struct json_error error;
	struct buf pending = BUF(LINE_BYTES), once = BUF(len + JSON_SPARE);
	struct buf json = {.data = (uint8_t *)(uintptr_t)text, .len = len};
	const struct json *result = json_read(call->mcp->reader, text, len, &error);
	if (fails_misfit(call, writer, result, text))
		return;
	if (result != NULL && mcp_pending_write(call->pending, result, &pending)) {
		json = pending;
		result =
		    json_read(call->mcp->reader, (const char *)pending.data, pending.len, &error);
	}
	if (write_once(&once, call, result)) {
		json = once;
		result = json_read(call->mcp->reader, (const char *)once.data, once.len, &error);
	}
	json_object_begin(writer, "result");
	if (call->is_modern)
		mcp_put_modern(writer);
	if (result != NULL && call->is_task)
		mcp_task_write_begun(call->mcp, call->log.request, writer, result);
	else if (result != NULL && call->tool->flags & METHOD_IMAGE && mcp_image_is_in(result))
		mcp_image_write(writer, result, call->bytes_max, call->rests);
	else if (result != NULL)
		put_result(call, writer, result, &json);
	else
		put_too_large(call, writer, &json);
	json_object_end(writer);
	json_reader_trim(call->mcp->reader);
	buf_finish(&pending);
	buf_finish(&once);
	mcp_log_call(&call->log, call->tool, NULL);
}

static void on_error(void *data, struct json_writer *writer, enum message_error error,
    const char *text, const char *members)
{
	struct mcp_call *call = data;
	const struct message_error_info *info = message_error_info(error);
	struct buf out = BUF(MCP_RESULT_BYTES), clean = BUF(2 * MCP_RESULT_BYTES);
	if (mcp_pending_write_released(call->pending, &out)) {
		on_result(call, writer, (const char *)out.data, out.len);
		buf_finish(&out);
		return;
	}
	if (call->is_task) {
		mcp_task_write_error(writer, error, text, members);
		mcp_log_call(&call->log, call->tool, text);
		buf_finish(&out);
		buf_finish(&clean);
		return;
	}
	mcp_advice_write(&out, call->mcp->daemon, call->tool, &call->tools, error, text);
	json_object_begin(writer, "result");
	json_put_bool(writer, "isError", true);
	(void)str_append_lines(&clean, out.data, out.len); /* is cut if it is too long */
	put_content(writer, &clean);
	buf_finish(&clean);
	if (call->is_modern)
		json_put_str(writer, "resultType", "complete");
	json_object_begin(writer, "_meta");
	if (call->is_modern)
		mcp_put_server_info(writer, MCP_META "serverInfo");
	json_object_begin(writer, "muxbus/error");
	json_put_int(writer, "code", info->code);
	json_put_str(writer, "kind", info->kind);
	if (members != NULL && *members)
		json_put_raw(writer, NULL, members, strlen(members));
	json_object_end(writer);
	json_object_end(writer);
	json_object_end(writer);
	buf_finish(&out);
	mcp_log_call(&call->log, call->tool, text);
}

static void on_narrow(void *data, struct request *request, void *args)
{
	struct mcp_call *call = data;
	if (call->tool->group != NULL) {
		((struct declaration_args *)args)->shown_bytes = call->bytes_max - AROUND_BYTES;
		return; /* a declared tool or provider limits its result itself */
	}
	mcp_advice_narrow(call->tool, args);
	mcp_pending_narrow(call->pending, request, args);
}

static void on_progress(void *data, const struct request_report *report)
{
	struct mcp_call *call = data;
	if (call->progress != NULL)
		mcp_progress_pass(call->progress, report);
}

static void on_finish(void *data)
{
	struct mcp_call *call = data;
	mcp_progress_free(call->progress);
	mcp_pending_free(call->pending);
	mem_free(call->arguments);
	mem_free(call);
}

/* Parameters that are ignored, as some agents add them to every schema. */
static const char *const ignored[] = {"wait_for_previous", NULL};
static const struct field_tolerance tolerance = {.ignored = ignored};

static const struct response_format response_format = {
    .tolerance = &tolerance,
    .narrow = on_narrow,
    .result = on_result,
    .error = on_error,
    .progress = on_progress,
    .finish = on_finish,
};

static const struct method *tool_of(const struct mcp_exchange *exchange)
{
	const struct json *name = json_member(exchange->params, "name");
	const struct dispatch_hooks *hooks = dispatch_hooks(exchange->mcp->dispatch);
	const struct method *method = NULL;
	if (name != NULL && name->type == JSON_STRING) {
		method = mcp_tool_named(name->text);
		if (method == NULL && hooks->foreign != NULL)
			method = hooks->foreign(hooks->route_data, name->text,
			    json_member(exchange->params, "arguments"));
	}
	return method != NULL && method->flags & METHOD_NO_TOOL ? NULL : method;
}

struct call_args {
	const char *name;
	const struct json *arguments;
};

static const struct field call_fields[] = {
    {FIELD_ROW(STRING, struct call_args, name, "name"), .flags = FIELD_REQUIRED},
    {FIELD_ROW(VALUE, struct call_args, arguments, "arguments")},
    {.name = NULL},
};

static void refuse_tool(struct request *request, const char *name)
{
	static const char data[] = "\"field\":\"name\"";
	const struct method *named = mcp_tool_named(name);
	const char *nearest = named != NULL ? named->name : mcp_tool_nearest(name);
	const struct method *close = nearest != NULL ? method_find(nearest) : NULL;
	if (close != NULL && close->flags & METHOD_NO_TOOL)
		request_fail_data(request, MESSAGE_PARAMS, data,
		    "%s is no tool, but for people and programs; `muxbus help %s` describes it",
		    close->name, close->name);
	else if (method_advice(name) != NULL)
		request_fail_data(request, MESSAGE_PARAMS, data, "there is no tool \"%s\": %s",
		    name, method_advice(name));
	else if (nearest != NULL)
		request_fail_data(request, MESSAGE_PARAMS, data,
		    "there is no tool \"%.100s\"; did you mean \"%s\"?", name, nearest);
	else
		request_fail_data(request, MESSAGE_PARAMS, data,
		    "there is no tool \"%.100s\"; tools/list shows those that exist", name);
}

static bool is_sized(const struct json *arguments)
{
	static const char *const names[] = {"history", "limit", "lines", "max_bytes", NULL};
	for (const char *const *name = names; arguments != NULL && *name != NULL; name++)
		if (json_member(arguments, *name) != NULL)
			return true;
	return false;
}

static void handle_call(struct mcp_exchange *exchange, const void *data)
{
	const struct call_args *args = data;
	struct request *request = exchange->request;
	const struct json *arguments = args->arguments;
	const struct method *tool = request_method(request);
	bool is_task = mcp_task_is_wanted(exchange);
	struct mcp_call *call;
	if (tool == NULL) {
		refuse_tool(request, args->name);
		return;
	}
	if (arguments != NULL && arguments->type != JSON_OBJECT) {
		request_fail_field(request, "arguments", "must be an object, not %s",
		    json_type_name(arguments->type));
		return;
	}
	if (is_task && !mcp_task_is_of(tool)) {
		request_fail(request, MESSAGE_METHOD,
		    "%s cannot be called as a task; run_long_command can", tool->name);
		return;
	}
	call = xcalloc(1, sizeof *call);
	*call = (struct mcp_call){.mcp = exchange->mcp,
	    .is_task = is_task,
	    .tool = tool,
	    .is_modern = exchange->is_modern,
	    .arguments = arguments != NULL ? json_text(arguments, ARGUMENTS_MAX + JSON_SPARE)
					   : xstrdup("{}"),
	    .tools = exchange->session->tools,
	    .bytes_max = is_sized(arguments) ? MCP_RESULT_MAX : MCP_RESULT_BYTES,
	    .rests = rest_set_of(exchange->request)};
	mcp_log_begin(&call->log, exchange);
	mcp_thread_bind(exchange);
	if (tool->flags & METHOD_WAITS) {
		call->progress =
		    mcp_progress_new(exchange->mcp, request, exchange->meta, tool->name);
		call->pending = mcp_pending_new(exchange->session, request);
	}
	request_set_format(request, &response_format, call,
	    tool->flags & METHOD_IMAGE
		? (size_t)exchange->mcp->daemon->config->limits.result_bytes + LINE_BYTES
		: LINE_BYTES);
	request_view(request)->bytes_max = call->bytes_max;
	dispatch_run(exchange->mcp->dispatch, request, arguments);
}

static void handle_list(struct mcp_exchange *exchange, const void *data)
{
	const struct mcp_list_args *args = data;
	const struct mcp_session *session = exchange->session;
	if (mcp_refuse_cursor(exchange, args->cursor))
		return;
	if (session->tools_reason != NULL) {
		request_fail_data(exchange->request, MESSAGE_PARAMS, "\"field\":\"tools\"", "%s",
		    session->tools_reason);
		return;
	}
	mcp_tool_write_list(mcp_cacheable_result(exchange, LIST_TTL_MS), &session->tools,
	    request_role(exchange->request), mcp_task_is_known(exchange));
	request_done(exchange->request);
}

const struct mcp_method mcp_methods_tool[] = {
    {.name = "tools/call", .fields = call_fields, .method = tool_of, .handle = handle_call},
    {.name = "tools/list", .fields = mcp_list_fields, .handle = handle_list},
    {.name = NULL},
};
