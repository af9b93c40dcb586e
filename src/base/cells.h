/* SPDX-License-Identifier: ISC */
/* The width of a text in terminal cells. */
#pragma once

#include "base/std.h"

/* The width of UTF-8 text; an invalid byte counts as one cell. */
size_t cells_width(const void *bytes, size_t len);
