/* SPDX-License-Identifier: ISC */
/*
 * The expected program of a pane: the one that last made a request from there. Only that program
 * may read the answer; another one, such as a shell, would execute it. It is in the store, so that
 * it survives a restart of the daemon.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/pane/foreground.h"

struct store;

struct expected {
	char identity[AGENT_ARGV_IDENTITY_SIZE]; /* as agent_argv_identity() writes it */
	/* pid 0: it was not seen in /proc, so a request of a person deletes it (expected_forget) */
	struct foreground_program program;
	/*
	 * It is no known agent, and only commands within it made requests, such as muxbus in make.
	 */
	bool is_by_command;
};

/*
 * Stores the program that is expected in a pane, unless it is a shell, which may run any program.
 * If an agent was expected, and something is pending for the pane (is_pending), the program counts
 * as an agent even if only its commands make requests.
 */
void expected_set(struct store *store, const struct pane_ref *pane, const struct expected *expected,
    bool is_pending);

/* Deletes the expected program of a pane if it has ended or cannot be seen. */
void expected_forget(struct store *store, const struct pane_ref *pane, pid_t pane_pid);

/* Returns false if no program is expected in the pane. */
bool expected_find(struct store *store, const struct pane_ref *pane, struct expected *ret_expected);

/* Returns true if the program still runs, runs again, or may come back because it is an agent. */
bool expected_is_awaited(const struct expected *expected, pid_t pane_pid);

/*
 * Returns the present place of its process; FOREGROUND_ENDED also if another process has its pid.
 */
enum foreground_place expected_place(const struct expected *expected, pid_t pane_pid);
