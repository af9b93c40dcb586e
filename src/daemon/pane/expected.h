/* SPDX-License-Identifier: ISC */
/*
 * The expected program of a pane: the program, other than a shell, that last made a request from
 * the pane. The answer is meant for this program; another program, such as a shell, could execute
 * the text. The record of the program survives a restart of the daemon.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/pane/foreground.h"

struct store;

struct expected {
	char identity[AGENT_ARGV_IDENTITY_SIZE]; /* written by agent_argv_identity() */
	/* pid 0: the program was not seen in /proc, so expected_forget() deletes the record */
	struct foreground_program program;
	/* the program is no known agent, and only its commands made requests, as muxbus in make */
	bool is_by_command;
};

/*
 * Stores the program that is expected in a pane, unless it is a shell, which may run any program.
 * If the program before was not is_by_command, the new one is not either when it is the same
 * program, or when something is pending for the pane (is_pending).
 */
void expected_set(struct store *store, const struct pane_ref *pane, const struct expected *expected,
    bool is_pending);

/* Deletes the expected program of a pane if expected_place() is FOREGROUND_ENDED. */
void expected_forget(struct store *store, const struct pane_ref *pane, pid_t pane_pid);

/* Returns false if no program is expected in the pane. */
bool expected_find(struct store *store, const struct pane_ref *pane, struct expected *ret_expected);

/* Returns true unless is_by_command, the program has ended, and no program like it is in front. */
bool expected_is_awaited(const struct expected *expected, pid_t pane_pid);

/* Returns the place of the program now; FOREGROUND_ENDED also if its process is another program. */
enum foreground_place expected_place(const struct expected *expected, pid_t pane_pid);
