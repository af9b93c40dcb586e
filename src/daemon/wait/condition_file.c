/* SPDX-License-Identifier: ISC */
/* The condition file: a matching line is written into a file, or the file changes. */
#include "daemon/server/request.h"
#include "daemon/wait/condition.h"
#include "daemon/watch/watch.h"

enum { LINE_TOLD_MAX = 4096 };

struct file_condition {
	struct condition *condition;
	struct tail_listener listener;
	struct pattern *pattern; /* NULL: any change matches */
	char *path;
};

struct file_args {
	const char *file, *regex;
	bool from_start;
};

static const struct field file_fields[] = {
    {FIELD_ROW(STRING, struct file_args, file, "file"), .flags = FIELD_REQUIRED | FIELD_PATH,
	.min = 2, .max = 4095,
	.help = "The absolute path of one file, not of a directory; it need not exist yet."},
    {FIELD_ROW(STRING, struct file_args, regex, "regex"), .min = 1, .max = PATTERN_BYTES_MAX,
	.help = "A regular expression for a line written into it, in its first 64 KiB; "
		"left out: any change."},
    {FIELD_ROW(BOOL, struct file_args, from_start, "from_start"),
	.help = "Match existing content too."},
    {.name = NULL},
};

static void begin_details(struct file_condition *watch, struct json_writer *writer)
{
	condition_begin_details(watch->condition, writer);
	json_put_str(writer, "file", watch->path);
}

static void settle_match(
    struct file_condition *watch, const struct tail_block *block, const struct matched_line *line)
{
	size_t len =
	    line->end - line->start < LINE_TOLD_MAX ? line->end - line->start : LINE_TOLD_MAX;
	const char *text = block->text + line->start;
	struct json_writer writer;
	begin_details(watch, &writer);
	(void)json_put_text(&writer, "line", text, len);
	json_put_int(&writer, "offset", block->offset + (int64_t)line->start);
	condition_put_captures(&writer, &line->match, text);
	condition_end_details(watch->condition, &writer, CONDITION_MATCHED);
}

static bool file_found(struct tail_listener *listener, const struct tail_finding *finding)
{
	struct file_condition *watch = list_entry(listener, struct file_condition, listener);
	if (watch->condition->state != CONDITION_PENDING)
		return false;
	if (finding->result == PATTERN_MATCH)
		settle_match(watch, finding->block, finding->line);
	else
		condition_settle(watch->condition, CONDITION_LIMIT);
	return false;
}

static void file_cut(struct tail_listener *listener)
{
	list_entry(listener, struct file_condition, listener)->condition->has_gap = true;
}

static void file_changed(struct tail_listener *listener, enum tail_change change)
{
	struct file_condition *watch = list_entry(listener, struct file_condition, listener);
	struct json_writer writer;
	if (watch->condition->state != CONDITION_PENDING)
		return;
	begin_details(watch, &writer);
	json_put_str(&writer, "change", tail_change_names[change]);
	condition_end_details(watch->condition, &writer, CONDITION_MATCHED);
}

static void file_disarm(struct condition *condition)
{
	struct file_condition *watch = condition->watch;
	tail_listener_remove(&watch->listener);
	pattern_free(watch->pattern);
	mem_free(watch->path);
	mem_free(watch);
}

static size_t first_place(const char *path, struct tail_place *ret_place)
{
	struct stat status;
	if (stat(path, &status) < 0)
		return 0; /* a new file is read from its beginning */
	*ret_place = (struct tail_place){.dev = status.st_dev, .ino = status.st_ino};
	return 1;
}

static bool file_arm(struct condition *condition, struct request *request, const void *data)
{
	static const struct tail_listener_handlers for_lines = {
	    .found = file_found, .cut = file_cut};
	static const struct tail_listener_handlers for_changes = {.changed = file_changed};
	const struct file_args *args = data;
	struct pattern *pattern = NULL;
	struct file_condition *watch;
	struct tail_place place;
	char reason[200];
	size_t count;
	if (!watch_check_path(request, "file", args->file))
		return false;
	if (args->regex != NULL) {
		pattern = pattern_new(args->regex, strlen(args->regex), reason, sizeof reason);
		if (pattern == NULL)
			return request_fail_field(request, "regex", "%s", reason);
	}
	watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->path = xstrdup(args->file);
	watch->pattern = pattern;
	condition->watch = watch;
	if (!args->from_start)
		condition_note_past(condition, request);
	count = args->from_start ? first_place(args->file, &place) : 0;
	tail_listener_add(watch_tails(condition->parts->watches), &watch->listener, args->file,
	    count > 0 ? &place : NULL, count, pattern, pattern != NULL ? &for_lines : &for_changes);
	return true;
}

const struct condition_kind condition_kinds_file[] = {
    {.name = "file",
	.help = "A line that matches is written into a file, or it changes.",
	.example = "{\"file\":\"/var/log/syslog\",\"regex\":\"error|failed\"}",
	FIELDS_OF(file_args, file_fields),
	.reads_disk = true,
	.arm = file_arm,
	.disarm = file_disarm},
    {.name = NULL},
};
