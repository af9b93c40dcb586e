/* SPDX-License-Identifier: ISC */
/* The words of muxbus wait as conditions. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/option.h"
#include "cli/verbs/wait.h"
#include "wire/json.h"

#define WORD_MAX ((size_t)1024 * 1024)

#define NAMES_MAX 256 /* kinds and members of all */
#define NAME_MAX_BYTES 64

/* The purpose of a word. */
struct condition_word {
	const char *name; /* of the member */
	const struct json *property; /* its schema */
	const struct json *kind; /* that it begins; NULL: it is a member of another */
};

struct conditions {
	struct json_writer writer;
	const struct json *kinds; /* all, as describe has them */
	const struct json *open; /* the kind that is being written; NULL: none */
	bool has_pane; /* it has one already */
	const char *pane; /* for all that name none; NULL: the caller's own */
	char *reason;
	size_t reason_size;
};

/* Notes the reason for a failure. */
#define refuse(all, ...) str_refuse((all)->reason, (all)->reason_size, __VA_ARGS__)

static const struct json *properties_of(const struct json *kind)
{
	return json_member(json_member(kind, "params"), "properties");
}

/* Whether text is a name, or a name in seconds without "_sec". */
static bool is_name(const char *name, const char *text, size_t len)
{
	return strncmp(name, text, len) == 0 &&
	    (name[len] == '\0' || strcmp(name + len, "_sec") == 0);
}

static const struct json *find_name(const struct json *members, const char *text, size_t len)
{
	json_each_member (at, members) {
		if (is_name(at->name, text, len))
			return at;
	}
	return NULL;
}

static int refuse_word(struct conditions *all, const char *text, size_t len)
{
	const char *names[NAMES_MAX + 1] = {NULL}, *nearest;
	char name[NAME_MAX_BYTES];
	size_t count = 0;
	json_each_member (kind, all->kinds) {
		const struct json *properties = properties_of(kind);
		for (const struct json *at = json_first_member(properties);
		     at != NULL && count < NAMES_MAX; at = at->next)
			names[count++] = at->name;
	}
	snprintf(name, sizeof name, "%.*s", (int)(len < 60 ? len : 60), text);
	nearest = str_nearest(name, names);
	return refuse(all, "there is no condition \"%s\"%s%s%s", name,
	    nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
	    nearest != NULL ? "\"?" : "; see: muxbus help conditions");
}

/* Finds the member of the open condition, or of any: then word->property is NULL. */
static bool find_member(
    const struct conditions *all, const char *text, size_t len, struct condition_word *ret_word)
{
	const struct json *property =
	    all->open != NULL ? find_name(properties_of(all->open), text, len) : NULL;
	const struct json *elsewhere = property;
	for (const struct json *kind = json_first_member(all->kinds);
	     kind != NULL && elsewhere == NULL; kind = kind->next)
		elsewhere = find_name(properties_of(kind), text, len);
	if (elsewhere == NULL)
		return false;
	*ret_word = (struct condition_word){.name = elsewhere->name, .property = property};
	return true;
}

static int find_word(
    struct conditions *all, const char *text, size_t len, struct condition_word *ret_word)
{
	const struct json *kind = find_name(all->kinds, text, len);
	if (kind != NULL) {
		*ret_word = (struct condition_word){.name = kind->name,
		    .property = json_member(properties_of(kind), kind->name),
		    .kind = kind};
		return 0;
	}
	return find_member(all, text, len, ret_word) ? 0 : refuse_word(all, text, len);
}

static int put_path(struct conditions *all, const struct condition_word *word, const char *text)
{
	char dir[PATH_MAX];
	char path[PATH_MAX * 2];
	if (text[0] != '/' && text[0] != '~') {
		if (getcwd(dir, sizeof dir) == NULL)
			return refuse(all, "%s: %s", word->name, strerror(errno));
		if (snprintf(path, sizeof path, "%s/%s", dir, text) >= (int)sizeof path)
			return refuse(all, "%s: the path is too long", word->name);
		text = path;
	}
	json_put_str(&all->writer, word->name, text);
	return 0;
}

static bool is_type(const struct condition_word *word, const char *name)
{
	return strcmp(json_get_str(word->property, "type", ""), name) == 0;
}

