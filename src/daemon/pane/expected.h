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
	/* Only commands in it have asked, such as muxbus run in make, and it is no known agent:
	 * nothing says that it ever reads an answer, and none waits for it once it has ended. */
	bool is_by_command;
};

/*
 * Notes that a program is expected in a pane. Shells are not: any program may start one. An agent
 * that was there may come again: while is_pending says that something waits for the pane, a
 * program that asks by commands is taken for an agent too.
 */
void expected_set(struct store *store, const struct pane_ref *pane, const struct expected *expected,
    bool is_pending);

/* Forgets a program that is known to have ended. */
void expected_forget(struct store *store, const struct pane_ref *pane, pid_t pane_pid);

/* The program that is expected in a pane; false if there is none. */
bool expected_find(struct store *store, const struct pane_ref *pane, struct expected *ret_expected);

/* Whether it is there, was begun again, or may be: an agent that has ended. */
bool expected_is_awaited(const struct expected *expected, pid_t pane_pid);

/* Where its process is; FOREGROUND_ENDED also if that is another program now, or not known. */
enum foreground_place expected_place(const struct expected *expected, pid_t pane_pid);
