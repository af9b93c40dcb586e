/* SPDX-License-Identifier: ISC */
/* Edits one table of a configuration file in TOML. */
#include "cli/config_toml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"

#define TEXT_MAX ((size_t)64 * 1024 * 1024)
#define KEY_PARTS_MAX 8 /* names of a dotted key that are compared */
#define KEY_NAME_MAX 128

/* A dotted key; longer names and names beyond the limit are not kept. */
struct key {
	char names[KEY_PARTS_MAX][KEY_NAME_MAX + 1];
	size_t count;
};

enum line_kind {
	LINE_BLANK, /* or a comment */
	LINE_HEADER, /* [a.b] */
	LINE_ARRAY, /* [[a.b]] */
	LINE_PAIR, /* key = value, which may continue over several lines */
	LINE_LAST, /* end of the text */
	LINE_WRONG,
};

/* One statement of the text. */
struct statement {
	enum line_kind kind;
	struct key key;
	size_t begin; /* of its first line */
	size_t value; /* of a pair: the beginning of its value */
	size_t value_end;
	size_t next; /* of the next line */
};

static bool __attribute__((format(printf, 2, 3)))
refuse(struct config_toml *config, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(config->reason, sizeof config->reason, format, args);
	va_end(args);
	return false;
}

static const char *chars(const struct config_toml *config)
{
	return config->text.data != NULL ? (const char *)config->text.data : "";
}

static size_t skip_blank(const char *text, size_t at)
{
	return at + strspn(text + at, " \t");
}

static size_t line_end(const char *text, size_t at)
{
	return at + strcspn(text + at, "\n");
}

static size_t next_line(const char *text, size_t at)
{
	at = line_end(text, at);
	return at + (text[at] == '\n');
}

/* Whether only white space or a comment follows up to the end of the line. */
static bool is_rest_blank(const char *text, size_t at)
{
	at = skip_blank(text, at);
	return text[at] == '#' || text[at] == '\0' || text[at] == '\n' ||
	    (text[at] == '\r' && text[at + 1] == '\n');
}

/* The end of a string that begins here; 0 if it does not end. */
static size_t skip_string(const char *text, size_t at)
{
	char quote = text[at];
	bool is_long = text[at + 1] == quote && text[at + 2] == quote;
	at += is_long ? 3 : 1;
	for (; text[at]; at++) {
		if (quote == '"' && text[at] == '\\' && text[at + 1]) {
			at++;
		} else if (!is_long && text[at] == '\n') {
			return 0;
		} else if (text[at] == quote && !is_long) {
			return at + 1;
		} else if (text[at] == quote && text[at + 1] == quote && text[at + 2] == quote) {
			at += 3;
			/* Up to two more quotes belong to the string. */
			return at + strspn(text + at, quote == '"' ? "\"" : "'");
		}
	}
	return 0;
}

/* The end of a value, which may be an array over several lines; 0 if it does not end. */
static size_t skip_value(const char *text, size_t at)
{
	size_t depth = 0;
	size_t begin = at;
	while (text[at]) {
		char c = text[at];
		if (c == '"' || c == '\'') {
			at = skip_string(text, at);
			if (at == 0)
				return 0;
			continue;
		}
		if (c == '#') {
			if (depth == 0)
				break;
			at = line_end(text, at);
			continue;
		}
		if (c == '\n' && depth == 0)
			break;
		if (c == '[' || c == '{')
			depth++;
		else if ((c == ']' || c == '}') && depth-- == 0)
			return 0;
		at++;
	}
	while (at > begin && strchr(" \t\r", text[at - 1]) != NULL)
		at--;
	return depth > 0 || at == begin ? 0 : at;
}

