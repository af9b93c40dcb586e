/* SPDX-License-Identifier: ISC */
/* Methods of all watches, those of files and background waits: cancel_watch, list_watches. */
#include "daemon/server/handler.h"
#include "daemon/wait/condition.h"
#include "daemon/wait/wait.h"
#include "daemon/watch/watch.h"
#include "wire/page.h"

struct watch_cancel_args {
	const char *file_path, *id, *pane;
};

static const struct field cancel_fields[] = {
    {FIELD_ROW(STRING, struct watch_cancel_args, file_path, "file_path"), .flags = FIELD_PATH,
	.help = "Cancel all watches of this file, also of other callers."},
    {FIELD_ROW(STRING, struct watch_cancel_args, id, "id"),
	.help = "Cancel this one; or the name of a wait."},
    {FIELD_ROW(STRING, struct watch_cancel_args, id, "watch"), .flags = FIELD_ALIAS},
    {FIELD_ROW(STRING, struct watch_cancel_args, pane, "pane"), .flags = FIELD_RARE,
	.help = "Cancel those of this pane; with nothing given: the caller's own."},
    {.name = NULL},
};

static const struct field_result cancel_results[] = {
    {"cancelled", "integer", "how many were cancelled"},
    DURABLE_RESULTS,
    {"pane", "string", "whose watches these were, if a pane was meant"},
    {"watches", "array", "which"},
    {"watches[].id", "string", "its id"},
    {"watches[].file", "string", "its file, if it watches one"},
    {"watches[].watched_pane", "string|null", "its pane, if it watches no file"},
    {"message", "string", "the same in words"},
    {NULL, NULL, NULL},
};

static bool is_meant_wait(
    const struct wait *wait, const struct watch_cancel_args *args, const struct pane_ref *pane)
{
	if (args->id != NULL)
		return strcmp(wait->name, args->id) == 0;
	return args->file_path == NULL && pane_ref_is_set(pane) &&
	    pane_ref_equal(&wait->pane, pane);
}

static void put_subject(struct json_writer *writer, struct tmux *tmux, const struct wait *wait)
{
	pane_fate_write(writer, tmux, "watched_pane", &wait->parts[0].pane);
}

static bool look_for_subjects(
    struct request *request, const struct watch_cancel_args *args, const struct pane_ref *pane)
{
	next_each (const struct wait, wait, wait_next_background, request_daemon(request)->waits)
		if (is_meant_wait(wait, args, pane) &&
		    requester_look_for(request, &wait->parts[0].pane))
			return true;
	return false;
}

static unsigned cancel_waits(const struct daemon *daemon, const struct watch_cancel_args *args,
    const struct pane_ref *pane, struct json_writer *writer)
{
	struct wait_set *waits = daemon->waits;
	const struct wait *wait, *next;
	unsigned count = 0;
	for (wait = wait_next_background(waits, NULL); wait != NULL; wait = next) {
		next = wait_next_background(waits, wait);
		if (!is_meant_wait(wait, args, pane))
			continue;
		json_object_begin(writer, NULL);
		json_put_str(writer, "id", wait->name);
		put_subject(writer, daemon->tmux, wait);
		json_object_end(writer);
		(void)wait_cancel_background(waits, wait->name);
		count++;
	}
	return count;
}

static bool is_meant(
    const struct watch *watch, const struct watch_cancel_args *args, const struct pane_ref *pane)
{
	if (args->id != NULL)
		return strcmp(watch->id, args->id) == 0;
	if (args->file_path != NULL)
		return strcmp(watch->file, args->file_path) == 0;
	return pane_ref_is_set(pane) && pane_ref_equal(&watch->pane, pane);
}

/* Finds the pane that a request affects; none with file_path, or the name of a wait. */
static bool affects_watch(struct request *request, const void *data, struct pane_ref *ret_pane)
{
	const struct watch_cancel_args *args = data;
	const struct daemon *daemon = request_daemon(request);
	const struct watch *watch = NULL;
	const struct wait *wait = NULL;
	if (args->id == NULL && args->file_path == NULL)
		return role_affects_pane(request, data, ret_pane);
	pane_ref_clear(ret_pane);
	while (args->id != NULL && (watch = watch_next(daemon->watches, watch)) != NULL)
		if (strcmp(watch->id, args->id) == 0)
			*ret_pane = watch->pane;
	while (args->id != NULL && (wait = wait_next_background(daemon->waits, wait)) != NULL)
		if (strcmp(wait->name, args->id) == 0)
			*ret_pane = wait->pane;
	return true;
}

static void handle_cancel(struct request *request, const void *data)
{
	const struct watch_cancel_args *args = data;
	struct watch_set *watches = request_daemon(request)->watches;
	struct pane_ref pane;
	char message[80];
	unsigned count = 0;
	const struct watch *next;
	struct json_writer *writer;
	pane_ref_clear(&pane);
	if (args->id == NULL && args->file_path == NULL &&
	    (requester_look_first(request, args->pane) ||
		!requester_pane(request, args->pane, &pane)))
		return;
	if (look_for_subjects(request, args, &pane))
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
		(void)watch_cancel(watches, watch->id);
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
	    count == 0       ? "No watch is cancelled: none fits."
		: count == 1 ? "%u watch is cancelled."
			     : "%u watches are cancelled.",
	    count);
	json_put_int(writer, "cancelled", count);
	if (pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', pane.pane);
	json_put_str(writer, "message", message);
	request_note_durable(request);
	request_done(request);
}

