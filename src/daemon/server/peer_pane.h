/* SPDX-License-Identifier: ISC */
/*
 * Which pane a process sits in. Evidence, best first: its controlling terminal is a
 * pane's; an ancestor's is; an ancestor is a pane's first process; TMUX_PANE in its or an
 * ancestor's environment (weak: it may be inherited from elsewhere, or forged).
 */
#ifndef DAEMON_SERVER_PEER_PANE_H
#define DAEMON_SERVER_PEER_PANE_H

#include <muxbus.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum caller_evidence {
	CALLER_NONE,
	CALLER_ENVIRONMENT, /* weak */
	CALLER_ANCESTOR_PID,
	CALLER_ANCESTOR_TTY,
	CALLER_TTY,
	CALLER_SAID, /* it has said so itself */
};

struct caller {
	uint32_t pane; /* MUXBUS_NO_ID if none */
	enum caller_evidence evidence;
	bool is_weak;
};

/* tmux_socket is the server's, for checking $TMUX beside $TMUX_PANE. */
void caller_find(pid_t pid, const struct muxbus_model *model, const char *tmux_socket,
    struct caller *ret_caller);

/* The same with another /proc. */
void caller_find_in(const char *proc, pid_t pid, const struct muxbus_model *model,
    const char *tmux_socket, struct caller *ret_caller);

const char *caller_evidence_name(enum caller_evidence evidence);

#endif
