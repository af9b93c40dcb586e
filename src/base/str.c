/* SPDX-License-Identifier: ISC */
#include "base/str.h"

#include <ctype.h>
#include <strings.h>

#include "base/utf8.h"

const char *str_shown(const char *text, size_t len, char out[STR_SHOWN_SIZE])
{
	bool is_long = len > STR_SHOWN_MAX;
	if (is_long) {
		len = STR_SHOWN_MAX;
		len -= utf8_incomplete_tail(text, len);
	}
	memcpy(out, text, len);
	memcpy(out + len, is_long ? "\xe2\x80\xa6" : "", is_long ? 4 : 1);
	return out;
}

bool str_is_in(const char *text, const char *const *names)
{
	while (*names != NULL && strcmp(*names, text) != 0)
		names++;
	return *names != NULL;
}

bool str_ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);
	return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

const char *str_last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

const void *str_find_row(const void *rows, size_t count, size_t size, const char *name)
{
	for (const char *row = rows, *found; count > 0; count--, row += size) {
		memcpy(&found, row, sizeof found);
		if (found != NULL && strcmp(found, name) == 0)
			return row;
	}
	return NULL;
}

int str_refuse(char *ret_reason, size_t size, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(ret_reason, size, format, args);
	va_end(args);
	return -1;
}

size_t str_put_u64(char *out, uint64_t value, size_t at_least)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	char digits[STR_U64_SIZE];
	size_t at = sizeof digits, len;
	for (; value > 99; value /= 100)
		memcpy(digits + (at -= 2), pairs + 2 * (value % 100), 2);
	memcpy(digits + (at -= 2), pairs + 2 * value, 2);
	at += value < 10;
	while (sizeof digits - at < at_least)
		digits[--at] = '0';
	len = sizeof digits - at;
	memcpy(out, digits + at, len);
	out[len] = '\0';
	return len;
}

int str_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void str_put_hex(char *out, const void *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";
	for (const uint8_t *at = bytes; count > 0; count--, at++) {
		*out++ = digits[*at >> 4];
		*out++ = digits[*at & 0xf];
	}
	*out = '\0';
}

bool str_parse_u64(const char *text, size_t len, uint64_t *ret_value)
{
	uint64_t value = 0;
	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return false;
	}
	*ret_value = value;
	return true;
}

bool str_parse_u32(const char *text, size_t len, uint32_t *ret_value)
{
	uint64_t value;
	if (!str_parse_u64(text, len, &value) || value > UINT32_MAX)
		return false;
	*ret_value = (uint32_t)value;
	return true;
}

bool str_parse_i64(const char *text, size_t len, int64_t *ret_value)
{
	bool is_negative = len > 0 && text[0] == '-';
	uint64_t value;
	if (!str_parse_u64(text + is_negative, len - is_negative, &value))
		return false;
	if (value > (uint64_t)INT64_MAX + is_negative)
		return false;
	*ret_value = is_negative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

bool str_parse_id(const char *text, size_t len, char sigil, uint32_t *ret_id)
{
	return len > 1 && text[0] == sigil && str_parse_u32(text + 1, len - 1, ret_id);
}

#define NEAREST_LEN_MAX 64

static char fold(char c)
{
	return c == '-' || c == '.' || c == ' ' || c == '/' ? '_' : (char)tolower((unsigned char)c);
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the minimum number of letters to add, drop, replace or swap, to turn a into b. */
static size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][NEAREST_LEN_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	for (size_t j = 0; j <= b_len; j++)
		above[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *oldest;
		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			bool is_same = fold(a[i - 1]) == fold(b[j - 1]);
			row[j] =
			    min_size(above[j - 1] + !is_same, min_size(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]))
				row[j] = min_size(row[j], before[j - 2] + 1);
		}
		oldest = before;
		before = above;
		above = row;
		row = oldest;
	}
	return above[b_len];
}

const char *str_nearest(const char *text, const char *const *names)
{
	const char *nearest = NULL;
	size_t nearest_distance = 0, len = strlen(text);
	if (len == 0 || len > NEAREST_LEN_MAX)
		return NULL;
	for (; *names; names++) {
		size_t name_len = strlen(*names), distance, shorter;
		bool is_start;
		if (name_len > NEAREST_LEN_MAX)
			continue;
		distance = edit_distance(text, len, *names, name_len);
		shorter = min_size(len, name_len);
		/* Also accept a text that is a prefix of the name, or begins with the name. */
		is_start = shorter >= 3 && edit_distance(text, shorter, *names, shorter) == 0;
		if (!is_start && distance > (shorter + 2) / 3)
			continue;
		if (nearest == NULL || distance < nearest_distance) {
			nearest = *names;
			nearest_distance = distance;
		}
	}
	return nearest;
}

/* Returns true for control characters, and for some invisible ones, such as bidi controls. */
static bool char_is_unseen(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static int append_unseen(struct buf *out, uint32_t c)
{
	switch (c) {
	case '\n':
		return buf_append_str(out, "\\n");
	case '\r':
		return buf_append_str(out, "\\r");
	case '\t':
		return buf_append_str(out, "\\t");
	}
	return buf_printf(out, c < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)c);
}

static int append_visible(struct buf *out, const uint8_t *p, size_t len, bool with_ascii)
{
	const uint8_t *end = p + len;
	while (p < end) {
		uint32_t c;
		int r;
		int n = utf8_decode(p, (size_t)(end - p), &c);
		if (n <= 0)
			r = buf_printf(out, "\\x%02x", *p);
		else if (char_is_unseen(c) && (with_ascii || c >= 0x80))
			r = append_unseen(out, c);
		else
			r = buf_append(out, p, (size_t)n);
		if (r < 0)
			return r;
		p += n > 0 ? n : 1;
	}
	return 0;
}

