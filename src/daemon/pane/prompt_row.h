/* SPDX-License-Identifier: ISC */
/* A row of a screen as cells: characters with what of their looks has a meaning. */
#pragma once

#include "base/base.h"

enum { PROMPT_CELLS_MAX = 1024 };

struct prompt_row {
	uint32_t characters[PROMPT_CELLS_MAX]; /* 0: the second half of a wide one */
	bool is_dim[PROMPT_CELLS_MAX];
	bool is_reverse[PROMPT_CELLS_MAX];
	size_t count;
};

/* Reads the n-th row of a screen as capture-pane -p -e gives it; empty behind the last. */
void prompt_row_read(const char *screen, size_t len, unsigned number, struct prompt_row *row);

/* How many rows a screen has. */
unsigned prompt_row_count(const char *screen, size_t len);

/* Lines of boxes, and blanks: what programs draw around their prompts. */
bool prompt_row_is_frame(uint32_t character);

/*
 * The cells from begin to before end, UTF-8; what does not fit is left out. Cells that the row does
 * not have are blank.
 */
void prompt_row_text(
    const struct prompt_row *row, size_t begin, size_t end, char *out, size_t size);
