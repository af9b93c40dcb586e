/* SPDX-License-Identifier: ISC */
/* The width of a text in terminal cells. */
#ifndef BASE_CELLS_H
#define BASE_CELLS_H

#include <stddef.h>

/* The width of UTF-8 text; an invalid byte counts as one cell. */
size_t cells_width(const void *bytes, size_t len);

#endif
