/* SPDX-License-Identifier: ISC */
/* Work to do before a request's handler can run: list tmux, attach, or what the handler defines. */
#pragma once

#include "base/base.h"

struct json;
struct request;

typedef void dispatch_done_fn(void *data, int error);

/* Begins the work. At its end, calls done with data and 0 or an error. */
typedef void dispatch_begin_fn(void *context, dispatch_done_fn *done, void *data);

enum work_kind {
	WORK_NONE,
	WORK_LOOK, /* lists tmux */
	WORK_LOOK_AT_WINDOW, /* lists one window with its panes */
	WORK_ATTACH, /* makes the daemon attach to tmux */
	WORK_OTHER, /* work that the handler has defined: begin */
};

struct work {
	enum work_kind kind;
	uint32_t window; /* WORK_LOOK_AT_WINDOW */
	dispatch_begin_fn *begin; /* WORK_OTHER */
	void *context;
};

bool work_is_look(enum work_kind kind);

/*
 * Returns the work to do before a request. While the daemon is detached, the model may be as old as
 * the last request, so most methods need a listing of tmux. is_behind: an earlier request of the
 * peer waits for a listing.
 */
struct work work_before(struct request *request, const struct json *params, bool is_behind);

void work_begin(
    const struct work *work, struct request *request, dispatch_done_fn *done, void *data);
