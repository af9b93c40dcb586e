/* SPDX-License-Identifier: ISC */
/* Edits one table of a configuration file in TOML. */
#include "cli/config_toml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "cli/toml.h"

#define TEXT_MAX ((size_t)64 * 1024 * 1024)
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
	struct toml_key key;
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

static enum line_kind read_header(const char *text, size_t at, struct statement *ret)
{
	bool is_array = text[at + 1] == '[';
	size_t end = toml_key_end(text, at + 1 + is_array, &ret->key);
	if (end == 0 || text[end] != ']' || (is_array && text[end + 1] != ']') ||
	    !toml_line_ends(text, end + 1 + is_array))
		return LINE_WRONG;
	ret->next = next_line(text, end);
	return is_array ? LINE_ARRAY : LINE_HEADER;
}

static enum line_kind read_pair(const char *text, size_t at, struct statement *ret)
{
	size_t end = toml_key_end(text, at, &ret->key);
	if (end == 0 || text[end] != '=')
		return LINE_WRONG;
	ret->value = skip_blank(text, end + 1);
	ret->value_end = toml_value_end(text, ret->value);
	if (ret->value_end == 0 || !toml_line_ends(text, ret->value_end))
		return LINE_WRONG;
	ret->next = next_line(text, ret->value_end);
	return LINE_PAIR;
}

/* The statement whose line begins at `at`. */
static void read_statement(const char *text, size_t at, struct statement *ret)
{
	size_t first;
	ret->begin = at;
	ret->next = next_line(text, at);
	ret->key.count = 0;
	first = skip_blank(text, at);
	if (text[at] == '\0')
		ret->kind = LINE_LAST;
	else if (toml_line_ends(text, at))
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

/* Whether the names of a statement are defined for the first time. */
static bool define(struct toml_names *names, const struct statement *statement)
{
	if (statement->kind == LINE_PAIR)
		return toml_names_pair(names, &statement->key);
	return (statement->kind != LINE_HEADER && statement->kind != LINE_ARRAY) ||
	    toml_names_header(names, &statement->key, statement->kind == LINE_ARRAY);
}

/* Whether the whole text is TOML. */
static bool check(struct config_toml *config)
{
	struct toml_names *names = toml_names_new();
	struct statement statement = {.next = 0};
	bool is_fine = true;
	do {
		read_statement(chars(config), statement.next, &statement);
		if (statement.kind == LINE_WRONG)
			is_fine = refuse(config, "line %zu is not plain TOML",
			    line_number(chars(config), statement.begin));
		else if (!define(names, &statement))
			is_fine = refuse(config, "line %zu defines a name again, or too many",
			    line_number(chars(config), statement.begin));
	} while (is_fine && statement.kind != LINE_LAST);
	toml_names_free(names);
	return is_fine;
}

bool config_toml_init(struct config_toml *config, const char *text, size_t len)
{
	*config = (struct config_toml){0};
	buf_init(&config->text, TEXT_MAX);
	if (buf_append(&config->text, text, len) < 0)
		return refuse(config, "it is larger than 64 MiB");
	if (memchr(text, '\0', len) != NULL || !utf8_is_valid(text, len))
		return refuse(config, "it is not UTF-8 text");
	return check(config);
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
    const struct toml_key *header, const struct toml_key *key, const char *parent, const char *name)
{
	const char *wanted[2] = {parent, name};
	size_t at = 0;
	for (size_t i = 0; i < header->count && at < 2; i++, at++) {
		if (strcmp(toml_key_name(header, i), wanted[at]) != 0)
			return false;
	}
	for (size_t i = 0; key != NULL && i < key->count && at < 2; i++, at++) {
		if (strcmp(toml_key_name(key, i), wanted[at]) != 0)
			return false;
	}
	return at == 2;
}

/* Whether a pair defines the table, or its parent, without a header. */
static bool is_elsewhere(const struct toml_key *header, const struct statement *pair,
    const char *parent, const char *name)
{
	if (header->count >= 2)
		return false;
	if (leads_to(header, &pair->key, parent, name))
		return true;
	return header->count == 0 && pair->key.count == 1 &&
	    strcmp(toml_key_name(&pair->key, 0), parent) == 0;
}

/* Finds the table. Returns false if the table has a form that we do not edit. */
static bool find_table(
    struct config_toml *config, const char *parent, const char *name, struct table *ret_table)
{
	const char *text = chars(config);
	struct statement statement = {.next = 0};
	struct toml_key header = {.count = 0};
	bool is_inside = false;
	*ret_table = (struct table){0};
	for (;;) {
		read_statement(text, statement.next, &statement);
		if (statement.kind == LINE_LAST)
			return true;
		if (statement.kind == LINE_ARRAY &&
		    (leads_to(&statement.key, NULL, parent, name) ||
			(statement.key.count == 1 &&
			    strcmp(toml_key_name(&statement.key, 0), parent) == 0)))
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
		if (ret_pair->kind == LINE_PAIR &&
		    strcmp(toml_key_name(&ret_pair->key, 0), key) == 0)
			return true;
	}
	return false;
}

const char *config_toml_get(struct config_toml *config, const char *parent, const char *name,
    const char *key, size_t *ret_len)
{
	struct table table;
	struct statement pair;
	if (!find_table(config, parent, name, &table) || !table.is_there)
		return NULL;
	*ret_len = table.end - table.body;
	if (key == NULL)
		return chars(config) + table.body;
	if (!find_pair(config, &table, key, &pair) || pair.key.count != 1)
		return NULL;
	*ret_len = pair.value_end - pair.value;
	return chars(config) + pair.value;
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
	return check(config);
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
	return check(config);
}
