/* SPDX-License-Identifier: ISC */
/* Tables for people: columns as wide as what is in them, and not wider than the terminal. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define TABLE_COLUMNS_MAX 16

struct table;

/*
 * A table of so many columns (at most TABLE_COLUMNS_MAX), with titles, which are lent. A column
 * in which every cell is a number stands to the right.
 */
struct table *table_new(const char *const *titles, size_t count);
void table_free(struct table *table);

/* Adds the next cell of the current row; the text is copied, and may be anybody's. */
void table_add(struct table *table, const void *text, size_t len);

/*
 * Appends the table: titles, then a line a row, none wider than columns (0: as wide as need
 * be). If it is too wide, its widest columns give way, and cells that were cut end in "…".
 * A column in which all cells are empty is left out.
 */
void table_write(const struct table *table, struct buf *out, size_t columns, bool has_color);

#endif
