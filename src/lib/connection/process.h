/* SPDX-License-Identifier: ISC */
/* Starts and ends a tmux process: `tmux -C`, or one for a list of commands. */
#pragma once

#include "base/base.h"

struct process {
	pid_t pid;
	int handle; /* a pidfd, readable when the process has ended */
	bool has_ended; /* the process has ended and was reaped */
	/* Set after the end: */
	int exit_status; /* -1 if it was killed, or if other code reaped it */
	int exit_signal; /* 0 if no signal killed it, or if other code reaped it */
};

void process_init(struct process *process);

/*
 * Runs the program at path with the three descriptors, in its own session, without TMUX and
 * TMUX_PANE. The kernel kills the program when the calling thread ends. Returns 0, or with errno
 * MUXBUS_ERR_SPAWN (cannot be executed), MUXBUS_ERR_SYSTEM or MUXBUS_ERR_NOMEM.
 */
int process_start(struct process *process, const char *path, char *const argv[], const int fds[3]);

void process_signal(struct process *process, int signal_number); /* nothing after the end */

/* Reaps the process without waiting. Returns true if the process has ended. */
bool process_reap(struct process *process);

/* Kills the process, and waits at most a second for its end. */
void process_finish(struct process *process);
