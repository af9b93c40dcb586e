/* SPDX-License-Identifier: ISC */
/*
 * Captures of panes with their offset in the output. A client of tmux gets both in one stream, so
 * the offset is exact. A pipe has no order relative to replies: if the pane writes meanwhile, the
 * capture is repeated, and the offset of the last try is a lower bound.
 */
#pragma once

#include "base/base.h"

enum { PANE_CAPTURE_TRIES = 4 };

struct muxbus_capture;
struct stream_set;
struct tmux;

/* is_exact: the picture shows exactly the output before its offset, and nothing after. */
typedef void pane_capture_fn(
    void *data, int error, const struct muxbus_capture *picture, bool is_exact);

/* Like muxbus_sync_capture(), but always calls done; on failure perhaps at once. */
void pane_capture(struct tmux *tmux, struct stream_set *streams, uint32_t pane, uint32_t history,
    unsigned flags, pane_capture_fn *done, void *data);
