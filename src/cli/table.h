/* SPDX-License-Identifier: ISC */
/* Tables for people: columns as wide as their cells, and not wider than the terminal. */
#pragma once

#include "base/base.h"

#define TABLE_COLUMNS_MAX 16

/*
 * A table with `count` columns (at most TABLE_COLUMNS_MAX) and titles, which are lent. A column
 * of numbers is aligned to the right.
 */
struct table *table_new(const char *const *titles, size_t count);
void table_free(struct table *table);

/* Adds the next cell of the current row; the text is copied, and may be untrusted. */
void table_add(struct table *table, const void *text, size_t len);

/*
 * Appends the table: titles, then a line for each row, none wider than columns (0: unlimited). If
 * the table is too wide, its widest columns are cut, and cut cells end in "…". A column without
 * any text is left out.
 */
void table_write(const struct table *table, struct buf *out, size_t columns, bool has_color);
