/* SPDX-License-Identifier: ISC */
/* Repairs lines of servers with bytes that JSON does not allow, as from web pages and files. */
#pragma once

#include "wire/json.h"

/*
 * Appends a line, at most three times as long: U+FFFD for invalid UTF-8, NUL, "\u0000" and unpaired
 * surrogates, a blank for other control bytes below 0x20. Returns 0 or an enum buf_error.
 */
int mcp_repair(struct buf *out, const char *line, size_t len);
