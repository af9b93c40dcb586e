/* SPDX-License-Identifier: ISC */
/* The record of a watch in the store, and the data and text of its notifications. */
#include "daemon/watch/watch.h"

/* maximum bytes; leaves room for watch_record_close() */
#define DATA_MAX (NOTIFICATION_DATA_MAX - 256)
/* Maximum bytes of all captures in a notification. */
#define CAPTURES_MAX 4096

static const struct record_field place_fields[] = {
    {RECORD_ROW(UINT64, struct tail_place, dev, "dev")},
    {RECORD_ROW(UINT64, struct tail_place, ino, "ino")},
    {RECORD_ROW(NATURAL, struct tail_place, offset, "offset")},
    {RECORD_ROW(NATURAL, struct tail_place, line, "line")},
    {RECORD_ROW(BOOL, struct tail_place, is_skipping, "skipping")},
    {RECORD_ROW(BYTES, struct tail_place, mark, "mark"),
	.count_offset = offsetof(struct tail_place, mark_len)},
    {RECORD_ROW(NATURAL, struct tail_place, sum_end, "sum_end"), .is_optional = true},
    {RECORD_ROW(INT, struct tail_place, sum, "sum"), .is_optional = true},
};
_Static_assert(
    sizeof(dev_t) == sizeof(uint64_t) && sizeof(ino_t) == sizeof(uint64_t), "the first two rows");

static const struct record_field watch_fields[] = {
    {RECORD_ROW(TEXT, struct watch_stored, watch.file, "file")},
    {RECORD_ROW(TEXT, struct watch_stored, watch.regex, "regex"), .is_optional = true},
    {RECORD_ROW(BOOL, struct watch_stored, watch.on_change, "change")},
    {RECORD_ROW(BOOL, struct watch_stored, watch.is_staying, "stay")},
    {RECORD_ROW(INT, struct watch_stored, watch.created_ms, "created")},
    {RECORD_ROW(INT, struct watch_stored, watch.boot_due_ms, "boot_due")},
    {RECORD_ROW(INT, struct watch_stored, watch.real_due_ms, "real_due")},
    {RECORD_ROW(NATURAL, struct watch_stored, watch.timeout_ms, "timeout")},
    {RECORD_ROW(UINT64, struct watch_stored, watch.count, "count")},
    {RECORD_ROW(WORD, struct watch_stored, watch.boot_id, "boot")},
    {RECORD_ROW(PANE, struct watch_stored, watch.pane, "pane"), .is_optional = true},
    {RECORD_ROW(THREAD, struct watch_stored, watch.pane, "thread"), .is_optional = true},
    {RECORD_ROW(LIST, struct watch_stored, places, "places"),
	.count_offset = offsetof(struct watch_stored, place_count), .values = TAIL_PLACES_MAX,
	.rows = RECORD_ROWS(place_fields, "#dev #ino #offset #line ?skipping %mark")},
};

const struct record_kind watch_kind = {
    .prefix = "watch/",
    .noun = "a watch",
    .rows = RECORD_ROWS(watch_fields, NULL),
    .source = SOURCE_WATCH,
    .naming = RECORD_BY_ID,
};

bool watch_record_read(const struct json *value, struct watch_stored *stored)
{
	bool is_valid;
	if (!record_read(watch_kind.rows, value, stored))
		return false;
	is_valid = stored->watch.file[0] == '/';
	for (size_t at = 0; at < stored->place_count; at++)
		is_valid &= (int64_t)stored->places[at].mark_len <= stored->places[at].offset &&
		    stored->places[at].sum_end <= TAIL_SUM_MAX;
	if (!is_valid)
		watch_record_finish(&stored->watch);
	return is_valid;
}

void watch_record_finish(struct watch *watch)
{
	mem_free(watch->file);
	mem_free(watch->regex);
}

static const char *const reason_names[] = {
    [WATCH_MATCH] = "match",
    [WATCH_CHANGE] = "change",
    [WATCH_TIMEOUT] = "timeout",
    [WATCH_CANCELLED] = "cancelled",
    [WATCH_ERROR] = "error",
};

/* Writes a part of a line, in whole characters. Returns true if text is left out. */
static bool put_part(struct json_writer *writer, const char *name, const char *bytes, size_t len,
    size_t from, size_t max)
{
	size_t end, start = from;
	bool is_lossy;
	while (start > 0 && start < len && ((uint8_t)bytes[start] & 0xc0) == 0x80)
		start++;
	end = len - start > max ? start + max : len;
	if (end < len)
		end -= utf8_incomplete_tail(bytes + start, end - start);
	is_lossy = json_put_text(writer, name, bytes + start, end - start);
	if (is_lossy && name != NULL)
		json_put_bool(writer, "lossy", true);
	return start > 0 || end < len;
}