static int put_json(struct conditions *all, const struct condition_word *word, const char *text)
{
	struct json_error error;
	struct json_reader *reader = json_reader_new(WORD_MAX);
	const struct json *value = json_read(reader, text, strlen(text), &error);
	bool wants_number = is_type(word, "number") || is_type(word, "integer");
	int r = 0;
	if (value == NULL || (wants_number && value->type != JSON_NUMBER))
		r = refuse(all, "%s: must be %s, not \"%.80s\"", word->name,
		    wants_number ? "a number" : "JSON", text);
	else
		json_put_value(&all->writer, word->name, value);
	json_reader_free(reader);
	return r;
}

/* Whether a number is a time: 1.5, 10m. Their names say so. */
static bool is_time(const struct condition_word *word)
{
	return is_type(word, "number") && str_ends_in(word->name, "sec");
}

static int put_time(struct conditions *all, const struct condition_word *word, const char *text)
{
	int64_t ms;
	if (!option_parse_duration(text, &ms))
		return refuse(all, "%s: must be a time such as 30, 1.5s or 10m, not \"%s\"",
		    word->name, text);
	json_put_double(&all->writer, word->name, (double)ms / 1000);
	return 0;
}

static int put_bool(struct conditions *all, const struct condition_word *word, const char *text)
{
	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return refuse(all, "%s: must be true or false", word->name);
	json_put_bool(&all->writer, word->name, strcmp(text, "true") == 0);
	return 0;
}

static int put_value(
    struct conditions *all, const struct condition_word *word, const char *text, bool is_json)
{
	if (!is_json && is_time(word))
		return put_time(all, word, text);
	if (!is_json && is_type(word, "boolean"))
		return put_bool(all, word, text);
	if (is_json || !is_type(word, "string"))
		return put_json(all, word, text);
	if (!utf8_is_valid(text, strlen(text)))
		return refuse(all, "%s: is no UTF-8", word->name);
	if (strcmp(json_get_str(word->property, "format", ""), "path") == 0)
		return put_path(all, word, text);
	json_put_str(&all->writer, word->name, text);
	return 0;
}

static bool needs_pane(const struct json *kind)
{
	return json_get_bool(kind, "needs_tmux", false) &&
	    json_member(properties_of(kind), "pane") != NULL;
}

static void end_condition(struct conditions *all)
{
	if (all->open == NULL)
		return;
	if (needs_pane(all->open) && !all->has_pane && all->pane != NULL)
		json_put_str(&all->writer, "pane", all->pane);
	json_object_end(&all->writer);
	all->open = NULL;
}

static void begin_condition(struct conditions *all, const struct json *kind)
{
	end_condition(all);
	json_object_begin(&all->writer, NULL);
	all->open = kind;
	all->has_pane = false;
}

/* A word that says more of the open condition; a pane may stand before all of them. */
static int take_member(
    struct conditions *all, const struct condition_word *word, const char *value, bool is_json)
{
	bool is_pane = strcmp(word->name, "pane") == 0;
	if (all->open == NULL && !is_pane)
		return refuse(
		    all, "%s: says more of a condition, and there is none before it", word->name);
	if (all->open == NULL) {
		all->pane = value;
		return utf8_is_valid(value, strlen(value)) ? 0 : refuse(all, "pane: is no UTF-8");
	}
	if (word->property == NULL)
		return refuse(
		    all, "%s: is no member of the condition %s", word->name, all->open->name);
	if (is_pane && all->has_pane)
		return refuse(all, "%s: has two panes", all->open->name);
	all->has_pane |= is_pane;
	return put_value(all, word, value, is_json);
}

static int take_word(struct conditions *all, const char *text)
{
	size_t len = strcspn(text, ":=");
	bool is_json = text[len] == ':' && text[len + 1] == '=';
	const char *value = text + len + 1 + is_json;
	struct condition_word word = {0};
	if (len == 0 || (!is_json && text[len] != '='))
		return refuse(all, "\"%.80s\" is not of the form condition=value", text);
	if (find_word(all, text, len, &word) < 0)
		return -1;
	if (word.kind == NULL)
		return take_member(all, &word, value, is_json);
	begin_condition(all, word.kind);
	return put_value(all, &word, value, is_json);
}

int wait_conditions(struct buf *out, const struct json *kinds, size_t count,
    const char *const *words, char *ret_reason, size_t size)
{
	struct conditions all = {.kinds = kinds, .reason = ret_reason, .reason_size = size};
	int r = 0;
	json_writer_init(&all.writer, out);
	json_array_begin(&all.writer, NULL);
	for (size_t i = 0; i < count && r == 0; i++)
		r = take_word(&all, words[i]);
	end_condition(&all);
	json_array_end(&all.writer);
	return r == 0 && all.writer.is_cut ? refuse(&all, "the conditions are too long") : r;
}
