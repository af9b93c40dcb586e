/* SPDX-License-Identifier: ISC */
/* The reply of a program between two places of its output. */
#include "daemon/agent/reply_text.h"

#include <string.h>

#include "base/stripper.h"

/* Blanks at both ends do not count: prompts are padded, and their ends are not always drawn. */
static void trim(const char **text, size_t *len)
{
	while (*len > 0 && (*text)[*len - 1] == ' ')
		(*len)--;
	while (*len > 0 && (*text)[0] == ' ') {
		(*text)++;
		(*len)--;
	}
}

/* How many bytes at the end of a line are the prompt. */
static size_t prompt_len(const char *line, size_t len, const char *prompt)
{
	const char *end = line + len;
	size_t line_len = len, part_len = strlen(prompt);
	trim(&line, &line_len);
	trim(&prompt, &part_len);
	if (line_len < part_len || memcmp(line + line_len - part_len, prompt, part_len) != 0)
		return 0;
	return (size_t)(end - line) - (line_len - part_len);
}

/* Whether a prompt's row ends with a text that is not blank. */
static bool is_end(const char *text, size_t len, const char *prompt)
{
	size_t part_len = strlen(prompt);
	trim(&text, &len);
	trim(&prompt, &part_len);
	return len > 0 && part_len >= len && memcmp(prompt + part_len - len, text, len) == 0;
}

/*
 * Line editors ask for bracketed paste right before they draw their prompt: what stands
 * before that is output, also where no newline ends it. Returns the length without the
 * prompt.
 */
static size_t cut_prompt(const char *bytes, size_t len, const char *prompt)
{
	static const char sign[] = "\033[?2004h";
	const size_t size = sizeof sign - 1;
	struct buf text;
	for (size_t at = len; at >= size; at--) {
		const char *place = bytes + at - size;
		bool is_prompt;
		if (*place != sign[0] || memcmp(place, sign, size) != 0)
			continue;
		buf_init(&text, len + 1);
		(void)stripper_lines(&text, place, len - (size_t)(place - bytes));
		is_prompt = text.len > 0 && is_end((const char *)text.data, text.len, prompt);
		buf_finish(&text);
		return is_prompt ? (size_t)(place - bytes) : len;
	}
	return len;
}

void reply_text(
    struct buf *out, const void *bytes, size_t len, const struct reply_text_options *options)
{
	size_t used = stripper_lines(
	    out, bytes, options->prompt != NULL ? cut_prompt(bytes, len, options->prompt) : len);
	const char *newline;
	size_t first = 0;
	(void)used; /* what is not complete at the end is the beginning of something else */
	if (options->prompt != NULL && out->len > 0) {
		const char *text = (const char *)out->data;
		size_t begin;
		newline = memrchr(text, '\n', out->len);
		begin = newline == NULL ? 0 : (size_t)(newline + 1 - text);
		out->len -= prompt_len(text + begin, out->len - begin, options->prompt);
	}
	if (out->len == 0)
		return;
	newline = memchr(out->data, '\n', out->len);
	if (options->is_cut)
		first = newline == NULL ? 0 : (size_t)(newline + 1 - (const char *)out->data);
	else if (out->data[0] == '\n')
		first = 1;
	if (first > 0)
		buf_consume(out, first);
	if (options->pasted != NULL && !options->is_cut && out->len > options->pasted_len &&
	    memcmp(out->data, options->pasted, options->pasted_len) == 0 &&
	    out->data[options->pasted_len] == '\n')
		buf_consume(out, options->pasted_len + 1);
	if (out->data != NULL && out->len < out->cap)
		out->data[out->len] = '\0';
}
