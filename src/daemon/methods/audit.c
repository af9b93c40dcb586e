/* SPDX-License-Identifier: ISC */
/* Past requests: get_action_history has the last ones, read_audit those that did more than read. */
#include "daemon/server/audit.h"

#include "daemon/methods/tables.h"
#include "daemon/server/action_history.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "io/loop_timer.h"
#include "wire/page.h"

enum { ACTIONS_MAX = 1000, LIMIT_MAX = ACTIONS_MAX };

struct audit_args {
	int64_t after;
	bool has_after;
	int64_t limit;
	const char *method;
	const char *pane;
	const char *since;
	double timeout_sec;
	bool verify;
};

static const struct field audit_fields[] = {
    {FIELD_ROW(INT, struct audit_args, after, "after"),
	.given_offset = offsetof(struct audit_args, has_after), .max = JSON_INT_MAX,
	.help = "Only those behind this number, the oldest first that fit the limit."},
    {FIELD_ROW(INT, struct audit_args, limit, "limit"), .min = 1, .max = LIMIT_MAX, .preset = "100",
	.help = "How many at most: the last ones, or with after the first."},
    {FIELD_ROW(STRING, struct audit_args, method, "method"), .min = 1, .max = 64,
	.help = "Only calls of this method."},
    {FIELD_ROW(STRING, struct audit_args, pane, "pane"), .min = 1, .max = 64,
	.help = "Only calls from this pane, or that name it, such as \"%3\"; also of a pane that "
		"is gone."},
    {FIELD_ROW(STRING, struct audit_args, since, "since"), .min = 1, .max = 64,
	.help = "Only those since this time, such as \"2026-11-25T20:00:00Z\"."},
    {FIELD_ROW(NUMBER, struct audit_args, timeout_sec, "timeout_sec"), .unit = "s", .max = 86400,
	.preset = "0", .help = "With after: wait so long for the next one, whatever it is."},
    {FIELD_ROW(BOOL, struct audit_args, verify, "verify"), .preset = "false",
	.help = "Compute the chain of hashes of all lines that are kept."},
    {.name = NULL},
};

static const struct field_result audit_results[] = {
    {"actions", "array", "the requests, oldest first"},
    {"actions[].n", "integer", "the number"},
    {"actions[].time", "string", "when it was recorded, before its effect"},
    {"actions[].pid", "integer", "the process that connected"},
    {"actions[].start", "integer", "when that started, in clock ticks since boot"},
    {"actions[].uid", "integer", "its user"},
    {"actions[].program", "string", "its name"},
    {"actions[].pane", "string", "its pane, if it is in one"},
    {"actions[].role", "string", "its role: full, own_panes or read_only"},
    {"actions[].method", "string", "the method"},
    {"actions[].target", "string", "the object that the parameters name"},
    {"actions[].bytes", "integer", "the size of the parameters as JSON"},
    {"actions[].hash", "string",
	"their keyed hash: equal parameters have equal ones on this server"},
    {"actions[].params", "string",
	"the parameters as JSON, cut; of texts, and of all for declared tools and providers, the "
	"size; not for the role read_only"},
    {"actions[].outcome", "string|null",
	"done, or the kind of the error; null: not answered, or the daemon was killed meanwhile"},
    {"actions[].duration_ms", "integer", "how long the answer took"},
    {"actions[].counted", "boolean",
	"true: further refusals of this user and role are counted in this minute, without an "
	"entry"},
    {"actions[].unwritten", "integer",
	"so many refusals of this user and role had no entry: this is the one for all"},
    {"actions[].missed", "integer", "requests before it that could not be recorded"},
    {"last", "integer",
	"the number to go on after: of the last request, or of the last of these if others follow"},
    {"more", "boolean", "whether others follow that the answer does not hold: ask again"},
    {"chain", "string", "with verify: whole, or broken"},
    {"broken_line", "integer",
	"with verify: the first line that is wrong or has lines missing before it, from 1"},
    {NULL, NULL, NULL},
};

