/* SPDX-License-Identifier: ISC */
#include "daemon/mcp/mcp_text.h"

#include "daemon/server/rest.h"
#include "daemon/tool/tool_run.h"

/* long strings are cut down to this many bytes before arrays are cut */
#define STRING_FIRST_MIN 1000
#define STRING_LAST_MIN 80

static bool is_inside(char byte)
{
	return ((uint8_t)byte & 0xc0) == 0x80;
}

/* Returns true for text in base64, which is cut only between groups of 4 characters (3 bytes). */
static bool is_base64(const struct json *value)
{
	return value->name != NULL && strcmp(value->name, "base64") == 0;
}

const char *mcp_cut_string(const struct mcp_cut *cut, const struct json *value, size_t *ret_len)
{
	const char *text = value->text;
	size_t len = value->len;
	size_t max = cut->string_max;
	const char *line;
	*ret_len = len;
	if (len <= max)
		return text;
	if (is_base64(value)) {
		*ret_len = max / 4 * 4;
		return cut->keeps_end ? text + len - *ret_len : text;
	}
	if (cut->keeps_end) {
		const char *begin = text + len - max;
		while (is_inside(*begin))
			begin++;
		line = memchr(begin, '\n', max / 4);
		begin = line != NULL ? line + 1 : begin;
		*ret_len = (size_t)(text + len - begin);
		return begin;
	}
	while (max > 0 && is_inside(text[max]))
		max--;
	line = memrchr(text + max - max / 4, '\n', max / 4);
	*ret_len = line != NULL ? (size_t)(line + 1 - text) : max;
	return text;
}

size_t mcp_cut_count(const struct mcp_cut *cut, const struct json *value)
{
	return value->count < cut->array_max ? value->count : cut->array_max;
}

static void put_children(
    const struct mcp_cut *cut, struct json_writer *writer, const struct json *value, size_t count)
{
	const struct json *child = value->child;
	for (size_t i = 0; i < count && child != NULL && !writer->is_cut; i++, child = child->next)
		mcp_cut_write(cut, writer, value->type == JSON_OBJECT ? child->name : NULL, child);
}

void mcp_cut_write(const struct mcp_cut *cut, struct json_writer *writer, const char *name,
    const struct json *value)
{
	size_t len;
	const char *text;
	switch (value->type) {
	case JSON_STRING:
		text = mcp_cut_string(cut, value, &len);
		(void)json_put_text(writer, name, text, len);
		return;
	case JSON_ARRAY:
		json_array_begin(writer, name);
		put_children(cut, writer, value, mcp_cut_count(cut, value));
		json_array_end(writer);
		return;
	case JSON_OBJECT:
		json_object_begin(writer, name);
		put_children(cut, writer, value, value->count);
		json_object_end(writer);
		return;
	case JSON_NULL:
	case JSON_BOOL:
	case JSON_NUMBER:
		json_put_value(writer, name, value);
		return;
	}
}

struct cut_search {
	struct mcp_cut *cut;
	size_t *number; /* the limit in `cut` for which a value is searched */
	size_t max_bytes;
	mcp_cut_writer *write;
	void *data;
};

static bool fits(const struct cut_search *search, size_t number)
{
	struct buf out;
	bool is_small;
	*search->number = number;
	buf_init(&out, search->max_bytes);
	is_small = search->write(&out, search->cut, search->data);
	buf_finish(&out);
	return is_small;
}

static bool find(const struct cut_search *search, size_t low, size_t high)
{
	if (!fits(search, low))
		return false;
	while (low < high) {
		size_t middle = high - (high - low) / 2;
		if (fits(search, middle))
			low = middle;
		else
			high = middle - 1;
	}
	*search->number = low;
	return true;
}

void mcp_cut_nothing(struct mcp_cut *cut)
{
	cut->is_needed = false;
	cut->string_max = SIZE_MAX;
	cut->array_max = SIZE_MAX;
}

/* Returns the length of the longest array, at any depth. */
static size_t longest_array(const struct json *value)
{
	size_t longest = value->type == JSON_ARRAY ? value->count : 0;
	json_each (child, value) {
		size_t inner = child->child != NULL ? longest_array(child) : 0;
		longest = inner > longest ? inner : longest;
	}
	return longest;
}

