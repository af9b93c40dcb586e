/* SPDX-License-Identifier: ISC */
/* Methods that wait: wait_for; in the background, wait_for_idle and watch_pane. */
#include "daemon/wait/wait.h"

#include "daemon/core/pattern.h"
#include "daemon/deliver/wake.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/server/repeat.h"
#include "daemon/wait/condition.h"

struct wait_args {
	const struct json *any, *all;
	double seconds;
	bool has_seconds, has_timeout;
	double timeout_sec;
	const char *wait, *key;
};

#define ANY_ARRAY "\"type\":\"array\",\"items\":{\"type\":\"object\"}"

/* Writes the schema of "all". In the short form only that of "any" describes the conditions. */
static void put_all_schema(struct json_writer *writer, bool in_short)
{
	if (in_short)
		json_put_raw(writer, NULL, ANY_ARRAY, strlen(ANY_ARRAY));
	else
		condition_put_list_schema(writer, false);
}

#define TIMEOUT_SEC 600 /* default of timeout_sec, the same as in the preset below */

static const struct field wait_fields[] = {
    {FIELD_ROW(VALUE, struct wait_args, any, "any"), .flags = FIELD_SETTLES,
	.help = "Conditions of which one is enough, such as {\"output\": regex, \"pane\": \"%3\"}.",
	.put_schema = condition_put_list_schema},
    {FIELD_ROW(VALUE, struct wait_args, all, "all"), .flags = FIELD_SETTLES,
	.help = "The same; all must come true.", .put_schema = put_all_schema},
    {FIELD_ROW(NUMBER, struct wait_args, seconds, "seconds"), .flags = FIELD_RARE,
	.given_offset = offsetof(struct wait_args, has_seconds), .unit = "s", .max = 86400,
	.help = "In place of any and all: answer after so long."},
    {FIELD_ROW(NUMBER, struct wait_args, timeout_sec, "timeout_sec"),
	.given_offset = offsetof(struct wait_args, has_timeout), .unit = "s", .min = 0.001,
	.max = 10 * 366 * 86400.0, .preset = "600", .help = "Answer after this long in any case."},
    {FIELD_ROW(STRING, struct wait_args, wait, "wait"), .flags = FIELD_KEPT,
	.help = "A name: the wait outlives its connection and the daemon; ask for the same name "
		"again to resume."},
    {FIELD_ROW(STRING, struct wait_args, key, "key"),
	.flags = FIELD_RARE | FIELD_KEPT | FIELD_CONFIDENTIAL, .min = 1,
	.max = NOTIFICATION_KEY_MAX,
	.help = "With wait: asked again with this key within 24 hours, a wait that is over is "
		"answered as the first time, also if that answer was lost."},
    {.name = NULL},
};

static const struct field_result wait_results[] = {
    {"matched", "array", "the places, from 0, of the conditions that have come true"},
    {"conditions", "array", "what became of each"},
    {"conditions[].condition", "string", "its kind"},
    {"conditions[].state", "string", "pending, matched, gone, or limit (its pattern is too slow)"},
    {"conditions[].pane", "string", "the id of the pane that it looks at"},
    {"conditions[].window", "string", "the id of the window that it looks at"},
    {"conditions[].session", "string", "the id of the session that it looks at"},
    {"conditions[].at_entry", "boolean", "it was true already"},
    {"conditions[].gap", "boolean",
	"a long line was cut, or something was lost, or came while tmux did not answer yet or "
	"muxbusd did not run"},
    {"conditions[].details", "object", "what came true"},
    {"elapsed_sec", "number", "how long it took"},
    {"timed_out", "boolean", "whether the time was up"},
    {"wait", "string", "its name, if it has one"},
    {"repeated", "boolean", "true: this key was used, and nothing more was done"},
    DURABLE_RESULTS,
    {NULL, NULL, NULL},
};

/* Starts the wait. A timeout counts only if it was given, or shortened for an MCP client. */
static void wait_seconds(struct request *request, const struct wait_args *args)
{
	struct json_error error;
	struct json_reader *reader = json_reader_new(64);
	bool is_bounded = args->has_timeout || args->timeout_sec < TIMEOUT_SEC;
	char text[64];
	if (args->any != NULL || args->all != NULL || args->wait != NULL) {
		request_fail_field(request, "seconds", "goes without any, all and wait");
	} else {
		(void)snprintf(text, sizeof text, "[{\"sec\":%.3f}]", args->seconds);
		wait_start(request_daemon(request)->waits, request,
		    json_read(reader, text, strlen(text), &error), NULL,
		    is_bounded ? args->timeout_sec : args->seconds + 60, false, NULL);
	}
	json_reader_free(reader);
}

