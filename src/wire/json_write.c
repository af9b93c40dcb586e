/* SPDX-License-Identifier: ISC */
/* The JSON writer. All text goes through the escaper; commas are added as needed. */
#include "wire/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

void json_writer_init(struct json_writer *writer, struct buf *buf)
{
	*writer = (struct json_writer){.buf = buf};
}

/* Handles the result of a write. */
static void settle(struct json_writer *writer, int r)
{
	if (r == BUF_FULL)
		writer->is_full = true;
	if (r != BUF_NOMEM)
		return;
	log_error("out of memory");
	exit(EXIT_FAILURE);
}

/* Extends the output by len bytes, for the caller to fill; NULL if it is full. */
static inline uint8_t *claim(struct json_writer *writer, size_t len)
{
	struct buf *buf = writer->buf;
	uint8_t *room;
	if (writer->is_full)
		return NULL;
	if (buf->cap - buf->len <= len || buf->max - buf->len < len) {
		int r = buf_reserve(buf, len);
		settle(writer, r);
		if (r < 0)
			return NULL;
	}
	room = buf->data + buf->len;
	buf->len += len;
	room[len] = '\0';
	return room;
}

static inline void put(struct json_writer *writer, const void *bytes, size_t len)
{
	uint8_t *room = claim(writer, len);
	if (room != NULL && len)
		memcpy(room, bytes, len);
}

/* Puts a string in quotes. Returns whether bytes had to be replaced. */
static bool put_quoted(struct json_writer *writer, const void *bytes, size_t len)
{
	bool is_lossy = false;
	put(writer, "\"", 1);
	if (!writer->is_full)
		settle(writer, json_escape(writer->buf, bytes, len, &is_lossy));
	put(writer, "\"", 1);
	return is_lossy;
}

/* Whether a name needs no escaping: none of ours does. (C1 and bidi are beyond ASCII.) */
static inline bool is_plain(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] < 0x20 || (unsigned char)name[i] >= 0x7f ||
		    name[i] == '"' || name[i] == '\\')
			return false;
	return true;
}

/* Writes the comma and the name before a value. */
static void put_lead(struct json_writer *writer, const char *name)
{
	uint8_t *room;
	size_t len;
	if (writer->needs_comma)
		put(writer, ",", 1);
	writer->needs_comma = true;
	if (name == NULL)
		return;
	len = strlen(name);
	if (!is_plain(name, len)) {
		(void)put_quoted(writer, name, len);
		put(writer, ":", 1);
		return;
	}
	room = claim(writer, len + 3);
	if (room == NULL)
		return;
	room[0] = '"';
	memcpy(room + 1, name, len);
	memcpy(room + 1 + len, "\":", 2);
}

static void put_token(struct json_writer *writer, const char *name, const char *token, size_t len)
{
	put_lead(writer, name);
	put(writer, token, len);
}

static void begin(struct json_writer *writer, const char *name, const char *bracket)
{
	put_token(writer, name, bracket, 1);
	writer->needs_comma = false;
}

static void end(struct json_writer *writer, const char *bracket)
{
	put(writer, bracket, 1);
	writer->needs_comma = true;
}

void json_object_begin(struct json_writer *writer, const char *name)
{
	begin(writer, name, "{");
}

void json_object_end(struct json_writer *writer)
{
	end(writer, "}");
}

void json_array_begin(struct json_writer *writer, const char *name)
{
	begin(writer, name, "[");
}

void json_array_end(struct json_writer *writer)
{
	end(writer, "]");
}

void json_put_null(struct json_writer *writer, const char *name)
{
	put_token(writer, name, "null", 4);
}

void json_put_bool(struct json_writer *writer, const char *name, bool value)
{
	if (value)
		put_token(writer, name, "true", 4);
	else
		put_token(writer, name, "false", 5);
}

void json_put_int(struct json_writer *writer, const char *name, int64_t value)
{
	char digits[24];
	size_t at = sizeof digits;
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		digits[--at] = '-';
	put_token(writer, name, digits + at, sizeof digits - at);
}

void json_put_double(struct json_writer *writer, const char *name, double value)
{
	char text[32];
	int len = 0;
	if (!isfinite(value)) {
		json_put_null(writer, name);
		return;
	}
	/* The shortest text that reads back as the same value. */
	for (int precision = 15; precision <= 17; precision++) {
		len = snprintf(text, sizeof text, "%.*g", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	put_token(writer, name, text, (size_t)len);
}

void json_put_str(struct json_writer *writer, const char *name, const char *string)
{
	if (string != NULL)
		(void)json_put_text(writer, name, string, strlen(string));
	else
		json_put_null(writer, name);
}

bool json_put_text(struct json_writer *writer, const char *name, const void *bytes, size_t len)
{
	put_lead(writer, name);
	return put_quoted(writer, bytes, len);
}

void json_put_base64(struct json_writer *writer, const char *name, const void *bytes, size_t len)
{
	put_token(writer, name, "\"", 1);
	if (!writer->is_full)
		settle(writer, base64_encode(writer->buf, bytes, len));
	put(writer, "\"", 1);
}

void json_put_time(struct json_writer *writer, const char *name, int64_t real_ms)
{
	char text[CLOCK_TEXT_SIZE];
	if (real_ms == 0) {
		json_put_null(writer, name);
		return;
	}
	clock_format(real_ms, text);
	json_put_str(writer, name, text);
}

void json_put_id(struct json_writer *writer, const char *name, char sigil, uint32_t id)
{
	char text[16];
	(void)snprintf(text, sizeof text, "%c%u", sigil, id);
	json_put_str(writer, name, text);
}

void json_put_raw(struct json_writer *writer, const char *name, const void *json, size_t len)
{
	put_token(writer, name, json, len);
}

/* Recursion is bounded: no tree is deeper than JSON_DEPTH_MAX. */
void json_put_value(struct json_writer *writer, const char *name, const struct json *value)
{
	bool is_object = value->type == JSON_OBJECT;
	switch (value->type) {
	case JSON_NULL:
		json_put_null(writer, name);
		return;
	case JSON_BOOL:
		json_put_bool(writer, name, value->boolean);
		return;
	case JSON_NUMBER:
		json_put_raw(writer, name, value->text, value->len);
		return;
	case JSON_STRING:
		(void)json_put_text(writer, name, value->text, value->len);
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	begin(writer, name, is_object ? "{" : "[");
	for (const struct json *child = value->child; child != NULL; child = child->next)
		json_put_value(writer, child->name, child);
	end(writer, is_object ? "}" : "]");
}
