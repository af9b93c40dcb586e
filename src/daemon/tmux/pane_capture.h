/* SPDX-License-Identifier: ISC */
/*
 * Captures of panes with their place in the pane's output. A client of tmux gets both in one
 * stream, so the offset is exact. A pipe has no order with the answer to a command: if the pane
 * writes meanwhile, the capture is taken again, and in the end its offset is a lower bound.
 */
#pragma once

#include "base/base.h"

enum { PANE_CAPTURE_TRIES = 4 };

struct muxbus_capture;
struct stream_set;
struct tmux;

/*
 * As muxbus_capture_fn. is_exact: the picture shows all output before its offset and none behind
 * it; else some bytes behind it may be in the picture too.
 */
typedef void pane_capture_fn(
    void *data, int error, const struct muxbus_capture *picture, bool is_exact);

/* As muxbus_sync_capture(). done is called once, before the return if it fails at once. */
void pane_capture(struct tmux *tmux, struct stream_set *streams, uint32_t pane, uint32_t history,
    unsigned flags, pane_capture_fn *done, void *data);
