/* SPDX-License-Identifier: ISC */
/* The check before yajl sees a line: rejects input that yajl handles wrongly. */
#include "wire/json_check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/utf8.h"

#define QUOTE_BYTES 20

/* A walk over the line that stops at the first error. */
struct check {
	const char *line;
	size_t len;
	size_t at;
	size_t depth;
	size_t values; /* upper bound of the values passed so far */
	const char *fault;
};

void json_error_set(
    struct json_error *error, const char *line, size_t len, size_t offset, const char *what)
{
	size_t quote_len = len - offset < QUOTE_BYTES ? len - offset : QUOTE_BYTES;
	uint8_t memory[64] = "";
	struct buf quote;
	/* Do not cut a character in two: half of it would look like an error in the line. */
	quote_len -= utf8_incomplete_tail(line + offset, quote_len);
	quote = (struct buf){.data = memory, .cap = sizeof memory, .max = sizeof memory - 1};
	(void)str_append_visible(&quote, line + offset, quote_len); /* may be cut */

	error->offset = offset;
	if (quote_len)
		(void)snprintf(error->text, sizeof error->text, "%s at offset %zu: %s%s", what,
		    offset, buf_text(&quote), offset + quote_len < len ? "..." : "");
	else
		(void)snprintf(error->text, sizeof error->text, "%s at offset %zu", what, offset);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads "\uXXXX" at an offset; -1 if there is none. */
static int32_t unit_at(const struct check *check, size_t at)
{
	int32_t unit = 0;
	if (check->len - at < 6 || check->line[at] != '\\' || check->line[at + 1] != 'u')
		return -1;
	for (size_t i = at + 2; i < at + 6; i++) {
		int value = hex_value(check->line[i]);
		if (value < 0)
			return -1;
		unit = unit << 4 | value;
	}
	return unit;
}

static bool unit_is_high(int32_t unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool unit_is_low(int32_t unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/* Passes "\uXXXX", or a surrogate pair of two. */
static void pass_unicode_escape(struct check *check)
{
	int32_t unit = unit_at(check, check->at);
	if (unit < 0)
		check->fault = "\\u without four hexadecimal digits";
	else if (unit == 0)
		check->fault = "\\u0000 is not accepted";
	else if (unit_is_low(unit))
		check->fault = "a low surrogate without a high one";
	else if (unit_is_high(unit) && !unit_is_low(unit_at(check, check->at + 6)))
		check->fault = "a high surrogate without a low one";
	else
		check->at += unit_is_high(unit) ? 12 : 6;
}

static void pass_escape(struct check *check)
{
	char c = check->at + 1 < check->len ? check->line[check->at + 1] : '\0';
	if (c == 'u')
		pass_unicode_escape(check);
	else if (c && strchr("\"\\/bfnrt", c))
		check->at += 2;
	else
		check->fault = "an unknown escape (a backslash is written \\\\)";
}

/* The meaning of a byte between strings. */
enum byte_class {
	BYTE_PLAIN,
	BYTE_QUOTE,
	BYTE_OPEN,
	BYTE_CLOSE,
	BYTE_COMMA,
	BYTE_CONTROL,
};

static const uint8_t byte_classes[256] = {
    [0x00 ... 0x08] = BYTE_CONTROL, /* tab, newline */
    [0x0b ... 0x0c] = BYTE_CONTROL, /* carriage return */
    [0x0e ... 0x1f] = BYTE_CONTROL,
    ['"'] = BYTE_QUOTE,
    ['['] = BYTE_OPEN,
    ['{'] = BYTE_OPEN,
    [']'] = BYTE_CLOSE,
    ['}'] = BYTE_CLOSE,
    [','] = BYTE_COMMA,
};

/* The bytes in a string that mean something. */
static const bool ends_run[256] = {[0x00 ... 0x1f] = true, ['"'] = true, ['\\'] = true};

/* Passes a string with both quotes. */
static void pass_string(struct check *check)
{
	size_t start = check->at++;
	while (check->at < check->len) {
		size_t at = check->at;
		unsigned char c;
		while (at < check->len && !ends_run[(unsigned char)check->line[at]])
			at++;
		check->at = at;
		if (at == check->len)
			break;
		c = (unsigned char)check->line[at];
		if (c == '"') {
			check->at++;
			return;
		}
		if (c == '\\')
			pass_escape(check);
		else
			check->fault = "a control character in a string (a newline is written \\n)";
		if (check->fault != NULL)
			return;
	}
	check->at = start;
	check->fault = "an unterminated string";
}

/* Passes a significant byte between strings. */
static void pass_byte(struct check *check, enum byte_class class)
{
	check->depth += class == BYTE_OPEN;
	check->depth -= class == BYTE_CLOSE && check->depth > 0; /* yajl refuses one too many */
	check->values += class == BYTE_OPEN || class == BYTE_COMMA;
	if (class == BYTE_CONTROL)
		check->fault = "a control character";
	else if (check->depth > JSON_DEPTH_MAX)
		check->fault = "more than 64 levels deep";
	else if (check->values > JSON_VALUES_MAX)
		check->fault = "more than 262144 values";
	else
		check->at++;
}

_Static_assert(JSON_DEPTH_MAX == 64 && JSON_VALUES_MAX == 262144, "as the texts have it");

bool json_check(const char *line, size_t len, struct json_error *ret_error)
{
	struct check check = {.line = line, .len = len, .values = 1};
	size_t valid = utf8_valid_prefix(line, len);
	if (len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		check.fault = "a byte order mark";
	while (check.fault == NULL && check.at < valid) {
		enum byte_class class = byte_classes[(unsigned char)line[check.at]];
		if (class == BYTE_PLAIN)
			check.at++;
		else if (class == BYTE_QUOTE)
			pass_string(&check);
		else
			pass_byte(&check, class);
	}
	if (valid < len && (check.fault == NULL || check.at >= valid)) {
		check.fault = "a byte that is not UTF-8";
		check.at = valid;
	}
	if (check.fault != NULL)
		json_error_set(ret_error, line, len, check.at, check.fault);
	return check.fault == NULL;
}
