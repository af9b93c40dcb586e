/* SPDX-License-Identifier: ISC */
#include "cli/setup/config_json.h"

#include "cli/config_file.h"
#include "wire/json.h"

#define TEXT_MAX ((size_t)64 * 1024 * 1024)
#define INDENT_MAX 16

struct span {
	size_t begin, end;
};

#define refuse(config, ...) (str_refuse(config->reason, sizeof config->reason, __VA_ARGS__) == 0)

static bool check(struct config_json *config)
{
	struct json_error error;
	struct json_reader *reader = json_reader_new(TEXT_MAX);
	const struct json *value =
	    json_read(reader, buf_text(&config->text), config->text.len, &error);
	bool is_object = value != NULL && value->type == JSON_OBJECT;
	if (value == NULL)
		(void)refuse(config, "it is not plain JSON (%s)", error.text);
	else if (!is_object)
		(void)refuse(config, "it is %s, not an object", json_type_name(value->type));
	json_reader_free(reader);
	return is_object;
}

bool config_json_init(struct config_json *config, const char *text, size_t len)
{
	int r;
	bool is_blank = true;
	*config = (struct config_json){0};
	buf_init(&config->text, TEXT_MAX);
	for (size_t i = 0; i < len; i++)
		is_blank = is_blank && strchr(" \t\r\n", text[i]) != NULL && text[i];
	r = is_blank ? buf_append_str(&config->text, "{}\n") : buf_append(&config->text, text, len);
	if (r < 0)
		return refuse(config, "it is larger than 64 MiB");
	return check(config);
}

_Static_assert(TEXT_MAX == (size_t)64 * 1024 * 1024, "as the text has it");

/* The functions below rely on valid JSON, which check() ensures. */

static size_t skip_space(const char *text, size_t at)
{
	return at + strspn(text + at, " \t\r\n");
}

static size_t skip_string(const char *text, size_t at)
{
	for (at++; text[at] != '"'; at++)
		at += text[at] == '\\';
	return at + 1;
}

static size_t skip_value(const char *text, size_t at)
{
	size_t depth = 0;
	do {
		if (text[at] == '"') {
			at = skip_string(text, at);
			continue;
		}
		if (text[at] == '{' || text[at] == '[')
			depth++;
		else if (text[at] == '}' || text[at] == ']')
			depth--;
		else if (depth == 0)
			return at + strcspn(text + at, " \t\r\n,]}");
		at++;
	} while (depth > 0);
	return at;
}

/* A member of an object or an element of an array. */
struct config_item {
	struct span name; /* of a member, including its quotes; empty for an element */
	struct span value;
};

/* Finds the next item in the object or array at `begin`. *at begins as 0. False after the last. */
static bool next_item(const char *text, size_t begin, size_t *at, struct config_item *ret_item)
{
	size_t i = skip_space(text, *at ? *at : begin + 1);
	if (text[i] == ',')
		i = skip_space(text, i + 1);
	if (text[i] == '}' || text[i] == ']')
		return false;
	if (text[begin] == '{') {
		ret_item->name = (struct span){i, skip_string(text, i)};
		i = skip_space(text, ret_item->name.end) + 1; /* after the colon */
		i = skip_space(text, i);
	} else {
		ret_item->name = (struct span){i, i};
	}
	ret_item->value = (struct span){i, skip_value(text, i)};
	*at = ret_item->value.end;
	return true;
}

static bool find_member(
    const char *text, size_t object, const char *name, struct config_item *ret_item)
{
	size_t at = 0, len = strlen(name);
	while (next_item(text, object, &at, ret_item)) {
		const struct span *found = &ret_item->name;
		if (found->end - found->begin == len + 2 &&
		    memcmp(text + found->begin + 1, name, len) == 0)
			return true;
	}
	return false;
}

