/* SPDX-License-Identifier: ISC */
/* Converts the output of a pane into lines of plain text. */
#include <muxbus.h>

#include "base/base.h"
#include "base/stripper.h"
#include "base/tokenizer.h"

struct muxbus_lines {
	muxbus_line_fn *line;
	void *data;
	struct tokenizer tokenizer;
	struct stripper stripper;
	struct buf text;
	bool is_cut;
	int error; /* error of the current muxbus_lines_feed() */
};

int muxbus_lines_new(muxbus_line_fn *line, void *data, struct muxbus_lines **ret_lines)
{
	struct muxbus_lines *lines = mem_calloc(1, sizeof *lines);
	if (lines == NULL)
		return MUXBUS_ERR_NOMEM;
	lines->line = line;
	lines->data = data;
	buf_init(&lines->text, MUXBUS_LINES_MAX);
	stripper_init(&lines->stripper, &lines->text);
	tokenizer_init(&lines->tokenizer, true);
	*ret_lines = lines;
	return 0;
}

void muxbus_lines_free(struct muxbus_lines *lines)
{
	if (lines == NULL)
		return;
	tokenizer_finish(&lines->tokenizer);
	buf_finish(&lines->text);
	mem_free(lines);
}

static void clear(struct muxbus_lines *lines)
{
	buf_clear(&lines->text);
	stripper_init(&lines->stripper, &lines->text);
	lines->is_cut = false;
}

static const char *text_of(struct muxbus_lines *lines)
{
	if (lines->text.len == 0)
		return "";
	lines->text.data[lines->text.len] = '\0';
	return (const char *)lines->text.data;
}

/* Adds text to the line as far as whole characters fit; the rest of the line is dropped. */
static void take_text(struct muxbus_lines *lines, const struct token *token)
{
	struct token fitting = *token;
	size_t room;
	if (lines->stripper.has_returned)
		clear(lines);
	if (lines->is_cut)
		return;
	room = MUXBUS_LINES_MAX - lines->text.len;
	if (fitting.len > room) {
		fitting.len = room - utf8_incomplete_tail(token->bytes, room);
		lines->is_cut = true;
	}
	if (buf_reserve(&lines->text, fitting.len) != 0)
		lines->error = MUXBUS_ERR_NOMEM;
	else
		stripper_take(&lines->stripper, &fitting);
}

static void on_token(void *data, const struct token *token)
{
	struct muxbus_lines *lines = data;
	if (lines->error != 0)
		return;
	if (token->kind == TOKEN_CONTROL && token->bytes[0] == '\n') {
		lines->line(lines->data, text_of(lines), lines->text.len, lines->is_cut);
		clear(lines);
	} else if (token->kind == TOKEN_TEXT ||
	    (token->kind == TOKEN_CONTROL && token->bytes[0] == '\t')) {
		take_text(lines, token);
	} else {
		stripper_take(&lines->stripper, token);
	}
}

int muxbus_lines_feed(struct muxbus_lines *lines, const void *bytes, size_t len)
{
	lines->error = 0;
	tokenizer_feed(&lines->tokenizer, 0, bytes, len, on_token, lines);
	return lines->error;
}

const char *muxbus_lines_rest(struct muxbus_lines *lines, size_t *ret_len)
{
	*ret_len = lines->text.len;
	return text_of(lines);
}

void muxbus_lines_gap(struct muxbus_lines *lines)
{
	tokenizer_reset(&lines->tokenizer);
	clear(lines);
}
