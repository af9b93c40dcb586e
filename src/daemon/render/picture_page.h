/* SPDX-License-Identifier: ISC */
/* What pictures of every kind are made with: rows one after another, runs of cells, escaped text. */
#ifndef DAEMON_RENDER_PICTURE_PAGE_H
#define DAEMON_RENDER_PICTURE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/render/picture.h"
#include "daemon/render/picture_colour.h"
#include "daemon/render/picture_row.h"

/* A picture being written. The first error stays, and nothing is written behind it. */
struct picture_page {
	struct buf *out;
	int error; /* enum buf_error */
	const struct picture *picture;
	const struct picture_theme *theme;
	struct picture_cell *cells; /* of the present row */
	unsigned columns;
	unsigned row;
};

void picture_page_init(struct picture_page *page, struct buf *out, const struct picture *picture);
/* Returns the error. */
int picture_page_finish(struct picture_page *page);

/* Calls each for every row from the top, with its cells in place and the cursor marked. */
void picture_page_rows(struct picture_page *page, void (*each)(struct picture_page *page));

void picture_put(struct picture_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Text that is valid UTF-8, as XML has it. */
void picture_put_escaped(struct picture_page *page, const char *bytes, size_t len);
/* What the picture is called: cleaned, cut, escaped. */
void picture_put_title(struct picture_page *page);

enum picture_class {
	PICTURE_BLANK, /* nothing but its ground is seen */
	PICTURE_PLAIN, /* any font of fixed width has it as wide as all others */
	PICTURE_DRAWN, /* lines and blocks, which must meet: picture_shape.h */
	PICTURE_OTHER, /* may come from another font, of another width */
};

enum picture_class picture_class(const struct picture_cell *cell);
/* The only character of a cell; 0 if it has none, or several. */
uint32_t picture_character(const struct picture_cell *cell);
struct picture_paint picture_cell_paint(
    const struct picture_page *page, const struct picture_cell *cell);

/* The first column behind a run of cells from a column on that are alike. */
typedef bool picture_alike_fn(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b);
unsigned picture_run_end(const struct picture_page *page, unsigned column, picture_alike_fn *alike);

#endif
