/* SPDX-License-Identifier: ISC */
/*
 * The requester: the pane that a request is made from, or for, and the directory its process
 * works in. Notifications for a requester go to that pane.
 */
#pragma once

#include "daemon/core/pane_ref.h"

struct muxbus_pane;
struct pane_caller;
struct request;

/*
 * The pane that text names, else the caller's own and its thread, if its agent says which one
 * asks. Cleared if there is none: notifications then stay in the queue. False after failing the
 * request (no such pane), or putting it off once (dispatch_put_off()) because the pane of its
 * process was made a moment ago.
 */
bool requester_pane(struct request *request, const char *text, struct pane_ref *ret_pane);

/* Whether the process that asks is in no pane, whatever tmux has made since the model was read. */
bool requester_is_outside(struct request *request);

/*
 * At rest: puts a request off for a look at tmux, unless the pane of its call lives or its process
 * is in none. False if it is not put off.
 */
bool requester_look_first(struct request *request, const char *text);

/*
 * At rest: puts a request that shows whether a pane is there off for a look at tmux, unless its
 * process says so, or it is gone for ever. False if it is not put off.
 */
bool requester_look_for(struct request *request, const struct pane_ref *ref);

/* The program in front of a pane has made a request: it expects the answers. */
void requester_expect_front(
    struct request *request, const struct pane_ref *ref, const struct muxbus_pane *pane);

/* Which caller makes a request, for what it may do with the panes that it made. */
void requester_caller(struct request *request, struct pane_caller *ret_caller);

/*
 * The directory to work in: given (absolute, and there), else that of the peer's process,
 * else of the pane, else the home directory. False after failing the request, also if the
 * directory of the process was removed, or putting it off for a look at that of the pane.
 */
bool requester_cwd(struct request *request, const char *given, const struct pane_ref *pane,
    char *out, size_t size);
