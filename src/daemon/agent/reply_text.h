/* SPDX-License-Identifier: ISC */
/*
 * The reply of a program between two places of its output: its bytes as lines a person would
 * read, without the line end that Enter made and without the prompt behind it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct reply_text_options {
	bool is_cut; /* the bytes begin in the midst: their first line is not whole */
	/* The pasted text: line editors draw it again when it is submitted. NULL: nothing. */
	const char *pasted;
	size_t pasted_len;
	const char *prompt; /* the row that the cursor stands in behind them; NULL: no prompt */
};

/* Appends to out, which must be empty. */
void reply_text(
    struct buf *out, const void *bytes, size_t len, const struct reply_text_options *options);
