/* SPDX-License-Identifier: ISC */
/* Methods of providers: provide, progress, publish, list_providers. */
#include "daemon/provide/provide.h"
#include "daemon/event/event_log.h"
#include "daemon/methods/tables.h"
#include "daemon/provide/provide_exchange.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/tool/tool_folder.h"

/* Returns NULL after failing the request, as in a fleet, which has no providers. */
static struct provide_set *find_set(struct request *request)
{
	struct provide_set *set = request_daemon(request)->provides;
	if (set != NULL && request_peer(request) != NULL)
		return set;
	request_fail(
	    request, MESSAGE_REFUSED, "only a peer of the daemon of a tmux server is a provider");
	return NULL;
}

struct provide_args {
	const struct json *methods;
	const struct json *events;
	const struct json *calls;
};

static const struct field provide_fields[] = {
    {FIELD_ROW(VALUE, struct provide_args, methods, "methods"),
	.shape = "\"type\":\"array\",\"items\":{\"type\":\"object\"}",
	.help = "The rows; PROVIDERS has their members. They replace all that the peer gave "
		"before. The program of a provider's file may leave them out; muxbus-tools then "
		"takes no more calls."},
    {FIELD_ROW(VALUE, struct provide_args, events, "events"),
	.shape = "\"type\":\"array\",\"items\":{\"type\":\"object\"}",
	.help = "Kinds of events that the peer publishes: kind and summary of each."},
    {FIELD_ROW(VALUE, struct provide_args, calls, "calls"),
	.shape = "\"type\":\"array\",\"items\":{\"type\":\"object\"}",
	.help = "Of muxbus-tools: the calls of an earlier daemon that its server has, id and kept "
		"of each."},
    {.name = NULL},
};

static const struct field_result provide_results[] = {
    {"methods", "array", "the names of the methods that the peer provides now"},
    {NULL, NULL, NULL},
};

static bool check_array(struct request *request, const char *name, const struct json *value)
{
	return value == NULL || value->type == JSON_ARRAY ||
	    request_fail_field(
		request, name, "must be an array, not %s", json_type_name(value->type));
}

/* Fails the request. The text about a wrong parameter begins with the name of the parameter. */
static void fail(struct request *request, const struct tool_failure *failure)
{
	char data[64];
	(void)snprintf(data, sizeof data, "\"field\":\"%.*s\"",
	    (int)strspn(failure->text, "abcdefghijklmnopqrstuvwxyz"), failure->text);
	request_fail_data(request, failure->error, failure->error == MESSAGE_PARAMS ? data : NULL,
	    "%s", failure->text);
}

static void handle_provide(struct request *request, const void *data)
{
	const struct provide_args *args = data;
	struct peer *peer = request_peer(request);
	struct provide_set *set = find_set(request);
	struct tool_failure failure;
	if (set == NULL || !check_array(request, "methods", args->methods) ||
	    !check_array(request, "events", args->events) ||
	    !check_array(request, "calls", args->calls))
		return;
	if (provide_is_unknown(set, peer) && dispatch_put_off_until(request, provide_await, set))
		return;
	if (!provide_take(set, peer, args->methods, args->events, &failure)) {
		fail(request, &failure);
		return;
	}
	json_array_begin(request_result(request), "methods");
	provide_write_names(set, peer, request_result(request));
	json_array_end(request_result(request));
	provide_exchange_take_up_all(request, args->calls);
	request_done(request);
	provide_resume(set, peer);
}

struct progress_args {
	const char *id;
	struct request_report report;
};

static const struct field progress_fields[] = {
    {FIELD_ROW(STRING, struct progress_args, id, "id"), .flags = FIELD_REQUIRED, .max = 64,
	.help = "The id of the call."},
    {FIELD_ROW(STRING, struct progress_args, report.text, "text"), .flags = FIELD_CONFIDENTIAL,
	.max = 2000, .help = "A line for people."},
    {FIELD_ROW(NUMBER, struct progress_args, report.done, "done"),
	.given_offset = offsetof(struct progress_args, report.has_done),
	.help = "How much is done."},
    {FIELD_ROW(NUMBER, struct progress_args, report.of, "of"),
	.given_offset = offsetof(struct progress_args, report.has_of),
	.help = "How much there is."},
    {.name = NULL},
};

static const struct field_result no_results[] = {{NULL, NULL, NULL}};

static void handle_progress(struct request *request, const void *data)
{
	const struct progress_args *args = data;
	const struct provide_set *set = find_set(request);
	if (set == NULL)
		return;
	provide_exchange_progress(set, request_peer(request), args->id, &args->report);
	request_done(request);
}

struct publish_args {
	const char *kind;
	const char *pane;
	const struct json *data;
};

static const struct field publish_fields[] = {
    {FIELD_ROW(STRING, struct publish_args, kind, "kind"), .flags = FIELD_REQUIRED, .min = 1,
	.max = DECLARATION_NAME_MAX,
	.help = "A kind of the provider's own; the first event of a new kind takes it."},
    {FIELD_ROW(VALUE, struct publish_args, data, "data"), .flags = FIELD_CONFIDENTIAL,
	.shape = "\"type\":\"object\"", .help = "Its members, with which filters compare."},
    {FIELD_ROW(STRING, struct publish_args, pane, "pane"),
	.help = "The pane that the event is about; left out: none."},
    {.name = NULL},
};

