/* SPDX-License-Identifier: ISC */
/* MCP resources: their forms of URI, listing and reading them. */
#include "daemon/mcp/mcp_exchange.h"

#include "daemon/event/event_log.h"
#include "daemon/job/job.h"
#include "daemon/mcp/mcp_shown.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/rest.h"

#define SCHEME "muxbus://"
#define PAGE 100 /* maximum number of resources in one answer */
#define ID_MAX 32 /* bytes of the value of a variable, with its NUL */
#define LIST_TTL_MS 0 /* resources change at any time */
#define TEXT "text/plain"
#define JSON "application/json"

#define BIT(kind) ((uint64_t)1 << (kind))
/* Events that change the list of panes. tmux announces them, so nothing is polled. */
#define PANE_KINDS                                                                                \
	(BIT(EVENT_PANE_CREATED) | BIT(EVENT_PANE_CLOSED) | BIT(EVENT_PANE_MOVED) |               \
	    BIT(EVENT_LAYOUT_CHANGED) | BIT(EVENT_ACTIVE_PANE_CHANGED) |                          \
	    BIT(EVENT_SESSION_CREATED) | BIT(EVENT_SESSION_CLOSED) | BIT(EVENT_SESSION_RENAMED) | \
	    BIT(EVENT_WINDOW_RENAMED))
#define SERVER_KINDS (BIT(EVENT_SERVER_LOST) | BIT(EVENT_SERVER_FOUND))
#define NOTE_KINDS (BIT(EVENT_NOTIFICATION) | BIT(EVENT_DELIVERY))

/* A form of URIs: a beginning, the value of a variable, and an end. */
static const struct form {
	const char *begin; /* the text after SCHEME */
	const char *variable; /* name of the variable between begin and end; NULL: none */
	const char *end;
	const char *title;
	const char *help;
	const char *mime;
	const char *method; /* the method that reads the resource */
	const char *params; /* as JSON, up to the variable */
	const char *params_end; /* after the variable */
	uint64_t kinds;
	bool has_output;
	bool has_jobs;
} forms[] = {
    {"jobs", NULL, "", "Background jobs", "Running jobs, and the last ended ones.", JSON,
	"list_jobs", "{}", "", 0, false, true},
    {"notifications", NULL, "", "Notifications", "The latest notifications.", JSON,
	"list_notifications", "{}", "", NOTE_KINDS, false, false},
    {"panes", NULL, "", "Panes", "All panes of the tmux server.", JSON, "list_panes", "{}", "",
	PANE_KINDS | SERVER_KINDS, false, false},
    {"status", NULL, "", "Status", "State of the daemon and of tmux.", JSON, "status", "{}", "",
	SERVER_KINDS, false, false},
    {"jobs/", "job", "", "A job", "State of one background job.", JSON, "get_job", "{\"job\":\"",
	"\"}", 0, false, true},
    {"jobs/", "job", "/output", "A job's output", "The beginning of its output.", TEXT, "read_job",
	"{\"job\":\"", "\",\"max_bytes\":16000}", 0, false, true},
    {"notifications/", "id", "", "A notification", "The notification of a request.", JSON,
	"next_notification", "{\"filter\":{\"id\":\"", "\"},\"timeout_sec\":0}", NOTE_KINDS, false,
	false},
    {"panes/", "pane", "/console", "Console of the browser",
	"The last lines of the console of the pane's browser; text of strangers.", JSON,
	"execute_browser", "{\"action\":\"console\",\"pane\":\"%", "\"}", 0, false, false},
    {"panes/", "pane", "/network", "Network of the browser",
	"The last requests of the pane's browser; text of strangers.", JSON, "execute_browser",
	"{\"action\":\"network\",\"pane\":\"%", "\"}", 0, false, false},
    {"panes/", "pane", "", "A pane", "Its text now; 3 and %253 stand for %3.", TEXT, "capture_pane",
	"{\"pane\":\"%", "\"}", BIT(EVENT_PANE_CLOSED) | BIT(EVENT_PANE_EXITED), true, false},
};

#define FORMS_COUNT (sizeof forms / sizeof *forms)

static bool is_id(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'A' && text[i] <= 'Z') ||
			(text[i] >= 'a' && text[i] <= 'z')))
			return false;
	return len > 0 && len < ID_MAX;
}

/* Returns the text without the sigil of a pane, "%" or percent-encoded "%25", if it has one. */
static const char *skip_sigil(const struct form *form, const char *rest)
{
	bool is_pane = form->variable != NULL && strcmp(form->variable, "pane") == 0;
	if (!is_pane || *rest != '%')
		return rest;
	return strncmp(rest, "%25", 3) == 0 && rest[3] != '\0' ? rest + 3 : rest + 1;
}

