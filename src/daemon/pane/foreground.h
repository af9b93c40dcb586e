/* SPDX-License-Identifier: ISC */
/*
 * The program in front of a terminal, and whether it waits for input: by the system call that each
 * thread of its process group sleeps in, from /proc (proc(5)). If that cannot be read, or is
 * ambiguous (a program that waits for many descriptors), the state is unknown.
 */
#pragma once

#include "daemon/pane/agent_argv.h"

struct screen_sign_set;

enum agent_reads {
	AGENT_READS_UNKNOWN,
	AGENT_READS_YES, /* a thread sleeps in a read of the terminal, or waits only for it */
	AGENT_READS_NO, /* the program runs, sleeps, or waits for something else */
};

/* A later process with the same pid has another start time. */
struct foreground_program {
	pid_t pid; /* 0: none */
	uint64_t start;
};

/* The present place of a program that was in front. */
enum foreground_place {
	FOREGROUND_ENDED,
	FOREGROUND_BEHIND, /* another process group is in front */
	FOREGROUND_STOPPED, /* the program, or a process of its group with the terminal */
	FOREGROUND_BESIDE, /* a shell or an editor of its own group reads the terminal */
	FOREGROUND_IN_FRONT,
};

/* The place of a process that makes a request. */
enum foreground_asker {
	ASKER_ELSEWHERE, /* the process does not use the pane's terminal */
	ASKER_BEHIND, /* no ancestor of the process is in front */
	ASKER_IN_FRONT,
};

struct foreground {
	bool is_known; /* false: ignore the other members */
	pid_t pid; /* leader of the group in front; if that is a waiting shell, its child */
	uint64_t start;
	char name[64]; /* as tmux shows it */
	bool is_shell;
	enum agent_reads reads;
	bool is_computing; /* a thread runs, so the screen may not show its last input yet */
};

/* pid is that of the pane's first process. */
void foreground_read(pid_t pid, struct foreground *ret_front);

/* By its name. */
bool foreground_is_shell(const char *command);

/* Returns true for a carrier: it shows another program, and runs no commands itself (ssh, tmux). */
bool foreground_is_carrier(const char *command);

/* Returns true for a messenger: it passes on a request of another program, and ends (echo). */
bool foreground_is_messenger(const char *command);

/* Returns true for a program that is no shell and no messenger. */
bool foreground_asks_for_itself(const char *command);

/*
 * Finds the program in front on whose behalf a process makes a request: the highest of the process
 * and its ancestors, in the foreground group of the pane's terminal, that makes its own requests.
 * On a terminal within the pane's, which a program such as script(1) shows, finds the program in
 * front of that terminal. Only an agent that shows the terminal has asked itself.
 */
enum foreground_asker foreground_find_asker(pid_t pane_pid, pid_t asker,
    const struct screen_sign_set *signs, struct foreground_program *ret_program);

/*
 * Returns the present place of a program. It is in front if it runs in its terminal's foreground
 * group, and the program that shows another terminal than the pane's is in front too.
 */
enum foreground_place foreground_find(pid_t pane_pid, const struct foreground_program *program);

/* pid 0: unknown. */
void foreground_leader(pid_t pane_pid, struct foreground_program *ret_program);

enum foreground_place foreground_find_leader(pid_t pane_pid);

/* Writes the path of a program's terminal, or "". Returns false for the pane's terminal. */
bool foreground_inner_tty(pid_t pane_pid, pid_t pid, char *out, size_t size);

/* The leader of the foreground group, or a descendant, as behind npx. signs may be NULL. */
bool foreground_agent(
    pid_t pid, const struct screen_sign_set *signs, char ret_name[AGENT_ARGV_NAME_SIZE]);

/* For the command line of one process. */
bool foreground_is_agent(
    pid_t pid, const struct screen_sign_set *signs, char ret_name[AGENT_ARGV_NAME_SIZE]);

/* Returns false if it is unknown (agent_argv_identity()). */
bool foreground_identity(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);

bool foreground_identity_of(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);

bool foreground_is_below(pid_t pid, pid_t other);

/* Returns true if a process still runs, and no other one has its pid. */
bool foreground_lives(pid_t pid, uint64_t start);
