/* SPDX-License-Identifier: ISC */
/* The `tmux -C` process: its start and its end. */
#pragma once

#include "base/base.h"

struct process {
	pid_t pid;
	int handle; /* a pidfd: readable when the process has ended */
	bool has_ended; /* and was reaped */
	/* Once it has ended: */
	int exit_status; /* -1 if it was killed */
	int exit_signal; /* 0 if it was not killed, or if other code reaped it */
};

/* No process. */
void process_init(struct process *process);

/*
 * Runs the program at path with the three descriptors, which stay open here, as its standard
 * input, output and error. The kernel kills it when the calling thread ends. It has its own
 * session and inherits no other descriptor, no signal mask, no TMUX and no TMUX_PANE. Returns
 * MUXBUS_ERR_SPAWN (cannot be executed), MUXBUS_ERR_SYSTEM or MUXBUS_ERR_NOMEM, with errno set.
 */
int process_start(struct process *process, const char *path, char *const argv[], const int fds[3]);

void process_signal(struct process *process, int signal_number);

/* Reaps it without blocking. True if it has ended. */
bool process_reap(struct process *process);

/* Kills it and waits up to a second for its end. */
void process_finish(struct process *process);
