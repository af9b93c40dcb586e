/* SPDX-License-Identifier: ISC */
/* Cuts results to a size for a model. */
#include "daemon/mcp/mcp_cut.h"

#include <stdint.h>
#include <string.h>

#define STRING_FIRST_MIN 1000 /* strings keep this much while arrays are cut */
#define STRING_LAST_MIN 80

/* Whether a byte is inside of a character. */
static bool is_inside(char byte)
{
	return ((uint8_t)byte & 0xc0) == 0x80;
}

/* Four characters of base64 are three bytes: a part of them would be other bytes. */
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

/* A search for the largest number that fits. */
struct cut_search {
	struct mcp_cut *cut;
	size_t *number; /* of the cut */
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

/* The largest number from low to high that fits; false if low does not. */
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

/* The length of the longest array in a value. */
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
