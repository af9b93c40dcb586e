/* SPDX-License-Identifier: ISC */
/* Repairs lines of servers that pass on bytes of web pages and files, which JSON does not allow. */
#pragma once

#include "wire/json.h"

/*
 * Appends the line, at most three times as long: U+FFFD for invalid UTF-8, NUL, "\u0000" and
 * unpaired surrogates, a blank for any other control character. Returns 0 or an enum buf_error.
 */
int mcp_repair(struct buf *out, const char *line, size_t len);