static const struct form *find_form(const char *uri, char id[ID_MAX])
{
	if (strncmp(uri, SCHEME, strlen(SCHEME)) != 0)
		return NULL;
	uri += strlen(SCHEME);
	for (const struct form *form = forms; form < forms + FORMS_COUNT; form++) {
		size_t begin = strlen(form->begin);
		const char *rest;
		size_t len;
		if (strncmp(uri, form->begin, begin) != 0)
			continue;
		rest = skip_sigil(form, uri + begin);
		len = form->variable != NULL ? strcspn(rest, "/") : 0;
		if (strcmp(rest + len, form->end) != 0 ||
		    (form->variable != NULL && !is_id(rest, len)))
			continue;
		memcpy(id, rest, len);
		id[len] = '\0';
		return form;
	}
	return NULL;
}

bool mcp_resource_change(const char *uri, struct mcp_change *ret_change)
{
	char id[ID_MAX];
	const struct form *form = find_form(uri, id);
	if (form == NULL)
		return false;
	*ret_change = (struct mcp_change){.kinds = form->kinds,
	    .pane = MUXBUS_NO_ID,
	    .has_output = form->has_output,
	    .has_jobs = form->has_jobs};
	return !form->has_output || str_parse_u32(id, strlen(id), &ret_change->pane);
}

void mcp_resource_list_change(struct mcp_change *ret_change)
{
	*ret_change = (struct mcp_change){
	    .kinds = BIT(EVENT_PANE_CREATED) | BIT(EVENT_PANE_CLOSED) | SERVER_KINDS,
	    .pane = MUXBUS_NO_ID,
	    .has_jobs = true};
}

struct resource_page {
	struct json_writer *writer;
	size_t count;
	bool has_more;
	char cursor[MCP_CURSOR_SIZE]; /* the last listed entry: a pane, or a job */
};

static bool begin_entry(struct resource_page *page, const char *name)
{
	page->has_more = page->count++ == PAGE;
	if (page->has_more)
		return false;
	json_object_begin(page->writer, NULL);
	json_put_str(page->writer, "name", name);
	return true;
}

static void put_form(struct json_writer *writer, const struct form *form)
{
	json_put_str(writer, "title", form->title);
	json_put_str(writer, "description", form->help);
	json_put_str(writer, "mimeType", form->mime);
}

static bool put_thing(struct resource_page *page, const char *kind, const char *id,
    const char *uri_id, const char *called, const char *mime)
{
	char name[64];
	char uri[MCP_URI_MAX];
	struct buf title;
	(void)snprintf(name, sizeof name, "%s %s", kind, id);
	if (!begin_entry(page, name))
		return false;
	(void)snprintf(uri, sizeof uri, SCHEME "%ss/%s", kind, uri_id);
	buf_init(&title, 512);
	(void)buf_printf(&title, "%s: ", name);
	(void)str_append_visible(&title, called, strnlen(called, 60));
	json_put_str(page->writer, "uri", uri);
	(void)json_put_text(page->writer, "title", title.data, title.len);
	json_put_str(page->writer, "mimeType", mime);
	json_object_end(page->writer);
	buf_finish(&title);
	return true;
}

/* Returns the pane with the next higher id, so that a cursor stays valid if panes close or move. */
static const struct muxbus_pane *next_pane(const struct muxbus_model *model, int64_t id)
{
	const struct muxbus_pane *pane = NULL, *next = NULL;
	while (model != NULL && (pane = muxbus_model_next_pane(model, pane)) != NULL)
		if (pane->id > id && (next == NULL || pane->id < next->id))
			next = pane;
	return next;
}

static void put_panes(struct resource_page *page, const struct muxbus_model *model, int64_t behind)
{
	const struct muxbus_pane *pane;
	char id[16];
	for (; (pane = next_pane(model, behind)) != NULL; behind = pane->id) {
		(void)snprintf(id, sizeof id, "%%%u", (unsigned)pane->id);
		if (!put_thing(
			page, "pane", id, id + 1, pane->command != NULL ? pane->command : "", TEXT))
			return;
		(void)snprintf(page->cursor, sizeof page->cursor, "%s", id);
	}
}

static void put_jobs(struct resource_page *page, const struct job_set *jobs, const struct job *job)
{
	for (; job != NULL; job = job_next(jobs, job)) {
		if (job->is_silent)
			continue;
		if (!put_thing(page, "job", job->id, job->id,
			job->name != NULL ? job->name : job->command, JSON))
			return;
		mcp_task_cursor(job, page->cursor);
	}
}

