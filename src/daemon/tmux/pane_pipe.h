/* SPDX-License-Identifier: ISC */
/*
 * Pipes of panes: tmux copies the output of a pane into a pair of sockets (pipe-pane), and the program
 * at its other end hands that end over to this process and is gone. So the daemon is no client of
 * tmux. tmux gives a pane one pipe: one of the user is never replaced, and that of the user
 * replaces ours.
 *
 * A descriptor that is handed over is taken for the pipe of a pane only with the nonce that was
 * written into the command for that pane and was not used yet, and only if tmux's own process
 * made the pair.
 *
 * tmux remembers all that a pipe does not take, without a bound. So a pipe is read whatever is done
 * with the bytes.
 */
#pragma once

#include "base/base.h"

struct config;
struct event_base;
struct tmux;

enum {
	PANE_PIPES_MAX = 256, /* and at most a quarter of the descriptors that there may be */
	PANE_PIPE_TURN_BYTES = 256 * 1024, /* read of one pipe in one turn */
	/*
	 * A pipe that held so much when tmux closed it may have been full, and tmux drops what it
	 * has not written when a pane is killed. A pair of sockets was seen full with 26 KB.
	 */
	PANE_PIPE_FULL_BYTES = 16 * 1024,
	/* Of a pane that is gone: more than tmux can have in the pair of sockets. */
	PANE_PIPE_REST_BYTES = 16 * 1024 * 1024,
	PANE_PIPE_WAIT_MS = 3000, /* for the hand-over */
};

/* Why a pipe has ended, or was not made. */
enum pane_pipe_end {
	PANE_PIPE_CLOSED, /* tmux has closed it: the pane has ended, or another pipe replaces it */
	PANE_PIPE_CUT, /* the same, and tmux may have had more bytes than the pipe could take */
	PANE_PIPE_TAKEN, /* the pane has a pipe of the user */
	PANE_PIPE_FAILED,
};

/* data is that of pane_pipe_start(). */
struct pane_pipe_handlers {
	/* From now on the bytes that the pane writes come, or are already on their way. */
	void (*begun)(void *data);
	void (*output)(void *data, const uint8_t *bytes, size_t len);
	/* No more bytes come. The pipe may be started again. */
	void (*ended)(void *data, enum pane_pipe_end end);
};

struct pane_pipe_set *pane_pipe_set_new(struct event_base *base, const struct config *config,
    struct tmux *tmux, const struct pane_pipe_handlers *handlers);
void pane_pipe_set_free(struct pane_pipe_set *pipes);

/* Whether another pane may be piped. False for good after several that failed. */
bool pane_pipe_may_start(const struct pane_pipe_set *pipes);

/* Pipes a pane; begun or ended follows. Returns 0, or -1 if it cannot be: nothing follows. */
int pane_pipe_start(struct pane_pipe_set *pipes, uint32_t pane, void *data);

/* Ends a pipe; nothing is called any more. */
void pane_pipe_stop(struct pane_pipe_set *pipes, uint32_t pane);

/* Delivers what tmux has written to the pipe by now, some more than max bytes at most. */
void pane_pipe_drain(struct pane_pipe_set *pipes, uint32_t pane, size_t max);

/* The pane has gone: the same, and then the pipe is closed. True: it was cut, as PANE_PIPE_CUT. */
bool pane_pipe_finish(struct pane_pipe_set *pipes, uint32_t pane);

/* How many panes are followed by a pipe. */
uint32_t pane_pipe_count(const struct pane_pipe_set *pipes);

/*
 * The command that has tmux pipe a pane to the daemon. The command to pipe to is a format, a text of
 * strftime(3) and a command of sh(1) in one, so each word is written so that it means itself in
 * all three.
 */

#define PIPE_COMMAND_MAX 8192 /* bytes of the command of sh */

/*
 * Writes the command of sh: a program that hands its standard input over to a socket with a nonce.
 * Returns 0, or -1 if it would be too long.
 */
int pipe_command_write_sh(
    struct buf *out, const char *program, const char *socket, const char *nonce);

/*
 * Makes the commands of tmux. The first prints "%ID PIPE DEAD" of the pane, the last two 0 or 1, as
 * they were before; the next pipes the pane only if it had no pipe. NULL if they cannot be made.
 */
struct muxbus_command *pipe_command_new(
    uint32_t pane, const char *program, const char *socket, const char *nonce);