static const struct field_result publish_results[] = {
    {"pane", "string", "the pane that it is about"},
    {"seq", "integer", "the number of the event"},
    {NULL, NULL, NULL},
};

static void handle_publish(struct request *request, const void *data)
{
	const struct publish_args *args = data;
	struct event_scope scope = {.pane = MUXBUS_NO_ID, .window = MUXBUS_NO_ID};
	struct provide_set *set = find_set(request);
	const struct muxbus_pane *pane;
	struct tool_failure failure;
	uint64_t seq;
	if (set == NULL)
		return;
	if (args->data != NULL && args->data->type != JSON_OBJECT) {
		(void)request_fail_field(
		    request, "data", "must be an object, not %s", json_type_name(args->data->type));
		return;
	}
	scope.sessions[0] = MUXBUS_NO_ID;
	if (args->pane != NULL) {
		if (!target_pane(request, args->pane, &pane))
			return;
		scope.pane = pane->id;
		scope.window = pane->window;
	}
	seq = provider_publish_event(
	    set, request_peer(request), args->kind, &scope, args->data, &failure);
	if (seq == 0) {
		fail(request, &failure);
		return;
	}
	if (args->pane != NULL)
		json_put_id(request_result(request), "pane", '%', scope.pane);
	json_put_int(request_result(request), "seq", (int64_t)seq);
	request_done(request);
}

static const struct field_result list_results[] = {
    {"providers", "array", "the providers: those of files first"},
    {"providers[].name", "string", "the name of the file, or the process"},
    {"providers[].file", "string|null", "its file"},
    {"providers[].state", "string",
	"ready, or of a file: off, waiting (for its next start), starting, ending, or broken (it "
	"cannot be used)"},
    {"providers[].reason", "string|null", "why it last failed, or cannot be used"},
    {"providers[].pid", "integer|null", "the process that is connected"},
    {"providers[].methods", "array", "the names of its methods"},
    {"providers[].calls", "integer", "calls that were sent to it"},
    {"providers[].open", "integer", "calls without an answer yet"},
    {NULL, NULL, NULL},
};

static void handle_list(struct request *request, const void *data UNUSED)
{
	const struct daemon *daemon = request_daemon(request);
	if (daemon->tools != NULL)
		tool_folder_read(daemon->tools); /* reads the files of providers too */
	json_array_begin(request_result(request), "providers");
	if (daemon->provides != NULL)
		provide_write(daemon->provides, request_result(request));
	json_array_end(request_result(request));
	request_done(request);
}

const struct method methods_provide[] = {
    {.name = METHOD("list_providers", METHOD_READS),
	.title = "List providers",
	.summary = "Lists the peers and programs that provide methods, and what they do now.",
	.help = "Reads the files of providers again. muxbusd(8) has their form.",
	.results = list_results,
	.flags = METHOD_IDEMPOTENT | METHOD_WITHOUT_TMUX,
	.handle = handle_list},
    {.name = METHOD("progress", METHOD_READS),
	.title = "Report progress",
	.summary = "Reports how far a call is that this peer, a provider, has not answered yet.",
	.help = "The caller gets at most 10 reports a second; others are dropped, as are those of "
		"a call that has ended.",
	METHOD_CALL(handle_progress, progress_args, progress_fields, no_results),
	.flags = METHOD_NO_TOOL | METHOD_UNNOTED | METHOD_WITHOUT_TMUX,
	.example = "{\"id\":\"c17\",\"text\":\"reading\",\"done\":3,\"of\":10}"},
    {.name = METHOD("provide", METHOD_ADMINISTERS),
	.title = "Provide methods",
	.summary = "Makes this peer the provider of methods: the daemon sends it their calls.",
	.help = "The methods end with the connection. PROVIDERS has the messages and the limits.",
	METHOD_CALL(handle_provide, provide_args, provide_fields, provide_results),
	.flags = METHOD_NO_TOOL | METHOD_IDEMPOTENT | METHOD_WITHOUT_TMUX,
	.example = "{\"methods\":[{\"name\":\"word_count\",\"summary\":\"Counts words.\","
		   "\"effects\":[\"reads\"]}]}"},
    {.name = METHOD("publish", METHOD_ADMINISTERS),
	.title = "Publish an event",
	.summary = "Publishes an event of a kind of this peer's own, which is a provider.",
	.help = "Subscriptions and the condition event of wait_for take the kind as any other.",
	METHOD_CALL(handle_publish, publish_args, publish_fields, publish_results),
	.flags = METHOD_NO_TOOL | METHOD_UNNOTED,
	.recheck = "list_events",
	.example = "{\"kind\":\"page_text\",\"data\":{\"url\":\"https://example.org\"}}"},
    {.name = NULL},
};
