/* SPDX-License-Identifier: ISC */
/* The status of the daemon in about ten lines for people. */
#pragma once

#include "wire/json.h"

/* Appends the result of status, wrapped to `columns` (0: not wrapped), made visible. */
void status_text(struct buf *out, const struct json *status, size_t columns, bool has_color);
