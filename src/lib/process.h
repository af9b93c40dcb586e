/* SPDX-License-Identifier: ISC */
/* The `tmux -C` process: its start, its descriptors, its end. */
#ifndef LIB_PROCESS_H
#define LIB_PROCESS_H

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
	bool has_ended; /* and was waited for */
	struct buf out; /* bytes for its standard input: append to it */
	size_t sent; /* how much of it was written */
	/* Once it has ended: */
	int exit_status; /* -1 if it was killed */
	int exit_signal; /* 0 if it was not, or if somebody else waited for it */
};

/* All descriptors -1: a process that is none. */
void process_init(struct process *process);

/*
 * Runs the program at path. It is killed by the kernel when the calling thread ends, is in
 * a session of its own, and inherits no descriptor, no signal mask, and nothing in its
 * environment that would make tmux think it runs inside of tmux. Returns MUXBUS_ERR_SPAWN
 * (cannot be executed) or MUXBUS_ERR_SYSTEM or MUXBUS_ERR_NOMEM, with errno set.
 */
int process_start(struct process *process, const char *path, char *const argv[]);

/* Lets the pipe that it writes to hold more, if the kernel allows. */
void process_widen_output(struct process *process);

enum process_sent {
	PROCESS_SENT_ALL,
	PROCESS_SENT_FULL, /* the socket takes no more now */
	PROCESS_SENT_BROKEN, /* the process does not read any more; waiting bytes were dropped */
};

/* Writes as much of out as the socket takes, without waiting and without SIGPIPE. */
enum process_sent process_send(struct process *process);

void process_signal(struct process *process, int signal_number);

/* Waits for it without blocking. True if it has ended. */
bool process_reap(struct process *process);

/* Kills it, waits up to a second until it is gone, and closes everything. */
void process_finish(struct process *process);

/* Closes a descriptor and sets it to -1. */
void process_close(int *fd);

#endif