int str_append_visible(struct buf *out, const void *bytes, size_t len)
{
	return append_visible(out, bytes, len, true);
}

int str_append_lines(struct buf *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	size_t ascii = 0;
	int r;
	while (ascii < len && p[ascii] < 0x80)
		ascii++;
	r = buf_append(out, p, ascii);
	return r < 0 ? r : append_visible(out, p + ascii, len - ascii, false);
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_encode(struct buf *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint8_t *q;
	int r;
	if (len > out->max) /* also prevents an overflow of the product below */
		return BUF_FULL;
	r = buf_reserve(out, (len + 2) / 3 * 4);
	if (r < 0)
		return r;
	q = out->data + out->len;
	for (; len >= 3; len -= 3, p += 3) {
		*q++ = base64_digits[p[0] >> 2];
		*q++ = base64_digits[(p[0] & 3) << 4 | p[1] >> 4];
		*q++ = base64_digits[(p[1] & 15) << 2 | p[2] >> 6];
		*q++ = base64_digits[p[2] & 63];
	}
	if (len) {
		uint8_t second = len > 1 ? p[1] : 0;
		*q++ = base64_digits[p[0] >> 2];
		*q++ = base64_digits[(p[0] & 3) << 4 | second >> 4];
		*q++ = len > 1 ? base64_digits[(second & 15) << 2] : '=';
		*q++ = '=';
	}
	out->len = (size_t)(q - out->data);
	out->data[out->len] = '\0';
	return 0;
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes 2 to 4 digits into a 24-bit number. Returns -1 if invalid, or if unused bits are set. */
static int64_t base64_group(const char *text, size_t count)
{
	int64_t group = 0, spare;
	for (size_t i = 0; i < 4; i++) {
		int value = i < count ? base64_value(text[i]) : 0;
		if (value < 0)
			return -1;
		group = group << 6 | value;
	}
	spare = count == 2 ? 0xffff : count == 3 ? 0xff : 0;
	return group & spare ? -1 : group;
}

int base64_decode(struct buf *out, const char *text, size_t len)
{
	size_t pads, start;
	int r;
	if (len % 4)
		return BASE64_INVALID;
	pads = len == 0 || text[len - 1] != '=' ? 0 : text[len - 2] != '=' ? 1 : 2;
	start = out->len;
	r = buf_reserve(out, len / 4 * 3 - pads);
	for (size_t i = 0; r == 0 && i < len; i += 4) {
		size_t digits = i + 4 == len ? 4 - pads : 4;
		int64_t group = base64_group(text + i, digits);
		uint8_t bytes[] = {(uint8_t)(group >> 16), (uint8_t)(group >> 8), (uint8_t)group};
		r = group < 0 ? BASE64_INVALID : buf_append(out, bytes, digits - 1);
	}
	if (r < 0 && out->data) {
		out->len = start;
		out->data[start] = '\0';
	}
	return r;
}

size_t text_trimmed_len(const uint8_t *text, size_t len)
{
	while (len > 0 && text[len - 1] == '\n') {
		size_t start = len - 1;
		while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t'))
			start--;
		if (start > 0 && text[start - 1] != '\n')
			break;
		len = start;
	}
	return len;
}

size_t text_last_lines(const uint8_t *text, size_t len, int64_t lines)
{
	size_t at = len > 0 && text[len - 1] == '\n' ? len - 1 : len;
	while (lines > 0 && at > 0) {
		const uint8_t *newline = memrchr(text, '\n', at);
		at = newline != NULL ? (size_t)(newline - text) : 0;
		lines--;
	}
	return lines == 0 && at < len && text[at] == '\n' ? at + 1 : at;
}

int64_t text_count_lines(const uint8_t *text, size_t len)
{
	const uint8_t *end = text + len;
	int64_t lines = 0;
	for (; text < end; lines++) {
		const uint8_t *newline = memchr(text, '\n', (size_t)(end - text));
		text = newline != NULL ? newline + 1 : end;
	}
	return lines;
}

static size_t line_len(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	return (size_t)((newline != NULL ? newline : end) - at);
}

/* Returns true if "error" is near the start, without indent: "npm error …", "ValueError: …". */
static bool is_error_line(const char *line, size_t len)
{
	static const char word[] = "error";
	if (len == 0 || line[0] == ' ' || line[0] == '\t')
		return false; /* an indented line is usually part of a stack trace */
	for (size_t at = 0; at + strlen(word) <= len && at < 32; at++)
		if (strncasecmp(line + at, word, strlen(word)) == 0)
			return true;
	return false;
}

void str_remark(const char *said, size_t len, char out[STR_REMARK_SIZE])
{
	const char *end = said + len;
	bool was_error = false, has_error = false;
	struct buf text = BUF(STR_REMARK_SIZE - 1);
	for (const char *at = said; at < end;) {
		size_t line = line_len(at, end), shown = line;
		bool is_error = is_error_line(at, line);
		while (shown > 0 && strchr(" \t\r", at[shown - 1]) != NULL)
			shown--;
		if (shown > 0 && (is_error || !has_error)) {
			if (!is_error || !was_error)
				buf_clear(&text);
			if (text.len > 0)
				(void)buf_append_str(&text, "; ");
			(void)str_append_visible(&text, at, shown);
		}
		was_error = is_error;
		has_error |= is_error;
		at += line + 1;
	}
	strcpy(out, buf_text(&text));
	buf_finish(&text);
}