static void put_lists(struct resource_page *page)
{
	for (size_t i = 0; i < FORMS_COUNT; i++) {
		char uri[MCP_URI_MAX];
		if (forms[i].variable != NULL || !begin_entry(page, forms[i].begin))
			continue;
		(void)snprintf(uri, sizeof uri, SCHEME "%s", forms[i].begin);
		json_put_str(page->writer, "uri", uri);
		put_form(page->writer, &forms[i]);
		json_object_end(page->writer);
	}
}

static bool find_page(
    const struct daemon *daemon, const char *cursor, int64_t *ret_pane, const struct job **ret_job)
{
	uint32_t pane;
	bool is_pane = cursor != NULL && str_parse_id(cursor, strlen(cursor), '%', &pane);
	*ret_job = daemon->jobs != NULL ? job_next(daemon->jobs, NULL) : NULL;
	*ret_pane = is_pane ? (int64_t)pane : -1;
	return cursor == NULL || is_pane ||
	    (daemon->jobs != NULL && mcp_task_behind(daemon->jobs, cursor, ret_job));
}

static void write_list(struct json_writer *writer, const struct mcp_run *run,
    const char *result UNUSED, size_t len UNUSED)
{
	const struct daemon *daemon = run->mcp->daemon;
	struct resource_page page = {.writer = writer};
	const struct job *job;
	int64_t pane;
	if (run->is_modern)
		mcp_put_cacheable(writer, LIST_TTL_MS);
	json_array_begin(writer, "resources");
	(void)find_page(daemon, run->text, &pane, &job);
	if (run->text == NULL)
		put_lists(&page);
	if (daemon->tmux != NULL && (run->text == NULL || pane >= 0))
		put_panes(&page, tmux_model(daemon->tmux), pane);
	if (!page.has_more)
		put_jobs(&page, daemon->jobs, job);
	json_array_end(writer);
	if (page.has_more)
		json_put_str(writer, "nextCursor", page.cursor);
}

static void handle_list(struct mcp_exchange *exchange, const void *data)
{
	const struct mcp_list_args *args = data;
	const struct job *job;
	int64_t pane;
	if (request_method(exchange->request) == NULL ||
	    !find_page(exchange->mcp->daemon, args->cursor, &pane, &job))
		(void)mcp_refuse_cursor(exchange, args->cursor != NULL ? args->cursor : "");
	else
		mcp_run_fresh(exchange, write_list, args->cursor);
}

static void handle_templates(struct mcp_exchange *exchange, const void *data)
{
	const struct mcp_list_args *args = data;
	struct json_writer *writer;
	if (mcp_refuse_cursor(exchange, args->cursor))
		return;
	writer = mcp_cacheable_result(exchange, 3600000);
	json_array_begin(writer, "resourceTemplates");
	for (size_t i = 0; i < FORMS_COUNT; i++) {
		char text[MCP_URI_MAX];
		const struct method *method = method_find(forms[i].method);
		if (forms[i].variable == NULL || method == NULL || method->flags & METHOD_HIDDEN)
			continue; /* the method that reads it cannot run here */
		json_object_begin(writer, NULL);
		(void)snprintf(text, sizeof text, "%s%s%s", forms[i].variable,
		    *forms[i].end ? "-" : "", forms[i].end + (*forms[i].end != '\0'));
		json_put_str(writer, "name", text);
		(void)snprintf(text, sizeof text, SCHEME "%s{%s}%s", forms[i].begin,
		    forms[i].variable, forms[i].end);
		json_put_str(writer, "uriTemplate", text);
		put_form(writer, &forms[i]);
		json_object_end(writer);
	}
	json_array_end(writer);
	request_done(exchange->request);
}

static bool write_json(struct buf *out, const struct mcp_cut *cut, void *data)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	mcp_cut_write(cut, &writer, NULL, data);
	return !writer.is_cut;
}

static bool write_text(struct buf *out, const struct mcp_cut *cut, void *data)
{
	const struct json *text = json_member(data, "text");
	size_t len;
	const char *shown = text != NULL ? mcp_cut_string(cut, text, &len) : NULL;
	return shown != NULL && str_append_lines(out, shown, len) == 0;
}

static void put_content(
    const struct mcp_run *run, struct json_writer *writer, const char *mime, const struct buf *text)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "uri", run->text);
	json_put_str(writer, "mimeType", mime);
	(void)json_put_text(
	    writer, "text", text->len > 0 ? (const void *)text->data : "", text->len);
	json_object_end(writer);
}

