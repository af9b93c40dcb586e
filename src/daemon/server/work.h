/* SPDX-License-Identifier: ISC */
/* Work that a request waits for before its handler can run. */
#pragma once

#include "base/base.h"

struct json;
struct request;

typedef void dispatch_done_fn(void *data, int error);

/* Begins work for a request, and calls done with data, and 0 or an error, at its end. */
typedef void dispatch_begin_fn(void *context, dispatch_done_fn *done, void *data);

enum work_kind {
	WORK_NONE,
	WORK_LOOK, /* reads the model again */
	WORK_LOOK_AT_WINDOW, /* reads one window, and the list of windows */
	WORK_ATTACH, /* makes the daemon a client of tmux */
	WORK_OTHER, /* work of a handler */
};

struct work {
	enum work_kind kind;
	uint32_t window; /* WORK_LOOK_AT_WINDOW */
	dispatch_begin_fn *begin; /* WORK_OTHER */
	void *context;
};

bool work_is_look(enum work_kind kind);

/*
 * Returns the work to do before a request. While the daemon is detached, no output arrives and the
 * model is as old as the last request, so most methods need a look at tmux. is_behind: an earlier
 * request of the peer waits for a look.
 */
struct work work_before(struct request *request, const struct json *params, bool is_behind);

void work_begin(
    const struct work *work, struct request *request, dispatch_done_fn *done, void *data);
