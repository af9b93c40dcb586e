/* SPDX-License-Identifier: ISC */
/*
 * Parses layout strings. Their form is CSUM,CELL[<CELL,...>] with
 *
 * CELL = WxH,X,Y then nothing, ",ID", "{CELL,...}" or "[CELL,...]"
 *
 * or, since tmux 3.8, JSON without blanks: {"V":2,"L":CELL} with
 *
 * CELL = {"t":"p", "h" or "v", "w":W,"h":H,"x":X,"y":Y,"z":Z if it floats, other numbers, "I":"%ID"
 * or "c":[CELL,...]}
 *
 * Each cell has one 'x', or in JSON one '{' besides the outer one. So the maximum number of cells
 * is known before reading. Nesting uses the parents of cells instead of the stack, so the cost of a
 * hostile string is limited by its length.
 */
#include <muxbus.h>

#include "base/base.h"

#define CHECKSUM_LEN 4
/* Limit of a size or position, far beyond the 10,000 cells a side that tmux allows. */
#define SIDE_MAX 1000000

struct layout_reader {
	const char *next;
	const char *end;
	struct muxbus_layout *layout;
	uint32_t last; /* the previous child of parent, or MUXBUS_NO_ID */
	uint32_t parent;
};

uint16_t muxbus_layout_checksum(const char *text, size_t len)
{
	unsigned sum = 0;
	for (size_t i = 0; i < len; i++) {
		sum = sum >> 1 | (sum & 1) << 15;
		sum = (sum + (unsigned char)text[i]) & 0xffff;
	}
	return (uint16_t)sum;
}

static char peek(const struct layout_reader *reader)
{
	return reader->next < reader->end ? *reader->next : '\0';
}

static bool take(struct layout_reader *reader, char c)
{
	if (reader->next == reader->end || *reader->next != c)
		return false;
	reader->next++;
	return true;
}

static bool read_number(struct layout_reader *reader, uint64_t max, uint64_t *ret_number)
{
	const char *start = reader->next;
	uint64_t number = 0;
	while (peek(reader) >= '0' && peek(reader) <= '9') {
		number = 10 * number + (uint64_t)(*reader->next++ - '0');
		if (number > max)
			return false;
	}
	*ret_number = number;
	return reader->next > start;
}

static bool read_side(struct layout_reader *reader, unsigned *ret_side)
{
	uint64_t side;
	if (!read_number(reader, SIDE_MAX, &side))
		return false;
	*ret_side = (unsigned)side;
	return true;
}

static bool read_place(struct layout_reader *reader, int *ret_place)
{
	bool is_negative = take(reader, '-');
	uint64_t place;
	if (!read_number(reader, SIDE_MAX, &place))
		return false;
	*ret_place = is_negative ? -(int)place : (int)place;
	return true;
}

/* Old layout strings have no pane ids. A number before 'x' is the width of the next cell. */
static bool read_pane(struct layout_reader *reader, uint32_t *ret_pane)
{
	const char *start = reader->next;
	uint64_t pane;
	*ret_pane = MUXBUS_NO_ID;
	if (!take(reader, ','))
		return true;
	if (!read_number(reader, MUXBUS_NO_ID - 1, &pane))
		return false;
	if (peek(reader) == 'x')
		reader->next = start;
	else
		*ret_pane = (uint32_t)pane;
	return true;
}

static bool read_cell(struct layout_reader *reader, struct muxbus_cell *cell)
{
	cell->child = MUXBUS_NO_ID;
	cell->next = MUXBUS_NO_ID;
	cell->parent = MUXBUS_NO_ID;
	cell->is_floating = false;
	if (!read_side(reader, &cell->width) || !take(reader, 'x') ||
	    !read_side(reader, &cell->height) || !take(reader, ',') ||
	    !read_place(reader, &cell->left) || !take(reader, ',') ||
	    !read_place(reader, &cell->top) || !read_pane(reader, &cell->pane))
		return false;
	cell->kind = MUXBUS_CELL_PANE;
	if (peek(reader) == '{')
		cell->kind = MUXBUS_CELL_COLUMNS;
	else if (peek(reader) == '[')
		cell->kind = MUXBUS_CELL_ROWS;
	return cell->kind == MUXBUS_CELL_PANE || cell->pane == MUXBUS_NO_ID;
}