static void line_indent(const char *text, size_t at, char out[INDENT_MAX + 1])
{
	size_t begin = at, len;
	while (begin > 0 && text[begin - 1] != '\n')
		begin--;
	len = strspn(text + begin, " \t");
	(void)snprintf(out, INDENT_MAX + 1, "%.*s", (int)len, text + begin);
}

/* Copies one level of the file's indentation, from its first indented line; else two blanks. */
static void indent_unit(const char *text, char out[INDENT_MAX + 1])
{
	for (const char *line = strchr(text, '\n'); line != NULL; line = strchr(line + 1, '\n')) {
		size_t len = strspn(line + 1, " \t");
		if (len > 0 && len <= INDENT_MAX && line[1 + len] != '\n') {
			(void)snprintf(out, INDENT_MAX + 1, "%.*s", (int)len, line + 1);
			return;
		}
	}
	(void)snprintf(out, INDENT_MAX + 1, "  ");
}

/* Layout of new text: each line begins with base and one unit per level. */
struct layout {
	char base[INDENT_MAX + 1], unit[INDENT_MAX + 1];
};

static void put(struct buf *out, const char *text)
{
	if (buf_append_str(out, text) < 0)
		xalloc_fail();
}

static void put_line(struct buf *out, const struct layout *layout, size_t depth)
{
	put(out, "\n");
	put(out, layout->base);
	for (size_t i = 0; i < depth; i++)
		put(out, layout->unit);
}

/* Appends compact JSON in a readable layout. An array without the byte "{" stays on one line. */
static void put_pretty(struct buf *out, const char *json, const struct layout *layout, size_t depth)
{
	struct config_item item;
	size_t at = 0;
	char text[2] = {json[0], '\0'};
	bool is_object = json[0] == '{';
	bool is_open = is_object || (json[0] == '[' && strchr(json, '{') != NULL);
	if ((json[0] != '{' && json[0] != '[') || json[1] == '}' || json[1] == ']') {
		put(out, json);
		return;
	}
	put(out, text);
	for (bool is_first = true; next_item(json, 0, &at, &item); is_first = false) {
		char *name = xasprintf(
		    "%.*s", (int)(item.name.end - item.name.begin), json + item.name.begin);
		char *value = xasprintf(
		    "%.*s", (int)(item.value.end - item.value.begin), json + item.value.begin);
		put(out, is_first ? "" : is_open ? "," : ", ");
		if (is_open)
			put_line(out, layout, depth + 1);
		put(out, name);
		put(out, is_object ? ": " : "");
		put_pretty(out, value, layout, depth + 1);
		mem_free(name);
		mem_free(value);
	}
	if (is_open)
		put_line(out, layout, depth);
	put(out, is_object ? "}" : "]");
}

static void append_item(
    struct config_json *config, size_t begin, const char *name, const char *value)
{
	const char *text = buf_text(&config->text);
	struct layout layout;
	struct config_item item, last = {{0, 0}, {0, 0}};
	struct buf out = BUF(TEXT_MAX);
	size_t at = 0;
	bool is_empty = true;
	struct span place;
	size_t end, first;
	bool is_one_line;
	while (next_item(text, begin, &at, &item)) {
		last = item;
		is_empty = false;
	}
	end = skip_value(text, begin) - 1; /* position of the closing bracket */
	first = is_empty ? begin : last.name.begin;
	is_one_line = !is_empty && memchr(text + begin, '\n', first - begin) == NULL;
	line_indent(text, is_empty ? begin : first, layout.base);
	indent_unit(text, layout.unit);
	put(&out, is_empty ? "" : ",");
	if (is_one_line)
		put(&out, " ");
	else
		put_line(&out, &layout, is_empty ? 1 : 0);
	put(&out, name);
	if (is_one_line)
		put(&out, value);
	else
		put_pretty(&out, value, &layout, is_empty ? 1 : 0);
	if (is_empty)
		put_line(&out, &layout, 0);
	place = is_empty ? (struct span){begin + 1, end}
			 : (struct span){last.value.end, last.value.end};
	config_splice(&config->text, place.begin, place.end, buf_text(&out), out.len);
	buf_finish(&out);
}

