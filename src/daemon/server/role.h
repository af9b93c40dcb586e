/* SPDX-License-Identifier: ISC */
/*
 * Roles: how much of what a user may do a peer may do. A role is that of the socket of a peer, or
 * the peer has narrowed itself; it never becomes more. Each request is decided here, by the
 * effects in the row of its method, before the method runs; what is not allowed by a row is
 * refused. Effects of declared tools and provided methods are what others claim: they count only
 * for the role full.
 */
#ifndef DAEMON_SERVER_ROLE_H
#define DAEMON_SERVER_ROLE_H

#include <stdbool.h>

struct method;

/* Each may do less than the one before it. */
enum role {
	ROLE_FULL,
	ROLE_OWN_PANES, /* reads; types, runs and closes in its own pane and in those it made */
	ROLE_READ_ONLY, /* reads, but no files; its reading leaves no trace */
	ROLE_COUNT_,
};

extern const char *const role_names[ROLE_COUNT_ + 1];
const char *role_name(enum role role);

/* Whether a role may call a method at all, with the right parameters. */
bool role_has(enum role role, const struct method *method);

#endif
