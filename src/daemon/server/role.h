/* SPDX-License-Identifier: ISC */
/*
 * Rights: allows or refuses a request by the role of its peer and the row of its method (enum role
 * is in method.h). For the role own_panes, the affected pane must belong to the peer (role_owns()).
 * A handler calls role_refuse() for reasons of its own.
 */
#pragma once

#include "base/base.h"

struct json;
struct muxbus_pane;
struct pane_ref;
struct request;

/* Returns false after failing a request that its role does not allow, whatever it affects. */
bool role_begin(struct request *request, const struct json *params);

/*
 * Returns true if the handler may be called with these arguments. Returns false after failing the
 * request or putting it off.
 */
bool role_admit(struct request *request, const void *args);

#define ROLE_ONLY_MAX 32

/*
 * The processes that a request may type into when role_admit() has allowed a pane: the first
 * process of that pane and, if there is room, those of the peer's other panes in its window. The
 * command that types compares the pids, as tmux does not announce respawned or synchronized panes.
 */
struct role_only {
	size_t count; /* 0: all processes */
	pid_t pids[ROLE_ONLY_MAX];
};
void role_find_only(
    struct request *request, const struct muxbus_pane *pane, struct role_only *ret_only);

/* For a narrow role: returns true if this is the pane of the peer, or one that the peer made. */
bool role_owns(struct request *request, const struct pane_ref *pane);

/*
 * Sets *ret_own to the pane of a peer with the role own_panes; cleared: not known, or another role.
 * Returns true for the role full, which may take the notifications of any pane.
 */
bool role_find_own(struct request *request, struct pane_ref *ret_own);

/* Returns true if the request may take the notifications of a pane, not only look at them. */
bool role_may_take(struct request *request, const struct pane_ref *pane);

/*
 * Fails a request because of its role, and returns false. what: begin of the error, such as
 * "send_keys types".
 */
bool role_refuse(struct request *request, const char *what);

/*
 * For the member affects of a method's row. role_text() returns the text of a parameter, or NULL.
 * role_affects_pane() takes the pane in the parameter "pane", or the peer's own if there is none.
 * role_affects_caller() takes the peer's own pane.
 */
const char *role_text(struct request *request, const void *args, const char *field);
bool role_affects_pane(struct request *request, const void *args, struct pane_ref *ret_pane);
bool role_affects_caller(struct request *request, const void *args, struct pane_ref *ret_pane);
