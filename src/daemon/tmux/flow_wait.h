/* SPDX-License-Identifier: ISC */
/* Waits until the output of a pane is followed, so that none is lost; up to FLOW_WAIT_MAX_MS. */
#pragma once

#include "base/base.h"

#define FLOW_WAIT_MAX_MS 2000

struct event_base;
struct stream_set;
struct tmux;

/*
 * Calls done when the output of the pane is followed or will not come, perhaps at once, when the
 * time is over, or when the pane is not there (is_gone: its stream must not be used). The caller
 * must want the output already (stream.h).
 */
typedef void flow_wait_fn(void *data, bool is_gone);
void flow_wait(struct event_base *base, struct tmux *tmux, struct stream_set *streams,
    uint32_t pane, flow_wait_fn *done, void *data);
