/* SPDX-License-Identifier: ISC */
/*
 * A program that reads lines from its standard input and writes lines to its standard output, on an
 * event loop. muxbus-job --server runs the program. It ends the program after loop_process_stop(),
 * or when this process dies, and kills descendants that the program leaves.
 */
#pragma once

#include "base/base.h"

#define LOOP_PROCESS_LINE_MAX ((size_t)12 * 1024 * 1024) /* bytes; an image of 8 MiB in base64 */
#define LOOP_PROCESS_QUEUE_MAX ((size_t)1024 * 1024) /* bytes that the program has not read yet */
#define LOOP_PROCESS_SAID_MAX ((size_t)4096) /* bytes kept from the end of standard error */

struct event_base;

struct loop_program {
	const char *const *argv; /* argv[0] is a path, or a name to look up in PATH of env */
	const char *const *env; /* the whole environment */
	const char *cwd;
	const struct rlimit *files; /* limit of open descriptors for the program; NULL: ours */
	size_t queue_max; /* bytes that the program has not read yet; 0: LOOP_PROCESS_QUEUE_MAX */
};

/* Handlers but ended may call loop_process_stop(). Of them all, only ended may free the process. */
struct loop_process_handlers {
	void (*line)(void *data, const char *line, size_t len); /* lent, without its newline */
	void (*too_long)(void *data); /* a line longer than LOOP_PROCESS_LINE_MAX was skipped */
	void (*closed)(void *data); /* standard output has ended; the program may still run */
	/* Called last. how: such as "exit status 1", or "not started". */
	void (*ended)(void *data, const char *how);
};

/*
 * Starts a program by supervisor, the path of muxbus-job. Never returns NULL: if the start fails,
 * ended() is called later, and loop_process_remark() has the reason.
 */
struct loop_process *loop_process_new(struct event_base *base, const char *supervisor,
    const struct loop_program *program, const struct loop_process_handlers *handlers, void *data);
/*
 * Frees the process. A program that runs ends as after loop_process_stop(), but nothing kills or
 * reaps a supervisor that does not end. NULL is allowed.
 */
void loop_process_free(struct loop_process *process);

/* Closes stdin and stdout. After 1 s SIGTERM follows, then SIGKILL. Only ended is still called. */
void loop_process_stop(struct loop_process *process);

/* Returns true if a call of len bytes fits into the queue of unread bytes. */
bool loop_process_has_room(const struct loop_process *process, size_t len);
/*
 * Queues a line with its newline. Lines other than calls, such as a cancellation, have 64 KiB more
 * room. Returns false if there is no room, or standard input is closed.
 */
bool loop_process_write(struct loop_process *process, const void *line, size_t len);

/* Returns true if standard input is open; loop_process_stop() and a failed write close it. */
bool loop_process_is_open(const struct loop_process *process);

#define LOOP_PROCESS_REMARK_SIZE STR_REMARK_SIZE
/* Writes the reason on standard error, or of a failed start, as by str_remark(). */
void loop_process_remark(const struct loop_process *process, char out[LOOP_PROCESS_REMARK_SIZE]);
/* Returns the end of standard error, or why the start failed; lent, not NUL-terminated. */
const char *loop_process_said(const struct loop_process *process, size_t *ret_len);
