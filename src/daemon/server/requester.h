/* SPDX-License-Identifier: ISC */
/* The requester: the pane that a request is from or for, and the directory of its process. */
#pragma once

#include "daemon/core/pane_ref.h"

struct muxbus_pane;
struct pane_caller;
struct request;

/*
 * Sets *ret_pane to the pane that text names; text NULL: to the caller's own pane and thread.
 * Cleared, perhaps but for the thread: the caller is in no pane. Returns false after failing the
 * request (no such pane), or putting it off once, because the pane of its process is newer than the
 * model.
 */
bool requester_pane(struct request *request, const char *text, struct pane_ref *ret_pane);

/* Returns true if the requesting process is in no pane, not even in one newer than the model. */
bool requester_is_outside(struct request *request);

/*
 * While the daemon is detached: puts a request off until tmux is listed, unless its pane is known
 * to exist or its process is in no pane. Returns false if the request is not put off.
 */
bool requester_look_first(struct request *request, const char *text);

/*
 * While the daemon is detached: puts a request off until tmux is listed, unless the pane's process
 * shows that the pane exists or does not exist any more. Returns false if the request is not put
 * off.
 */
bool requester_look_for(struct request *request, const struct pane_ref *ref);

/* If a pane's front program made the request, notes that it expects answers (pane/expected.h). */
void requester_expect_front(
    struct request *request, const struct pane_ref *ref, const struct muxbus_pane *pane);

/* Finds the caller of a request, who has more rights to the panes that it made (pane/maker.h). */
void requester_caller(struct request *request, struct pane_caller *ret_caller);

/*
 * Sets out to the directory to work in: given (absolute and existing); or else that of the peer's
 * process, of the pane, the home directory, or "/". Returns false after failing the request, also
 * if the directory of the peer's process was removed, or putting it off to ask for the pane's.
 */
bool requester_cwd(struct request *request, const char *given, const struct pane_ref *pane,
    char *out, size_t size);
