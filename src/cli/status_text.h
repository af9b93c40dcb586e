/* SPDX-License-Identifier: ISC */
/* The status of the daemon in about ten lines for people. */
#pragma once

#include "wire/json.h"

/*
 * Appends the result of the method "status" as text for people, wrapped to `columns` (0: not
 * wrapped). Control characters in it are made visible.
 */
void status_text(struct buf *out, const struct json *status, size_t columns, bool has_color);