static void remove_item(struct config_json *config, size_t begin, const struct config_item *item)
{
	const char *text = buf_text(&config->text);
	struct span span = {item->name.begin, item->value.end};
	size_t behind = skip_space(text, span.end), before = span.begin;
	while (strchr(" \t\r\n", text[before - 1]) != NULL)
		before--;
	if (text[before - 1] == ',')
		span.begin = before - 1;
	else if (text[behind] == ',')
		span.end = skip_space(text, behind + 1);
	else /* the only item */
		span = (struct span){begin + 1, skip_value(text, begin) - 1};
	config_splice(&config->text, span.begin, span.end, "", 0);
}

static bool is_empty(const char *text, size_t begin)
{
	struct config_item item;
	size_t at = 0;
	return !next_item(text, begin, &at, &item);
}

enum find {
	FIND_YES,
	FIND_NO, /* *ret_depth names of the path exist; *ret_item is the last, or the outermost */
	FIND_WRONG, /* a value on the path is not an object */
};

static enum find find_path(struct config_json *config, const char *const *path,
    struct config_item *ret_item, size_t *ret_depth)
{
	const char *text = buf_text(&config->text);
	size_t begin = skip_space(text, 0);
	ret_item->value = (struct span){begin, skip_value(text, begin)};
	for (*ret_depth = 0; path[*ret_depth] != NULL; ++*ret_depth) {
		struct config_item item;
		size_t object = ret_item->value.begin;
		if (text[object] != '{') {
			(void)refuse(config, "\"%s\" in it is not an object", path[*ret_depth - 1]);
			return FIND_WRONG;
		}
		if (!find_member(text, object, path[*ret_depth], &item))
			return FIND_NO;
		*ret_item = item;
	}
	return FIND_YES;
}

static size_t count_names(const char *const *path)
{
	size_t count = 0;
	while (path[count] != NULL)
		count++;
	return count;
}

static bool add_path(struct config_json *config, const struct config_item *parent,
    const char *const *missing, const char *value)
{
	char *all = xstrdup(value);
	char *name;
	for (size_t i = count_names(missing); i-- > 1;) {
		char *outer = xasprintf("{\"%s\":%s}", missing[i], all);
		mem_free(all);
		all = outer;
	}
	name = xasprintf("\"%s\": ", missing[0]);
	append_item(config, parent->value.begin, name, all);
	mem_free(name);
	mem_free(all);
	return check(config); /* fails if the name exists in another spelling */
}

static bool is_same(const struct config_json *config, const struct span *span, const char *value)
{
	struct json_error error;
	struct json_reader *readers[2] = {json_reader_new(TEXT_MAX), json_reader_new(TEXT_MAX)};
	struct buf texts[2] = {BUF(TEXT_MAX), BUF(TEXT_MAX)};
	const char *inputs[2] = {buf_text(&config->text) + span->begin, value};
	size_t lens[2] = {span->end - span->begin, strlen(value)};
	bool is_equal;
	for (int i = 0; i < 2; i++) {
		const struct json *tree = json_read(readers[i], inputs[i], lens[i], &error);
		if (tree != NULL)
			(void)json_append(&texts[i], tree);
	}
	is_equal = texts[0].len > 0 && buf_is_equal(&texts[0], &texts[1]);
	for (int i = 0; i < 2; i++) {
		buf_finish(&texts[i]);
		json_reader_free(readers[i]);
	}
	return is_equal;
}

static void replace_value(struct config_json *config, struct span span, const char *value)
{
	struct layout layout;
	struct buf out = BUF(TEXT_MAX);
	if (is_same(config, &span, value))
		return;
	line_indent(buf_text(&config->text), span.begin, layout.base);
	indent_unit(buf_text(&config->text), layout.unit);
	put_pretty(&out, value, &layout, 0);
	config_splice(&config->text, span.begin, span.end, buf_text(&out), out.len);
	buf_finish(&out);
}

