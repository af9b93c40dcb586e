/* SPDX-License-Identifier: ISC */
/* Parts that SVG and HTML pictures share. */
#pragma once

#include "daemon/render/picture.h"

/* A colour is PICTURE_COLOUR_DEFAULT, _INDEX + 0..255 or _RGB + 0xrrggbb. */
#define PICTURE_COLOUR_DEFAULT 0u
#define PICTURE_COLOUR_INDEX 0x1000000u
#define PICTURE_COLOUR_RGB 0x2000000u

enum picture_attribute {
	PICTURE_BOLD = 1 << 0,
	PICTURE_DIM = 1 << 1,
	PICTURE_ITALIC = 1 << 2,
	PICTURE_REVERSE = 1 << 3,
	PICTURE_HIDDEN = 1 << 4,
	PICTURE_STRIKE = 1 << 5,
	PICTURE_OVERLINE = 1 << 6,
	PICTURE_CURSOR = 1 << 7, /* the cursor is on this cell; not an attribute of text */
};

enum picture_underline {
	PICTURE_UNDERLINE_NONE,
	PICTURE_UNDERLINE_SINGLE,
	PICTURE_UNDERLINE_DOUBLE,
	PICTURE_UNDERLINE_CURLY,
	PICTURE_UNDERLINE_DOTTED,
	PICTURE_UNDERLINE_DASHED,
};

struct picture_looks {
	uint32_t text; /* a colour (PICTURE_COLOUR_…), as are ground and line */
	uint32_t ground;
	uint32_t line; /* colour of the underline; PICTURE_COLOUR_DEFAULT: that of the text */
	uint8_t attributes; /* enum picture_attribute */
	uint8_t underline; /* enum picture_underline */
};

/* Applies the escape sequence "ESC [ parameters m"; text has the parameters alone. */
void picture_looks_apply(struct picture_looks *looks, const uint8_t *text, size_t len);

/* maximum bytes of a cell: a character and combining characters; further ones are dropped */
#define PICTURE_CELL_BYTES 31

struct picture_cell {
	struct picture_looks looks;
	uint8_t width; /* in cells; 0: the right half of a wide character */
	uint8_t len; /* number of bytes used; 0: blank */
	char bytes[PICTURE_CELL_BYTES]; /* UTF-8 that XML allows, not yet escaped */
};

/* The state that goes on from row to row. At first all members but joins_emoji are zero. */
struct picture_state {
	struct picture_looks looks;
	bool is_drawing; /* the character set for drawing lines is active */
	/*
	 * Since tmux 3.4 a skin tone shares the cell of the emoji before it, and U+FE0F makes a
	 * character two cells wide. Before, a skin tone takes two cells.
	 */
	bool joins_emoji;
};

/* Reads a row into cells; cells after its end are blank. Returns the column after the text. */
unsigned picture_row_read(struct picture_state *state, const uint8_t *line, size_t len,
    struct picture_cell *cells, unsigned columns);

/* A picture that is being written. After the first error nothing more is written. */
struct picture_page {
	struct buf *out;
	int error; /* enum buf_error */
	const struct picture *picture;
	const struct picture_theme *theme;
	struct picture_cell *cells; /* cells of the current row */
	unsigned columns;
	unsigned row;
};

void picture_page_init(struct picture_page *page, struct buf *out, const struct picture *picture);
/* Ends a page. Returns 0 or the enum buf_error. */
int picture_page_finish(struct picture_page *page);

/* Calls each() for rows from the top until an error. page->cells has the row with the cursor. */
void picture_page_rows(struct picture_page *page, void (*each)(struct picture_page *page));

void picture_put(struct picture_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes bytes, escaped for XML. They must be valid UTF-8. */
void picture_put_escaped(struct picture_page *page, const char *bytes, size_t len);
/* Writes the title, cut to PICTURE_TITLE_MAX, with control characters made visible, and escaped. */
void picture_put_title(struct picture_page *page);

enum picture_class {
	PICTURE_BLANK, /* only the ground colour is visible */
	PICTURE_PLAIN, /* takes one cell in fixed-width fonts */
	PICTURE_DRAWN, /* lines and blocks, which must touch each other: picture_shape.h */
	PICTURE_OTHER, /* may be shown in a font with other widths */
};

enum picture_class picture_class(const struct picture_cell *cell);
/* Returns the character of a cell; 0: the cell has none, or several. */
uint32_t picture_character(const struct picture_cell *cell);
struct picture_paint picture_cell_paint(
    const struct picture_page *page, const struct picture_cell *cell);

typedef bool picture_alike_fn(
    const struct picture_page *page, const struct picture_cell *a, const struct picture_cell *b);
/* Returns the column after the cell at column and the following cells that alike() finds alike. */
unsigned picture_run_end(const struct picture_page *page, unsigned column, picture_alike_fn *alike);

/* The colours of a cell, as 0xrrggbb. */
struct picture_paint {
	uint32_t text;
	uint32_t ground;
	uint32_t line; /* of the underline */
};

struct picture_theme {
	uint32_t text;
	uint32_t ground;
	uint32_t cursor;
	uint32_t caption; /* the title in the frame */
	uint32_t palette[16];
};

const struct picture_theme *picture_theme(bool is_light);

/* Returns the colours to show: applies defaults, reverse, dim and the cursor. */
struct picture_paint picture_paint(
    const struct picture_theme *theme, const struct picture_looks *looks);

/* Returns a colour between two others; percent 0: `from`, 100: `to`. */
uint32_t picture_mix(uint32_t from, uint32_t to, unsigned percent);
