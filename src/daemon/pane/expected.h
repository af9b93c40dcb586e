/* SPDX-License-Identifier: ISC */
/*
 * The program that is expected in a pane: the one that last made a request from there. Only
 * that program reads the answer; another in its place, such as a shell, would execute the
 * answer. Kept in the store, so that a restart does not forget it.
 */
#ifndef DAEMON_PANE_EXPECTED_H
#define DAEMON_PANE_EXPECTED_H

#include "daemon/core/pane_ref.h"

struct store;

/*
 * Notes that a program is expected in a pane, by its identity (agent_argv_identity): the name, and
 * perhaps more words. Shells are not: any program may start one.
 */
void expected_set(struct store *store, const struct pane_ref *pane, const char *identity);

/* The identity of the program that is expected in a pane, or NULL. */
const char *expected_find(const struct store *store, const struct pane_ref *pane);

#endif
