/* SPDX-License-Identifier: ISC */
/* Common parts of all kinds of pictures: rows, runs of cells, escaped text. */
#pragma once

#include "daemon/render/picture.h"

/* A row of a picture: cells with their looks, read from the output of capture-pane -e. */

/* A colour as set by a program: 0, PICTURE_COLOUR_INDEX + 0..255, or PICTURE_COLOUR_RGB + rgb. */
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
	PICTURE_CURSOR = 1 << 7, /* not an attribute of the text: the cursor stands here */
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
	uint32_t text; /* a colour as above, like the next two */
	uint32_t ground;
	uint32_t line; /* of the underline; PICTURE_COLOUR_DEFAULT: as the text */
	uint8_t attributes; /* enum picture_attribute */
	uint8_t underline; /* enum picture_underline */
};

/* Applies "ESC [ ... m", given without its first two characters and its last, to looks. */
void picture_looks_apply(struct picture_looks *looks, const uint8_t *text, size_t len);

#define PICTURE_CELL_BYTES \
	31 /* of a character with its combining characters; the rest is left out */

struct picture_cell {
	struct picture_looks looks;
	uint8_t width; /* in cells; 0: the second half of a wide one */
	uint8_t len; /* of bytes; 0: blank */
	char bytes[PICTURE_CELL_BYTES]; /* valid UTF-8 that any XML may hold; not escaped */
};

/* State carried from row to row. At the start of a picture only joins_emoji may be set. */
struct picture_state {
	struct picture_looks looks;
	bool is_drawing; /* the line drawing character set is active */
	/*
	 * tmux puts a skin tone into the cell of the emoji before it, and U+FE0F makes a character
	 * two cells wide. Before 3.4, a skin tone has two cells of its own.
	 */
	bool joins_emoji;
};

/*
 * Reads the line of len bytes (without a newline) into the columns cells; the rest is blank.
 * The state is that at the end of the previous line. Returns the column behind the last character.
 */
unsigned picture_row_read(struct picture_state *state, const uint8_t *line, size_t len,
    struct picture_cell *cells, unsigned columns);

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
