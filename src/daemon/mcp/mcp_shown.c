/* SPDX-License-Identifier: ISC */
#include "daemon/mcp/mcp_shown.h"

#include "daemon/server/rest.h"

#define REST_MAX 1024 /* bytes of the member rest */
#define REPEATED_MAX 512 /* bytes of arguments that the member rest may repeat */
#define PART_MAX ((size_t)1 << 16) /* more bytes than a shown result has */
#define NAMED_MAX 3 /* maximum number of members whose missing parts are named one by one */

struct shown {
	const struct json *result;
	const struct mcp_cut *cut;
	const struct mcp_asked *asked;
	/* the part begins with another row; its first_row is null if that row is not known */
	bool has_first_row;
	bool knows_first_row;
	int64_t first_row;
	const struct json *text; /* the member text or base64; NULL: none */
	const struct json *list;
	bool has_to; /* the part has another "to", the offset from which to read on */
	int64_t to;
	bool has_last; /* the part has another "last", the number after which to read on */
	int64_t last;
};

static int64_t count_newlines(const char *text, size_t len)
{
	int64_t count = 0;
	for (size_t i = 0; i < len; i++)
		count += text[i] == '\n';
	return count;
}

static void find_place(struct shown *shown, const struct json *text, bool is_base64)
{
	size_t len;
	const char *begin = mcp_cut_string(shown->cut, text, &len);
	size_t before = (size_t)(begin - text->text);
	int64_t from, to;
	shown->text = text;
	if (before > 0 && json_int(json_member(shown->result, "first_row"), &shown->first_row)) {
		shown->has_first_row = true;
		shown->knows_first_row = !is_base64;
		shown->first_row += count_newlines(text->text, before);
	}
	if (len < text->len && before == 0 && json_int(json_member(shown->result, "from"), &from) &&
	    json_int(json_member(shown->result, "to"), &to)) {
		/* If the text is not as long as the bytes that were read, the offset is unknown. */
		shown->has_to = is_base64 || to - from == (int64_t)text->len;
		shown->to = from + (int64_t)(is_base64 ? len / 4 * 3 : len);
	}
}

/* Returns the name of the parameter with which a read-only tool reads on; NULL: none. */
static const char *place_parameter(const struct mcp_asked *asked)
{
	const struct field *field =
	    asked != NULL && asked->tool != NULL ? asked->tool->fields : NULL;
	if (field == NULL || !method_is_read_only(asked->tool) || asked->tool->flags & METHOD_WAITS)
		return NULL;
	for (; field->name != NULL; field++)
		if (strcmp(field->name, "after") == 0 || strcmp(field->name, "offset") == 0)
			return field->name;
	return NULL;
}

/* Finds the number of the last shown element; if none is shown, the number before the first. */
static void find_last(struct shown *shown, const struct json *list)
{
	size_t count = mcp_cut_count(shown->cut, list);
	const struct json *row = list->child;
	const char *parameter = place_parameter(shown->asked);
	int64_t last, number;
	if (count >= list->count || !json_int(json_member(shown->result, "last"), &last))
		return;
	for (size_t i = 1; i < count; i++)
		row = row->next;
	if (row == NULL)
		return;
	if (json_int(json_member(row, "seq"), &number) || json_int(json_member(row, "n"), &number))
		last = count > 0 ? number : number - 1;
	else if (parameter != NULL && strcmp(parameter, "offset") == 0)
		/* without the elements that are not shown */
		last -= (int64_t)(list->count - count);
	else
		return;
	shown->list = list;
	shown->has_last = true;
	shown->last = last;
}

static void put_member(
    const struct shown *shown, struct json_writer *writer, const struct json *member)
{
	if (strcmp(member->name, "truncated") == 0 || strcmp(member->name, "rest") == 0)
		return;
	if (shown->has_first_row && strcmp(member->name, "first_row") == 0)
		if (shown->knows_first_row)
			json_put_int(writer, member->name, shown->first_row);
		else
			json_put_null(writer, member->name);
	else if (shown->has_to && strcmp(member->name, "to") == 0)
		json_put_int(writer, member->name, shown->to);
	else if (shown->has_last && strcmp(member->name, "last") == 0)
		json_put_int(writer, member->name, shown->last);
	else if (shown->has_last && strcmp(member->name, "more") == 0)
		json_put_bool(writer, member->name, true);
	else
		mcp_cut_write(shown->cut, writer, member->name, member);
}

