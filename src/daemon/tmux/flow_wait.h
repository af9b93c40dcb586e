/* SPDX-License-Identifier: ISC */
/* Waits until the output of a pane is followed, so that none is lost; up to FLOW_WAIT_MAX_MS. */
#pragma once

#include "base/base.h"

#define FLOW_WAIT_MAX_MS 2000

struct event_base;
struct stream_set;
struct tmux;

/*
 * Calls done when the output of the pane is followed, when the time is over, or when the pane or
 * its server closes; at once if the output is followed already or will not come, or there is no
 * such pane. The caller must want the output already (stream.h). is_gone: the pane is not there,
 * and its stream must not be used.
 */
typedef void flow_wait_fn(void *data, bool is_gone);
void flow_wait(struct event_base *base, struct tmux *tmux, struct stream_set *streams,
    uint32_t pane, flow_wait_fn *done, void *data);
