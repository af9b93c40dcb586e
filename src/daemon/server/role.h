/* SPDX-License-Identifier: ISC */
/*
 * Rights: requests are allowed or refused here, by the role of their peer and the row of their
 * method (enum role is in method.h). For narrow roles, the affected panes must be the peer's own.
 * Handlers refuse by role_refuse() for reasons that only they know.
 */
#pragma once

#include "base/base.h"

struct json;
struct muxbus_pane;
struct pane_ref;
struct request;

/* Returns true if a request may be handled, here or on another host; false after failing it. */
bool role_begin(struct request *request, const struct json *params);

/*
 * Returns true if the handler may be called with these arguments. Returns false after failing the
 * request or putting it off.
 */
bool role_admit(struct request *request, const void *args);

#define ROLE_ONLY_MAX 32

/*
 * The processes that a request may type into when role_admit() has allowed a pane: the pane's own
 * and, if there is room, those of the peer's other panes in the window. The command that types
 * compares them, as tmux does not announce a respawned or synchronized pane.
 */
struct role_only {
	size_t count; /* 0: all processes */
	pid_t pids[ROLE_ONLY_MAX];
};
void role_find_only(
    struct request *request, const struct muxbus_pane *pane, struct role_only *ret_only);

/* Returns true if the peer was in this pane when it connected, or has made it. */
bool role_owns(struct request *request, const struct pane_ref *pane);

/*
 * Sets *ret_own to the pane that a peer with the role own_panes was in when it connected; cleared:
 * not known. Returns true if the request may take the notifications of any pane.
 */
bool role_find_own(struct request *request, struct pane_ref *ret_own);

/* Returns true if the request may take the notifications of a pane, and not only look at them. */
bool role_may_take(struct request *request, const struct pane_ref *pane);

/* Fails a request for its role, and returns false. what: part of the error ("send_keys types"). */
bool role_refuse(struct request *request, const char *what);

/*
 * For the rows of methods. role_text() returns the text of a parameter, or NULL.
 * role_affects_pane() takes the pane in the parameter "pane", or the peer's own if there is none;
 * role_affects_caller() always takes the peer's own.
 */
const char *role_text(struct request *request, const void *args, const char *field);
bool role_affects_pane(struct request *request, const void *args, struct pane_ref *ret_pane);
bool role_affects_caller(struct request *request, const void *args, struct pane_ref *ret_pane);
