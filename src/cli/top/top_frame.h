/* SPDX-License-Identifier: ISC */
/* The screen of muxbus top: draws rows from a model, a view and a time, without I/O. */
#pragma once

#include "cli/top/top_view.h"

struct top_frame {
	struct buf *rows; /* with styles, at most as wide as the view */
	unsigned count, columns;
};

void top_frame_finish(struct top_frame *frame);

/* Draws the whole screen. Makes control characters visible, and cuts long text. */
void top_frame_draw(
    struct top_frame *frame, struct top_view *view, struct top_model *model, int64_t now_ms);

/*
 * Appends the sequences that change a terminal from `old` to `frame`: the changed rows, or all rows
 * if the sizes differ or old is NULL.
 */
void top_frame_update(struct buf *out, const struct top_frame *old, const struct top_frame *frame);
