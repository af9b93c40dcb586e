/* SPDX-License-Identifier: ISC */
/* The state of a known agent by its screen alone. */
#include "daemon/pane/screen_verdict.h"

#include <string.h>

#include "base/buf.h"
#include "daemon/pane/prompt_row.h"
#include "daemon/pane/screen_sign.h"

enum { ROWS_MAX = 60, ROW_SIZE = 2048, TEXT_MAX = 128 * 1024, NO_BREAK_SPACE = 0xa0 };

/*
 * Whether a cell is no suggestion: that is dim, as lines and the ends of prompts may be too, or it
 * lies under a cursor that the program draws, and is dim behind that.
 */
static bool is_typed_cell(const struct prompt_row *row, size_t at)
{
	bool is_drawn =
	    prompt_row_is_frame(row->characters[at]) || prompt_is_end(row->characters[at]);
	bool is_cursor = row->is_reverse[at] && at + 1 < row->count && row->is_dim[at + 1] &&
	    !row->is_reverse[at + 1];
	return !is_cursor && (!row->is_dim[at] || is_drawn);
}

/* The lower rows, without blank ones at the end. is_typed: without dim text, which is no draft. */
static void write_rows(const struct prompt_view *view, bool is_typed, struct buf *out)
{
	static struct prompt_row row;
	char text[ROW_SIZE];
	unsigned count = prompt_row_count(view->text, view->len);
	for (unsigned number = count > ROWS_MAX ? count - ROWS_MAX : 0; number < count; number++) {
		size_t len;
		prompt_row_read(view->text, view->len, number, &row);
		for (size_t at = 0; at < row.count; at++) {
			if (row.characters[at] == NO_BREAK_SPACE ||
			    (is_typed && !is_typed_cell(&row, at)))
				row.characters[at] = ' ';
		}
		prompt_row_text(&row, 0, row.count, text, sizeof text);
		for (len = strlen(text); len > 0 && text[len - 1] == ' '; len--)
			;
		(void)buf_append(out, text, len);
		(void)buf_append_byte(out, '\n');
	}
	while (out->len > 1 && out->data[out->len - 2] == '\n')
		out->len--;
}

enum screen_sign_kind screen_verdict(
    const struct screen_sign_set *signs, const char *agent, const struct prompt_view *view)
{
	static const struct {
		enum screen_sign_kind sign;
		bool is_typed;
	} steps[] = {
	    {SIGN_DIALOG, false}, {SIGN_WORK, false}, {SIGN_DRAFT, true}, {SIGN_IDLE, true}};
	enum screen_sign_kind verdict = SIGN_NONE;
	struct buf texts[2];
	for (size_t at = 0; at < 2; at++) {
		buf_init(&texts[at], TEXT_MAX);
		write_rows(view, at == 1, &texts[at]);
	}
	for (size_t at = 0; at < sizeof steps / sizeof *steps && verdict == SIGN_NONE; at++) {
		const struct buf *text = &texts[steps[at].is_typed];
		if (screen_sign_shows(
			signs, agent, steps[at].sign, (const char *)text->data, text->len))
			verdict = steps[at].sign;
	}
	buf_finish(&texts[0]);
	buf_finish(&texts[1]);
	return verdict;
}