static void link_cell(struct layout_reader *reader, uint32_t index)
{
	struct muxbus_cell *cells = reader->layout->cells;
	cells[index].parent = reader->parent;
	if (reader->last != MUXBUS_NO_ID)
		cells[reader->last].next = index;
	else if (reader->parent != MUXBUS_NO_ID)
		cells[reader->parent].child = index;
	reader->last = index;
}

static bool close_containers(struct layout_reader *reader)
{
	while (peek(reader) == '}' || peek(reader) == ']') {
		const struct muxbus_cell *parent;
		if (reader->parent == MUXBUS_NO_ID)
			return false;
		parent = &reader->layout->cells[reader->parent];
		if (!take(reader, parent->kind == MUXBUS_CELL_COLUMNS ? '}' : ']'))
			return false;
		reader->last = reader->parent;
		reader->parent = parent->parent;
	}
	return true;
}

static bool read_tree(struct layout_reader *reader)
{
	struct muxbus_layout *layout = reader->layout;
	do {
		uint32_t index = layout->count;
		struct muxbus_cell cell; /* copied into the array if it is valid */
		if (!read_cell(reader, &cell))
			return false;
		layout->cells[layout->count++] = cell;
		link_cell(reader, index);
		if (layout->cells[index].kind != MUXBUS_CELL_PANE) {
			reader->next++;
			reader->parent = index;
			reader->last = MUXBUS_NO_ID;
			continue;
		}
		if (!close_containers(reader))
			return false;
		if (reader->parent == MUXBUS_NO_ID)
			return true;
		if (!take(reader, ','))
			return false;
	} while (reader->next < reader->end);
	return false;
}

static void mark_floating(struct muxbus_layout *layout, uint32_t pane)
{
	for (uint32_t i = 0; i < layout->count; i++)
		if (layout->cells[i].kind == MUXBUS_CELL_PANE && layout->cells[i].pane == pane)
			layout->cells[i].is_floating = true;
}

/* Reads the floating panes, "<CELL,...>", if they follow. They are in the tree too. */
static bool read_floating(struct layout_reader *reader)
{
	struct muxbus_layout *layout = reader->layout;
	if (!take(reader, '<'))
		return true;
	do {
		struct muxbus_cell cell;
		if (!read_cell(reader, &cell) || cell.pane == MUXBUS_NO_ID)
			return false;
		layout->floating[layout->floating_count++] = cell.pane;
		mark_floating(layout, cell.pane);
	} while (take(reader, ','));
	return take(reader, '>');
}

static bool read_checksum(const char *text, uint16_t *ret_checksum)
{
	static const char digits[] = "0123456789abcdef";
	unsigned checksum = 0;
	for (size_t i = 0; i < CHECKSUM_LEN; i++) {
		const char *digit = text[i] == '\0' ? NULL : strchr(digits, text[i]);
		if (digit == NULL)
			return false;
		checksum = checksum << 4 | (unsigned)(digit - digits);
	}
	*ret_checksum = (uint16_t)checksum;
	return true;
}

static struct muxbus_layout *layout_new(size_t cells)
{
	struct muxbus_layout *layout = mem_calloc(
	    1, sizeof *layout + cells * (sizeof *layout->cells + sizeof *layout->floating));
	if (layout == NULL)
		return NULL;
	layout->cells = (struct muxbus_cell *)(layout + 1);
	layout->floating = (uint32_t *)(layout->cells + cells);
	return layout;
}

static size_t count_cells(const char *text, size_t len, char mark)
{
	size_t count = 0;
	for (size_t i = 0; i < len; i++)
		count += text[i] == mark;
	return count;
}

static bool take_text(struct layout_reader *reader, const char *text)
{
	while (*text != '\0')
		if (!take(reader, *text++))
			return false;
	return true;
}