bool config_json_set(
    struct config_json *config, const char *const *path, const char *value, bool only_new)
{
	struct config_item item;
	size_t depth;
	switch (find_path(config, path, &item, &depth)) {
	case FIND_YES:
		if (!only_new)
			replace_value(config, item.value, value);
		return true;
	case FIND_NO:
		return add_path(config, &item, path + depth, value);
	case FIND_WRONG:
		break;
	}
	return false;
}

static enum find find_array(struct config_json *config, const char *const *path,
    struct config_item *ret_item, size_t *ret_depth)
{
	enum find found = find_path(config, path, ret_item, ret_depth);
	if (found == FIND_YES && buf_text(&config->text)[ret_item->value.begin] != '[') {
		(void)refuse(config, "\"%s\" in it is not an array", path[*ret_depth - 1]);
		return FIND_WRONG;
	}
	return found;
}

static bool find_marked(const struct config_json *config, size_t array, const char *mark, size_t n,
    struct config_item *ret_item)
{
	size_t at = 0;
	while (next_item(buf_text(&config->text), array, &at, ret_item)) {
		const struct span *value = &ret_item->value;
		if (memmem(buf_text(&config->text) + value->begin, value->end - value->begin, mark,
			strlen(mark)) != NULL &&
		    n-- == 0)
			return true;
	}
	return false;
}

bool config_json_set_element(
    struct config_json *config, const char *const *path, const char *mark, const char *value)
{
	struct config_item array, item;
	size_t depth;
	enum find found = find_array(config, path, &array, &depth);
	if (found == FIND_WRONG)
		return false;
	if (found == FIND_NO) {
		char *list = xasprintf("[%s]", value);
		bool is_added = add_path(config, &array, path + depth, list);
		mem_free(list);
		return is_added;
	}
	while (find_marked(config, array.value.begin, mark, 1, &item))
		remove_item(config, array.value.begin, &item);
	if (find_marked(config, array.value.begin, mark, 0, &item))
		replace_value(config, item.value, value);
	else
		append_item(config, array.value.begin, "", value);
	return true;
}

/* Removes the last item of a path, and parent objects that become empty, but not the outermost. */
static bool prune(struct config_json *config, const char *const *path, size_t count)
{
	const char *part[CONFIG_PATH_MAX + 1];
	struct config_item item, parent;
	size_t depth;
	memcpy(part, path, count * sizeof *part);
	part[count] = NULL;
	if (count == 0 || find_path(config, part, &item, &depth) != FIND_YES)
		return true;
	part[count - 1] = NULL;
	(void)find_path(config, part, &parent, &depth);
	remove_item(config, parent.value.begin, &item);
	(void)find_path(config, part, &parent, &depth);
	return is_empty(buf_text(&config->text), parent.value.begin)
	    ? prune(config, path, count - 1)
	    : true;
}

bool config_json_remove(struct config_json *config, const char *const *path)
{
	struct config_item item;
	size_t depth;
	enum find found = find_path(config, path, &item, &depth);
	return found == FIND_YES ? prune(config, path, count_names(path)) : found == FIND_NO;
}

bool config_json_remove_elements(
    struct config_json *config, const char *const *path, const char *mark)
{
	struct config_item array, item;
	size_t depth;
	bool has_removed = false;
	enum find found = find_array(config, path, &array, &depth);
	if (found != FIND_YES)
		return found == FIND_NO;
	while (find_marked(config, array.value.begin, mark, 0, &item)) {
		remove_item(config, array.value.begin, &item);
		has_removed = true;
	}
	if (has_removed && is_empty(buf_text(&config->text), array.value.begin))
		return prune(config, path, count_names(path));
	return true;
}
