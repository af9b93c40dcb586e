/* SPDX-License-Identifier: ISC */
/*
 * The program in front of a terminal, and whether it waits for input there: asked of
 * /proc (proc(5)), by the system call that each thread of its process group sleeps in.
 * Where that may not be read, or says nothing (a program that waits for many things at
 * once), it is not known: nothing is concluded then.
 */
#ifndef DAEMON_PANE_FOREGROUND_H
#define DAEMON_PANE_FOREGROUND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/pane/agent_argv.h"

enum agent_reads {
	AGENT_READS_UNKNOWN,
	AGENT_READS_YES, /* it sleeps in a read of the terminal, or waits for that alone */
	AGENT_READS_NO, /* it computes, sleeps, or waits for something else */
};

struct foreground {
	bool is_known; /* false: nothing else counts */
	pid_t pid; /* leader of the process group in front; behind a script's shell, its child */
	uint64_t start; /* its start time; 0: it has ended */
	char name[64]; /* as tmux names it */
	bool is_shell;
	enum agent_reads reads;
};

/* pid is that of a pane's first process. */
void foreground_read(pid_t pid, struct foreground *ret_front);

/* Whether a program of this name is a shell, or one that shows another as a shell does. */
bool foreground_is_shell(const char *command);

/*
 * The agent in front, known by its command line: that of the leader of the group in front, or
 * of one below it that has the terminal, as behind npx. False if there is none.
 */
bool foreground_agent(
    pid_t pid, agent_argv_fn *is_other, void *data, char ret_name[AGENT_ARGV_NAME_SIZE]);

/* The identity of the program in front (agent_argv_identity); false: it is not known. */
bool foreground_identity(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);

/* Whether a process was started by another one, or by one of those. */
bool foreground_is_below(pid_t pid, pid_t other);

/* Whether a process that was seen is still there. */
bool foreground_lives(pid_t pid, uint64_t start);

#endif
