/* SPDX-License-Identifier: ISC */
/* The status of the daemon in about ten lines for people. */
#pragma once

#include "wire/json.h"

/*
 * Appends the lines, wrapped to `columns` columns (0: not wrapped). status is the result of the
 * method status. Untrusted text is made visible.
 */
void status_text(struct buf *out, const struct json *status, size_t columns, bool has_color);