struct watch_list_args {
	int64_t offset;
};

static const struct field list_fields[] = {
    PAGE_OFFSET(watch_list_args),
    {.name = NULL},
};

static const struct field_result list_results[] = {
    {"watches", "array", "the watches, oldest first"},
    {"watches[].id", "string", "its id"},
    {"watches[].kind", "string", "file, pane (watch_pane) or idle (wait_for_idle)"},
    {"watches[].file", "string|null", "the file that is watched"},
    {"watches[].watched_pane", "string|null", "the pane that is watched"},
    {"watches[].condition", "object", "of kinds other than file: what is waited for"},
    {"watches[].gap", "boolean", "true: output may be missed, as while muxbusd did not run"},
    {"watches[].watched_pane_gone", "boolean", "true: gone; another may have its id now"},
    {"watches[].pane", "string|null", "the pane it wakes"},
    {"watches[].pane_gone", "boolean", "true: gone; another may have its id now"},
    {"watches[].regex", "string|null", "what new lines must match"},
    {"watches[].wake_on_change", "boolean", "whether any change wakes"},
    {"watches[].once", "boolean", "whether it ends with the first"},
    {"watches[].created", "string", "since when"},
    {"watches[].due", "string|null", "when it gives up; null: never"},
    {"watches[].state", "string", "what is at the path: reading, absent, not_regular, unreadable"},
    {"watches[].reason", "string", "why it is unreadable"},
    {"watches[].mode", "string", "inotify, or poll where no events can be had"},
    {"watches[].mode_reason", "string", "why it is polled"},
    {"watches[].offset", "integer|null", "how far the file has been read"},
    {"watches[].count", "integer", "wake-ups until now"},
    {"watches[].limit_hits", "integer", "lines on which the regex took too many steps"},
    {"watches[].cut_lines", "integer", "lines of which only the first 64 KiB were looked at"},
    PAGE_RESULTS,
    {NULL, NULL, NULL},
};

static void put_wait(struct json_writer *writer, struct tmux *tmux, const struct wait *wait)
{
	const char *spec = wait->parts[0].spec;
	json_object_begin(writer, NULL);
	json_put_str(writer, "id", wait->name);
	json_put_str(writer, "kind", wait->kind == WAIT_IDLE ? "idle" : "pane");
	json_put_null(writer, "file");
	put_subject(writer, tmux, wait);
	pane_fate_write(writer, tmux, "pane", &wait->pane);
	json_put_raw(writer, "condition", spec, strlen(spec));
	if (wait->parts[0].condition->has_gap)
		json_put_bool(writer, "gap", true);
	json_put_bool(writer, "once", wait->is_once);
	json_put_time(writer, "due", wait->due_ms);
	json_put_int(writer, "count", wait->matches);
	json_object_end(writer);
}

static void handle_list(struct request *request, const void *data)
{
	const struct watch_list_args *args = data;
	const struct daemon *daemon = request_daemon(request);
	struct json_writer *writer = request_result(request);
	struct page page;
	page_begin(&page, writer, "watches", (size_t)daemon->config->limits.result_bytes,
	    args->offset, INT64_MAX);
	next_each (const struct watch, watch, watch_next, daemon->watches) {
		if (!page_takes(&page))
			continue;
		if (requester_look_for(request, &watch->pane))
			return;
		watch_write(writer, daemon->tmux, watch);
		(void)page_keeps(&page);
	}
	next_each (const struct wait, wait, wait_next_background, daemon->waits) {
		if (!page_takes(&page))
			continue;
		if (requester_look_for(request, &wait->parts[0].pane) ||
		    requester_look_for(request, &wait->pane))
			return;
		put_wait(writer, daemon->tmux, wait);
		(void)page_keeps(&page);
	}
	page_end(&page);
	request_done(request);
}

const struct method methods_watch_list[] = {
    {.name = METHOD("cancel_watch", METHOD_TYPES | METHOD_WRITES),
	.title = "Cancel watches",
	.summary = "Ends the watches of a file, one by its id, or all of the caller's; says which.",
	METHOD_CALL(handle_cancel, watch_cancel_args, cancel_fields, cancel_results),
	.flags = METHOD_LOOKS_ITSELF | METHOD_TOOL,
	.recheck = "list_watches",
	.affects = affects_watch,
	.example = "{\"file_path\":\"/var/log/syslog\"}"},
    {.name = METHOD("list_watches", METHOD_READS),
	.title = "List watches",
	.summary = "Lists the files and panes that are watched, and how.",
	METHOD_CALL(handle_list, watch_list_args, list_fields, list_results),
	.flags = METHOD_LOOKS_ITSELF,
	.example = "{}"},
    {.name = NULL},
};
