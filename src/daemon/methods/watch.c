/* SPDX-License-Identifier: ISC */
/* Methods of watches of files: watch_log, cancel_watch, list_watches. */
#include "daemon/watch/watch.h"

#include <errno.h>
#include <limits.h>
#include <muxbus.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/deliver/wake.h"
#include "daemon/methods/tables.h"
#include "daemon/server/daemon_parts.h"
#include "daemon/server/method.h"
#include "daemon/server/repeat.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/wait/wait.h"

enum { MESSAGE_SIZE = 600 };

#define TIMEOUT_SEC_MAX (366.0 * 86400)

struct watch_args {
	const char *file_path;
	const char *regex;
	bool wake_on_change;
	bool once;
	double timeout_sec;
	const char *pane;
};

static const struct field watch_fields[] = {
    {FIELD_ROW(STRING, struct watch_args, file_path, "file_path"),
	.flags = FIELD_REQUIRED | FIELD_PATH, .min = 2, .max = PATH_MAX - 1,
	.help = "The absolute path of one file, not of a directory; it need not exist yet."},
    {FIELD_ROW(STRING, struct watch_args, regex, "regex"), .min = 1, .max = PATTERN_BYTES_MAX,
	.help = "Wake when a line that is new matches it; left out: at any change."},
    {FIELD_ROW(BOOL, struct watch_args, wake_on_change, "wake_on_change"), .preset = "false",
	.help = "Wake at any change, also when there is a regex."},
    {FIELD_ROW(BOOL, struct watch_args, once, "once"), .flags = FIELD_RARE, .preset = "true",
	.help = "End with the first wake-up; false: go on until the time is up."},
    {FIELD_ROW(NUMBER, struct watch_args, timeout_sec, "timeout_sec"), .unit = "s", .min = 0.001,
	.max = TIMEOUT_SEC_MAX, .preset = "3600", .help = "When to give up, with a notification."},
    {FIELD_ROW(STRING, struct watch_args, pane, "pane"), .flags = FIELD_RARE,
	.help = "The pane to wake; left out: the caller's own."},
    {.name = NULL},
};

static const struct field_result watch_results[] = {
    {"id", "string", "the watch, and its notifications"},
    {"message", "string", "what was done, in words"},
    WAKE_RESULTS,
    DURABLE_RESULTS,
    {"timeout_sec", "number", "when it gives up"},
    {"state", "string", "what is at the path now: reading, absent, not_regular, unreadable"},
    {"mode", "string", "inotify, or poll where no events can be had"},
    {NULL, NULL, NULL},
};

static void put_mode(struct json_writer *writer, const struct watch *watch)
{
	const struct tail_loop *tail_loop = tail_listener_loop(&watch->listener);
	const char *reason = tail_loop_poll_reason(tail_loop);
	json_put_str(writer, "state", tail_state_name(tail_state(tail_loop_tail(tail_loop))));
	json_put_str(writer, "mode", reason != NULL ? "poll" : "inotify");
	if (reason != NULL)
		json_put_str(writer, "mode_reason", reason);
}

static void watch_answer(struct request *request, const struct watch *watch)
{
	struct json_writer *writer = request_result(request);
	json_put_str(writer, "id", watch->id);
	wake_write(request, "The file is watched.", watch->id, &watch->pane);
	json_put_double(writer, "timeout_sec", (double)watch->timeout_ms / 1000);
	put_mode(writer, watch);
	request_done(request);
}

/* A watch that was set, if its request is asked again before its result was kept. */
static void watch_answer_begun(struct request *request, const void *data, const char *id)
{
	const struct watch *watch = NULL;
	while ((watch = watch_next(request_daemon(request)->watches, watch)) != NULL) {
		if (strcmp(watch->id, id) == 0) {
			watch_answer(request, watch);
			return;
		}
	}
	repeat_answer_id(request, data, id);
}

