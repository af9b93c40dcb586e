/* SPDX-License-Identifier: ISC */
/* Quotes words for a POSIX shell. */
#pragma once

#include "base/base.h"

/* Appends a word, quoted for a POSIX shell at any position. Returns 0 or an enum buf_error. */
int shell_word(struct buf *out, const char *word);
