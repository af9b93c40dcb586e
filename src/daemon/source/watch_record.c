/* SPDX-License-Identifier: ISC */
/* How a watch is kept in the store, and what its notifications say. */
#include "daemon/source/watch_record.h"

#include <inttypes.h>
#include <muxbus.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "wire/json.h"

#define PLACE_SIZE (160 + 2 * TAIL_MARK_MAX)
#define DATA_MAX (256 * 1024)
/* Bytes of all captures together that are told. */
#define CAPTURES_MAX 4096

/* ---- the store ----------------------------------------------------------------------------- */

static void put_place(struct json_writer *writer, const struct tail_place *place)
{
	char text[PLACE_SIZE];
	int at = snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %d ",
	    (uint64_t)place->dev, (uint64_t)place->ino, place->offset, place->line,
	    place->is_skipping);
	for (size_t i = 0; i < place->mark_len; i++)
		at += snprintf(text + at, sizeof text - (size_t)at, "%02x", place->mark[i]);
	json_put_str(writer, NULL, text);
}

void watch_record_write(const struct watch *watch, const char *boot_id, struct buf *out)
{
	struct tail_place places[TAIL_PLACES_MAX];
	char pane[PANE_REF_TEXT_SIZE] = "-";
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "file", watch->file);
	if (watch->matcher.pattern)
		json_put_str(&writer, "regex", pattern_text(watch->matcher.pattern));
	json_put_bool(&writer, "change", watch->on_change);
	json_put_bool(&writer, "stay", watch->is_staying);
	json_put_int(&writer, "created", watch->created_ms);
	json_put_int(&writer, "boot_due", watch->boot_due_ms);
	json_put_int(&writer, "real_due", watch->real_due_ms);
	json_put_int(&writer, "timeout", watch->timeout_ms);
	json_put_int(&writer, "count", (int64_t)watch->count);
	json_put_str(&writer, "boot", boot_id);
	if (watch->pane.pane != MUXBUS_NO_ID)
		pane_ref_format(&watch->pane, pane);
	json_put_str(&writer, "pane", pane);
	json_array_begin(&writer, "places");
	size_t count = watch->tail_loop ? tail_places(tail_loop_tail(watch->tail_loop), places) : 0;
	for (size_t i = 0; i < count; i++)
		put_place(&writer, &places[i]);
	json_array_end(&writer);
	json_object_end(&writer);
}

static bool read_place(const char *text, struct tail_place *ret_place)
{
	uint64_t dev, ino;
	int is_skipping, at = 0;
	*ret_place = (struct tail_place){0};
	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64 " %d %n", &dev, &ino,
		&ret_place->offset, &ret_place->line, &is_skipping, &at) != 5 ||
	    ret_place->offset < 0)
		return false;
	ret_place->dev = (dev_t)dev;
	ret_place->ino = (ino_t)ino;
	ret_place->is_skipping = is_skipping != 0;
	for (const char *hex = text + at; *hex; hex += 2) {
		unsigned byte;
		if (ret_place->mark_len == TAIL_MARK_MAX || sscanf(hex, "%2x", &byte) != 1 ||
		    !hex[1])
			return false;
		ret_place->mark[ret_place->mark_len++] = (uint8_t)byte;
	}
	return (int64_t)ret_place->mark_len <= ret_place->offset;
}

static const char *text_member(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	return member != NULL && member->type == JSON_STRING ? member->text : NULL;
}

static bool bool_member(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	return member != NULL && member->type == JSON_BOOL && member->boolean;
}

static bool int_member(const struct json *value, const char *name, int64_t *ret_number)
{
	const struct json *member = json_member(value, name);
	return member != NULL && json_int(member, ret_number);
}

bool watch_record_read(
    struct json_reader *reader, const char *value, size_t len, struct watch_record *ret_record)
{
	struct watch_record *record = ret_record;
	struct json_error error;
	const struct json *json = json_read(reader, value, len, &error);
	*record = (struct watch_record){0};
	if (json == NULL)
		return false;
	record->order.file = text_member(json, "file");
	record->order.regex = text_member(json, "regex");
	record->order.on_change = bool_member(json, "change");
	record->order.is_staying = bool_member(json, "stay");
	record->boot_id = text_member(json, "boot");
	const char *pane = text_member(json, "pane");
	pane_ref_clear(&record->pane);
	if (!record->order.file || record->order.file[0] != '/' || record->boot_id == NULL ||
	    pane == NULL || (strcmp(pane, "-") != 0 && !pane_ref_parse(pane, &record->pane)) ||
	    !int_member(json, "created", &record->created_ms) ||
	    !int_member(json, "boot_due", &record->boot_due_ms) ||
	    !int_member(json, "real_due", &record->real_due_ms) ||
	    !int_member(json, "timeout", &record->order.timeout_ms) ||
	    !int_member(json, "count", &record->count))
		return false;
	const struct json *places = json_member(json, "places");
	for (const struct json *place = places != NULL ? places->child : NULL;
	     place != NULL && record->place_count < TAIL_PLACES_MAX; place = place->next) {
		if (place->type == JSON_STRING &&
		    read_place(place->text, &record->places[record->place_count]))
			record->place_count++;
	}
	return true;
}