static bool read_quoted_pane(struct layout_reader *reader, struct muxbus_cell *cell)
{
	uint64_t pane;
	if (!take_text(reader, "\"%") || !read_number(reader, MUXBUS_NO_ID - 1, &pane))
		return false;
	cell->pane = (uint32_t)pane;
	return take(reader, '"');
}

static bool read_kind(struct layout_reader *reader, struct muxbus_cell *cell)
{
	static const char kinds[] = {
	    [MUXBUS_CELL_PANE] = 'p', [MUXBUS_CELL_COLUMNS] = 'h', [MUXBUS_CELL_ROWS] = 'v'};
	if (!take(reader, '"'))
		return false;
	for (unsigned kind = 0; kind < sizeof kinds; kind++) {
		if (take(reader, kinds[kind])) {
			cell->kind = (enum muxbus_cell_kind)kind;
			return take(reader, '"');
		}
	}
	return false;
}

/* Reads the position of a floating pane among the floating panes; 0 is the top. */
static bool read_floating_place(
    struct layout_reader *reader, struct muxbus_cell *cell, size_t cells)
{
	uint64_t place;
	if (!read_number(reader, cells - 1, &place) ||
	    reader->layout->floating[place] != MUXBUS_NO_ID)
		return false;
	/* The pane's id may follow later in the string, so store the index of the cell. */
	reader->layout->floating[place] = (uint32_t)(cell - reader->layout->cells);
	cell->is_floating = true;
	return true;
}

static bool skip_value(struct layout_reader *reader)
{
	const char *start = reader->next;
	while (peek(reader) == '-' || (peek(reader) >= '0' && peek(reader) <= '9') ||
	    (peek(reader) >= 'a' && peek(reader) <= 'z'))
		reader->next++;
	return reader->next > start;
}

static bool read_member(
    struct layout_reader *reader, struct muxbus_cell *cell, char key, size_t cells)
{
	switch (key) {
	case 't':
		return read_kind(reader, cell);
	case 'w':
		return read_side(reader, &cell->width);
	case 'h':
		return read_side(reader, &cell->height);
	case 'x':
		return read_place(reader, &cell->left);
	case 'y':
		return read_place(reader, &cell->top);
	case 'z':
		return read_floating_place(reader, cell, cells);
	case 'I':
		return read_quoted_pane(reader, cell);
	default:
		return skip_value(reader);
	}
}

static bool read_members(
    struct layout_reader *reader, uint32_t index, size_t cells, bool *ret_has_cells)
{
	struct muxbus_cell *cell = &reader->layout->cells[index];
	*ret_has_cells = false;
	do {
		char key;
		if (!take(reader, '"'))
			return false;
		key = peek(reader);
		if (key == '\0' || !take(reader, key) || !take_text(reader, "\":"))
			return false;
		if (key == 'c') {
			*ret_has_cells = true;
			return cell->child == MUXBUS_NO_ID && take(reader, '[');
		}
		if (!read_member(reader, cell, key, cells))
			return false;
	} while (take(reader, ','));
	return take(reader, '}');
}

static bool is_complete(const struct muxbus_cell *cell)
{
	bool is_pane = cell->kind == MUXBUS_CELL_PANE;
	return is_pane == (cell->pane != MUXBUS_NO_ID) &&
	    is_pane == (cell->child == MUXBUS_NO_ID) && (is_pane || !cell->is_floating);
}

static bool begin_cell(struct layout_reader *reader, uint32_t *ret_index)
{
	uint32_t index = reader->layout->count;
	if (!take(reader, '{'))
		return false;
	reader->layout->cells[index] = (struct muxbus_cell){.pane = MUXBUS_NO_ID,
	    .child = MUXBUS_NO_ID,
	    .next = MUXBUS_NO_ID,
	    .parent = reader->parent};
	reader->layout->count++;
	link_cell(reader, index);
	*ret_index = index;
	return true;
}

