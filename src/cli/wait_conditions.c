/* SPDX-License-Identifier: ISC */
/* The words of muxbus wait as conditions. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/option.h"
#include "cli/wait.h"
#include "wire/json.h"

#define WORD_MAX ((size_t)1024 * 1024)

enum value {
	VALUE_TEXT,
	VALUE_PATH, /* made absolute */
	VALUE_NUMBER,
	VALUE_TIME, /* 1.5, 10m: seconds */
	VALUE_BOOL, /* true or false */
	VALUE_JSON,
};

enum word_flag {
	WORD_KIND = 1, /* begins a condition */
	WORD_NEEDS_PANE = 2, /* has a member pane beside it */
};

struct word {
	const char *name;
	const char *member; /* in JSON */
	enum value value;
	unsigned flags;
};

/* Keep alphabetized. */
static const struct word words_table[] = {
    {"command_finished", "command_finished", VALUE_TEXT, WORD_KIND},
    {"cpu_below", "cpu_below", VALUE_NUMBER, WORD_KIND},
    {"exited", "exited", VALUE_TEXT, WORD_KIND},
    {"file", "file", VALUE_PATH, WORD_KIND},
    {"for", "for_sec", VALUE_TIME, 0},
    {"for_sec", "for_sec", VALUE_TIME, 0},
    {"from_start", "from_start", VALUE_BOOL, 0},
    {"job", "job", VALUE_TEXT, WORD_KIND},
    {"notification", "notification", VALUE_JSON, WORD_KIND},
    {"output", "output", VALUE_TEXT, WORD_KIND | WORD_NEEDS_PANE},
    {"pane", "pane", VALUE_TEXT, 0},
    {"quiet", "quiet_sec", VALUE_TIME, WORD_KIND | WORD_NEEDS_PANE},
    {"quiet_sec", "quiet_sec", VALUE_TIME, WORD_KIND | WORD_NEEDS_PANE},
    {"ready", "ready", VALUE_TEXT, WORD_KIND},
    {"regex", "regex", VALUE_TEXT, 0},
    {"screen", "screen", VALUE_TEXT, WORD_KIND | WORD_NEEDS_PANE},
    {"sec", "sec", VALUE_TIME, WORD_KIND},
};

#define WORDS_COUNT (sizeof words_table / sizeof *words_table)

struct conditions {
	struct json_writer writer;
	const struct word *open; /* of the condition that is being written; NULL: none */
	bool has_pane; /* it has one already */
	const char *pane; /* for all that name none; NULL: the caller's own */
	char *reason;
	size_t reason_size;
};

static int __attribute__((format(printf, 2, 3)))
refuse(struct conditions *all, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(all->reason, all->reason_size, format, args);
	va_end(args);
	return -1;
}

static const struct word *find_word(struct conditions *all, const char *text, size_t len)
{
	const char *names[WORDS_COUNT + 1] = {NULL};
	char name[64];
	for (size_t i = 0; i < WORDS_COUNT; i++) {
		names[i] = words_table[i].name;
		if (strlen(names[i]) == len && memcmp(names[i], text, len) == 0)
			return &words_table[i];
	}
	(void)snprintf(name, sizeof name, "%.*s", (int)(len < 60 ? len : 60), text);
	const char *nearest = str_nearest(name, names);
	(void)refuse(all, "there is no condition \"%s\"%s%s%s", name,
	    nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
	    nearest != NULL ? "\"?" : "");
	return NULL;
}

/* ---- values ------------------------------------------------------------------------------- */

static int put_path(struct conditions *all, const struct word *word, const char *text)
{
	char dir[PATH_MAX];
	char path[PATH_MAX * 2];
	if (text[0] != '/') {
		if (!getcwd(dir, sizeof dir))
			return refuse(all, "%s: %s", word->name, strerror(errno));
		if (snprintf(path, sizeof path, "%s/%s", dir, text) >= (int)sizeof path)
			return refuse(all, "%s: the path is too long", word->name);
		text = path;
	}
	(void)json_put_text(&all->writer, word->member, text, strlen(text));
	return 0;
}