/* ---- what is told ---------------------------------------------------------------------------- */

static const char *const reason_names[] = {
    [WATCH_MATCH] = "match",
    [WATCH_CHANGE] = "change",
    [WATCH_TIMEOUT] = "timeout",
    [WATCH_CANCELLED] = "cancelled",
    [WATCH_ERROR] = "error",
};

/* Writes a part of a line, without half characters at its ends. Returns whether it is cut. */
static bool put_part(struct json_writer *writer, const char *name, const char *bytes, size_t len,
    size_t from, size_t max)
{
	size_t start = from;
	while (start > 0 && start < len && ((uint8_t)bytes[start] & 0xc0) == 0x80)
		start++;
	size_t end = len - start > max ? start + max : len;
	if (end < len)
		end -= utf8_incomplete_tail(bytes + start, end - start);
	bool is_lossy = json_put_text(writer, name, bytes + start, end - start);
	if (is_lossy && name != NULL)
		json_put_bool(writer, "lossy", true);
	return start > 0 || end < len;
}

static void put_line(struct json_writer *writer, const struct watch_finding *finding)
{
	const struct watch_text *line = finding->line;
	size_t at = finding->match != NULL ? finding->match->spans[0].from : 0;
	/* Of a long line that part is told in which the match is. */
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

/* Writes captures as an array, or those that have names as an object. */
static void put_captures(struct json_writer *writer, const struct watch *watch,
    const struct watch_finding *finding, bool by_name)
{
	size_t left = CAPTURES_MAX;
	const struct pattern_match *match = finding->match;
	for (size_t i = 1; i < match->count; i++) {
		const char *name = pattern_capture_name(watch->matcher.pattern, i);
		const struct pattern_span *span = &match->spans[i];
		if (by_name && name == NULL)
			continue;
		if (span->from > span->to) {
			json_put_null(writer, by_name ? name : NULL);
			continue;
		}
		size_t len = span->to - span->from;
		if (len > left)
			len = left - utf8_incomplete_tail(finding->line->bytes + span->from, left);
		left -= len;
		(void)json_put_text(
		    writer, by_name ? name : NULL, finding->line->bytes + span->from, len);
	}
}

static bool has_names(const struct watch *watch, const struct pattern_match *match)
{
	for (size_t i = 1; i < match->count; i++) {
		if (pattern_capture_name(watch->matcher.pattern, i))
			return true;
	}
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
	for (size_t i = 0; finding->context != NULL && i < WATCH_CONTEXT; i++) {
		const struct watch_text *line = &finding->context[i];
		if (line->bytes)
			(void)put_part(writer, NULL, line->bytes, line->len, 0, WATCH_CONTEXT_MAX);
	}
	json_array_end(writer);
}

char *watch_record_data(
    const struct watch *watch, enum watch_reason reason, const struct watch_finding *finding)
{
	struct json_writer writer;
	struct buf out;
	buf_init(&out, DATA_MAX);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "file", watch->file);
	json_put_str(&writer, "reason", reason_names[reason]);
	if (reason == WATCH_CHANGE && watch->changed >= 0)
		json_put_str(&writer, "change", tail_change_name((enum tail_change)watch->changed));
	if (finding != NULL)
		put_finding(&writer, watch, finding);
	return (char *)buf_steal(&out, NULL);
}

char *watch_record_close(const struct watch *watch, char *data, uint64_t count)
{
	const char *poll = watch->tail_loop ? tail_loop_poll_reason(watch->tail_loop) : NULL;
	char *closed = xasprintf("%s,\"count\":%" PRIu64 ",\"limit_hits\":%" PRIu64
				 ",\"mode\":\"%s\",\"ended\":%s}",
	    data, count, watch->limit_hits, poll != NULL ? "poll" : "inotify",
	    watch->is_over ? "true" : "false");
	mem_free(data);
	return closed;
}

void watch_record_text(
    const struct watch *watch, enum watch_reason reason, uint64_t count, struct buf *out)
{
	const char *file = watch->file;
	switch (reason) {
	case WATCH_MATCH:
		if (count > 1)
			(void)buf_printf(out, "%" PRIu64 " lines of %s matched", count, file);
		else
			(void)buf_printf(out, "a line of %s matched", file);
		return;
	case WATCH_CHANGE:
		(void)buf_printf(out, "%s %s", file,
		    watch->changed >= 0 ? tail_change_name((enum tail_change)watch->changed)
					: "changed");
		return;
	case WATCH_TIMEOUT:
		(void)buf_printf(out, "the watch of %s is over: its time of %" PRId64 " s is up",
		    file, watch->timeout_ms / 1000);
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
