/* SPDX-License-Identifier: ISC */
/* The `tmux -C` process: its start, its descriptors, its input, its end. */
#ifndef LIB_CONNECTION_PROCESS_H
#define LIB_CONNECTION_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

struct process {
	pid_t pid;
	int handle; /* a pidfd: readable when the process has ended */
	int input; /* its standard input: a socket, non-blocking; send with MSG_NOSIGNAL */
	int output; /* its standard output: a pipe, non-blocking */
	int errors; /* its standard error, the same */
	bool has_ended; /* and was reaped */
	struct buf out; /* bytes to send to its standard input */
	size_t sent; /* how much of out was written */
	/* Once it has ended: */
	int exit_status; /* -1 if it was killed */
	int exit_signal; /* 0 if it was not killed, or if other code reaped it */
};

/* No process: all descriptors are -1. */
void process_init(struct process *process);

/*
 * Runs the program at path. The kernel kills it when the calling thread ends. It has its own
 * session and inherits no descriptor, no signal mask, no TMUX and no TMUX_PANE. Returns
 * MUXBUS_ERR_SPAWN (cannot be executed), MUXBUS_ERR_SYSTEM or MUXBUS_ERR_NOMEM, with errno set.
 */
int process_start(struct process *process, const char *path, char *const argv[]);

/* Enlarges the pipe of its standard output, if the kernel allows. */
void process_widen_output(struct process *process);

enum process_sent {
	PROCESS_SENT_ALL,
	PROCESS_SENT_FULL, /* the socket takes no more now */
	PROCESS_SENT_BROKEN, /* the process reads no more; waiting bytes were dropped */
};

/* Writes as much of out as the socket takes, without waiting and without SIGPIPE. */
enum process_sent process_send(struct process *process);

void process_signal(struct process *process, int signal_number);

/* Reaps it without blocking. True if it has ended. */
bool process_reap(struct process *process);

/* Kills it, waits up to a second for its end, and closes everything. */
void process_finish(struct process *process);

/* Closes a descriptor and sets it to -1. */
void process_close(int *fd);

#endif
