/* SPDX-License-Identifier: ISC */
/* The requester: the pane that a request is made from or for, and the directory of its process. */
#pragma once

#include "daemon/core/pane_ref.h"

struct muxbus_pane;
struct pane_caller;
struct request;

/*
 * Sets *ret_pane to the pane that text names, or without text to the caller's own pane and thread.
 * Cleared if the caller is in no pane. Returns false after failing the request (no such pane), or
 * putting it off once because the pane of its process is newer than the model.
 */
bool requester_pane(struct request *request, const char *text, struct pane_ref *ret_pane);

/* Returns true if the requesting process is in no pane, not even in one newer than the model. */
bool requester_is_outside(struct request *request);

/*
 * While detached: puts a request off for a look at tmux, unless its pane is known to exist or its
 * process is in no pane. Returns false if the request is not put off.
 */
bool requester_look_first(struct request *request, const char *text);

/*
 * While detached: puts a request off for a look at tmux, unless the pane's process shows that the
 * pane exists or is gone. Returns false if the request is not put off.
 */
bool requester_look_for(struct request *request, const struct pane_ref *ref);

/* Notes that the program in front of a pane expects answers, if it made the request. */
void requester_expect_front(
    struct request *request, const struct pane_ref *ref, const struct muxbus_pane *pane);

/* Finds the caller of a request, to decide about the panes that it made. */
void requester_caller(struct request *request, struct pane_caller *ret_caller);

/*
 * Sets out to the directory to work in: given (absolute and existing), else that of the peer's
 * process, else of the pane, else the home directory. Returns false after failing the request, or
 * putting it off for a look at the pane's directory.
 */
bool requester_cwd(struct request *request, const char *given, const struct pane_ref *pane,
    char *out, size_t size);
