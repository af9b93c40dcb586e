/* SPDX-License-Identifier: ISC */
/* The requester: its pane or the named one, its directory, and who expects the answer. */
#pragma once

#include "daemon/core/pane_ref.h"

struct muxbus_pane;
struct pane_caller;
struct request;

/*
 * Sets *ret_pane to the pane that text names; text NULL: to the caller's own pane and thread. A
 * caller that is in no pane may still have a thread. For its own pane, if that is certain, also
 * calls requester_expect_front(), unless the role is read_only. Returns false after failing the
 * request (no such pane) or putting it off, such as if the caller's pane is newer than the model.
 */
bool requester_pane(struct request *request, const char *text, struct pane_ref *ret_pane);

/* Returns true if the requesting process is known to be in no pane, not even in a newer one. */
bool requester_is_outside(struct request *request);

/*
 * While the daemon is detached: puts a request off until tmux is listed. Does nothing if the pane
 * that text names (NULL: the caller's own) is known to exist, or the caller is in no pane. Returns
 * false if the request is not put off.
 */
bool requester_look_first(struct request *request, const char *text);

/*
 * While the daemon is detached: puts a request off until tmux is listed. Does nothing if the model
 * and the pane's process show that the pane exists, or that it does not exist any more. Returns
 * false if the request is not put off.
 */
bool requester_look_for(struct request *request, const struct pane_ref *ref);

/* Notes which program of the pane expects an answer, or forgets earlier ones (pane/expected.h). */
void requester_expect_front(
    struct request *request, const struct pane_ref *ref, const struct muxbus_pane *pane);

/* Finds the caller of a request. A caller has more rights to panes that it made (pane/maker.h). */
void requester_caller(struct request *request, struct pane_caller *ret_caller);

/*
 * Sets out to the directory to work in: given, which must be absolute and exist. If given is NULL,
 * takes the first of these that exists: the directory of the peer's process, the directory of the
 * pane, the home directory, "/". Returns false after failing the request or putting it off to list
 * the pane. The request also fails if the directory of the peer's process was removed.
 */
bool requester_cwd(struct request *request, const char *given, const struct pane_ref *pane,
    char *out, size_t size);