/* Returns true if a value is not cut. is_counted false: an array may lack its end. */
static bool is_whole(const struct mcp_cut *cut, const struct json *value, bool is_counted)
{
	const struct json *child = value->child;
	size_t count = value->type == JSON_ARRAY ? mcp_cut_count(cut, value) : value->count;
	size_t len;
	if (value->type == JSON_STRING) {
		(void)mcp_cut_string(cut, value, &len);
		return len == value->len;
	}
	if (is_counted && count < value->count)
		return false;
	for (size_t i = 0; i < count && child != NULL; i++, child = child->next)
		if (!is_whole(cut, child, true))
			return false;
	return true;
}

/* Appends a call of read_rest that reads a text between two offsets. to 0: up to its end. */
static void put_read_rest(
    const struct shown *shown, struct buf *out, const struct buf *text, size_t from, size_t to)
{
	struct rest_set *rests = shown->asked->rests;
	(void)buf_printf(out, "read_rest {\"id\":\"%s\"",
	    rests != NULL ? rest_keep(rests, text->data, text->len) : REST_ID_SAMPLE);
	if (to > 0)
		(void)buf_printf(out, ",\"to\":%zu", to);
	(void)buf_printf(out, ",\"after\":%zu}", from);
}

static void write_value(struct buf *out, const struct mcp_cut *cut, const struct json *value)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	mcp_cut_write(cut, &writer, NULL, value);
}

static void put_string_rest(const struct shown *shown, struct buf *out, const struct json *string)
{
	struct buf text = {.data = (uint8_t *)(uintptr_t)string->text, .len = string->len};
	size_t len;
	const char *begin = mcp_cut_string(shown->cut, string, &len);
	size_t before = (size_t)(begin - string->text);
	put_read_rest(shown, out, &text, before > 0 ? 0 : len, before);
	(void)buf_printf(
	    out, " reads %s %s. ", before > 0 ? "the beginning of" : "on in", string->name);
}

/*
 * Appends the call that reads a value. If the value is an array, and its shown elements are whole,
 * the call reads from the first missing element on.
 */
static void put_value_rest(const struct shown *shown, struct buf *out, const struct json *value)
{
	bool is_begun = value->type == JSON_ARRAY && is_whole(shown->cut, value, false);
	struct mcp_cut nothing = {0};
	struct buf part = BUF(PART_MAX), whole = BUF(SIZE_MAX);
	mcp_cut_nothing(&nothing);
	write_value(&part, shown->cut, value);
	if (shown->asked->rests != NULL)
		write_value(&whole, &nothing, value);
	put_read_rest(shown, out, &whole, is_begun ? part.len - 1 : 0, 0);
	(void)buf_printf(out, " reads %s%s, as JSON. ", is_begun ? "the other " : "all of ",
	    value->name != NULL ? value->name : "it");
	buf_finish(&part);
	buf_finish(&whole);
}

/* Appends the tool's call that reads on at an offset or entry. Returns false if there is none. */
static bool put_again(const struct shown *shown, struct buf *out, int64_t place)
{
	const char *parameter = place_parameter(shown->asked);
	struct json_writer writer;
	struct buf call;
	bool is_short;
	if (parameter == NULL || shown->asked->arguments == NULL)
		return false;
	json_start_object(&writer, &call, REPEATED_MAX);
	json_each_member (m, shown->asked->arguments)
		if (strcmp(m->name, parameter) != 0)
			json_put_value(&writer, m->name, m);
	json_put_int(&writer, parameter, place);
	json_object_end(&writer);
	is_short = !writer.is_cut;
	if (is_short)
		(void)buf_printf(
		    out, "%s %s reads on. ", shown->asked->tool->name, (const char *)call.data);
	buf_finish(&call);
	return is_short;
}

