/* SPDX-License-Identifier: ISC */
/* What muxbus top shows: a frame, row by row, for a model, a view and a moment. No input or output. */
#ifndef CLI_TOP_FRAME_H
#define CLI_TOP_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/top_model.h"
#include "cli/top_view.h"

struct top_frame {
	struct buf *rows; /* each as wide as the view at most, with its styles */
	unsigned count;
	unsigned columns;
};

void top_frame_init(struct top_frame *frame);
void top_frame_finish(struct top_frame *frame);

/* Draws all of it. What does not show is made visible, what does not fit is cut. */
void top_frame_draw(
    struct top_frame *frame, struct top_view *view, struct top_model *model, int64_t now_ms);

/*
 * Appends what makes a terminal that shows old show frame: only rows that differ are written.
 * If the sizes differ, or old is NULL, all is.
 */
void top_frame_update(struct buf *out, const struct top_frame *old, const struct top_frame *frame);

#endif
