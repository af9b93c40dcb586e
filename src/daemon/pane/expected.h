/* SPDX-License-Identifier: ISC */
/*
 * The expected program of a pane: the one that last made a request from there. Only that program
 * may read the answer, as another one, such as a shell, would execute it. Stored, so that it
 * survives a restart of the daemon.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/pane/foreground.h"

struct store;

struct expected {
	char identity[AGENT_ARGV_IDENTITY_SIZE]; /* by agent_argv_identity() */
	/* pid 0: not seen in /proc, so that a request of a person at a shell makes it forgotten. */
	struct foreground_program program;
	/* No known agent; only commands in the program made requests, such as muxbus in make. */
	bool is_by_command;
};

/*
 * Stores the program that is expected in a pane, unless it is a shell, which any program may start.
 * If an agent was expected, and something waits for the pane (is_pending), the program counts as an
 * agent even if only its commands make requests.
 */
void expected_set(struct store *store, const struct pane_ref *pane, const struct expected *expected,
    bool is_pending);

/* Deletes the expected program if it has ended, or cannot be seen. */
void expected_forget(struct store *store, const struct pane_ref *pane, pid_t pane_pid);

/* Returns false if no program is expected in the pane. */
bool expected_find(struct store *store, const struct pane_ref *pane, struct expected *ret_expected);

/* Returns true if it still runs, runs again, or may come back because it is an agent. */
bool expected_is_awaited(const struct expected *expected, pid_t pane_pid);

/* Returns the place of its process; FOREGROUND_ENDED also for a reused pid. */
enum foreground_place expected_place(const struct expected *expected, pid_t pane_pid);