static void put_member_rest(const struct shown *shown, struct buf *out, const struct json *member)
{
	bool is_list = member->type == JSON_ARRAY;
	if (is_list && mcp_cut_count(shown->cut, member) < member->count)
		(void)buf_printf(out, "%zu of %zu %s are shown. ",
		    mcp_cut_count(shown->cut, member), member->count, member->name);
	if (member == shown->list && shown->has_last && is_whole(shown->cut, member, false) &&
	    put_again(shown, out, shown->last))
		return;
	if (member->type != JSON_STRING)
		put_value_rest(shown, out, member);
	else if (member != shown->text || !shown->has_to || !put_again(shown, out, shown->to))
		put_string_rest(shown, out, member);
}

static size_t count_cut(const struct mcp_cut *cut, const struct json *result)
{
	size_t count = 0;
	json_each (m, result)
		count += !is_whole(cut, m, true);
	return count;
}

static void find_places(struct shown *shown)
{
	const struct json *text = json_member(shown->result, "text");
	const struct json *base64 = json_member(shown->result, "base64");
	if (text != NULL && text->type == JSON_STRING)
		find_place(shown, text, false);
	else if (base64 != NULL && base64->type == JSON_STRING)
		find_place(shown, base64, true);
	json_each (m, shown->result)
		if (m->type == JSON_ARRAY)
			find_last(shown, m);
}

bool mcp_shown_last(const struct mcp_cut *cut, const struct json *result, int64_t *ret_last)
{
	struct shown shown = {.result = result, .cut = cut};
	find_places(&shown);
	*ret_last = shown.last;
	return shown.has_last;
}

static void put_rest(const struct shown *shown, struct buf *out)
{
	const struct json *own = json_member(shown->result, "rest");
	/* The member rest of a declared tool or provider is foreign text, and not repeated here. */
	if (own != NULL && own->type == JSON_STRING && shown->asked->tool != NULL &&
	    shown->asked->tool->group == NULL)
		(void)buf_printf(out, "%s ", own->text);
	/* The part has no place for the result's own "rest": the call reads the whole result. */
	if (own != NULL || count_cut(shown->cut, shown->result) > NAMED_MAX) {
		put_value_rest(shown, out, shown->result);
	} else {
		json_each (m, shown->result)
			if (!is_whole(shown->cut, m, true))
				put_member_rest(shown, out, m);
	}
	if (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

void mcp_shown_put_rest(struct buf *out, const struct mcp_cut *cut, const struct json *result,
    const struct mcp_asked *asked)
{
	struct shown shown = {.result = result, .cut = cut, .asked = asked};
	find_places(&shown);
	put_rest(&shown, out);
}

static bool find_next(const struct json *result, int64_t *ret_place)
{
	const char *more = json_member(result, "more") != NULL ? "more" : "truncated";
	int64_t from, end;
	if (json_get_bool(result, more, false) && json_int(json_member(result, "last"), ret_place))
		return true;
	/* After an empty part, the next call would return the same part again. */
	return json_int(json_member(result, "from"), &from) &&
	    json_int(json_member(result, "to"), ret_place) &&
	    json_int(json_member(result, "end"), &end) && from < *ret_place && *ret_place < end;
}

void mcp_shown_put_next(struct buf *out, const struct json *result, const struct mcp_asked *asked)
{
	struct shown shown = {.result = result, .asked = asked};
	const char *parameter = place_parameter(asked);
	int64_t place;
	if (parameter == NULL || result->type != JSON_OBJECT ||
	    json_member(result, "rest") != NULL || !find_next(result, &place))
		return;
	if (put_again(&shown, out, place))
		out->data[--out->len] = '\0'; /* put_again() ends with a blank */
	else
		(void)buf_printf(out, "%s with the same arguments and \"%s\":%" PRId64 " reads on.",
		    asked->tool->name, parameter, place);
}

bool mcp_shown_write(struct buf *out, const struct mcp_cut *cut, const struct json *result,
    const struct mcp_asked *asked)
{
	struct shown shown = {.result = result, .cut = cut, .asked = asked};
	struct json_writer writer;
	struct buf rest = BUF(REST_MAX);
	find_places(&shown);
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	for (const struct json *m = result->child; m != NULL && !writer.is_cut; m = m->next)
		put_member(&shown, &writer, m);
	json_put_bool(&writer, "truncated", true);
	put_rest(&shown, &rest);
	(void)json_put_text(&writer, "rest", rest.data, rest.len);
	buf_finish(&rest);
	json_object_end(&writer);
	return !writer.is_cut;
}