/* Begins the next sibling of a cell. If there is none, ends parents up to one with more members. */
static bool end_cell(struct layout_reader *reader, uint32_t *index, bool *ret_is_root)
{
	*ret_is_root = false;
	while (is_complete(&reader->layout->cells[*index])) {
		*ret_is_root = reader->parent == MUXBUS_NO_ID;
		if (*ret_is_root)
			return true;
		if (take(reader, ','))
			return begin_cell(reader, index);
		if (!take(reader, ']'))
			return false;
		*index = reader->parent;
		reader->last = *index;
		reader->parent = reader->layout->cells[*index].parent;
		if (take(reader, ','))
			return true;
		if (!take(reader, '}'))
			return false;
	}
	return false;
}

static bool read_json_tree(struct layout_reader *reader, size_t cells)
{
	uint32_t index;
	bool is_right = begin_cell(reader, &index);
	bool is_root = false;
	while (is_right && !is_root) {
		bool has_cells;
		if (!read_members(reader, index, cells, &has_cells))
			return false;
		if (has_cells) {
			reader->parent = index;
			reader->last = MUXBUS_NO_ID;
			is_right = begin_cell(reader, &index);
		} else {
			is_right = end_cell(reader, &index, &is_root);
		}
	}
	return is_right;
}

static void settle_floating(struct muxbus_layout *layout, size_t cells)
{
	for (size_t i = 0; i < cells; i++) {
		if (layout->floating[i] != MUXBUS_NO_ID)
			layout->floating[layout->floating_count++] =
			    layout->cells[layout->floating[i]].pane;
	}
}

static int begin_layout(struct layout_reader *reader, size_t cells)
{
	if (cells == 0)
		return MUXBUS_ERR_SYNTAX;
	if (cells > MUXBUS_LAYOUT_CELLS_MAX)
		return MUXBUS_ERR_LIMIT;
	reader->layout = layout_new(cells);
	return reader->layout != NULL ? 0 : MUXBUS_ERR_NOMEM;
}

static int parse_json(const char *text, size_t len, struct muxbus_layout **ret_layout)
{
	struct layout_reader reader = {
	    .next = text, .end = text + len, .last = MUXBUS_NO_ID, .parent = MUXBUS_NO_ID};
	size_t cells = count_cells(text, len, '{') - 1;
	int error = begin_layout(&reader, cells);
	if (error != 0)
		return error;
	memset(reader.layout->floating, 0xff, cells * sizeof *reader.layout->floating);
	if (!take_text(&reader, "{\"V\":2,\"L\":") || !read_json_tree(&reader, cells) ||
	    !take(&reader, '}') || reader.next != reader.end) {
		muxbus_layout_free(reader.layout);
		return MUXBUS_ERR_SYNTAX;
	}
	settle_floating(reader.layout, cells);
	*ret_layout = reader.layout;
	return 0;
}

int muxbus_layout_parse(const char *text, size_t len, struct muxbus_layout **ret_layout)
{
	const char *body = text + CHECKSUM_LEN + 1;
	struct layout_reader reader = {.last = MUXBUS_NO_ID, .parent = MUXBUS_NO_ID};
	uint16_t checksum;
	int error;
	if (len > 0 && text[0] == '{')
		return parse_json(text, len, ret_layout);
	if (len <= CHECKSUM_LEN + 1 || text[CHECKSUM_LEN] != ',' || !read_checksum(text, &checksum))
		return MUXBUS_ERR_SYNTAX;
	reader.next = body;
	reader.end = text + len;
	if (muxbus_layout_checksum(body, (size_t)(reader.end - body)) != checksum)
		return MUXBUS_ERR_SYNTAX;
	error = begin_layout(&reader, count_cells(body, (size_t)(reader.end - body), 'x'));
	if (error != 0)
		return error;
	reader.layout->checksum = checksum;
	if (!read_tree(&reader) || !read_floating(&reader) || reader.next != reader.end) {
		muxbus_layout_free(reader.layout);
		return MUXBUS_ERR_SYNTAX;
	}
	*ret_layout = reader.layout;
	return 0;
}

void muxbus_layout_free(struct muxbus_layout *layout)
{
	mem_free(layout);
}