/* Reads one name of a key. Returns its end, or 0. */
static size_t read_name(const char *text, size_t at, char name[KEY_NAME_MAX + 1])
{
	static const char bare[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t end = at + strspn(text + at, bare);
	size_t begin = at;
	int len;
	if (text[at] == '"' || text[at] == '\'') {
		end = skip_string(text, at);
		if (end == 0)
			return 0;
		begin++;
	}
	if (end == at)
		return 0;
	len = (int)(end - begin) - (begin > at);
	(void)snprintf(name, KEY_NAME_MAX + 1, "%.*s", len > KEY_NAME_MAX ? 0 : len, text + begin);
	return end;
}

/* Reads a dotted key. Returns its end, or 0. */
static size_t read_key(const char *text, size_t at, struct key *ret_key)
{
	char ignored[KEY_NAME_MAX + 1];
	ret_key->count = 0;
	for (;;) {
		bool is_kept = ret_key->count < KEY_PARTS_MAX;
		at = read_name(
		    text, skip_blank(text, at), is_kept ? ret_key->names[ret_key->count] : ignored);
		if (at == 0)
			return 0;
		ret_key->count += is_kept;
		at = skip_blank(text, at);
		if (text[at] != '.')
			return at;
		at++;
	}
}

static enum line_kind read_header(const char *text, size_t at, struct statement *ret)
{
	bool is_array = text[at + 1] == '[';
	size_t end = read_key(text, at + 1 + is_array, &ret->key);
	if (end == 0 || text[end] != ']' || (is_array && text[end + 1] != ']') ||
	    !is_rest_blank(text, end + 1 + is_array))
		return LINE_WRONG;
	ret->next = next_line(text, end);
	return is_array ? LINE_ARRAY : LINE_HEADER;
}

static enum line_kind read_pair(const char *text, size_t at, struct statement *ret)
{
	size_t end = read_key(text, at, &ret->key);
	if (end == 0 || text[end] != '=')
		return LINE_WRONG;
	ret->value = skip_blank(text, end + 1);
	ret->value_end = skip_value(text, ret->value);
	if (ret->value_end == 0 || !is_rest_blank(text, ret->value_end))
		return LINE_WRONG;
	ret->next = next_line(text, ret->value_end);
	return LINE_PAIR;
}

/* The statement whose line begins at `at`. */
static void read_statement(const char *text, size_t at, struct statement *ret)
{
	size_t first;
	*ret = (struct statement){.begin = at, .next = next_line(text, at)};
	first = skip_blank(text, at);
	if (text[at] == '\0')
		ret->kind = LINE_LAST;
	else if (is_rest_blank(text, at))
		ret->kind = LINE_BLANK;
	else if (text[first] == '[')
		ret->kind = read_header(text, first, ret);
	else
		ret->kind = read_pair(text, first, ret);
}

static size_t line_number(const char *text, size_t at)
{
	size_t number = 1;
	for (size_t i = 0; i < at; i++)
		number += text[i] == '\n';
	return number;
}

bool config_toml_init(struct config_toml *config, const char *text, size_t len)
{
	struct statement statement = {.next = 0};
	*config = (struct config_toml){0};
	buf_init(&config->text, TEXT_MAX);
	if (buf_append(&config->text, text, len) < 0)
		return refuse(config, "it is larger than 64 MiB");
	if (memchr(text, '\0', len) != NULL || !utf8_is_valid(text, len))
		return refuse(config, "it is not UTF-8 text");
	do {
		read_statement(chars(config), statement.next, &statement);
		if (statement.kind == LINE_WRONG)
			return refuse(config, "line %zu is not plain TOML",
			    line_number(chars(config), statement.begin));
	} while (statement.kind != LINE_LAST);
	return true;
}

_Static_assert(TEXT_MAX == (size_t)64 * 1024 * 1024, "as the text has it");

void config_toml_finish(struct config_toml *config)
{
	buf_finish(&config->text);
}

/* The position of the table. */
struct table {
	bool is_there;
	size_t begin; /* of its header */
	size_t body;
	size_t end; /* after its last pair */
};

/* Whether a key, relative to the names of a header, is our table or something in it. */
static bool leads_to(
    const struct key *header, const struct key *key, const char *parent, const char *name)
{
	const char *wanted[2] = {parent, name};
	size_t at = 0;
	for (size_t i = 0; i < header->count && at < 2; i++, at++) {
		if (strcmp(header->names[i], wanted[at]) != 0)
			return false;
	}
	for (size_t i = 0; key != NULL && i < key->count && at < 2; i++, at++) {
		if (strcmp(key->names[i], wanted[at]) != 0)
			return false;
	}
	return at == 2;
}

/* Whether a pair defines the table, or its parent, without a header. */
static bool is_elsewhere(
    const struct key *header, const struct statement *pair, const char *parent, const char *name)
{
	if (header->count >= 2)
		return false;
	if (leads_to(header, &pair->key, parent, name))
		return true;
	return header->count == 0 && pair->key.count == 1 &&
	    strcmp(pair->key.names[0], parent) == 0;
}

/* Finds the table. Returns false if the table has a form that we do not edit. */
static bool find_table(
    struct config_toml *config, const char *parent, const char *name, struct table *ret_table)
{
	const char *text = chars(config);
	struct statement statement = {.next = 0};
	struct key header = {.count = 0};
	bool is_inside = false;
	*ret_table = (struct table){0};
	for (;;) {
		read_statement(text, statement.next, &statement);
		if (statement.kind == LINE_LAST)
			return true;
		if (statement.kind == LINE_ARRAY && leads_to(&statement.key, NULL, parent, name))
			return refuse(config, "line %zu makes an array of [%s.%s]",
			    line_number(text, statement.begin), parent, name);
		if (statement.kind == LINE_HEADER || statement.kind == LINE_ARRAY) {
			header = statement.key;
			is_inside = statement.kind == LINE_HEADER && header.count == 2 &&
			    leads_to(&header, NULL, parent, name);
			if (is_inside)
				*ret_table = (struct table){
				    true, statement.begin, statement.next, statement.next};
		}
		if (statement.kind != LINE_PAIR)
			continue;
		if (is_elsewhere(&header, &statement, parent, name))
			return refuse(config, "line %zu has %s.%s in another form than [%s.%s]",
			    line_number(text, statement.begin), parent, name, parent, name);
		if (is_inside)
			ret_table->end = statement.next;
	}
}

/* Replaces the text from begin to end. */
static void splice(struct config_toml *config, size_t begin, size_t end, const char *text)
{
	struct buf out;
	int r;
	buf_init(&out, TEXT_MAX);
	r = buf_append(&out, chars(config), begin);
	r |= buf_append_str(&out, text);
	r |= buf_append(&out, chars(config) + end, config->text.len - end);
	if (r < 0)
		(void)xalloc(TEXT_MAX); /* reports that memory is exhausted */
	buf_finish(&config->text);
	config->text = out;
}

/* The line breaks to insert before a new line at `at`. */
static const char *line_break(const struct config_toml *config, size_t at)
{
	return at > 0 && chars(config)[at - 1] != '\n' ? "\n" : "";
}

static void add_table(
    struct config_toml *config, const char *parent, const char *name, const char *pair)
{
	size_t end = config->text.len;
	char *text = xasprintf(
	    "%s%s[%s.%s]\n%s\n", line_break(config, end), end > 0 ? "\n" : "", parent, name, pair);
	splice(config, end, end, text);
	mem_free(text);
}

/* The pair of a table that has that key. */
static bool find_pair(const struct config_toml *config, const struct table *table, const char *key,
    struct statement *ret_pair)
{
	ret_pair->next = table->body;
	while (ret_pair->next < table->end) {
		read_statement(chars(config), ret_pair->next, ret_pair);
		if (ret_pair->kind == LINE_PAIR && strcmp(ret_pair->key.names[0], key) == 0)
			return true;
	}
	return false;
}

bool config_toml_set(struct config_toml *config, const char *parent, const char *name,
    const char *key, const char *value, bool only_new)
{
	struct table table;
	struct statement pair;
	char *text;
	if (!find_table(config, parent, name, &table))
		return false;
	text = xasprintf("%s = %s", key, value);
	if (!table.is_there) {
		add_table(config, parent, name, text);
	} else if (!find_pair(config, &table, key, &pair)) {
		char *line = xasprintf("%s%s\n", line_break(config, table.end), text);
		splice(config, table.end, table.end, line);
		mem_free(line);
	} else if (!only_new && pair.key.count == 1) {
		splice(config, pair.value, pair.value_end, value);
	}
	mem_free(text);
	return true;
}

/* The end of the last pair under a header. */
static size_t header_end(const char *text, size_t header)
{
	struct statement statement;
	size_t end;
	read_statement(text, header, &statement);
	end = statement.next;
	for (;;) {
		read_statement(text, statement.next, &statement);
		if (statement.kind != LINE_PAIR && statement.kind != LINE_BLANK)
			return end;
		if (statement.kind == LINE_PAIR)
			end = statement.next;
	}
}

/* Finds the first header of the table or of one below it. */
static bool find_header(
    const struct config_toml *config, const char *parent, const char *name, size_t *ret_begin)
{
	struct statement statement = {.next = 0};
	do {
		read_statement(chars(config), statement.next, &statement);
		if (statement.kind == LINE_HEADER && statement.key.count >= 2 &&
		    leads_to(&statement.key, NULL, parent, name)) {
			*ret_begin = statement.begin;
			return true;
		}
	} while (statement.kind != LINE_LAST);
	return false;
}

bool config_toml_remove(struct config_toml *config, const char *parent, const char *name)
{
	struct table table;
	size_t begin;
	if (!find_table(config, parent, name, &table))
		return false;
	while (find_header(config, parent, name, &begin)) {
		const char *text = chars(config);
		size_t end = header_end(text, begin);
		/* If the end or a blank line follows, remove the blank line before the table too. */
		bool is_last = text[end] == '\0' || text[end] == '\n';
		if (is_last && begin >= 2 && text[begin - 1] == '\n' && text[begin - 2] == '\n')
			begin--;
		else if (is_last && begin == 1 && text[0] == '\n')
			begin--;
		splice(config, begin, end, "");
	}
	return true;
}
