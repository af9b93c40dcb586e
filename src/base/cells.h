/* SPDX-License-Identifier: ISC */
/* How many cells of a terminal a text takes, for columns of what was found in it. */
#ifndef BASE_CELLS_H
#define BASE_CELLS_H

#include <stddef.h>

/* The cells of UTF-8 text; what is no UTF-8 takes one a byte. */
size_t cells_width(const void *bytes, size_t len);

#endif
