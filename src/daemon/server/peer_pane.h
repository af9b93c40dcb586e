/* SPDX-License-Identifier: ISC */
/*
 * Finds the pane of a process by terminal, ancestors and environment. Best first: the process has
 * the terminal of a pane; an ancestor has; an ancestor is a pane's first process; TMUX_PANE in the
 * environment of the process or an ancestor (weak: may be inherited or forged).
 */
#pragma once

#include <muxbus.h>

#include "daemon/core/pane_ref.h"

enum pane_evidence {
	PANE_NONE,
	PANE_ENVIRONMENT, /* weak evidence: inherited, or set by any program */
	PANE_ANCESTOR_PID,
	PANE_ANCESTOR_TTY,
	PANE_TTY,
	PANE_SAID, /* by peer_speak_for() */
};

struct peer_pane {
	uint32_t pane; /* MUXBUS_NO_ID if none */
	pid_t pane_pid; /* pid of the pane's program when the pane was found */
	enum pane_evidence evidence;
	bool is_weak;
	bool is_early; /* an environment names a pane that is newer than the model */
	/* No ancestor has a terminal, and no newer pane is named. */
	bool is_outside;
	/* If pane is weak or none: the thread of an agent that the environment names; "": none. */
	char thread[PANE_REF_THREAD_SIZE];
};

/* A process as the kernel reported it. Its pid may belong to another process later. */
struct peer_process {
	pid_t pid;
	pid_t session;
	dev_t tty; /* 0: none */
	uint64_t start; /* clock ticks since boot */
};

#define PEER_ANCESTORS_MAX 64
struct peer_origin {
	size_t count; /* 0: the process had ended */
	char program[16]; /* the name of its process, as far as the kernel keeps it */
	bool is_whole; /* all its ancestors are here */
	struct peer_process processes[PEER_ANCESTORS_MAX];
};

void peer_origin_read(pid_t pid, struct peer_origin *ret_origin);
bool peer_process_is_there(const struct peer_process *process);

/*
 * Finds the pane of a process; never a later pane that reuses its terminal or pid. tmux_socket and
 * server (0: unknown) are those of tmux, for checking $TMUX.
 */
void peer_pane_find(const struct peer_origin *origin, const struct muxbus_model *model,
    const char *tmux_socket, pid_t server, struct peer_pane *ret_pane);

/* Returns true if the pane still has the program that it had when it was found. */
bool peer_pane_lasts(const struct peer_pane *pane, const struct muxbus_model *model);

/* The pane that a peer says it is in. */
struct peer_said {
	uint32_t pane; /* MUXBUS_NO_ID: none */
	pid_t pid; /* pid of the pane's program that this is bound to; 0: not yet */
};

/* Takes said's pane if the kernel knows none. is_bound: while the pane has the same program. */
void peer_pane_hear(struct peer_pane *pane, const struct muxbus_model *model,
    struct peer_said *said, bool is_bound);

/* Returns the pane of a tmux server that the environment of a process names, or MUXBUS_NO_ID. */
uint32_t peer_pane_claimed(pid_t pid, const char *tmux_socket);