bool mcp_cut_find(
    struct mcp_cut *cut, const struct json *value, size_t max, mcp_cut_writer *write, void *data)
{
	size_t longest;
	struct cut_search strings = {cut, &cut->string_max, max, write, data};
	struct cut_search arrays = {cut, &cut->array_max, max, write, data};
	mcp_cut_nothing(cut);
	if (fits(&strings, SIZE_MAX))
		return true;
	cut->is_needed = true;
	if (find(&strings, STRING_FIRST_MIN, max))
		return true;
	longest = longest_array(value);
	cut->string_max = STRING_FIRST_MIN;
	if (find(&arrays, 1, longest > 1 ? longest : 1))
		return true;
	cut->string_max = STRING_LAST_MIN;
	return find(&arrays, 0, longest);
}

#define COLUMNS_MAX 64
#define INLINE_MAX 200 /* maximum bytes of a string that is written within a line */

/* The text that is written. is_full: an append has failed. */
struct text_page {
	struct buf *out;
	const struct mcp_cut *cut;
	const char *message; /* name of the member that has the outcome in words */
	bool is_full;
};

static void put(struct text_page *page, const char *text, size_t len)
{
	page->is_full |= str_append_lines(page->out, text, len) != 0;
}

static void put_str(struct text_page *page, const char *text)
{
	put(page, text, strlen(text));
}

static void put_count(struct text_page *page, size_t count)
{
	page->is_full |= buf_printf(page->out, "%zu", count) != 0;
}

static bool is_long(const struct json *value)
{
	return value->type == JSON_STRING &&
	    (value->len > INLINE_MAX || memchr(value->text, '\n', value->len));
}

static bool is_list(const struct json *value)
{
	return value->type == JSON_ARRAY && value->child && value->child->type == JSON_OBJECT;
}

static bool is_message(const struct text_page *page, const struct json *member)
{
	return member->type == JSON_STRING && strcmp(member->name, page->message) == 0;
}

static void put_json(struct text_page *page, const struct json *value)
{
	struct json_writer writer;
	json_writer_init(&writer, page->out);
	mcp_cut_write(page->cut, &writer, NULL, value);
	page->is_full |= writer.is_cut;
}

/* Returns true if a string could be mistaken for another value. */
static bool is_misleading(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == '|')
			return true;
	return len == 0 || *text == '"' || *text == '-' || *text == ' ' || text[len - 1] == ' ';
}

static void put_value(struct text_page *page, const struct json *value);

static void put_members(struct text_page *page, const struct json *object)
{
	const char *comma = "";
	json_each_member (member, object) {
		put_str(page, comma);
		put_str(page, member->name);
		put_str(page, " ");
		put_value(page, member);
		comma = ", ";
	}
}

/* Writes a value: plain strings without quotes, nested values as JSON. */
static void put_value(struct text_page *page, const struct json *value)
{
	size_t len;
	const char *text;
	switch (value->type) {
	case JSON_NULL:
		put_str(page, "-");
		return;
	case JSON_BOOL:
		put_str(page, value->boolean ? "yes" : "no");
		return;
	case JSON_NUMBER:
		put(page, value->text, value->len);
		return;
	case JSON_STRING:
		text = mcp_cut_string(page->cut, value, &len);
		if (is_misleading(text, len))
			put_json(page, value);
		else
			put(page, text, len);
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		put_json(page, value);
		return;
	}
}

struct columns {
	const char *names[COLUMNS_MAX];
	size_t count;
};

static void add_column(struct columns *columns, const char *name)
{
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->names[i], name) == 0)
			return;
	if (columns->count < COLUMNS_MAX)
		columns->names[columns->count++] = name;
}

/* Finds the names of members. As most rows are alike, the column at their place is tried first. */
static void find_columns(struct columns *columns, const struct json *list, size_t rows)
{
	const struct json *row = list->child;
	columns->count = 0;
	for (size_t i = 0; i < rows; i++, row = row->next) {
		size_t place = 0;
		for (const struct json *member = row->child; member != NULL;
		     member = member->next, place++)
			if (place >= columns->count ||
			    strcmp(columns->names[place], member->name) != 0)
				add_column(columns, member->name);
	}
}

static void put_row(struct text_page *page, const struct columns *columns, const struct json *row)
{
	const struct json *next = row->child; /* this is probably the value of the column */
	for (size_t i = 0; i < columns->count; i++) {
		const struct json *value = next;
		if (value == NULL || strcmp(value->name, columns->names[i]) != 0)
			value = json_member(row, columns->names[i]);
		if (i > 0)
			put(page, " | ", 3);
		if (value != NULL)
			put_value(page, value);
		next = value != NULL ? value->next : next;
	}
	put_str(page, "\n");
}