static void put_rest(const struct mcp_run *run, struct json_writer *writer,
    const struct mcp_cut *cut, const struct json *result)
{
	struct mcp_asked asked = {.rests = run->rests};
	struct buf text = BUF(1024);
	(void)buf_append_str(&text, "Truncated. ");
	mcp_shown_put_rest(&text, cut, result, &asked);
	put_content(run, writer, TEXT, &text);
	buf_finish(&text);
}

static void write_contents(
    struct json_writer *writer, const struct mcp_run *run, const char *text, size_t len)
{
	char id[ID_MAX];
	const struct form *form = find_form(run->text, id);
	struct json_error error;
	struct buf out = BUF(MCP_RESULT_MAX);
	struct mcp_cut cut = {.keeps_end = true};
	const struct json *result = json_read(run->mcp->reader, text, len, &error);
	mcp_cut_writer *write = strcmp(form->mime, TEXT) == 0 ? write_text : write_json;
	if (result != NULL &&
	    mcp_cut_find(&cut, result, MCP_RESULT_MAX, write, (void *)(uintptr_t)result))
		(void)write(&out, &cut, (void *)(uintptr_t)result);
	if (run->is_modern)
		mcp_put_cacheable(writer, 0);
	json_array_begin(writer, "contents");
	put_content(run, writer, form->mime, &out);
	if (result != NULL && cut.is_needed)
		put_rest(run, writer, &cut, result);
	json_array_end(writer);
	json_reader_trim(run->mcp->reader);
	buf_finish(&out);
}

static void fail_reading(struct json_writer *writer, const struct mcp_run *run,
    enum message_error error, const char *text, const char *members)
{
	bool is_missing = error >= MESSAGE_NO_SUCH_PANE && error <= MESSAGE_NO_SUCH_SUBSCRIPTION;
	const struct message_error_info *info = message_error_info(error);
	int code = info->code;
	if (is_missing)
		code = message_error_info(run->is_modern ? MESSAGE_PARAMS : MESSAGE_RESOURCE)->code;
	json_object_begin(writer, "error");
	json_put_int(writer, "code", code);
	json_put_str(writer, "message", text);
	json_object_begin(writer, "data");
	json_put_str(writer, "kind", info->kind);
	json_put_str(writer, "uri", run->text);
	if (members != NULL && *members)
		json_put_raw(writer, NULL, members, strlen(members));
	json_object_end(writer);
	json_object_end(writer);
}

const struct field mcp_uri_fields[] = {
    {FIELD_ROW(STRING, struct mcp_uri_args, uri, "uri"), .flags = FIELD_REQUIRED,
	.max = MCP_URI_MAX},
    {.name = NULL},
};

static const struct method *method_of(const struct mcp_exchange *exchange)
{
	char id[ID_MAX];
	const char *uri = json_get_str(exchange->params, "uri", NULL);
	const struct form *form = uri != NULL ? find_form(uri, id) : NULL;
	return form != NULL ? method_find(form->method) : NULL;
}

void mcp_resource_refuse(struct mcp_exchange *exchange, const char *uri)
{
	struct buf data;
	struct json_writer writer;
	json_start(&writer, &data, MCP_URI_MAX * 6 + 64);
	json_put_str(&writer, "uri", uri);
	request_fail_data(exchange->request,
	    exchange->is_modern ? MESSAGE_PARAMS : MESSAGE_RESOURCE, (const char *)data.data,
	    "no resource has this URI; resources/list and resources/templates/list have the "
	    "resources");
	buf_finish(&data);
}

static void handle_read(struct mcp_exchange *exchange, const void *data)
{
	const struct mcp_uri_args *args = data;
	struct json_error error;
	char id[ID_MAX];
	char params[MCP_URI_MAX];
	const struct form *form = find_form(args->uri, id);
	if (form == NULL || request_method(exchange->request) == NULL) {
		mcp_resource_refuse(exchange, args->uri);
		return;
	}
	(void)snprintf(params, sizeof params, "%s%s%s", form->params, id, form->params_end);
	mcp_run(exchange,
	    &(struct mcp_run){.write = write_contents, .fail = fail_reading, .text = args->uri},
	    json_read(exchange->mcp->params_reader, params, strlen(params), &error));
}

const struct mcp_method mcp_methods_resource[] = {
    {.name = "resources/list",
	.fields = mcp_list_fields,
	.runs = "list_panes",
	.handle = handle_list},
    {.name = "resources/read",
	.fields = mcp_uri_fields,
	.method = method_of,
	.handle = handle_read},
    {.name = "resources/templates/list", .fields = mcp_list_fields, .handle = handle_templates},
    {.name = NULL},
};
