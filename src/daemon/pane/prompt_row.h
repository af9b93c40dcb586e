/* SPDX-License-Identifier: ISC */
/* A row of a screen as cells: characters, with the attributes that matter for prompts. */
#pragma once

#include "base/base.h"

enum { PROMPT_CELLS_MAX = 1024 };

struct prompt_row {
	uint32_t characters[PROMPT_CELLS_MAX]; /* 0: the second half of a wide character */
	bool is_dim[PROMPT_CELLS_MAX], is_reverse[PROMPT_CELLS_MAX];
	size_t count;
};

/*
 * Reads row `number` (from 0) of a screen that capture-pane -p -e has printed. Rows after the last
 * one are empty.
 */
void prompt_row_read(const char *screen, size_t len, unsigned number, struct prompt_row *row);

unsigned prompt_row_count(const char *screen, size_t len);

/*
 * Returns true for a character of a frame: a blank, or a line of a box that is drawn around a
 * prompt.
 */
bool prompt_row_is_frame(uint32_t character);

/* Returns the first cell that is not a frame; row->count: none. */
size_t prompt_row_begin(const struct prompt_row *row);

/* Returns true if these cells have text that is neither dim nor a frame. */
bool prompt_row_has_text(const struct prompt_row *row, size_t begin, size_t end);

/*
 * Writes the cells from begin to end (not included) as UTF-8, cut to size. Cells after the row's
 * end are blank.
 */
void prompt_row_text(
    const struct prompt_row *row, size_t begin, size_t end, char *out, size_t size);
