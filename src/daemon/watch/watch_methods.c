/* SPDX-License-Identifier: ISC */
/* Methods of watches of files: watch_log. wait/watch_list.c has the methods for all watches. */
#include "daemon/deliver/wake.h"
#include "daemon/server/handler.h"
#include "daemon/server/repeat.h"
#include "daemon/watch/watch.h"

#define TIMEOUT_SEC_MAX (366.0 * 86400)

struct file_watch_args {
	const char *file_path;
	const char *regex;
	bool wake_on_change;
	bool once;
	double timeout_sec;
	const char *pane;
};

static const struct field watch_fields[] = {
    {FIELD_ROW(STRING, struct file_watch_args, file_path, "file_path"),
	.flags = FIELD_REQUIRED | FIELD_PATH, .min = 2, .max = PATH_MAX - 1,
	.help = "The absolute path of one file, not of a directory; it need not exist yet."},
    {FIELD_ROW(STRING, struct file_watch_args, regex, "regex"), .flags = FIELD_CONFIDENTIAL,
	.min = 1, .max = PATTERN_BYTES_MAX,
	.help = "Wake when a line that is new matches it; left out: at any change."},
    {FIELD_ROW(BOOL, struct file_watch_args, wake_on_change, "wake_on_change"), .preset = "false",
	.help = "Wake at any change, as without a regex; a regex counts more."},
    {FIELD_ROW(BOOL, struct file_watch_args, once, "once"), .flags = FIELD_RARE, .preset = "true",
	.help = "End with the first wake-up; false: go on until the time is up."},
    {FIELD_ROW(NUMBER, struct file_watch_args, timeout_sec, "timeout_sec"), .unit = "s",
	.min = 0.001, .max = TIMEOUT_SEC_MAX, .preset = "3600",
	.help = "When to give up, with a notification."},
    {FIELD_ROW(STRING, struct file_watch_args, pane, "pane"), .flags = FIELD_RARE,
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
	json_put_str(writer, "state", tail_state_names[tail_state(tail_loop_tail(tail_loop))]);
	json_put_str(writer, "mode", reason != NULL ? "poll" : "inotify");
	json_put_given(writer, "mode_reason", reason);
}

static void watch_answer(struct request *request, const struct watch *watch)
{
	struct json_writer *writer = request_result(request);
	const struct tail *tail = tail_loop_tail(tail_listener_loop(&watch->listener));
	json_put_str(writer, "id", watch->id);
	/* The caller may have misspelt the name, so the result tells if there is no file. */
	wake_write(request,
	    tail_state(tail) == TAIL_ABSENT ? "The file is watched, but is not there yet."
					    : "The file is watched.",
	    watch->id, &watch->pane);
	json_put_double(writer, "timeout_sec", (double)watch->timeout_ms / 1000);
	put_mode(writer, watch);
	request_done(request);
}

/* Answers a repeated request whose watch was set, but whose result was not stored. */
static void watch_answer_begun(struct request *request, const void *data, const char *id)
{
	next_each (const struct watch, watch, watch_next, request_daemon(request)->watches) {
		if (strcmp(watch->id, id) == 0) {
			watch_answer(request, watch);
			return;
		}
	}
	repeat_answer_id(request, data, id);
}

static void handle_watch(struct request *request, const void *data)
{
	const struct file_watch_args *args = data;
	struct watch_set *watches = request_daemon(request)->watches;
	char reason[256];
	struct pane_ref pane;
	struct watch_order order = {
	    .file = args->file_path,
	    .regex = args->regex,
	    .on_change = args->wake_on_change && args->regex == NULL,
	    .is_staying = !args->once,
	    .timeout_ms = clock_seconds_to_ms(args->timeout_sec),
	    .pane = &pane,
	};
	const struct watch *watch;
	order.once = request_once(request);
	if (!watch_check_path(request, "file_path", args->file_path) ||
	    requester_look_first(request, args->pane) ||
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

void watch_write(struct json_writer *writer, struct tmux *tmux, const struct watch *watch)
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
	json_put_int(writer, "cut_lines", (int64_t)watch->cut_lines);
	json_object_end(writer);
}

const struct method methods_watch[] = {
    {.name = METHOD("watch_log", METHOD_TYPES | METHOD_WRITES),
	.title = "Watch a file",
	.summary = "Wakes the caller's pane when new content of a file matches; returns at once.",
	.help = "New is what is written after the watch was accepted; a file that is not there "
		"yet is new from its first byte. Rotation, truncation, replacement, rewriting and "
		"symbolic links are followed. Lines are matched one by one, without their ends; a "
		"last line without an end once it has not grown for a second; of a line beyond 64 "
		"KiB only the first 64 KiB, which cut_lines counts. Ends with one notification: "
		"data.reason is match, change, timeout, cancelled or error.",
	METHOD_CALL(handle_watch, file_watch_args, watch_fields, watch_results),
	.flags = METHOD_TOOL | METHOD_LOOKS_ITSELF,
	.recheck = "list_watches",
	.affects = role_affects_pane,
	.begun = watch_answer_begun,
	.example = "{\"file_path\":\"/var/log/syslog\",\"regex\":\"error|failed\"}"},
    {.name = NULL},
};