struct found {
	const char *line, *end;
	const char *outcome; /* NULL: none is recorded */
};

struct search {
	const struct audit_args *args;
	const char *method; /* the method to find, by its main name; NULL: all */
	int64_t since_ms;
	bool shows_params; /* false: params are left out, as audit=full writes texts into them */
	struct json_reader *reader;
	struct map outcomes; /* the lines with outcomes, by the number of their request */
	struct found found[ACTIONS_MAX];
	size_t count;
};

static bool is_meant(const struct search *search, const struct json *entry)
{
	const struct audit_args *args = search->args;
	return json_get_int(entry, "n", 0) > args->after &&
	    json_get_int(entry, "time", 0) >= search->since_ms &&
	    (search->method == NULL ||
		strcmp(json_get_str(entry, "method", ""), search->method) == 0) &&
	    (args->pane == NULL || strcmp(json_get_str(entry, "pane", ""), args->pane) == 0 ||
		strcmp(json_get_str(entry, "target", ""), args->pane) == 0);
}

/* Takes a line. The search goes backwards, so an outcome is found before its request. */
static void take(struct search *search, const char *line, const char *end)
{
	struct json_error error;
	const struct json *entry;
	struct found *found;
	int64_t number;
	bool is_outcome = strncmp(line, "{\"of\":", 6) == 0;
	if ((!is_outcome && strncmp(line, "{\"n\":", 5) != 0) ||
	    (entry = json_read(search->reader, line, (size_t)(end - line), &error)) == NULL)
		return;
	number = json_get_int(entry, is_outcome ? "of" : "n", 0);
	if (is_outcome) {
		(void)map_set(&search->outcomes, (uint64_t)number, (void *)(uintptr_t)line);
		return;
	}
	if (!is_meant(search, entry))
		return;
	/* The newest lines come first. "after" wants the oldest: drop found[0], the newest. */
	if (search->count == (size_t)search->args->limit && search->args->has_after) {
		memmove(&search->found[0], &search->found[1],
		    (search->count - 1) * sizeof search->found[0]);
		search->count--;
	}
	if (search->count == (size_t)search->args->limit)
		return;
	found = &search->found[search->count++];
	*found = (struct found){
	    .line = line, .end = end, .outcome = map_get(&search->outcomes, (uint64_t)number)};
}

static void search_back(struct search *search, const char *text, size_t len)
{
	const char *end = text + len;
	while (end > text) {
		const char *line = memrchr(text, '\n', (size_t)(end - 1 - text));
		line = line != NULL ? line + 1 : text;
		if (end[-1] == '\n')
			take(search, line, end - 1);
		if (search->count == (size_t)search->args->limit && !search->args->has_after)
			return;
		end = line;
	}
}

static void put(struct json_writer *writer, struct search *search, const struct found *found)
{
	static const char *const others[] = {"chain", "time", "of", "ms", NULL};
	struct json_error error;
	const struct json *entry =
	    json_read(search->reader, found->line, (size_t)(found->end - found->line), &error);
	bool has_outcome = json_member(entry, "outcome") != NULL;
	json_object_begin(writer, NULL);
	json_each_member (m, entry)
		if (!str_is_in(m->name, others) &&
		    (search->shows_params || strcmp(m->name, "params") != 0))
			json_put_value(writer, m->name, m);
	json_put_time(writer, "time", json_get_int(entry, "time", 0));
	if (found->outcome != NULL) {
		entry = json_read(
		    search->reader, found->outcome, strcspn(found->outcome, "\n"), &error);
		json_put_str(writer, "outcome", json_get_str(entry, "outcome", ""));
		json_put_int(writer, "duration_ms", json_get_int(entry, "ms", 0));
	} else if (!has_outcome) {
		json_put_null(writer, "outcome");
	}
	json_object_end(writer);
}

