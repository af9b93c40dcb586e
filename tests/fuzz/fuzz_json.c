/* SPDX-License-Identifier: ISC */
/*
 * Any line to the JSON reader. An accepted line is written back, read again and written again:
 * both texts must be the same, and the text must not control a terminal.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINE_MAX_BYTES 65536

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Visits all of a tree; each promise of json.h about it must hold. */
static size_t walk(const struct json *value, size_t depth)
{
	size_t count = 0;
	size_t bytes = 0;
	int64_t integer;
	double number;
	must(depth <= JSON_DEPTH_MAX);
	if (value->name != NULL)
		must(strlen(value->name) == value->name_len);
	if (value->type == JSON_STRING || value->type == JSON_NUMBER)
		must(strlen(value->text) == value->len && utf8_is_valid(value->text, value->len));
	if (json_int(value, &integer)) {
		must(integer >= -((int64_t)1 << 53) && integer <= (int64_t)1 << 53);
		must(json_double(value, &number) && number == (double)integer);
	}
	for (const struct json *child = value->child; child != NULL; child = child->next, count++) {
		bytes += walk(child, depth + 1);
		if (value->type == JSON_OBJECT)
			must(child->name != NULL && json_member(value, child->name) == child);
		else
			must(value->type == JSON_ARRAY && child->name == NULL);
	}
	must(count == value->count);
	return bytes + value->len + value->name_len;
}

static void write_tree(struct buf *out, const struct json *value)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_put_value(&writer, NULL, value);
	must(!writer.is_cut);
	for (size_t i = 0; i < out->len; i++)
		must(out->data[i] >= 0x20 && out->data[i] != 0x7f);
}

/* A tree that is cut is complete as well. */
static void write_small(const struct json *value, size_t max)
{
	static struct json_reader *reader;
	struct json_writer writer;
	struct json_error error;
	struct buf out;
	if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
		return;
	if (reader == NULL)
		reader = json_reader_new(LINE_MAX_BYTES);
	buf_init(&out, max);
	json_writer_init(&writer, &out);
	json_put_value(&writer, NULL, value);
	must(out.len <= (max > JSON_SPARE ? max : JSON_SPARE));
	must(json_read(reader, (const char *)out.data, out.len, &error) != NULL);
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct json_reader *reader;
	struct json_error error;
	struct buf first, second;
	const struct json *value;
	if (reader == NULL)
		reader = json_reader_new(LINE_MAX_BYTES);
	value = json_read(reader, (const char *)data, size, &error);
	if (value == NULL) {
		must(error.offset <= size && *error.text && strlen(error.text) < sizeof error.text);
		must(utf8_is_valid(error.text, strlen(error.text)));
		return 0;
	}
	must(walk(value, 0) <= size);
	write_small(value, size / 2);
	buf_init(&first, size * 6 + JSON_SPARE);
	buf_init(&second, size * 6 + JSON_SPARE);
	write_tree(&first, value);
	value = json_read(reader, (const char *)first.data, first.len, &error);
	/* Escapes make it longer: a long line may come back too long. */
	must(value != NULL || first.len > LINE_MAX_BYTES);
	if (value != NULL) {
		(void)walk(value, 0);
		write_tree(&second, value);
		must(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	}
	buf_finish(&first);
	buf_finish(&second);
	return 0;
}
