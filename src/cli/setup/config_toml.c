/* SPDX-License-Identifier: ISC */
#include "cli/setup/config_toml.h"

#include "cli/config_file.h"

#define TEXT_MAX ((size_t)64 * 1024 * 1024)
#define NAME_SIZE 512 /* longer names are cut, and never equal ours */

enum statement_kind {
	KIND_BLANK, /* blank or a comment */
	KIND_HEADER, /* [a.b] or [[a.b]] */
	KIND_PAIR, /* key = value; the value may continue on further lines */
	KIND_LAST, /* end of the text */
	KIND_WRONG,
};

/* A statement of the text, and the table it belongs to. */
struct statement {
	enum statement_kind kind;
	bool is_array; /* the table is an element of an array: [[a.b]] */
	char table[NAME_SIZE]; /* such as "a.b", without quotes, or blanks outside; or "" */
	char key[NAME_SIZE];
	size_t begin; /* offset of the first line of the statement */
	size_t value; /* offset of the value of a pair */
	size_t value_end;
	size_t next; /* offset of the next line */
};

#define refuse(config, ...) (str_refuse(config->reason, sizeof config->reason, __VA_ARGS__) == 0)

#define QUOTED_DOT '\1' /* replaces a dot inside of quotes, which separates no names */

static size_t read_name(const char *text, size_t at, char stop, char ret_name[NAME_SIZE])
{
	size_t len = 0;
	char quote = '\0';
	for (; text[at] != '\0' && text[at] != '\n' && (quote != '\0' || text[at] != stop); at++) {
		bool is_escape = quote == '"' && text[at] == '\\';
		if (text[at] == quote)
			quote = '\0';
		else if (quote == '\0' && (text[at] == '"' || text[at] == '\''))
			quote = text[at];
		else if ((quote != '\0' || strchr(" \t", text[at]) == NULL) && len + 1 < NAME_SIZE)
			ret_name[len++] = quote != '\0' && text[at] == '.' ? QUOTED_DOT : text[at];
		at += is_escape && (text[at + 1] == '"' || text[at + 1] == '\\');
	}
	ret_name[len] = '\0';
	return text[at] == stop && len > 0 ? at : 0;
}

/* Returns the offset behind the string at `at`, or 0 if the string has no end. */
static size_t string_end(const char *text, size_t at)
{
	const char marks[] = {text[at], text[at], text[at], '\0'};
	bool is_long = strncmp(text + at, marks, 3) == 0;
	for (at += is_long ? 3 : 1; text[at] != '\0'; at++)
		if (marks[0] == '"' && text[at] == '\\' && text[at + 1] != '\0')
			at++;
		else if (!is_long && text[at] == '\n')
			return 0;
		else if (!is_long && text[at] == marks[0])
			return at + 1;
		else if (is_long && strncmp(text + at, marks, 3) == 0)
			return at + 3 + strspn(text + at + 3, marks);
	return 0;
}

static bool find_value_end(const char *text, size_t at, struct statement *ret)
{
	size_t depth = 0;
	ret->value_end = at;
	while (text[at] != '\0' && (text[at] != '\n' || depth > 0)) {
		size_t end = at + 1;
		if (text[at] == '#')
			end = at + strcspn(text + at, "\n");
		else if (text[at] == '"' || text[at] == '\'')
			end = string_end(text, at);
		else if (text[at] == '[' || text[at] == '{')
			depth++;
		else if ((text[at] == ']' || text[at] == '}') && depth-- == 0)
			return false;
		if (end == 0)
			return false;
		if (strchr("# \t\r\n", text[at]) == NULL)
			ret->value_end = end;
		at = end;
	}
	ret->next = at + (text[at] == '\n');
	return depth == 0 && ret->value_end > ret->value;
}

static enum statement_kind read_header(const char *text, size_t at, struct statement *statement)
{
	size_t end;
	statement->is_array = text[at + 1] == '[';
	end = read_name(text, at + 1 + statement->is_array, ']', statement->table);
	if (end == 0 || (statement->is_array && text[end + 1] != ']'))
		return KIND_WRONG;
	end += 1 + statement->is_array;
	end += strspn(text + end, " \t\r");
	return strchr("#\n", text[end]) != NULL ? KIND_HEADER : KIND_WRONG;
}

/* Reads the statement after *statement, or the first one if *statement is zero. */
static void read_next(const char *text, struct statement *statement)
{
	size_t first;
	statement->begin = statement->next;
	statement->next += strcspn(text + statement->begin, "\n");
	statement->next += text[statement->next] == '\n';
	first = statement->begin + strspn(text + statement->begin, " \t\r");
	if (text[first] == '\0') {
		statement->kind = KIND_LAST;
	} else if (text[first] == '#' || text[first] == '\n') {
		statement->kind = KIND_BLANK;
	} else if (text[first] == '[') {
		statement->kind = read_header(text, first, statement);
	} else {
		size_t sign = read_name(text, first, '=', statement->key);
		statement->value = sign + 1 + strspn(text + sign + 1, " \t");
		statement->kind = sign > 0 && find_value_end(text, statement->value, statement)
		    ? KIND_PAIR
		    : KIND_WRONG;
	}
}

static size_t line_number(const char *text, size_t at)
{
	size_t number = 1;
	for (size_t i = 0; i < at; i++)
		number += text[i] == '\n';
	return number;
}