static void handle_watch(struct request *request, const void *data)
{
	const struct watch_args *args = data;
	struct watch_set *watches = request_daemon(request)->watches;
	char reason[256];
	struct pane_ref pane;
	struct watch_order order = {
	    .file = args->file_path,
	    .regex = args->regex,
	    .on_change = args->wake_on_change,
	    .is_staying = !args->once,
	    .timeout_ms = clock_seconds_to_ms(args->timeout_sec),
	    .pane = &pane,
	};
	const struct watch *watch;
	order.once = request_once(request);
	if (!watch_check_path(request, "file_path", args->file_path) ||
	    !requester_pane(request, args->pane, &pane))
		return;
	watch = watch_add(watches, &order, reason, sizeof reason);
	if (watch == NULL && errno == ENOSPC) {
		request_fail(request, MESSAGE_LIMIT, "%s: cancel_watch some", reason);
		return;
	}
	if (watch == NULL) {
		request_fail_field(request, "regex", "%s", reason);
		return;
	}
	watch_answer(request, watch);
}

struct cancel_args {
	const char *file_path;
	const char *id;
	const char *pane;
};

static const struct field cancel_fields[] = {
    {FIELD_ROW(STRING, struct cancel_args, file_path, "file_path"), .flags = FIELD_PATH,
	.help = "Cancel all watches of this file, also those of other callers."},
    {FIELD_ROW(STRING, struct cancel_args, id, "id"),
	.help = "Cancel this one; or the name of a wait."},
    {FIELD_ROW(STRING, struct cancel_args, id, "watch"), .flags = FIELD_ALIAS},
    {FIELD_ROW(STRING, struct cancel_args, pane, "pane"), .flags = FIELD_RARE,
	.help = "Cancel those of this pane; with nothing given: the caller's own."},
    {.name = NULL},
};

static const struct field_result cancel_results[] = {
    {"cancelled", "integer", "how many were cancelled"},
    DURABLE_RESULTS,
    {"pane", "string", "whose watches these were, if a pane was meant"},
    {"watches", "array", "which"},
    {"watches[].id", "string", "its id"},
    {"watches[].file", "string", "its file, if it is of one"},
    {"watches[].watched_pane", "string|null", "its pane, if it is of none"},
    {"message", "string", "the same in words"},
    {NULL, NULL, NULL},
};

/* Background waits are watches too: of panes, and of the processors. */
static bool is_meant_wait(
    const struct wait_background *wait, const struct cancel_args *args, const struct pane_ref *pane)
{
	if (args->id != NULL)
		return strcmp(wait->id, args->id) == 0;
	return args->file_path == NULL && pane_ref_is_set(pane) &&
	    pane_ref_equal(&wait->pane, pane);
}

static void put_subject(
    struct json_writer *writer, struct tmux *tmux, const struct wait_background *wait)
{
	pane_fate_write(writer, tmux, "watched_pane", &wait->subject);
}

/* Cancels the background waits that are meant, and writes which. */
static unsigned cancel_waits(const struct daemon *daemon, const struct cancel_args *args,
    const struct pane_ref *pane, struct json_writer *writer)
{
	struct wait_set *waits = daemon->waits;
	const struct wait *wait, *next;
	unsigned count = 0;
	for (wait = wait_next_background(waits, NULL); wait != NULL; wait = next) {
		struct wait_background shown;
		next = wait_next_background(waits, wait);
		wait_background_get(wait, &shown);
		if (!is_meant_wait(&shown, args, pane))
			continue;
		json_object_begin(writer, NULL);
		json_put_str(writer, "id", shown.id);
		put_subject(writer, daemon->tmux, &shown);
		json_object_end(writer);
		(void)wait_cancel_background(waits, shown.id); /* it is there */
		count++;
	}
	return count;
}

static bool is_meant(
    const struct watch *watch, const struct cancel_args *args, const struct pane_ref *pane)
{
	if (args->id != NULL)
		return strcmp(watch->id, args->id) == 0;
	if (args->file_path != NULL)
		return strcmp(watch->file, args->file_path) == 0;
	return pane_ref_equal(&watch->pane, pane);
}