static int put_json(struct conditions *all, const struct word *word, const char *text)
{
	struct json_error error;
	struct json_reader *reader = json_reader_new(WORD_MAX);
	const struct json *value = json_read(reader, text, strlen(text), &error);
	bool is_number = value != NULL && value->type == JSON_NUMBER;
	int r = 0;
	if (value == NULL || (word->value == VALUE_NUMBER && !is_number))
		r = refuse(all, "%s: must be %s, not \"%.80s\"", word->name,
		    word->value == VALUE_NUMBER ? "a number" : "JSON", text);
	else
		json_put_value(&all->writer, word->member, value);
	json_reader_free(reader);
	return r;
}

static int put_value(
    struct conditions *all, const struct word *word, const char *text, bool is_json)
{
	int64_t ms;
	if (is_json || word->value == VALUE_JSON || word->value == VALUE_NUMBER)
		return put_json(all, word, text);
	if (!utf8_is_valid(text, strlen(text)))
		return refuse(all, "%s: is no UTF-8", word->name);
	if (word->value == VALUE_PATH)
		return put_path(all, word, text);
	if (word->value == VALUE_BOOL) {
		if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
			return refuse(all, "%s: must be true or false", word->name);
		json_put_bool(&all->writer, word->member, strcmp(text, "true") == 0);
		return 0;
	}
	if (word->value == VALUE_TIME) {
		if (!option_parse_duration(text, &ms))
			return refuse(all, "%s: must be a time such as 30, 1.5s or 10m, not \"%s\"",
			    word->name, text);
		json_put_double(&all->writer, word->member, (double)ms / 1000);
		return 0;
	}
	(void)json_put_text(&all->writer, word->member, text, strlen(text));
	return 0;
}

/* ---- words ---------------------------------------------------------------------------------- */

static void end_condition(struct conditions *all)
{
	if (all->open == NULL)
		return;
	if (all->open->flags & WORD_NEEDS_PANE && !all->has_pane && all->pane != NULL)
		(void)json_put_text(&all->writer, "pane", all->pane, strlen(all->pane));
	json_object_end(&all->writer);
	all->open = NULL;
}

static int take_word(struct conditions *all, const char *text)
{
	size_t len = strcspn(text, ":=");
	bool is_json = text[len] == ':' && text[len + 1] == '=';
	if (len == 0 || (!is_json && text[len] != '='))
		return refuse(all, "\"%.80s\" is not of the form condition=value", text);
	const struct word *word = find_word(all, text, len);
	const char *value = text + len + 1 + is_json;
	if (word == NULL)
		return -1;
	if (word->flags & WORD_KIND) {
		end_condition(all);
		json_object_begin(&all->writer, NULL);
		all->open = word;
		all->has_pane = false;
	} else if (strcmp(word->name, "pane") == 0) {
		if (all->open == NULL && !utf8_is_valid(value, strlen(value)))
			return refuse(all, "pane: is no UTF-8");
		if (all->open == NULL) {
			all->pane = value;
			return 0;
		}
		if (all->has_pane)
			return refuse(all, "%s: has two panes", all->open->name);
		all->has_pane = true;
	} else if (all->open == NULL) {
		return refuse(
		    all, "%s: says more of a condition, and there is none before it", word->name);
	}
	return put_value(all, word, value, is_json);
}

int wait_conditions(
    struct buf *out, size_t count, const char *const *words, char *ret_reason, size_t size)
{
	struct conditions all = {.reason = ret_reason, .reason_size = size};
	int r = 0;
	json_writer_init(&all.writer, out);
	json_array_begin(&all.writer, NULL);
	for (size_t i = 0; i < count && r == 0; i++)
		r = take_word(&all, words[i]);
	end_condition(&all);
	json_array_end(&all.writer);
	return r == 0 && all.writer.is_full ? refuse(&all, "the conditions are too long") : r;
}

const char *wait_word_name(size_t number)
{
	return number < WORDS_COUNT ? words_table[number].name : NULL;
}