static void handle_wait(struct request *request, const void *data)
{
	const struct wait_args *args = data;
	if (args->has_seconds) {
		wait_seconds(request, args);
		return;
	}
	if ((args->any != NULL && args->all != NULL) ||
	    (args->any == NULL && args->all == NULL && args->wait == NULL)) {
		request_fail_field(
		    request, "any", "give either any or all, an array of conditions");
		return;
	}
	if (args->key != NULL && args->wait == NULL) {
		request_fail_field(request, "key", "goes with wait");
		return;
	}
	if (wait_put_off(request, args->any != NULL ? args->any : args->all))
		return;
	once_keep(request_once(request), "");
	wait_start(request_daemon(request)->waits, request, args->any, args->all, args->timeout_sec,
	    args->has_timeout, args->wait);
}

/* A repeated request joins its wait by the name. */
static void handle_wait_begun(struct request *request, const void *data, const char *id UNUSED)
{
	handle_wait(request, data);
}

enum { SPEC_SIZE = 6 * PATTERN_BYTES_MAX + 256 };

static const struct field_result started_results[] = {
    {"id", "string", "the wait, and its notification"},
    {"watched_pane", "string", "the pane that is watched, if it is one"},
    {"message", "string", "what was done, in words"},
    WAKE_RESULTS,
    DURABLE_RESULTS,
    {"timeout_sec", "number|null", "when it ends in any case"},
    {NULL, NULL, NULL},
};

static void start_background(struct request *request, const struct wait_background *order,
    const char *what, double timeout_sec)
{
	const struct wait *wait =
	    wait_start_background(request_daemon(request)->waits, request, order);
	struct json_writer *writer;
	if (wait == NULL)
		return;
	writer = request_result(request);
	json_put_str(writer, "id", wait->name);
	if (wait->parts[0].pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "watched_pane", '%', wait->parts[0].pane.pane);
	wake_write(request, what, wait->name, &wait->pane);
	if (timeout_sec > 0)
		json_put_double(writer, "timeout_sec", timeout_sec);
	else
		json_put_null(writer, "timeout_sec");
	request_done(request);
}

struct idle_args {
	double cpu_threshold, duration_seconds;
	const char *pane;
	double timeout_sec;
};

static const struct field idle_fields[] = {
    {FIELD_ROW(NUMBER, struct idle_args, cpu_threshold, "cpu_threshold"), .flags = FIELD_REQUIRED,
	.unit = "%", .max = 100000,
	.help = "Percent of the machine; with pane: of one processor, by the pane's processes."},
    {FIELD_ROW(NUMBER, struct idle_args, duration_seconds, "duration_seconds"),
	.flags = FIELD_REQUIRED, .unit = "s", .max = 86400,
	.help = "How long it must stay below that."},
    {FIELD_ROW(STRING, struct idle_args, pane, "pane"),
	.help = "Only the processes of this pane; left out: the machine."},
    {FIELD_ROW(NUMBER, struct idle_args, timeout_sec, "timeout_sec"), .unit = "s",
	.max = 10 * 366 * 86400.0, .preset = "3600",
	.help = "Notify after this long in any case; 0: never."},
    {.name = NULL},
};

static void handle_idle(struct request *request, const void *data)
{
	const struct idle_args *args = data;
	struct wait_background order = {.kind = WAIT_IDLE,
	    .is_once = true,
	    .timeout_ms = clock_seconds_to_ms(args->timeout_sec)};
	const struct muxbus_pane *pane = NULL;
	struct json_writer writer;
	struct buf spec;
	if (!requester_pane(request, NULL, &order.pane))
		return;
	if (args->pane != NULL && !target_pane(request, args->pane, &pane))
		return;
	json_start_object(&writer, &spec, SPEC_SIZE);
	json_put_double(&writer, "cpu_below", args->cpu_threshold);
	json_put_double(&writer, "for_sec", args->duration_seconds);
	if (pane != NULL)
		json_put_id(&writer, "pane", '%', pane->id);
	json_object_end(&writer);
	order.spec = (const char *)spec.data;
	start_background(request, &order, "Waiting for idleness.", args->timeout_sec);
	buf_finish(&spec);
}

struct pane_watch_args {
	const char *pane, *regex, *event;
	const struct json *where;
	bool prompt, once;
	double timeout_sec;
};

static const struct field watch_fields[] = {
    {FIELD_ROW(STRING, struct pane_watch_args, pane, "pane"), .flags = FIELD_REQUIRED,
	.help = "The pane to watch."},
    {FIELD_ROW(STRING, struct pane_watch_args, regex, "regex"), .flags = FIELD_CONFIDENTIAL,
	.min = 1, .max = PATTERN_BYTES_MAX,
	.help =
	    "A regular expression that a line of its output, without escape sequences, matches."},
    {FIELD_ROW(STRING, struct pane_watch_args, event, "event"), .min = 1, .max = 64,
	.help = "In place of regex: a kind of events of the pane, or a pattern, as in wait_for."},
    {FIELD_ROW(VALUE, struct pane_watch_args, where, "where"), .flags = FIELD_CONFIDENTIAL,
	.shape = "\"type\":\"object\"",
	.help = "With event: an object of members that the event must have."},
    {FIELD_ROW(BOOL, struct pane_watch_args, prompt, "prompt"), .preset = "false",
	.help = "In place of regex: notify when the pane is at its prompt, as its command ends."},
    {FIELD_ROW(BOOL, struct pane_watch_args, once, "once"), .preset = "true",
	.help = "End with the first match; false: count each line and event."},
    {FIELD_ROW(NUMBER, struct pane_watch_args, timeout_sec, "timeout_sec"), .unit = "s",
	.max = 10 * 366 * 86400.0, .preset = "3600",
	.help = "Notify after this long in any case; 0: never."},
    {.name = NULL},
};

