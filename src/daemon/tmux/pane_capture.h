/* SPDX-License-Identifier: ISC */
/*
 * Captures of panes with their offset in the output. In control mode the capture and the output
 * come in one stream, so the offset is exact. A pipe has no order relative to replies: if output
 * comes meanwhile, the capture is repeated. After PANE_CAPTURE_TRIES the offset is a lower bound.
 */
#pragma once

#include "base/base.h"

enum { PANE_CAPTURE_TRIES = 4 };

struct muxbus_capture;
struct stream_set;
struct tmux;

/* Called with the capture; NULL: error. is_exact: it shows exactly the output before its offset. */
typedef void pane_capture_fn(
    void *data, int error, const struct muxbus_capture *picture, bool is_exact);

/* Like muxbus_sync_capture(), but done is always called; on failure perhaps before the return. */
void pane_capture(struct tmux *tmux, struct stream_set *streams, uint32_t pane, uint32_t history,
    unsigned flags, pane_capture_fn *done, void *data);
