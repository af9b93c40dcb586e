/* SPDX-License-Identifier: ISC */
/* Tables for people. Cells are cut so that a table fits the terminal. */
#pragma once

#include "base/base.h"

#define TABLE_COLUMNS_MAX 16

/* count: at most TABLE_COLUMNS_MAX. The titles are lent. Columns of numbers are aligned right. */
struct table *table_new(const char *const *titles, size_t count);
void table_free(struct table *table);

/* Adds the next cell of the current row. Copies the text, cut if long, which may be untrusted. */
void table_add(struct table *table, const void *text, size_t len);

/*
 * Appends the titles and a line per row, no wider than columns (0: no limit). In a table that is
 * too wide, the widest columns are cut; cut cells end in "…". A column without any text is omitted.
 */
void table_write(const struct table *table, struct buf *out, size_t columns, bool has_color);
