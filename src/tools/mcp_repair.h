/* SPDX-License-Identifier: ISC */
/*
 * Repairs a line of a server that is JSON but for characters that a text cannot have: pages and
 * files that servers pass on hold such bytes.
 */
#pragma once

#include "base/base.h"

/*
 * Appends the line with U+FFFD in place of invalid UTF-8, of NUL, also "\u0000", and of surrogates
 * without their pair, and a blank in place of a control character: at most three times as many bytes.
 * Returns 0 or an enum buf_error.
 */
int mcp_repair(struct buf *out, const char *line, size_t len);