static void handle_cancel(struct request *request, const void *data)
{
	const struct cancel_args *args = data;
	struct watch_set *watches = request_daemon(request)->watches;
	struct pane_ref pane;
	char message[80];
	unsigned count = 0;
	const struct watch *next;
	struct json_writer *writer;
	pane_ref_clear(&pane);
	if (args->id == NULL && args->file_path == NULL &&
	    !requester_pane(request, args->pane, &pane))
		return;
	writer = request_result(request);
	json_array_begin(writer, "watches");
	for (const struct watch *watch = watch_next(watches, NULL); watch != NULL; watch = next) {
		next = watch_next(watches, watch);
		if (!is_meant(watch, args, &pane))
			continue;
		json_object_begin(writer, NULL);
		json_put_str(writer, "id", watch->id);
		json_put_str(writer, "file", watch->file);
		json_object_end(writer);
		(void)watch_cancel(watches, watch->id); /* it is there */
		count++;
	}
	count += cancel_waits(request_daemon(request), args, &pane, writer);
	if (args->id != NULL && wait_cancel_named(request_daemon(request)->waits, args->id)) {
		json_object_begin(writer, NULL);
		json_put_str(writer, "id", args->id);
		json_object_end(writer);
		count++;
	}
	json_array_end(writer);
	if (args->id != NULL && count == 0) {
		request_fail(request, MESSAGE_NO_SUCH_WATCH,
		    "there is no watch \"%.40s\": see list_watches", args->id);
		return;
	}
	snprintf(message, sizeof message,
	    count == 1 ? "%u watch is cancelled." : "%u watches are cancelled.", count);
	json_put_int(writer, "cancelled", count);
	if (pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', pane.pane);
	json_put_str(writer, "message", message);
	request_note_durable(request);
	request_done(request);
}

static const struct field_result list_results[] = {
    {"watches", "array", "the watches, oldest first"},
    {"watches[].id", "string", "its id"},
    {"watches[].kind", "string", "file, pane (watch_pane) or idle (wait_for_idle)"},
    {"watches[].file", "string|null", "the file that is watched"},
    {"watches[].watched_pane", "string|null", "the pane that is watched"},
    {"watches[].condition", "object", "of kinds other than file: what is waited for"},
    {"watches[].watched_pane_gone", "boolean", "true: gone; another may have its id now"},
    {"watches[].pane", "string|null", "the pane it wakes"},
    {"watches[].pane_gone", "boolean", "true: gone; another may have its id now"},
    {"watches[].regex", "string|null", "what new lines must match"},
    {"watches[].wake_on_change", "boolean", "whether any change wakes"},
    {"watches[].once", "boolean", "whether it ends with the first"},
    {"watches[].created", "string", "since when"},
    {"watches[].due", "string", "when it gives up"},
    {"watches[].state", "string", "what is at the path: reading, absent, not_regular, unreadable"},
    {"watches[].reason", "string", "why it is unreadable"},
    {"watches[].mode", "string", "inotify, or poll where no events can be had"},
    {"watches[].mode_reason", "string", "why it is polled"},
    {"watches[].offset", "integer|null", "how far the file has been read"},
    {"watches[].count", "integer", "wake-ups until now"},
    {"watches[].limit_hits", "integer", "lines on which the regex took too many steps"},
    {NULL, NULL, NULL},
};

static void put_watch(struct json_writer *writer, struct tmux *tmux, const struct watch *watch)
{
	const struct tail *tail = tail_loop_tail(tail_listener_loop(&watch->listener));
	const struct tail_file *file = tail_file(tail);
	const struct pattern *pattern = watch->pattern;
	json_object_begin(writer, NULL);
	json_put_str(writer, "id", watch->id);
	json_put_str(writer, "kind", "file");
	json_put_str(writer, "file", watch->file);
	json_put_null(writer, "watched_pane");
	pane_fate_write(writer, tmux, "pane", &watch->pane);
	json_put_str(writer, "regex", pattern != NULL ? pattern_text(pattern) : NULL);
	json_put_bool(writer, "wake_on_change", watch->on_change);
	json_put_bool(writer, "once", !watch->is_staying);
	json_put_time(writer, "created", watch->created_ms);
	json_put_time(writer, "due", watch->real_due_ms);
	put_mode(writer, watch);
	if (tail_state(tail) == TAIL_UNREADABLE)
		json_put_str(writer, "reason", strerror(tail_error(tail)));
	json_put_known_int(writer, "offset", file != NULL, file != NULL ? file->told.offset : 0);
	json_put_int(writer, "count", (int64_t)watch->count);
	json_put_int(writer, "limit_hits", (int64_t)watch->limit_hits);
	json_object_end(writer);
}

static void put_wait(
    struct json_writer *writer, struct tmux *tmux, const struct wait_background *wait)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "id", wait->id);
	json_put_str(writer, "kind", wait->kind == WAIT_IDLE ? "idle" : "pane");
	json_put_null(writer, "file");
	put_subject(writer, tmux, wait);
	pane_fate_write(writer, tmux, "pane", &wait->pane);
	json_put_raw(writer, "condition", wait->spec, strlen(wait->spec));
	json_put_bool(writer, "once", wait->is_once);
	json_put_time(writer, "due", wait->due_ms);
	json_put_int(writer, "count", wait->matches);
	json_object_end(writer);
}