/* Checks the parameter method. A method that is gone is accepted while it has entries. */
static bool check_method(struct request *request, const char *name, const struct buf *text)
{
	char member[96];
	(void)snprintf(member, sizeof member, "\"method\":\"%s\"", name);
	return method_find(name) != NULL || strstr(buf_text(text), member) != NULL ||
	    methods_fail_unknown(request, name);
}

static void answer(struct request *request, const struct audit_args *args)
{
	const struct audit_log *audit = request_daemon(request)->audit;
	struct json_writer *writer;
	static struct search search;
	int64_t last = (int64_t)audit_last(audit), shown = last;
	struct page page;
	struct buf text = BUF(2 * AUDIT_FILE_MAX);
	size_t broken;
	bool is_full, is_read;
	const struct method *named = args->method != NULL ? method_find(args->method) : NULL;
	search.args = args;
	search.method = named != NULL ? named->name : args->method;
	search.count = 0;
	search.shows_params = request_role(request) != ROLE_READ_ONLY;
	search.since_ms = args->since != NULL ? clock_parse(args->since) : 0;
	is_read = audit_read(audit, &text) >= 0;
	if (!is_read)
		request_fail(
		    request, MESSAGE_INTERNAL, "the audit cannot be read: %s", strerror(errno));
	if (!is_read || (args->method != NULL && !check_method(request, args->method, &text))) {
		buf_finish(&text);
		return;
	}
	search.reader = json_reader_new(AUDIT_LINE_MAX);
	map_init(&search.outcomes);
	search_back(&search, (const char *)text.data, text.len);
	writer = request_result(request);
	is_full = args->has_after && search.count == (size_t)args->limit;
	page_begin(&page, writer, "actions",
	    (size_t)request_daemon(request)->config->limits.result_bytes, 0, LIMIT_MAX);
	while (search.count > 0 && page_takes(&page)) {
		put(writer, &search, &search.found[search.count - 1]);
		if (page_keeps(&page))
			shown = strtoll(
			    search.found[--search.count].line + strlen("{\"n\":"), NULL, 10);
	}
	json_array_end(writer);
	is_full = page.has_more || (is_full && shown < last);
	json_put_int(writer, "last", is_full ? shown : last);
	json_put_bool(writer, "more", is_full);
	if (args->verify) {
		broken = audit_verify(audit, (const char *)text.data, text.len);
		json_put_str(writer, "chain", broken == 0 ? "whole" : "broken");
		if (broken != 0)
			json_put_int(writer, "broken_line", (int64_t)broken);
	}
	map_finish(&search.outcomes);
	json_reader_free(search.reader);
	buf_finish(&text);
	request_done(request);
}

struct audit_wait {
	struct audit_listener listener;
	struct request *request;
	struct loop_timer *timer;
	struct audit_args args;
};

static void wait_free(void *data)
{
	struct audit_wait *wait = data;
	list_remove(&wait->listener.link);
	loop_timer_free(wait->timer);
	mem_free((char *)(uintptr_t)wait->args.method);
	mem_free((char *)(uintptr_t)wait->args.pane);
	mem_free((char *)(uintptr_t)wait->args.since);
	mem_free(wait);
}

static void on_timer(void *data)
{
	struct audit_wait *wait = data;
	answer(wait->request, &wait->args);
	wait_free(wait);
}

static void on_written(struct audit_listener *listener)
{
	loop_timer_wake(list_entry(listener, struct audit_wait, listener)->timer);
}

static const char *copy(const char *text)
{
	return text != NULL ? xstrdup(text) : NULL;
}