static void put_line(struct json_writer *writer, const struct watch_finding *finding)
{
	const struct watch_text *line = finding->line;
	size_t at = finding->match != NULL ? finding->match->spans[0].from : 0;
	/* Of a long line, write the part with the match. */
	size_t from = at > WATCH_LINE_MAX / 2 ? at - WATCH_LINE_MAX / 4 : 0;
	bool is_cut = put_part(writer, "line", line->bytes, line->len, from, WATCH_LINE_MAX);
	json_put_int(writer, "offset", line->offset);
	if (line->line > 0)
		json_put_int(writer, "line_number", line->line);
	if (is_cut || (line->flags & TAIL_CUT))
		json_put_bool(writer, "cut", true);
	if (line->flags & TAIL_PARTIAL)
		json_put_bool(writer, "partial", true);
}

/* Writes the captures: by_name, those with a name in an object; else all, in an array. */
static void put_captures(struct json_writer *writer, const struct watch *watch,
    const struct watch_finding *finding, bool by_name)
{
	size_t left = CAPTURES_MAX;
	const struct pattern_match *match = finding->match;
	for (size_t i = 1; i < match->count; i++) {
		const char *name = pattern_capture_name(watch->pattern, i);
		const struct pattern_span *span = &match->spans[i];
		size_t len;
		if (by_name && name == NULL)
			continue;
		if (span->from > span->to) {
			json_put_null(writer, by_name ? name : NULL);
			continue;
		}
		len = span->to - span->from;
		if (len > left)
			len = left - utf8_incomplete_tail(finding->line->bytes + span->from, left);
		left -= len;
		(void)json_put_text(
		    writer, by_name ? name : NULL, finding->line->bytes + span->from, len);
	}
}

static bool has_names(const struct watch *watch, const struct pattern_match *match)
{
	for (size_t i = 1; i < match->count; i++)
		if (pattern_capture_name(watch->pattern, i) != NULL)
			return true;
	return false;
}

static void put_finding(
    struct json_writer *writer, const struct watch *watch, const struct watch_finding *finding)
{
	put_line(writer, finding);
	if (finding->match != NULL) {
		json_array_begin(writer, "captures");
		put_captures(writer, watch, finding, false);
		json_array_end(writer);
		if (has_names(watch, finding->match)) {
			json_object_begin(writer, "named");
			put_captures(writer, watch, finding, true);
			json_object_end(writer);
		}
	}
	json_array_begin(writer, "context");
	for (size_t i = 0; finding->context != NULL && i < CONTEXT_LINES; i++) {
		const struct context_line *line = &finding->context->lines[i];
		if (line->bytes != NULL)
			(void)put_part(writer, NULL, line->bytes, line->len, 0, CONTEXT_LINE_MAX);
	}
	json_array_end(writer);
}

char *watch_record_data(
    const struct watch *watch, enum watch_reason reason, const struct watch_finding *finding)
{
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, DATA_MAX);
	json_put_str(&writer, "file", watch->file);
	json_put_str(&writer, "reason", reason_names[reason]);
	if (reason == WATCH_CHANGE && watch->changed >= 0)
		json_put_str(&writer, "change", tail_change_names[watch->changed]);
	if (finding != NULL)
		put_finding(&writer, watch, finding);
	json_object_end(&writer);
	return (char *)buf_steal(&out, NULL);
}

char *watch_record_close(const struct watch *watch, char *data, uint64_t count)
{
	const char *poll = tail_loop_poll_reason(tail_listener_loop(&watch->listener));
	size_t len = strlen(data) - 1;
	struct json_writer writer;
	struct buf closed;
	json_start(&writer, &closed, NOTIFICATION_DATA_MAX + JSON_SPARE);
	json_put_raw(&writer, NULL, data, len);
	json_put_int(&writer, "count", (int64_t)count);
	json_put_int(&writer, "limit_hits", (int64_t)watch->limit_hits);
	json_put_int(&writer, "cut_lines", (int64_t)watch->cut_lines);
	json_put_str(&writer, "mode", poll != NULL ? "poll" : "inotify");
	json_put_bool(&writer, "ended", watch->is_over);
	(void)buf_append_byte(&closed, '}');
	mem_free(data);
	return (char *)buf_steal(&closed, NULL);
}

void watch_record_text(
    const struct watch *watch, enum watch_reason reason, uint64_t count, struct buf *out)
{
	const char *file = watch->file;
	switch (reason) {
	case WATCH_MATCH:
		if (count > 1)
			(void)buf_printf(out, "%" PRIu64, count);
		(void)buf_append_str(out, count > 1 ? " lines of " : "a line of ");
		(void)buf_append_str(out, file);
		(void)buf_append_str(out, " matched");
		return;
	case WATCH_CHANGE:
		(void)buf_printf(out, "%s %s", file,
		    watch->changed >= 0 ? tail_change_names[watch->changed] : "changed");
		return;
	case WATCH_TIMEOUT:
		(void)buf_printf(out, "the watch of %s is over: its time of %.10g s is up", file,
		    (double)watch->timeout_ms / 1000);
		return;
	case WATCH_CANCELLED:
		(void)buf_printf(out, "the watch of %s was cancelled", file);
		return;
	case WATCH_ERROR:
		(void)buf_printf(out,
		    "the watch of %s is over: its pattern takes too many steps on these lines",
		    file);
		return;
	}
}
