/* SPDX-License-Identifier: ISC */
/* TOML 1.0: the ends of keys and values. */
#include "cli/toml.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"

static const char digits[] = "0123456789";
static const char hex_digits[] = "0123456789ABCDEFabcdef";

static size_t skip_blank(const char *text, size_t at)
{
	return at + strspn(text + at, " \t");
}

/* A line break: 0, 1 or 2 bytes. */
static size_t line_break(const char *at)
{
	return *at == '\n' ? 1 : *at == '\r' && at[1] == '\n' ? 2 : 0;
}

static bool is_control(char c)
{
	return (c > 0 && (unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

static size_t skip_comment(const char *text, size_t at)
{
	at = skip_blank(text, at);
	if (text[at] == '#') {
		while (text[at] != '\0' && !is_control(text[at]))
			at++;
	}
	return at;
}

bool toml_line_ends(const char *text, size_t at)
{
	at = skip_comment(text, at);
	return text[at] == '\0' || line_break(text + at) > 0;
}

/* Skips white space, line breaks and comments; not control characters in a comment. */
static size_t skip_lines(const char *text, size_t at)
{
	for (;;) {
		at = skip_comment(text, at);
		if (line_break(text + at) == 0)
			return at;
		at += line_break(text + at);
	}
}

/* Where decoded bytes go; out NULL: nowhere. */
struct sink {
	char *out;
	size_t size;
	size_t len;
	bool is_bad; /* a NUL, or no room */
};

static void put(struct sink *sink, const void *bytes, size_t len)
{
	if (sink->out == NULL)
		return;
	if (sink->len + len >= sink->size || memchr(bytes, '\0', len) != NULL) {
		sink->is_bad = true;
		return;
	}
	memcpy(sink->out + sink->len, bytes, len);
	sink->len += len;
}

/* \u0041, \U00000041: four or eight digits, of a character. */
static size_t read_unicode(const char *text, size_t at, size_t count, struct sink *sink)
{
	char number[9] = "", bytes[4];
	uint32_t character;
	if (strspn(text + at, hex_digits) < count)
		return 0;
	memcpy(number, text + at, count);
	character = (uint32_t)strtoul(number, NULL, 16);
	if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
		return 0;
	put(sink, bytes, utf8_encode(character, bytes));
	return at + count;
}

/* An escape, from behind its backslash. Returns its end, or 0. */
static size_t read_escape(const char *text, size_t at, bool is_long, struct sink *sink)
{
	static const char names[] = "btnfr\"\\";
	static const char meant[] = "\b\t\n\f\r\"\\";
	const char *name = text[at] != '\0' ? strchr(names, text[at]) : NULL;
	size_t end = skip_blank(text, at);
	if (name != NULL) {
		put(sink, &meant[name - names], 1);
		return at + 1;
	}
	if (text[at] == 'u' || text[at] == 'U')
		return read_unicode(text, at + 1, text[at] == 'u' ? 4 : 8, sink);
	if (!is_long || line_break(text + end) == 0)
		return 0;
	while (line_break(text + end) > 0)
		end = skip_blank(text, end + line_break(text + end));
	return end;
}

/* The end of a string that begins here; 0 if it is wrong. */
static size_t read_string(const char *text, size_t at, bool may_be_long, struct sink *sink)
{
	char quote = text[at];
	bool is_long = text[at + 1] == quote && text[at + 2] == quote;
	if (is_long && !may_be_long)
		return 0;
	at += is_long ? 3 : 1;
	for (;;) {
		size_t quotes = text[at] == quote ? strspn(text + at, (char[]){quote, '\0'}) : 0;
		size_t lines = line_break(text + at);
		if (quotes > 0 && !is_long)
			return at + 1;
		if (quotes >= 3) /* up to two more belong to the string */
			return quotes > 5 ? 0 : at + quotes;
		if (text[at] == '\0' || (lines > 0 && !is_long) ||
		    (lines == 0 && is_control(text[at])))
			return 0;
		if (text[at] == '\\' && quote == '"') {
			at = read_escape(text, at + 1, is_long, sink);
			if (at == 0)
				return 0;
			continue;
		}
		put(sink, text + at, lines > 0 ? lines : 1);
		at += lines > 0 ? lines : 1;
	}
}

const char *toml_key_name(const struct toml_key *key, size_t index)
{
	return key->text + key->begins[index];
}

size_t toml_key_end(const char *text, size_t at, struct toml_key *ret_key)
{
	static const char bare[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	struct sink sink = {.out = ret_key->text, .size = sizeof ret_key->text};
	for (ret_key->count = 0; ret_key->count < TOML_KEY_NAMES; at++) {
		size_t begin = at = skip_blank(text, at);
		ret_key->begins[ret_key->count++] = (uint16_t)sink.len;
		if (text[at] == '"' || text[at] == '\'') {
			at = read_string(text, at, false, &sink);
		} else {
			at += strspn(text + at, bare);
			put(&sink, text + begin, at - begin);
		}
		if (at == 0 || at == begin || sink.is_bad)
			return 0;
		sink.out[sink.len++] = '\0'; /* put() keeps room for it */
		at = skip_blank(text, at);
		if (text[at] != '.')
			return at;
	}
	return 0;
}

/* Digits with single underscores between them. Returns the end, or 0. */
static size_t skip_digits(const char *text, size_t at, const char *set)
{
	for (;;) {
		size_t count = strspn(text + at, set);
		if (count == 0)
			return 0;
		at += count;
		if (text[at] != '_')
			return at;
		at++;
	}
}

/* Whether an integer fits into 64 bits. */
static bool fits(const char *text, size_t len, int base)
{
	char number[72];
	size_t count = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '_')
			continue;
		if (count == sizeof number - 1)
			return false;
		number[count++] = text[i];
	}
	number[count] = '\0';
	errno = 0;
	(void)strtoll(number, NULL, base);
	return errno == 0;
}

static size_t skip_number(const char *text, size_t at)
{
	static const struct {
		char letter;
		int base;
		const char *set;
	} bases[] = {{'b', 2, "01"}, {'o', 8, "01234567"}, {'x', 16, hex_digits}};
	size_t begin = at, end;
	for (size_t i = 0; text[at] == '0' && i < sizeof bases / sizeof *bases; i++) {
		if (text[at + 1] != bases[i].letter)
			continue;
		end = skip_digits(text, at + 2, bases[i].set);
		return end > 0 && fits(text + at + 2, end - at - 2, bases[i].base) ? end : 0;
	}
	at += text[at] == '+' || text[at] == '-';
	if (strncmp(text + at, "inf", 3) == 0 || strncmp(text + at, "nan", 3) == 0)
		return at + 3;
	end = skip_digits(text, at, digits);
	if (end == 0 || (text[at] == '0' && end > at + 1))
		return 0;
	at = end;
	if (text[at] == '.' && (at = skip_digits(text, at + 1, digits)) == 0)
		return 0;
	if (text[at] == 'e' || text[at] == 'E') {
		at++;
		at += text[at] == '+' || text[at] == '-';
		return skip_digits(text, at, digits);
	}
	return at > end || fits(text + begin, end - begin, 10) ? at : 0;
}

/* A number of exactly count digits from min to max, or -1. */
static int read_part(const char *text, size_t at, size_t count, int min, int max)
{
	int number = 0;
	for (size_t i = 0; i < count; i++) {
		if (!isdigit((unsigned char)text[at + i]))
			return -1;
		number = number * 10 + text[at + i] - '0';
	}
	return number >= min && number <= max ? number : -1;
}

/* hh:mm:ss, perhaps with a fraction. Returns the end, or 0. */
static size_t skip_time(const char *text, size_t at)
{
	if (read_part(text, at, 2, 0, 23) < 0 || text[at + 2] != ':' ||
	    read_part(text, at + 3, 2, 0, 59) < 0 || text[at + 5] != ':' ||
	    read_part(text, at + 6, 2, 0, 60) < 0)
		return 0;
	at += 8;
	if (text[at] != '.')
		return at;
	return strspn(text + at + 1, digits) > 0 ? at + 1 + strspn(text + at + 1, digits) : 0;
}

/* yyyy-mm-dd, perhaps with a time and a zone. Returns the end, or 0. */
static size_t skip_date(const char *text, size_t at)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year = read_part(text, at, 4, 0, 9999), month, day;
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	size_t end;
	if (year < 0 || text[at + 4] != '-' || (month = read_part(text, at + 5, 2, 1, 12)) < 0 ||
	    text[at + 7] != '-' || (day = read_part(text, at + 8, 2, 1, 31)) < 0 ||
	    day > days[month - 1] + (month == 2 && is_leap))
		return 0;
	at += 10;
	if (strchr("Tt", text[at]) == NULL || text[at] == '\0') {
		if (text[at] != ' ' || !isdigit((unsigned char)text[at + 1]))
			return at;
	}
	end = skip_time(text, at + 1);
	if (end == 0 || text[end] == '\0' || strchr("Zz+-", text[end]) == NULL)
		return end;
	if (text[end] == 'Z' || text[end] == 'z')
		return end + 1;
	if (read_part(text, end + 1, 2, 0, 23) < 0 || text[end + 3] != ':' ||
	    read_part(text, end + 4, 2, 0, 59) < 0)
		return 0;
	return end + 6;
}

static size_t skip_scalar(const char *text, size_t at)
{
	size_t count = strspn(text + at, digits);
	if (text[at] == '"' || text[at] == '\'')
		return read_string(text, at, true, &(struct sink){.out = NULL});
	if (strncmp(text + at, "true", 4) == 0)
		return at + 4;
	if (strncmp(text + at, "false", 5) == 0)
		return at + 5;
	if (count == 4 && text[at + 4] == '-')
		return skip_date(text, at);
	if (count == 2 && text[at + 2] == ':')
		return skip_time(text, at);
	return skip_number(text, at);
}

static size_t skip_value(const char *text, size_t at, unsigned depth);

static size_t skip_array(const char *text, size_t at, unsigned depth)
{
	for (;;) {
		at = skip_lines(text, at + 1);
		if (text[at] == ']')
			return at + 1;
		if ((at = skip_value(text, at, depth)) == 0)
			return 0;
		at = skip_lines(text, at);
		if (text[at] == ']')
			return at + 1;
		if (text[at] != ',')
			return 0;
	}
}

static size_t skip_table(const char *text, size_t at, unsigned depth)
{
	struct toml_names *names = toml_names_new();
	struct toml_key *key = xalloc(sizeof *key);
	bool is_empty = text[skip_blank(text, at + 1)] == '}';
	at = is_empty ? skip_blank(text, at + 1) : at;
	while (!is_empty) {
		at = toml_key_end(text, at + 1, key);
		if (at == 0 || text[at] != '=' || !toml_names_pair(names, key))
			at = 0;
		else
			at = skip_value(text, skip_blank(text, at + 1), depth);
		if (at == 0)
			break;
		at = skip_blank(text, at);
		if (text[at] != ',')
			break;
	}
	toml_names_free(names);
	mem_free(key);
	return at > 0 && text[at] == '}' ? at + 1 : 0;
}

static size_t skip_value(const char *text, size_t at, unsigned depth)
{
	if (text[at] != '[' && text[at] != '{')
		return skip_scalar(text, at);
	if (depth == TOML_DEPTH_MAX)
		return 0;
	return (text[at] == '[' ? skip_array : skip_table)(text, at, depth + 1);
}

size_t toml_value_end(const char *text, size_t at)
{
	return skip_value(text, at, 0);
}
