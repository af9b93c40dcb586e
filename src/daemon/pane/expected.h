/* SPDX-License-Identifier: ISC */
/*
 * The program that is expected in a pane: the one that last made a request from there. Only
 * that program reads the answer; another in its place, such as a shell, would execute the
 * answer. Kept in the store, so that a restart does not forget it.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/pane/foreground.h"

struct store;

struct expected {
	char identity[AGENT_ARGV_IDENTITY_SIZE]; /* agent_argv_identity: the name, perhaps words */
	struct foreground_program program; /* pid 0: known by its identity alone */
};

/* Notes that a program is expected in a pane. Shells are not: any program may start one. */
void expected_set(
    struct store *store, const struct pane_ref *pane, const struct expected *expected);

/* The program that is expected in a pane; false if there is none. */
bool expected_find(struct store *store, const struct pane_ref *pane, struct expected *ret_expected);

/* Where its process is; FOREGROUND_ENDED also if that is another program now, or not known. */
enum foreground_place expected_place(const struct expected *expected, pid_t pane_pid);
