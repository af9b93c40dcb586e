/* SPDX-License-Identifier: ISC */
/*
 * Rights: a request is decided here, by the role of its peer and the row of its method, before the
 * method runs, and nowhere else. The panes that it affects must be the peer's own.
 */
#pragma once

#include "base/base.h"

struct json;
struct muxbus_pane;
struct pane_ref;
struct request;

/* Whether a request may be handled, here or on another host. False after failing it. */
bool right_begin(struct request *request, const struct json *params);

/*
 * Whether its method may run with these arguments, at each time that it does. False after failing
 * the request, or putting it off.
 */
bool right_admit(struct request *request, const void *args);

#define RIGHT_ONLY_MAX 32

/*
 * The processes that its role may type into, by a pane that right_admit() has allowed: the pane's
 * and, as far as there is room, those of its peer's other panes in the same window. The command that
 * types checks what tmux does not announce: that a pane is respawned or synchronized.
 */
struct right_only {
	size_t count; /* 0: all processes */
	pid_t pids[RIGHT_ONLY_MAX];
};
void right_find_only(
    struct request *request, const struct muxbus_pane *pane, struct right_only *ret_only);

/* Whether its peer was in this pane when it connected, or has made it. */
bool right_owns(struct request *request, const struct pane_ref *pane);

/*
 * The pane that its peer was in when it connected; cleared if that is not known for sure. True: the
 * request may take what is addressed to any pane.
 */
bool right_find_own(struct request *request, struct pane_ref *ret_own);

/*
 * Whether what is addressed to a pane may be taken by the request, so that no other gets it. A
 * request that may not only looks at it.
 */
bool right_may_take(struct request *request, const struct pane_ref *pane);

/* Fails a request that its role does not allow to do this: "send_keys types". Returns false. */
bool right_refuse(struct request *request, const char *what);

/*
 * For the rows of methods: the text of a field, NULL if it was left out; and which pane a call
 * affects. These are the pane of the field "pane", or the peer's own without it; and the peer's own
 * in any case.
 */
const char *right_text(struct request *request, const void *args, const char *field);
bool right_affects_pane(struct request *request, const void *args, struct pane_ref *ret_pane);
bool right_affects_caller(struct request *request, const void *args, struct pane_ref *ret_pane);
