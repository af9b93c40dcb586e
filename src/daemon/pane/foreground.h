/* SPDX-License-Identifier: ISC */
/*
 * The program in front of a terminal, and whether it waits for input there: asked of
 * /proc (proc(5)), by the system call that each thread of its process group sleeps in.
 * Where that may not be read, or says nothing (a program that waits for many things at
 * once), it is not known: nothing is concluded then.
 */
#pragma once

#include "daemon/pane/agent_argv.h"

struct screen_sign_set;

enum agent_reads {
	AGENT_READS_UNKNOWN,
	AGENT_READS_YES, /* it sleeps in a read of the terminal, or waits for that alone */
	AGENT_READS_NO, /* it computes, sleeps, or waits for something else */
};

/* A process, and when it started: no later process of its number is taken for it. */
struct foreground_program {
	pid_t pid; /* 0: none */
	uint64_t start;
};

/* Where a program is that was in front. */
enum foreground_place {
	FOREGROUND_ENDED,
	FOREGROUND_BEHIND, /* another group of processes is in front */
	FOREGROUND_STOPPED,
	FOREGROUND_BESIDE, /* a shell or an editor of its own group reads the terminal */
	FOREGROUND_IN_FRONT,
};

/* Where a process is that asks. */
enum foreground_asker {
	ASKER_ELSEWHERE, /* it has nothing to do with the terminal of the pane */
	ASKER_BEHIND, /* none of its ancestors is a program in front */
	ASKER_IN_FRONT,
};

struct foreground {
	bool is_known; /* false: nothing else counts */
	pid_t pid; /* leader of the process group in front; behind a script's shell, its child */
	uint64_t start; /* its start time; 0: it has ended */
	char name[64]; /* as tmux names it */
	bool is_shell;
	enum agent_reads reads;
	bool is_computing; /* a thread of it runs: what it has read may not be shown yet */
};

/* pid is that of a pane's first process. */
void foreground_read(pid_t pid, struct foreground *ret_front);

/* Whether a program of this name is a shell, or one that shows another as a shell does. */
bool foreground_is_shell(const char *command);

/* Whether a program of this name shows another program, and runs no commands itself. */
bool foreground_is_carrier(const char *command);

/* Whether a program of this name only passes on what another says, and then ends. */
bool foreground_is_messenger(const char *command);

/* Whether a program of this name asks for itself: it is no shell, and passes on no request. */
bool foreground_asks_for_itself(const char *command);

/*
 * Finds the program in front that a process is or belongs to: of the process and its ancestors
 * in the foreground group of the pane's terminal the uppermost that asks for itself. Shells that
 * wait for a program are in its group, or above. If only programs such as script(1) are in
 * front, the program in front of the terminal that they show.
 */
enum foreground_asker foreground_find_asker(
    pid_t pane_pid, pid_t asker, struct foreground_program *ret_program);

/*
 * Where a program is now. In front is one that runs, in the foreground group of its terminal; if
 * that is not the pane's, what shows it is in front, too.
 */
enum foreground_place foreground_find(pid_t pane_pid, const struct foreground_program *program);

/* The program in front of a pane, whatever it is: the leader of its group. pid 0: not known. */
void foreground_leader(pid_t pane_pid, struct foreground_program *ret_program);

/*
 * The path of the terminal of a program, "" if it is not known. False if it is the terminal of
 * the pane.
 */
bool foreground_inner_tty(pid_t pane_pid, pid_t pid, char *out, size_t size);

/*
 * The agent in front, known by its command line: that of the leader of the group in front, or
 * of one below it that has the terminal, as behind npx. signs: their agents count too; NULL: none.
 * False if there is none.
 */
bool foreground_agent(
    pid_t pid, const struct screen_sign_set *signs, char ret_name[AGENT_ARGV_NAME_SIZE]);

/* The identity of the program in front (agent_argv_identity); false: it is not known. */
bool foreground_identity(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);

/* The same of any program. */
bool foreground_identity_of(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);

/* Whether a process was started by another one, or by one of those. */
bool foreground_is_below(pid_t pid, pid_t other);

/* Whether a process that was seen is still there. */
bool foreground_lives(pid_t pid, uint64_t start);
