/* SPDX-License-Identifier: ISC */
#include "cli/table.h"

#include "cli/screen_text.h"

#define GAP 2 /* blanks between two columns */
#define CELL_MIN 8 /* a column is not shrunk below this width */
#define CELL_BYTES_MAX 4096
#define TABLE_BYTES_MAX ((size_t)256 * 1024 * 1024)

struct cell {
	size_t at; /* in table.text, with control characters already visible */
	size_t len, width;
};

struct table {
	const char *titles[TABLE_COLUMNS_MAX];
	size_t count;
	struct buf text;
	struct cell *cells;
	size_t cell_count, cell_room;
	size_t widths[TABLE_COLUMNS_MAX]; /* columns of the widest cell */
	bool has_text[TABLE_COLUMNS_MAX]; /* some cell has a text that is not a number */
	bool is_numeric[TABLE_COLUMNS_MAX];
};

struct table *table_new(const char *const *titles, size_t count)
{
	struct table *table = xcalloc(1, sizeof *table);
	table->count = count < TABLE_COLUMNS_MAX ? count : TABLE_COLUMNS_MAX;
	for (size_t i = 0; i < table->count; i++)
		table->titles[i] = titles[i];
	buf_init(&table->text, TABLE_BYTES_MAX);
	return table;
}

void table_free(struct table *table)
{
	buf_finish(&table->text);
	mem_free(table->cells);
	mem_free(table);
}

static bool is_number(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("0123456789.-", text[i]) == NULL || !text[i])
			return false;
	return len > 0;
}

void table_add(struct table *table, const void *text, size_t len)
{
	size_t column = table->cell_count % table->count;
	const char *visible;
	struct cell *cell;
	if (table->cell_count == table->cell_room) {
		table->cell_room = table->cell_room ? table->cell_room * 2 : 64;
		table->cells = xrealloc(table->cells, table->cell_room * sizeof(struct cell));
	}
	cell = &table->cells[table->cell_count++];
	cell->at = table->text.len;
	(void)screen_text_line(&table->text, text, len < CELL_BYTES_MAX ? len : CELL_BYTES_MAX);
	cell->len = table->text.len - cell->at;
	visible = cell->len > 0 ? buf_text(&table->text) + cell->at : "";
	cell->width = utf8_cells(visible, cell->len);
	if (cell->width > table->widths[column])
		table->widths[column] = cell->width;
	if (is_number(visible, cell->len))
		table->is_numeric[column] = true;
	else if (cell->len > 0)
		table->has_text[column] = true;
}

static void fit(size_t *widths, size_t count, size_t columns)
{
	for (;;) {
		size_t total = 0, shown = 0, widest = 0, over, step, second = CELL_MIN;
		for (size_t i = 0; i < count; i++) {
			total += widths[i];
			shown += widths[i] > 0;
			/* Of equal columns shrink the last, since the first columns matter most. */
			if (widths[i] >= widths[widest])
				widest = i;
		}
		total += shown > 1 ? (shown - 1) * GAP : 0;
		if (total <= columns || widths[widest] <= CELL_MIN)
			return;
		for (size_t i = 0; i < count; i++)
			if (i != widest && widths[i] > second)
				second = widths[i];
		/* Shrink the widest column to no less than the second widest, or by one. */
		over = total - columns;
		step = widths[widest] > second ? widths[widest] - second : 1;
		widths[widest] -= step < over ? step : over;
	}
}

/* A line of cells; trailing spaces are not written. */
struct table_line {
	struct buf *out;
	size_t columns; /* 0: unlimited */
	size_t at;
	size_t owed; /* spaces to write before the next text */
};

static void put_cell(struct table_line *line, const char *text, size_t len, size_t width,
    bool is_right, const char *style)
{
	struct buf cut = BUF(TABLE_BYTES_MAX);
	size_t start, room, taken, left;
	start = line->at + line->owed;
	room = line->columns == 0 || start + width <= line->columns ? width
	    : line->columns > start                                 ? line->columns - start
								    : 0;
	taken = room > 0 ? screen_text_cut(&cut, text, len, room) : 0;
	left = is_right && taken < room ? room - taken : 0;
	if (cut.len > 0) {
		(void)buf_printf(line->out, "%*s", (int)(line->owed + left), "");
		(void)buf_append_str(line->out, style);
		(void)buf_append(line->out, cut.data, cut.len);
		if (*style)
			(void)buf_append_str(line->out, screen_style(true, SCREEN_PLAIN));
		line->at = start + left + taken;
		line->owed = width - left - taken + GAP;
	} else {
		line->owed += width + GAP;
	}
	buf_finish(&cut);
}

void table_write(const struct table *table, struct buf *out, size_t columns, bool has_color)
{
	size_t widths[TABLE_COLUMNS_MAX] = {0};
	size_t rows = table->cell_count / table->count;
	for (size_t i = 0; i < table->count; i++) {
		size_t title = utf8_cells(table->titles[i], strlen(table->titles[i]));
		if (table->widths[i] > 0)
			widths[i] = table->widths[i] > title ? table->widths[i] : title;
	}
	if (columns > 0)
		fit(widths, table->count, columns);
	for (size_t row = 0; row <= rows; row++) {
		struct table_line line = {.out = out, .columns = columns};
		for (size_t i = 0; i < table->count; i++) {
			const struct cell *cell =
			    row > 0 ? &table->cells[(row - 1) * table->count + i] : NULL;
			const char *text = cell == NULL ? table->titles[i]
			    : cell->len > 0             ? buf_text(&table->text) + cell->at
							: "";
			if (widths[i] == 0)
				continue;
			put_cell(&line, text, cell != NULL ? cell->len : strlen(text), widths[i],
			    table->is_numeric[i] && !table->has_text[i],
			    row == 0 ? screen_style(has_color, SCREEN_BOLD) : "");
		}
		(void)buf_append_byte(out, '\n');
	}
}
