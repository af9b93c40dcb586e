/* SPDX-License-Identifier: ISC */
/*
 * Repairs a line of JSON from a server whose strings hold bytes that JSON does not allow. Such
 * bytes come from web pages and files that servers pass on.
 */
#pragma once

#include "base/base.h"

/*
 * Appends the line to out. U+FFFD replaces invalid UTF-8, NUL, "\u0000" and unpaired surrogates; a
 * blank replaces any other control character. The result has at most three times as many bytes.
 * Returns 0 or an enum buf_error.
 */
int mcp_repair(struct buf *out, const char *line, size_t len);