static void put_table(struct text_page *page, const struct json *list)
{
	size_t count = mcp_cut_count(page->cut, list);
	const struct json *row = list->child;
	struct columns columns;
	find_columns(&columns, list, count);
	put_str(page, list->name);
	put_str(page, ":\n");
	for (size_t i = 0; i < columns.count; i++) {
		put_str(page, i > 0 ? " | " : "");
		put_str(page, columns.names[i]);
	}
	put_str(page, "\n");
	for (size_t i = 0; i < count && !page->is_full; i++, row = row->next)
		put_row(page, &columns, row);
}

static void put_block(struct text_page *page, const struct json *member)
{
	size_t len;
	const char *text = mcp_cut_string(page->cut, member, &len);
	put_str(page, member->name);
	put_str(page, ", lines: ");
	put_count(page, (size_t)text_count_lines((const uint8_t *)text, len));
	put_str(page, "\n");
	put(page, text, len);
	if (len > 0 && text[len - 1] != '\n')
		put_str(page, "\n");
}

static void put_wait(struct text_page *page, const struct json *result)
{
	const struct json *matched = json_member(result, "matched");
	const struct json *conditions = json_member(result, "conditions");
	const char *comma = "Came true: ";
	size_t index = 0;
	if (json_get_bool(result, "timed_out", false)) {
		put_str(page, "The time is up, and it has not come true.");
		return;
	}
	for (const struct json *c = conditions != NULL ? conditions->child : NULL; c;
	     c = c->next, index++) {
		const struct json *state = json_member(c, "state");
		const struct json *kind = json_member(c, "condition");
		if (state == NULL || kind == NULL || strcmp(state->text, "matched") != 0)
			continue;
		put_str(page, comma);
		put_value(page, kind);
		put_str(page, " (condition ");
		put_count(page, index);
		put_str(page, ")");
		comma = ", ";
	}
	if (matched == NULL || matched->count == 0)
		put_str(page, "It cannot come true any more: what was waited for is gone.");
}

/* Appends the numbers of elements, as "3 panes, 0 gaps". Returns false if there are none. */
static bool put_counts(struct text_page *page, const struct json *result)
{
	const char *comma = "";
	json_each_member (member, result) {
		if (member->type != JSON_ARRAY)
			continue;
		put_str(page, comma);
		put_count(page, member->count);
		put_str(page, " ");
		put_str(page, member->name);
		comma = ", ";
	}
	return *comma != '\0';
}

static void put_outcome(
    struct text_page *page, const struct method *method, const struct json *result)
{
	const struct json *message = json_member(result, page->message);
	if (message != NULL && is_message(page, message)) {
		size_t len;
		const char *text = mcp_cut_string(page->cut, message, &len);
		if (len == 0 && result->count > 1)
			return; /* no outcome: the text has the other members */
		put(page, text, len);
	} else if (strcmp(method->name, "wait_for") == 0) {
		put_wait(page, result);
	} else {
		put_str(page, method->title);
		put_str(page, ": ");
		if (!put_counts(page, result))
			put_str(page, "done");
		put_str(page, ".");
	}
	put_str(page, "\n");
}

static bool is_put(const struct text_page *page, const struct json *member, const char *rest)
{
	return is_message(page, member) || (rest != NULL && strcmp(member->name, "rest") == 0);
}

static void put_line(struct text_page *page, const struct json *result, const char *rest)
{
	const char *comma = "";
	json_each_member (member, result) {
		if (is_put(page, member, rest) || is_list(member) || is_long(member))
			continue;
		put_str(page, comma);
		put_str(page, member->name);
		put_str(page, " ");
		if (member->type == JSON_OBJECT && member->count > 0 && member->count <= 4) {
			put_str(page, "(");
			put_members(page, member);
			put_str(page, ")");
		} else {
			put_value(page, member);
		}
		comma = ", ";
	}
	if (*comma)
		put_str(page, "\n");
}

bool mcp_text_write(struct buf *out, const struct method *method, const struct json *result,
    const struct mcp_cut *cut, const char *rest)
{
	bool is_foreign = method->group != NULL || strcmp(method->name, "read_rest") == 0;
	bool is_declared = is_foreign && json_member(result, "text") != NULL;
	struct text_page page = {
	    .out = out, .cut = cut, .message = is_declared ? "text" : "message"};
	put_outcome(&page, method, result);
	put_line(&page, result, rest);
	json_each (member, result)
		if (is_list(member))
			put_table(&page, member);
	json_each (member, result)
		if (is_long(member) && !is_put(&page, member, rest))
			put_block(&page, member);
	if (rest != NULL) {
		put_str(&page, "Truncated. ");
		put_str(&page, rest);
		put_str(&page, "\n");
	}
	return !page.is_full;
}

static bool is_image(const struct json *value)
{
	const struct json *type = json_member(value, "mime_type");
	const struct json *data = json_member(value, "data");
	return type != NULL && data != NULL && type->type == JSON_STRING &&
	    data->type == JSON_STRING;
}