static bool is_in(const char *name, const char *table)
{
	size_t len = strlen(table);
	return strncmp(name, table, len) == 0 && (name[len] == '\0' || name[len] == '.');
}

/* Returns true if a statement defines the table in a form that this code cannot edit. */
static bool is_elsewhere(const struct statement *statement, const char *table)
{
	char name[2 * NAME_SIZE];
	bool is_pair = statement->kind == KIND_PAIR;
	if (statement->kind != KIND_HEADER && !is_pair)
		return false;
	if (!statement->is_array && is_in(statement->table, table))
		return false;
	(void)snprintf(name, sizeof name, "%s%s%s", statement->table,
	    is_pair && *statement->table ? "." : "", is_pair ? statement->key : "");
	return is_in(name, table) || ((is_pair || statement->is_array) && is_in(table, name));
}

/* The position of the table in the text, in bytes. */
struct table_place {
	bool is_there;
	size_t begin; /* offset of the header */
	size_t body;
	size_t end; /* offset behind the last pair */
};

/*
 * Finds the table. is_below: finds the first header of the table or of a table inside of it.
 * Returns false with a reason if the text is not valid, or the table is written in another form.
 */
static bool find_table(
    struct config_toml *config, const char *table, bool is_below, struct table_place *ret_place)
{
	const char *text = buf_text(&config->text);
	struct statement statement = {0};
	bool is_inside = false;
	*ret_place = (struct table_place){0};
	for (;;) {
		read_next(text, &statement);
		if (statement.kind == KIND_LAST)
			return true;
		if (statement.kind == KIND_WRONG)
			return refuse(config, "line %zu is not plain TOML",
			    line_number(text, statement.begin));
		if (is_elsewhere(&statement, table))
			return refuse(config, "line %zu has %s in another form than [%s]",
			    line_number(text, statement.begin), table, table);
		if (statement.kind == KIND_HEADER) {
			is_inside = !ret_place->is_there &&
			    (is_below ? is_in(statement.table, table)
				      : strcmp(statement.table, table) == 0);
			if (is_inside)
				*ret_place = (struct table_place){
				    true, statement.begin, statement.next, statement.next};
		}
		if (statement.kind == KIND_PAIR && is_inside)
			ret_place->end = statement.next;
	}
}

bool config_toml_init(struct config_toml *config, const char *table, const char *text, size_t len)
{
	struct table_place place;
	*config = (struct config_toml){.table = table};
	buf_init(&config->text, TEXT_MAX);
	if (buf_append(&config->text, text, len) < 0)
		return refuse(config, "it is larger than 64 MiB");
	if (memchr(text, '\0', len) != NULL || !utf8_is_valid(text, len))
		return refuse(config, "it is not UTF-8 text");
	return find_table(config, table, false, &place);
}

_Static_assert(TEXT_MAX == (size_t)64 * 1024 * 1024, "as the text has it");

static bool find_pair(const struct config_toml *config, const struct table_place *place,
    const char *key, struct statement *ret_pair)
{
	*ret_pair = (struct statement){.next = place->body};
	while (ret_pair->next < place->end) {
		read_next(buf_text(&config->text), ret_pair);
		if (ret_pair->kind == KIND_PAIR && is_in(ret_pair->key, key))
			return true;
	}
	return false;
}

const char *config_toml_get(struct config_toml *config, const char *key, size_t *ret_len)
{
	struct table_place place;
	struct statement pair;
	if (!find_table(config, config->table, false, &place) || !place.is_there)
		return NULL;
	*ret_len = place.end - place.body;
	if (key == NULL)
		return buf_text(&config->text) + place.body;
	if (!find_pair(config, &place, key, &pair))
		return NULL;
	*ret_len = pair.value_end - pair.value;
	return buf_text(&config->text) + pair.value;
}

bool config_toml_set(struct config_toml *config, const char *key, const char *value, bool only_new)
{
	struct table_place place;
	struct statement pair;
	size_t end;
	bool is_open;
	char *text;
	if (!find_table(config, config->table, false, &place))
		return false;
	if (place.is_there && find_pair(config, &place, key, &pair)) {
		if (!only_new && strcmp(pair.key, key) == 0)
			config_splice(
			    &config->text, pair.value, pair.value_end, value, strlen(value));
		return true;
	}
	end = place.is_there ? place.end : config->text.len;
	is_open = end > 0 && buf_text(&config->text)[end - 1] != '\n';
	text = place.is_there ? xasprintf("%s%s = %s\n", is_open ? "\n" : "", key, value)
			      : xasprintf("%s%s[%s]\n%s = %s\n", is_open ? "\n" : "",
				    end > 0 ? "\n" : "", config->table, key, value);
	config_splice(&config->text, end, end, text, strlen(text));
	mem_free(text);
	return true;
}

bool config_toml_remove(struct config_toml *config)
{
	struct table_place place;
	for (;;) {
		const char *text = buf_text(&config->text);
		size_t begin;
		bool is_last;
		if (!find_table(config, config->table, true, &place))
			return false;
		if (!place.is_there)
			return true;
		/*
		 * If a blank line or the end follows the table, remove a blank line before it too.
		 */
		begin = place.begin;
		is_last = text[place.end] == '\0' || text[place.end] == '\n';
		if (is_last && begin > 0 && text[begin - 1] == '\n' &&
		    (begin == 1 || text[begin - 2] == '\n'))
			begin--;
		config_splice(&config->text, begin, place.end, "", 0);
	}
}
