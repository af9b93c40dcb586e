/* SPDX-License-Identifier: ISC */
/*
 * The program in front of a terminal: its kind, its agent, and whether it waits for input. The
 * system calls in which the threads of its process group sleep show this; /proc has them (proc(5)).
 * If these do not tell, the state is unknown. Also finds other programs of the terminal.
 */
#pragma once

#include "daemon/pane/agent_argv.h"

struct screen_sign_set;

enum agent_reads {
	AGENT_READS_UNKNOWN,
	AGENT_READS_YES, /* a thread waits for a terminal and for nothing else */
	AGENT_READS_NO, /* the program runs, sleeps, or waits for something else */
};

/* A program. Its start time tells it from a later process with the same pid. */
struct foreground_program {
	pid_t pid; /* 0: none */
	uint64_t start;
};

/* Where a program that was in front is now. */
enum foreground_place {
	FOREGROUND_ENDED,
	FOREGROUND_BEHIND, /* another process group is in front, or this is not known */
	/* the program is stopped, or another process of its group that has the terminal */
	FOREGROUND_STOPPED,
	FOREGROUND_BESIDE, /* an editor, shell or the like in its group uses the terminal */
	FOREGROUND_IN_FRONT,
};

/* Where a process that makes a request is. */
enum foreground_asker {
	ASKER_ELSEWHERE, /* the process does not use the pane's terminal */
	ASKER_BEHIND, /* among the process and its ancestors, none in front asks for itself */
	ASKER_IN_FRONT,
};

struct foreground {
	bool is_known; /* false: ignore the other members */
	/* leader of the process group in front; of a shell that waits for a child, the child */
	pid_t pid;
	uint64_t start;
	char name[64]; /* as tmux shows it */
	bool is_shell;
	enum agent_reads reads;
	bool is_computing; /* a thread runs, so the screen may lack what was typed last */
};

/* Reads the program in front. pid: the pane's first process. */
void foreground_read(pid_t pid, struct foreground *ret_front);

/* Returns true for the name of a shell or a carrier. */
bool foreground_is_shell(const char *command);

/*
 * Returns true for a carrier: a program that shows another program and runs no commands itself,
 * such as ssh or tmux.
 */
bool foreground_is_carrier(const char *command);

/*
 * Returns true for a messenger: a program that passes on a foreign request and ends, as echo does.
 */
bool foreground_is_messenger(const char *command);

/* Returns true for a program with requests of its own: no shell, carrier or messenger. */
bool foreground_asks_for_itself(const char *command);

/*
 * Finds the program in front for which a process (the asker) makes a request. This is the highest
 * of the process and its ancestors that is in the foreground group of the pane's terminal, as its
 * leader or with a terminal as input, and makes requests of its own. If a program such as script(1)
 * shows another terminal, the program in front of that one counts, unless an agent shows it.
 */
enum foreground_asker foreground_find_asker(pid_t pane_pid, pid_t asker,
    const struct screen_sign_set *signs, struct foreground_program *ret_program);

/*
 * Returns where a program is now. A program in front is in the foreground group of its terminal. If
 * this is not the pane's terminal, the program that shows it is in front too.
 */
enum foreground_place foreground_find(pid_t pane_pid, const struct foreground_program *program);

/* Finds the leader of the foreground group; pid 0: unknown. */
void foreground_leader(pid_t pane_pid, struct foreground_program *ret_program);

enum foreground_place foreground_find_leader(pid_t pane_pid);

/* Writes the path of a program's terminal, or "". Returns false if it is the pane's, or unknown. */
bool foreground_inner_tty(pid_t pane_pid, pid_t pid, char *out, size_t size);

/*
 * Finds the agent in front: the leader of the foreground group, or a descendant in it, as of npx.
 * Its input must be a terminal. signs may be NULL. Returns false if there is none.
 */
bool foreground_agent(
    pid_t pid, const struct screen_sign_set *signs, char ret_name[AGENT_ARGV_NAME_SIZE]);

/* Like foreground_agent(), but for the command line of one process. */
bool foreground_is_agent(
    pid_t pid, const struct screen_sign_set *signs, char ret_name[AGENT_ARGV_NAME_SIZE]);

/*
 * Writes the identity (agent_argv_identity()) of the program in front. pid: the pane's first
 * process. Returns false if it cannot be read.
 */
bool foreground_identity(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);

/* Like foreground_identity(), but for one process. */
bool foreground_identity_of(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);

/* Returns true if pid is a descendant of other. */
bool foreground_is_below(pid_t pid, pid_t other);

/* Returns true if a process still runs, and no other process has its pid now. */
bool foreground_lives(pid_t pid, uint64_t start);
