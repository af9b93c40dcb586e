/* SPDX-License-Identifier: ISC */
/* Text of tmux commands, cut into words. */
#include "daemon/methods/command_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"

struct reader {
	const char *at;
	char *out; /* room for all words of a command */
	size_t len;
	const char *words[COMMAND_TEXT_WORDS];
	size_t count;
	bool drops_word; /* the condition of %if */
	command_text_fn *take;
	void *data;
};

/* Hands over the command that was read. */
static bool finish_command(struct reader *reader)
{
	size_t count = reader->count, first = 0;
	reader->count = 0;
	reader->len = 0;
	reader->drops_word = false;
	/* NAME=value before a command sets a variable. */
	while (first < count && strchr(reader->words[first], '=') != NULL)
		first++;
	return first == count || reader->take(reader->data, reader->words + first, count - first);
}

static void put(struct reader *reader, char c)
{
	reader->out[reader->len++] = c;
}

/* An escape, from behind its backslash: never longer than what stands for it. */
static void read_escape(struct reader *reader)
{
	static const char names[] = "abefnrstv";
	static const char meant[] = "\a\b\033\f\n\r \t\v";
	char c = *reader->at, number[9] = "", bytes[4];
	const char *name = c != '\0' ? strchr(names, c) : NULL;
	size_t size = c == 'u' ? 4 : c == 'U' ? 8 : 0;
	if (c == '\0' || c == '\n') {
		reader->at += c != '\0';
		return;
	}
	if (c >= '0' && c <= '7' && strspn(reader->at, "01234567") >= 3) {
		memcpy(number, reader->at, 3);
		reader->at += 3;
		put(reader, (char)strtol(number, NULL, 8));
		return;
	}
	reader->at++;
	if (size > 0 && strspn(reader->at, "0123456789ABCDEFabcdef") >= size) {
		memcpy(number, reader->at, size);
		reader->at += size;
		size = utf8_encode((uint32_t)strtoul(number, NULL, 16) & 0x1fffff, bytes);
		for (size_t i = 0; i < size; i++)
			put(reader, bytes[i]);
		return;
	}
	put(reader, name != NULL ? meant[name - names] : c);
}

/* A part in quotes, from behind the first one. */
static void read_quoted(struct reader *reader, char quote)
{
	while (*reader->at != '\0' && *reader->at != quote) {
		if (quote == '"' && *reader->at == '\\') {
			reader->at++;
			read_escape(reader);
		} else {
			put(reader, *reader->at++);
		}
	}
	reader->at += *reader->at == quote;
}

/* A block, from behind its brace: its text as it is written. */
static void read_block(struct reader *reader)
{
	char quote = '\0';
	for (size_t depth = 1; *reader->at != '\0'; put(reader, *reader->at++)) {
		char c = *reader->at;
		if (c == '\\' && quote != '\'' && reader->at[1] != '\0')
			put(reader, *reader->at++);
		else if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '{')
			depth++;
		else if (c == '}' && --depth == 0) {
			reader->at++;
			return;
		}
	}
}

static void read_word(struct reader *reader)
{
	while (*reader->at != '\0' && strchr(" \t\n;{}", *reader->at) == NULL) {
		char c = *reader->at++;
		if (c == '\\')
			read_escape(reader);
		else if (c == '"' || c == '\'')
			read_quoted(reader, c);
		else if (c == '$' && *reader->at == '{') {
			put(reader, c);
			while (*reader->at != '\0' && *reader->at != '}')
				put(reader, *reader->at++);
			reader->at += *reader->at == '}';
		} else {
			put(reader, c);
		}
	}
}

/* #{...} behind %if. */
static void read_format(struct reader *reader)
{
	size_t depth = 0;
	while (*reader->at != '\0') {
		char c = *reader->at++;
		put(reader, c);
		depth += c == '{';
		if (c == '}' && --depth == 0)
			return;
	}
}

/* Whether a word is a condition, which separates commands as the end of a line does. */
static bool is_condition(const char *word)
{
	static const char *const names[] = {"%elif", "%else", "%endif", "%hidden", "%if", NULL};
	for (size_t i = 0; names[i] != NULL; i++) {
		if (strcmp(names[i], word) == 0)
			return true;
	}
	return false;
}

/* One word. False if the reading is over. */
static bool read_part(struct reader *reader)
{
	const char *word = reader->out + reader->len;
	size_t begin = reader->len;
	bool is_plain = strchr("\"'\\", *reader->at) == NULL;
	if (*reader->at == '{') {
		reader->at++;
		read_block(reader);
	} else if (reader->drops_word && *reader->at == '#') {
		read_format(reader);
	} else {
		read_word(reader);
	}
	put(reader, '\0');
	if (is_plain && is_condition(word)) {
		bool has_value = strcmp(word, "%if") == 0 || strcmp(word, "%elif") == 0;
		bool goes_on = finish_command(reader);
		reader->drops_word = has_value;
		return goes_on;
	}
	if (reader->drops_word) {
		reader->drops_word = false;
		reader->len = begin;
	} else if (reader->count < COMMAND_TEXT_WORDS) {
		reader->words[reader->count++] = word;
	}
	return true;
}

static bool read_all(struct reader *reader)
{
	for (;;) {
		char c = *reader->at;
		if (c == ' ' || c == '\t') {
			reader->at++;
		} else if (c == '#' && !reader->drops_word) {
			reader->at += strcspn(reader->at, "\n");
		} else if (c == '\0') {
			return finish_command(reader);
		} else if (c == ';' || c == '\n' || c == '}') {
			reader->at++;
			if (!finish_command(reader))
				return false;
		} else if (!read_part(reader)) {
			return false;
		}
	}
}

bool command_text_read(const char *text, command_text_fn *take, void *data)
{
	struct reader *reader = xcalloc(1, sizeof *reader);
	bool is_done;
	reader->at = text;
	reader->out = xalloc(2 * strlen(text) + 2); /* each word has a NUL */
	reader->take = take;
	reader->data = data;
	is_done = read_all(reader);
	mem_free(reader->out);
	mem_free(reader);
	return is_done;
}

bool command_text_words(const char *const *words, size_t count, command_text_fn *take, void *data)
{
	const char **command = xcalloc(count + 1, sizeof *command);
	char *copy = NULL;
	bool goes_on = true;
	size_t used = 0;
	for (size_t i = 0; i < count && goes_on; i++) {
		size_t len = strlen(words[i]);
		bool is_end =
		    len > 0 && words[i][len - 1] == ';' && (len < 2 || words[i][len - 2] != '\\');
		if (!is_end) {
			command[used++] = words[i];
			continue;
		}
		copy = xmemdup(words[i], len - 1);
		if (len > 1)
			command[used++] = copy;
		goes_on = used == 0 || take(data, command, used);
		mem_free(copy);
		used = 0;
	}
	if (goes_on && used > 0)
		goes_on = take(data, command, used);
	mem_free(command);
	return goes_on;
}