static bool write_watch(struct request *request, const struct pane_watch_args *args,
    const struct muxbus_pane *pane, struct buf *spec)
{
	struct pattern *pattern = NULL;
	struct json_writer writer;
	char reason[200];
	if ((args->regex != NULL) + (args->event != NULL) + args->prompt != 1 ||
	    (args->where != NULL && args->event == NULL))
		return request_fail_field(
		    request, "regex", "give one of regex, event and prompt; where goes with event");
	if (args->prompt && !args->once)
		return request_fail_field(request, "once", "must be true with prompt");
	if (args->regex != NULL)
		pattern = pattern_new(args->regex, strlen(args->regex), reason, sizeof reason);
	if (args->regex != NULL && pattern == NULL)
		return request_fail_field(request, "regex", "%s", reason);
	pattern_free(pattern);
	json_writer_init(&writer, spec);
	json_object_begin(&writer, NULL);
	if (args->prompt)
		json_put_bool(&writer, "prompt", true);
	else
		json_put_str(&writer, args->event != NULL ? "event" : "output",
		    args->event != NULL ? args->event : args->regex);
	json_put_id(&writer, "pane", '%', pane->id);
	if (args->where != NULL)
		json_put_value(&writer, "where", args->where);
	json_object_end(&writer);
	if (writer.is_cut)
		request_fail_field(request, "where", "must have at most 4096 bytes");
	return !writer.is_cut;
}

static void handle_watch(struct request *request, const void *data)
{
	const struct pane_watch_args *args = data;
	const struct muxbus_pane *pane;
	struct wait_background order = {.kind = WAIT_PANE,
	    .is_once = args->once,
	    .timeout_ms = clock_seconds_to_ms(args->timeout_sec)};
	struct buf spec = BUF(SPEC_SIZE);
	if (args->event != NULL && dispatch_attach_first(request))
		return;
	if (!requester_pane(request, NULL, &order.pane) || !target_pane(request, args->pane, &pane))
		return;
	order.once = request_once(request);
	if (write_watch(request, args, pane, &spec)) {
		order.spec = (const char *)spec.data;
		start_background(request, &order, "Watching the pane.", args->timeout_sec);
	}
	buf_finish(&spec);
}

const struct method methods_wait[] = {
    {.name = METHOD("wait_for", METHOD_READS | METHOD_SEES),
	.also = (const char *const[]){"wait", NULL},
	.title = "Wait for something",
	.summary = "Waits until one, or all, of several conditions have come true.",
	.help = "Conditions that are true already match at once. When a pane closes, its "
		"conditions end as gone. A job or notification that was waited for is not "
		"reported again.",
	METHOD_CALL(handle_wait, wait_args, wait_fields, wait_results),
	.flags =
	    METHOD_ONE_PANE | METHOD_WAITS | METHOD_LOOKS_ITSELF | METHOD_OPEN_WORLD | METHOD_TOOL,
	.begun = handle_wait_begun,
	.key_offset = offsetof(struct wait_args, key),
	.example = "{\"any\":[{\"job\":\"A1B2\"},{\"output\":\"error\",\"pane\":\"%3\"}],"
		   "\"timeout_sec\":600}"},
    {.name = METHOD("wait_for_idle", METHOD_TYPES | METHOD_WRITES),
	.title = "Wait for idleness",
	.summary =
	    "Notifies when little processor time has been used for a while; returns at once.",
	METHOD_CALL(handle_idle, idle_args, idle_fields, started_results),
	.flags = METHOD_ONE_PANE | METHOD_TOOL,
	.recheck = "list_watches",
	.affects = role_affects_caller,
	.example = "{\"cpu_threshold\":10,\"duration_seconds\":30}"},
    {.name = METHOD("watch_pane", METHOD_TYPES | METHOD_WRITES),
	.title = "Watch a pane",
	.summary = "Notifies when a pane prints a line that matches, an event of it comes, or "
		   "its command ends; returns at once.",
	.help = "With once false one line counts once, also if it matches before its end, and "
		"again if it begins again. Matches that come together are one notification: "
		"count has their number, data.details the first, and data.further up to 19 "
		"more of them, in 16 KiB. data.gap is true if output may be missed. There is one "
		"in 50 ms at most; while none has read it the next ones are counted into it.",
	METHOD_CALL(handle_watch, pane_watch_args, watch_fields, started_results),
	.flags = METHOD_ONE_PANE | METHOD_BY_OUTPUT | METHOD_NEEDS_TMUX,
	.recheck = "list_watches",
	.affects = role_affects_caller,
	.begun = repeat_answer_id,
	.example = "{\"pane\":\"%3\",\"regex\":\"error|failed\"}"},
    {.name = NULL},
};
