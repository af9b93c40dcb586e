/* SPDX-License-Identifier: ISC */
/*
 * Finds the pane of a process. The search goes from the process up to its ancestors, and ends at a
 * process that has the terminal of a pane or is the first process of a pane. If there is no such
 * process, a second search ends at an environment whose variable TMUX_PANE names a pane of this
 * tmux server. That is weak evidence: a variable may be inherited, or set by any program.
 */
#pragma once

#include <muxbus.h>

#include "daemon/core/pane_ref.h"

enum pane_evidence {
	PANE_NONE,
	PANE_ENVIRONMENT,
	PANE_ANCESTOR_PID, /* the process or an ancestor is the first process of the pane */
	PANE_ANCESTOR_TTY, /* an ancestor has the terminal of the pane */
	PANE_TTY, /* the process has the terminal of the pane */
	PANE_SAID, /* by peer_speak_for() */
};

struct peer_pane {
	uint32_t pane; /* MUXBUS_NO_ID: none */
	pid_t pane_pid; /* first process of the pane when the pane was found */
	enum pane_evidence evidence;
	/* An environment names the pane, or neither the process nor its parent has a terminal. */
	bool is_weak;
	bool is_early; /* an environment names a pane that is newer than the model */
	/*
	 * The process is in no pane: all ancestors are known, none of these processes has a
	 * terminal or names a newer pane, and the peer has said no pane.
	 */
	bool is_outside;
	/*
	 * If the evidence is weak, or there is no pane: the thread of an agent that the environment
	 * of the process names; "": none.
	 */
	char thread[PANE_REF_THREAD_SIZE];
};

/* A process as the kernel has reported it. Another process may have its pid later. */
struct peer_process {
	pid_t pid;
	pid_t session;
	dev_t tty; /* 0: none */
	uint64_t start; /* clock ticks since boot */
};

#define PEER_ANCESTORS_MAX 64
struct peer_origin {
	size_t count; /* 0: the process had ended, or cannot be read */
	char program[16]; /* name of the process, cut by the kernel to 15 bytes */
	bool is_whole; /* all ancestors are known */
	struct peer_process processes[PEER_ANCESTORS_MAX]; /* the process, then its ancestors */
};

void peer_origin_read(pid_t pid, struct peer_origin *ret_origin);
bool peer_process_is_there(const struct peer_process *process);

/*
 * Finds the pane of a process in the model. A later pane with the same terminal or pid is not
 * taken. tmux_socket (the path of tmux's socket) and server (the pid of the tmux server; 0:
 * unknown) are compared with the variable TMUX in an environment.
 */
void peer_pane_find(const struct peer_origin *origin, const struct muxbus_model *model,
    const char *tmux_socket, pid_t server, struct peer_pane *ret_pane);

/* Returns true if the pane still has the program that it had when it was found, or is dead. */
bool peer_pane_lasts(const struct peer_pane *pane, const struct muxbus_model *model);

/* The pane that a peer says it is in. */
struct peer_said {
	uint32_t pane; /* MUXBUS_NO_ID: none */
	pid_t pid; /* first process of that pane, once peer_pane_hear() has found it; else 0 */
};

/*
 * Takes the pane that the peer says, unless `pane` is certain already. is_bound: `said` counts only
 * while its pane has the same first process.
 */
void peer_pane_hear(struct peer_pane *pane, const struct muxbus_model *model,
    struct peer_said *said, bool is_bound);

/* Returns the pane of this tmux server that a process's environment names; MUXBUS_NO_ID: none. */
uint32_t peer_pane_claimed(pid_t pid, const char *tmux_socket);
