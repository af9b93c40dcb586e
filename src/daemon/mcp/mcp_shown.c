/* SPDX-License-Identifier: ISC */
/* The shown part of a cut result, as a result of its own. */
#include "daemon/mcp/mcp_shown.h"

#include <stdint.h>
#include <string.h>

#define REST_MAX 1024

/* Members of a result that are not those of the whole. */
struct shown {
	const struct json *result;
	const struct mcp_cut *cut;
	bool has_first_row; /* of the text */
	bool knows_first_row;
	int64_t first_row;
	bool has_to; /* the offset to read on from */
	int64_t to;
	bool has_last; /* the number to go on after */
	int64_t last;
};

static bool number(const struct json *object, const char *name, int64_t *ret_number)
{
	const struct json *member = json_member(object, name);
	return member != NULL && member->type == JSON_NUMBER && json_int(member, ret_number);
}

static int64_t count_newlines(const char *text, size_t len)
{
	int64_t count = 0;
	for (size_t i = 0; i < len; i++)
		count += text[i] == '\n';
	return count;
}

/* The row where the text begins, and the offset where it ends. */
static void find_place(struct shown *shown, const struct json *text, bool is_base64)
{
	size_t len;
	const char *begin = mcp_cut_string(shown->cut, text, &len);
	size_t before = (size_t)(begin - text->text);
	int64_t from, to;
	if (before > 0 && number(shown->result, "first_row", &shown->first_row)) {
		shown->has_first_row = true;
		shown->knows_first_row = !is_base64;
		shown->first_row += count_newlines(text->text, before);
	}
	if (len < text->len && before == 0 && number(shown->result, "from", &from) &&
	    number(shown->result, "to", &to)) {
		/* Of a text that is not the bytes themselves, no offset is known but the first. */
		int64_t bytes = to - from == (int64_t)text->len ? (int64_t)len : 0;
		shown->has_to = true;
		shown->to = from + (is_base64 ? (int64_t)(len / 4 * 3) : bytes);
	}
}

/* The number of the last shown element; if none is shown, the one before the first. */
static void find_last(struct shown *shown, const struct json *list)
{
	size_t count = mcp_cut_count(shown->cut, list);
	const struct json *row = list->child;
	int64_t last;
	if (count >= list->count || !number(shown->result, "last", &last))
		return;
	for (size_t i = 1; i < count; i++)
		row = row->next;
	if (row == NULL || !number(row, "seq", &last))
		return;
	shown->has_last = true;
	shown->last = count > 0 ? last : last - 1;
}

static void put_member(
    const struct shown *shown, struct json_writer *writer, const struct json *member)
{
	if (strcmp(member->name, "truncated") == 0 || strcmp(member->name, "rest") == 0)
		return;
	if (shown->has_first_row && strcmp(member->name, "first_row") == 0) {
		if (shown->knows_first_row)
			json_put_int(writer, member->name, shown->first_row);
		else
			json_put_null(writer, member->name);
	} else if (shown->has_to && strcmp(member->name, "to") == 0) {
		json_put_int(writer, member->name, shown->to);
	} else if (shown->has_last && strcmp(member->name, "last") == 0) {
		json_put_int(writer, member->name, shown->last);
	} else {
		mcp_cut_write(shown->cut, writer, member->name, member);
	}
}

/* Lists that are cut, rows above the text, and the advice. */
static void put_rest(const struct shown *shown, struct json_writer *writer, const char *advice)
{
	const struct json *pane = json_member(shown->result, "pane");
	int64_t row;
	struct buf text;
	buf_init(&text, REST_MAX);
	for (const struct json *m = shown->result->child; m != NULL; m = m->next)
		if (m->type == JSON_ARRAY && mcp_cut_count(shown->cut, m) < m->count)
			(void)buf_printf(&text, "%zu of %zu %s are shown. ",
			    mcp_cut_count(shown->cut, m), m->count, m->name);
	if (shown->knows_first_row && pane != NULL && pane->type == JSON_STRING &&
	    number(shown->result, "first_row", &row) && row < shown->first_row)
		(void)buf_printf(&text,
		    "Rows %lld to %lld are not shown; in a shell, tmux capture-pane -p -S %lld -E "
		    "%lld -t %s prints them. ",
		    (long long)row, (long long)shown->first_row - 1, (long long)row,
		    (long long)shown->first_row - 1, pane->text);
	(void)buf_append_str(&text, advice); /* the part that fits is enough */
	(void)json_put_text(writer, "rest", text.data, text.len);
	buf_finish(&text);
}

bool mcp_shown_write(
    struct buf *out, const struct mcp_cut *cut, const struct json *result, const char *advice)
{
	struct shown shown = {.result = result, .cut = cut};
	const struct json *text = json_member(result, "text");
	const struct json *base64 = json_member(result, "base64");
	struct json_writer writer;
	if (text != NULL && text->type == JSON_STRING)
		find_place(&shown, text, false);
	else if (base64 != NULL && base64->type == JSON_STRING)
		find_place(&shown, base64, true);
	for (const struct json *m = result->child; m != NULL; m = m->next)
		if (m->type == JSON_ARRAY)
			find_last(&shown, m);
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	for (const struct json *m = result->child; m != NULL && !writer.is_cut; m = m->next)
		put_member(&shown, &writer, m);
	json_put_bool(&writer, "truncated", true);
	put_rest(&shown, &writer, advice);
	json_object_end(&writer);
	return !writer.is_cut;
}
