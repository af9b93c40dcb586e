/* SPDX-License-Identifier: ISC */
/* Any text as a layout, as it is and with the right checksum: an accepted layout is consistent. */
#include <muxbus.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_cell(const struct muxbus_layout *layout, uint32_t index)
{
	const struct muxbus_cell *cell = &layout->cells[index];
	const struct muxbus_cell *cells = layout->cells;
	if ((index == 0) != (cell->parent == MUXBUS_NO_ID) ||
	    (index > 0 && (cell->parent >= index || cells[cell->parent].child > index)))
		abort();
	if (cell->next != MUXBUS_NO_ID &&
	    (cell->next <= index || cell->next >= layout->count ||
		cells[cell->next].parent != cell->parent))
		abort();
	if ((cell->kind == MUXBUS_CELL_PANE) != (cell->child == MUXBUS_NO_ID) ||
	    (cell->kind != MUXBUS_CELL_PANE &&
		(cell->child != index + 1 || cells[cell->child].parent != index)))
		abort();
}

static void check(const char *text, size_t len)
{
	struct muxbus_layout *layout = NULL;
	int error = muxbus_layout_parse(text, len, &layout);
	if (error != 0) {
		if (layout != NULL || (error != MUXBUS_ERR_SYNTAX && error != MUXBUS_ERR_LIMIT))
			abort();
		return;
	}
	if (layout->count == 0 || layout->count > MUXBUS_LAYOUT_CELLS_MAX)
		abort();
	for (uint32_t i = 0; i < layout->count; i++)
		check_cell(layout, i);
	muxbus_layout_free(layout);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 6);
	memcpy(text, data, size);
	check(text, size);
	if (size > 5) { /* the same body behind its checksum */
		unsigned checksum = muxbus_layout_checksum(text + 5, size - 5);

		snprintf(text, 5, "%04x", checksum);
		text[4] = ',';
		check(text, size);
	}
	free(text);
	return 0;
}
