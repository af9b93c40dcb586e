/* SPDX-License-Identifier: ISC */
/*
 * Finds the pane of a process by terminal, ancestors and environment. Best first: its terminal
 * is a pane's; an ancestor's is; an ancestor is a pane's first process; TMUX_PANE in its or an
 * ancestor's environment (weak: may be inherited or forged).
 */
#pragma once

#include <muxbus.h>

#include "daemon/core/pane_ref.h"

enum pane_evidence {
	PANE_NONE,
	PANE_ENVIRONMENT, /* weak */
	PANE_ANCESTOR_PID,
	PANE_ANCESTOR_TTY,
	PANE_TTY,
	PANE_SAID, /* by peer_speak_for() */
};

struct peer_pane {
	uint32_t pane; /* MUXBUS_NO_ID if none */
	pid_t pane_pid; /* of the pane's program when it was found */
	enum pane_evidence evidence;
	bool is_weak;
	bool is_early; /* an environment names a pane that was made after all in the model */
	/* It is in no pane, nor, unless tmux is its ancestor, in one that the model has not yet. */
	bool is_outside;
	/* If it is weak or none: the thread of an agent that its environment names; "": none. */
	char thread[PANE_REF_THREAD_SIZE];
};

/* A process as the kernel had it. Its number may belong to another one later. */
struct peer_process {
	pid_t pid;
	pid_t session;
	dev_t tty; /* 0: none */
	uint64_t start; /* clock ticks since boot */
};

/* Where a peer comes from: its process and the ancestors of that, when it connected. */
#define PEER_ANCESTORS_MAX 64
struct peer_origin {
	size_t count; /* 0: it had ended */
	char program[16]; /* the name of its process, as far as the kernel keeps it */
	bool is_whole; /* all its ancestors are here */
	struct peer_process processes[PEER_ANCESTORS_MAX];
};

/* proc is "/proc", or another one in tests. */
void peer_origin_read(const char *proc, pid_t pid, struct peer_origin *ret_origin);
bool peer_process_is_there(const char *proc, const struct peer_process *process);

/*
 * Panes of a later time are none of the peer's, whatever has its terminals and numbers by then.
 * tmux_socket and the process server (0: not known) are those of tmux, for checking $TMUX beside
 * $TMUX_PANE.
 */
void peer_pane_find(const char *proc, const struct peer_origin *origin,
    const struct muxbus_model *model, const char *tmux_socket, pid_t server,
    struct peer_pane *ret_pane);

/* Whether the pane is there, with the program that it had when it was found. */
bool peer_pane_lasts(const struct peer_pane *pane, const struct muxbus_model *model);

/* The pane that a peer says it is in. */
struct peer_said {
	uint32_t pane; /* MUXBUS_NO_ID: it says none */
	pid_t pid; /* of the pane's program, if it is bound to that; 0: not yet */
};

/* Takes that pane if the kernel knows none. is_bound: only with the program that it has now. */
void peer_pane_hear(struct peer_pane *pane, const struct muxbus_model *model,
    struct peer_said *said, bool is_bound);

/* The pane of a tmux server that the environment of a process names; MUXBUS_NO_ID: none. */
uint32_t peer_pane_claimed(pid_t pid, const char *tmux_socket);
