/* SPDX-License-Identifier: ISC */
/* A row of a screen as cells: characters, with the attributes that matter here. */
#pragma once

#include "base/base.h"

enum { PROMPT_CELLS_MAX = 1024 };

struct prompt_row {
	uint32_t characters[PROMPT_CELLS_MAX]; /* 0: second half of a wide character */
	bool is_dim[PROMPT_CELLS_MAX], is_reverse[PROMPT_CELLS_MAX];
	size_t count;
};

/* Reads a row, from 0, of a screen from capture-pane -p -e. A row behind the last one is empty. */
void prompt_row_read(const char *screen, size_t len, unsigned number, struct prompt_row *row);

unsigned prompt_row_count(const char *screen, size_t len);

/* Frames are blanks and the lines of boxes, which programs draw around their prompts. */
bool prompt_row_is_frame(uint32_t character);

/* Returns the first cell that is no frame, or row->count. */
size_t prompt_row_begin(const struct prompt_row *row);

/* Dim text and frames do not count as text. */
bool prompt_row_has_text(const struct prompt_row *row, size_t begin, size_t end);

/* Writes cells from begin to before end as UTF-8, cut to size; blank behind the row's end. */
void prompt_row_text(
    const struct prompt_row *row, size_t begin, size_t end, char *out, size_t size);