static void handle_audit(struct request *request, const void *data)
{
	const struct audit_args *args = data;
	struct audit_log *audit = request_daemon(request)->audit;
	struct audit_wait *wait;
	if (args->since != NULL && clock_parse(args->since) == 0) {
		(void)request_fail_field(
		    request, "since", "must be a time such as 2026-11-25T20:00:00Z");
		return;
	}
	if (audit == NULL) {
		request_fail(request, MESSAGE_NOT_READY, "there is no audit: -o audit=off");
		return;
	}
	if (args->timeout_sec <= 0 || audit_last(audit) > (uint64_t)args->after) {
		answer(request, args);
		return;
	}
	wait = xcalloc(1, sizeof *wait);
	*wait =
	    (struct audit_wait){.listener.written = on_written, .request = request, .args = *args};
	wait->args.method = copy(args->method);
	wait->args.pane = copy(args->pane);
	wait->args.since = copy(args->since);
	wait->timer = loop_timer_new(request_daemon(request)->base, on_timer, wait);
	audit_listen(audit, &wait->listener);
	request_on_cancel(request, wait_free, wait, NULL);
	loop_timer_arm(wait->timer, clock_seconds_to_ms(args->timeout_sec));
}

struct history_args {
	int64_t limit;
	bool is_mine;
};

static const struct field history_fields[] = {
    {FIELD_ROW(INT, struct history_args, limit, "limit"), .min = 1, .max = HISTORY_KEEP,
	.preset = "20", .help = "How many at most."},
    {FIELD_ROW(BOOL, struct history_args, is_mine, "mine"), .preset = "false",
	.help = "Only those of the program that asks, by its process."},
    {.name = NULL},
};

static const struct field_result history_results[] = {
    {"actions", "array", "the last requests, newest first"},
    {"actions[].time", "string", "when it was accepted"},
    {"actions[].method", "string", "what was asked"},
    {"actions[].peer_pid", "integer", "who asked"},
    {"actions[].params", "string",
	"with what, as JSON, cut after 300 bytes; of text, keys, commands, standard input, "
	"environments and parameters of declared tools that are not plain the size only"},
    {"actions[].outcome", "string|null", "done, or the kind of the error; null: not answered yet"},
    {"actions[].message", "string", "what the error said"},
    {"actions[].result", "string",
	"the first 80 bytes of the result as JSON; the size only, if it shows what programs print"},
    {"actions[].duration_ms", "integer", "how long the answer took"},
    {NULL, NULL, NULL},
};

static void handle_history(struct request *request, const void *data)
{
	const struct history_args *args = data;
	const struct peer *peer = request_peer(request);
	history_write(request_daemon(request)->history, request_result(request),
	    (size_t)args->limit, args->is_mine && peer != NULL ? peer_pid(peer) : 0,
	    args->is_mine || request_role(request) != ROLE_READ_ONLY);
	request_done(request);
}

const struct method methods_audit[] = {
    {.name = METHOD("get_action_history", METHOD_READS | METHOD_SEES),
	.title = "Look back",
	.summary = "Lists the last requests to the daemon, who made them, and their outcomes.",
	.help =
	    "Calls of describe, list_hosts, ping, progress, publish, read_audit, read_rest and "
	    "retry_hosts are not kept. The role read_only gets no params, message and result of "
	    "others.",
	METHOD_CALL(handle_history, history_args, history_fields, history_results),
	.flags = METHOD_LOOKS_ITSELF | METHOD_OPEN_WORLD,
	.example = "{\"limit\":5}"},
    {.name = METHOD("read_audit", METHOD_READS | METHOD_SEES),
	.title = "Read the audit",
	.summary = "Lists the requests that did more than read, from the file that outlives the "
		   "daemon.",
	.help =
	    "Each was written before its effect, by a chain of hashes. muxbusd(8) says how long "
	    "it is kept. get_action_history has the last requests that only read, too.",
	METHOD_CALL(handle_audit, audit_args, audit_fields, audit_results),
	.flags = METHOD_OPEN_WORLD | METHOD_WAITS | METHOD_WITHOUT_TMUX | METHOD_UNNOTED,
	.example = "{\"limit\":5,\"verify\":true}"},
    {.name = NULL},
};