bool mcp_image_is_in(const struct json *result)
{
	const struct json *images = json_member(result, "images");
	return is_image(result) ||
	    (images != NULL && images->type == JSON_ARRAY && images->count > 0);
}

static void squeeze(struct buf *out, const char *text, size_t len)
{
	bool is_in_string = false;
	for (size_t at = 0; at < len; at++) {
		is_in_string ^= text[at] == '"';
		if (is_in_string && text[at] == '\\' && at + 1 < len)
			(void)buf_append_byte(out, (uint8_t)text[at++]);
		if (is_in_string || strchr(" \t\n\r", text[at]) == NULL)
			(void)buf_append_byte(out, (uint8_t)text[at]);
	}
}

static bool is_json_of(const char *text, size_t len, const struct json *value)
{
	struct buf json = BUF(SIZE_MAX), given = BUF(len + 1);
	bool is_same;
	(void)json_append(&json, value);
	squeeze(&given, text, len);
	is_same = given.len == json.len && memcmp(given.data, json.data, json.len) == 0;
	buf_finish(&given);
	buf_finish(&json);
	return is_same;
}

bool mcp_text_is_repeated(const struct json *result)
{
	const struct json *text = json_member(result, "text");
	const struct json *structured = json_member(result, "structured");
	const struct json *only = json_first_member(structured);
	if (text == NULL || text->type != JSON_STRING || structured == NULL)
		return false;
	if (only == NULL || only->next != NULL)
		return is_json_of(text->text, text->len, structured);
	if (only->type == JSON_STRING && only->len == text->len &&
	    memcmp(only->text, text->text, text->len) == 0)
		return true;
	return is_json_of(text->text, text->len, structured) ||
	    is_json_of(text->text, text->len, only);
}

/* Writes an image, or a text in its place if models would refuse its type. Ignores other values. */
static void put_image(struct json_writer *writer, const struct json *image)
{
	const struct json *data = json_member(image, "data");
	const char *type = NULL;
	struct buf bytes;
	if (!is_image(image))
		return;
	buf_init(&bytes, data->len);
	if (base64_decode(&bytes, data->text, data->len) == 0)
		type = tool_run_image_type(&bytes);
	buf_finish(&bytes);
	json_object_begin(writer, NULL);
	json_put_str(writer, "type", type != NULL ? "image" : "text");
	if (type != NULL) {
		json_put_value(writer, "data", data);
		json_put_str(writer, "mimeType", type);
	} else {
		json_put_str(
		    writer, "text", "An image is left out: it is no PNG, JPEG, GIF or WebP.");
	}
	json_object_end(writer);
}

/* Appends the call that reads on from an offset; from 0: that reads the member structured. */
static void put_rest(
    struct buf *out, struct rest_set *rests, const void *text, size_t len, size_t from)
{
	(void)buf_printf(out, "\nTruncated. read_rest {\"id\":\"%s\",\"after\":%zu} reads %s.",
	    rest_keep(rests, text, len), from, from > 0 ? "on in text" : "structured, as JSON");
}

static void put_text(struct json_writer *writer, const struct json *text,
    const struct json *structured, size_t text_max, struct rest_set *rests)
{
	size_t len = text != NULL ? text->len : 0, shown = len < text_max ? len : text_max;
	struct buf out = BUF(text_max + 512), json = BUF(SIZE_MAX);
	while (shown < len && shown > 0 && ((uint8_t)text->text[shown] & 0xc0) == 0x80)
		shown--; /* do not cut within a character */
	(void)buf_append(&out, shown > 0 ? text->text : "", shown);
	if (shown < len)
		put_rest(&out, rests, text->text, len, shown);
	if (structured != NULL) {
		(void)json_append(&json, structured);
		put_rest(&out, rests, json.data, json.len, 0);
		buf_finish(&json);
	}
	if (out.len > 0) {
		json_object_begin(writer, NULL);
		json_put_str(writer, "type", "text");
		(void)json_put_text(writer, "text", (const char *)out.data, out.len);
		json_object_end(writer);
	}
	buf_finish(&out);
}

void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, struct rest_set *rests)
{
	const struct json *text = json_member(result, "text");
	const struct json *images = json_member(result, "images");
	json_array_begin(writer, "content");
	if (text != NULL && text->type != JSON_STRING)
		text = NULL;
	put_text(writer, text, json_member(result, "structured"), text_max, rests);
	put_image(writer, result);
	json_each (image, images)
		put_image(writer, image);
	json_array_end(writer);
}