static void handle_list(struct request *request, const void *args)
{
	const struct watch_set *watches = request_daemon(request)->watches;
	struct json_writer *writer = request_result(request);
	const struct watch *watch = NULL;
	const struct wait *wait = NULL;
	(void)args;
	json_array_begin(writer, "watches");
	while ((watch = watch_next(watches, watch)) != NULL)
		put_watch(writer, request_daemon(request)->tmux, watch);
	while ((wait = wait_next_background(request_daemon(request)->waits, wait)) != NULL) {
		struct wait_background shown;
		wait_background_get(wait, &shown);
		put_wait(writer, request_daemon(request)->tmux, &shown);
	}
	json_array_end(writer);
	request_done(request);
}

/* Keep alphabetized. */
const struct method methods_watch[] = {
    {.name = METHOD("cancel_watch", METHOD_TYPES),
	.title = "Cancel watches",
	.summary = "Ends the watches of a file, one by its id, or all of the caller's; says which.",
	.fields = cancel_fields,
	.args_size = sizeof(struct cancel_args),
	.results = cancel_results,
	.flags = METHOD_TOOL,
	.recheck = "list_watches",
	.handle = handle_cancel,
	.example = "{\"file_path\":\"/var/log/syslog\"}"},
    {.name = METHOD("list_watches", METHOD_READS),
	.title = "List watches",
	.summary = "Lists the files and panes that are watched, and how.",
	.results = list_results,
	.handle = handle_list,
	.example = "{}"},
    {.name = METHOD("watch_log", METHOD_TYPES),
	.title = "Watch a file",
	.summary = "Wakes the caller's pane when new content of a file matches; returns at once.",
	.help = "New is what is written after the watch was accepted; a file that is not there "
		"yet is new from its first byte. Rotation, truncation, replacement and symbolic "
		"links are followed. Lines are matched one by one, without their ends; a last line "
		"without an end once it has not grown for a second. Ends with one notification: "
		"data.reason is match, change, timeout, cancelled or error.",
	.fields = watch_fields,
	.args_size = sizeof(struct watch_args),
	.results = watch_results,
	.flags = METHOD_TOOL,
	.recheck = "list_watches",
	.handle = handle_watch,
	.begun = watch_answer_begun,
	.example = "{\"file_path\":\"/var/log/syslog\",\"regex\":\"error|failed\"}"},
    {.name = NULL},
};
