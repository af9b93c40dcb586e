/* SPDX-License-Identifier: ISC */
/* Common parts of all kinds of pictures: rows, runs of cells, escaped text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/render/picture.h"
#include "daemon/render/picture_row.h"

/* A picture being written. Nothing is written after the first error. */
struct picture_page {
	struct buf *out;
	int error; /* enum buf_error */
	const struct picture *picture;
	const struct picture_theme *theme;
	struct picture_cell *cells; /* of the current row */
	unsigned columns;
	unsigned row;
};

void picture_page_init(struct picture_page *page, struct buf *out, const struct picture *picture);
/* Returns the error. */
int picture_page_finish(struct picture_page *page);

/* Calls each for every row from the top, with its cells read and the cursor marked. */
void picture_page_rows(struct picture_page *page, void (*each)(struct picture_page *page));

void picture_put(struct picture_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes valid UTF-8, escaped for XML. */
void picture_put_escaped(struct picture_page *page, const char *bytes, size_t len);
/* Writes the title: cleaned, cut, escaped. */
void picture_put_title(struct picture_page *page);

enum picture_class {
	PICTURE_BLANK, /* only its ground is visible */
	PICTURE_PLAIN, /* has the usual width in every fixed-width font */
	PICTURE_DRAWN, /* lines and blocks, which must meet: picture_shape.h */
	PICTURE_OTHER, /* may come from another font, of another width */
};

enum picture_class picture_class(const struct picture_cell *cell);
/* The only character of a cell; 0 if it has none, or several. */
uint32_t picture_character(const struct picture_cell *cell);
struct picture_paint picture_cell_paint(
    const struct picture_page *page, const struct picture_cell *cell);

/* The end of a run of alike cells from a column. */
typedef bool picture_alike_fn(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b);
unsigned picture_run_end(const struct picture_page *page, unsigned column, picture_alike_fn *alike);

/* Visible colours, 0xrrggbb. */
struct picture_paint {
	uint32_t text;
	uint32_t ground;
	uint32_t line; /* under the text */
};

struct picture_theme {
	uint32_t text;
	uint32_t ground;
	uint32_t cursor;
	uint32_t caption; /* in the frame */
	uint32_t palette[16];
};

const struct picture_theme *picture_theme(bool is_light);

/* The visible colours of looks, after defaults, reversal, dimming and the cursor. */
struct picture_paint picture_paint(
    const struct picture_theme *theme, const struct picture_looks *looks);

/* The colour at this percentage between two colours. */
uint32_t picture_mix(uint32_t from, uint32_t to, unsigned percent);
