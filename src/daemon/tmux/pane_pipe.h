/* SPDX-License-Identifier: ISC */
/*
 * Pipes of panes: tmux copies the output of a pane into a pair of sockets (its command pipe-pane).
 * The program that tmux starts at the other end hands this end over to the daemon and exits. A pane
 * can have one pipe. We never replace a pipe of the user, but a new one of the user replaces ours.
 *
 * A descriptor is taken only with the nonce (a random word) of the command for this pane, once, and
 * only if tmux's own process made the pair.
 *
 * tmux keeps all bytes that a pipe does not take, without a limit, so a pipe is read until its end.
 */
#pragma once

#include "base/base.h"

struct config;
struct event_base;
struct tmux;

enum {
	/* maximum number; also at most a quarter of the descriptors */
	PANE_PIPES_MAX = 256,
	/* bytes after which no more is read from a pipe in this turn of the loop */
	PANE_PIPE_TURN_BYTES = 256 * 1024,
	/*
	 * A pipe that held this many bytes when tmux closed it may have been full. tmux drops
	 * unwritten bytes when a pane is killed. A pair of sockets was seen to be full with 26 KB.
	 */
	PANE_PIPE_FULL_BYTES = 16 * 1024,
	/* maximum bytes read at the end of a program or pane; a pair of sockets holds less */
	PANE_PIPE_REST_BYTES = 16 * 1024 * 1024,
	PANE_PIPE_WAIT_MS = 3000, /* time limit of the hand-over */
};

enum pane_pipe_end {
	/* the program or the pane has ended, or the user has replaced or closed the pipe */
	PANE_PIPE_CLOSED,
	PANE_PIPE_CUT, /* the pipe was closed, and tmux may have dropped bytes that did not fit */
	PANE_PIPE_TAKEN, /* the pane had a pipe already */
	PANE_PIPE_FAILED,
};

/* data: the argument of pane_pipe_start(). */
struct pane_pipe_handlers {
	/* Called when the pipe flows: from now on all output of the pane comes to output(). */
	void (*begun)(void *data);
	void (*output)(void *data, const uint8_t *bytes, size_t len);
	/* Called when a pipe has ended, also before begun(). The handler may start it again. */
	void (*ended)(void *data, enum pane_pipe_end end);
};

struct pane_pipe_set *pane_pipe_set_new(struct event_base *base, const struct config *config,
    struct tmux *tmux, const struct pane_pipe_handlers *handlers);
void pane_pipe_set_free(struct pane_pipe_set *pipes);

/* Returns true if one more pane may be piped. Several failures in a row forbid it for a while. */
bool pane_pipe_may_start(const struct pane_pipe_set *pipes);

/*
 * Starts a pipe. Returns 0: begun or ended follows, if it is not stopped; -1: no handler follows.
 */
int pane_pipe_start(struct pane_pipe_set *pipes, uint32_t pane, void *data);

/* Stops a pipe; its handlers are not called any more. */
void pane_pipe_stop(struct pane_pipe_set *pipes, uint32_t pane);

/* Reads what tmux has written so far, up to about max bytes. */
void pane_pipe_drain(struct pane_pipe_set *pipes, uint32_t pane, size_t max);

/*
 * Call this when the pane has closed: reads the rest of the pipe (up to about PANE_PIPE_REST_BYTES)
 * and closes it. Returns true if bytes may be lost.
 */
bool pane_pipe_finish(struct pane_pipe_set *pipes, uint32_t pane);

uint32_t pane_pipe_count(const struct pane_pipe_set *pipes);

/* The commands for pipes. Each word is quoted for formats of tmux, strftime(3) and sh(1). */

#define PIPE_COMMAND_MAX 8192 /* maximum bytes of the command for sh */

/*
 * Writes the command for sh, in which program hands its standard input over to socket. Returns -1
 * if the command is too long.
 */
int pipe_command_write_sh(
    struct buf *out, const char *program, const char *socket, const char *nonce);

/*
 * Returns two tmux commands. The first prints "%ID PIPE DEAD" (PIPE and DEAD are 0 or 1). The
 * second pipes the pane if both are 0. Returns NULL if the words are too long.
 */
struct muxbus_command *pipe_command_new(
    uint32_t pane, const char *program, const char *socket, const char *nonce);
