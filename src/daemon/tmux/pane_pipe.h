/* SPDX-License-Identifier: ISC */
/*
 * Pipes of panes: tmux copies the output of a pane into a pair of sockets (pipe-pane). The program
 * at the other end hands this end over to the daemon and exits. tmux gives a pane one pipe: a pipe
 * of the user is never replaced, and a new one of the user replaces ours.
 *
 * A descriptor is taken only with the nonce of the command for that pane, once, and only if tmux's
 * own process made the pair.
 *
 * tmux keeps all bytes that a pipe does not take, without a limit, so a pipe is always read.
 */
#pragma once

#include "base/base.h"

struct config;
struct event_base;
struct tmux;

enum {
	PANE_PIPES_MAX = 256, /* and at most a quarter of the allowed descriptors */
	PANE_PIPE_TURN_BYTES = 256 * 1024, /* bytes read from one pipe in one turn of the loop */
	/*
	 * A pipe that held this many bytes when tmux closed it may have been full: tmux drops
	 * unwritten bytes when a pane is killed. A pair of sockets was seen full with 26 KB.
	 */
	PANE_PIPE_FULL_BYTES = 16 * 1024,
	/* Read at most from the pipe of a closed pane; no pair of sockets holds as much. */
	PANE_PIPE_REST_BYTES = 16 * 1024 * 1024,
	PANE_PIPE_WAIT_MS = 3000, /* time limit of the hand-over */
};

enum pane_pipe_end {
	PANE_PIPE_CLOSED, /* the pane has ended, or another pipe replaces this one */
	PANE_PIPE_CUT, /* closed, and tmux may have dropped bytes that did not fit into the pipe */
	PANE_PIPE_TAKEN, /* the pane has a pipe of the user */
	PANE_PIPE_FAILED,
};

/* data is that of pane_pipe_start(). */
struct pane_pipe_handlers {
	/* From now on all bytes that the pane writes arrive. */
	void (*begun)(void *data);
	void (*output)(void *data, const uint8_t *bytes, size_t len);
	/* The pipe may be started again. */
	void (*ended)(void *data, enum pane_pipe_end end);
};

struct pane_pipe_set *pane_pipe_set_new(struct event_base *base, const struct config *config,
    struct tmux *tmux, const struct pane_pipe_handlers *handlers);
void pane_pipe_set_free(struct pane_pipe_set *pipes);

/* Returns true if another pane may be piped. False for a while after three failures in a row. */
bool pane_pipe_may_start(const struct pane_pipe_set *pipes);

/* Returns 0, and calls begun or ended later; or -1, and calls no handler. */
int pane_pipe_start(struct pane_pipe_set *pipes, uint32_t pane, void *data);

/* Its handlers are not called any more. */
void pane_pipe_stop(struct pane_pipe_set *pipes, uint32_t pane);

/* Delivers about max bytes that tmux has written by now. */
void pane_pipe_drain(struct pane_pipe_set *pipes, uint32_t pane, size_t max);

/* The pane is gone: drains and closes the pipe. Returns true if bytes may be lost. */
bool pane_pipe_finish(struct pane_pipe_set *pipes, uint32_t pane);

uint32_t pane_pipe_count(const struct pane_pipe_set *pipes);

/* Each word is quoted for a format of tmux, for strftime(3), and for sh(1). */

#define PIPE_COMMAND_MAX 8192 /* bytes of the command of sh */

/* program hands its standard input over to socket. Returns -1 if the command is too long. */
int pipe_command_write_sh(
    struct buf *out, const char *program, const char *socket, const char *nonce);

/* The first command prints "%ID PIPE DEAD" (0 or 1), the second pipes the pane if both are 0. */
struct muxbus_command *pipe_command_new(
    uint32_t pane, const char *program, const char *socket, const char *nonce);
