/* SPDX-License-Identifier: ISC */
/*
 * A program that speaks lines on its standard streams, on an event loop: lines to its standard
 * input, lines from its standard output, and the end of its standard error. It runs without a shell
 * under `muxbus-job --server`, which ends the program with all its descendants when this process
 * ends it, or dies.
 */
#pragma once

#include "base/base.h"

#define LOOP_PROCESS_LINE_MAX ((size_t)12 * 1024 * 1024) /* an image of 8 MiB in base64 */
#define LOOP_PROCESS_QUEUE_MAX ((size_t)1024 * 1024) /* bytes that it has not read yet */
#define LOOP_PROCESS_SAID_MAX ((size_t)4096) /* kept of the end of standard error */

struct event_base;

struct loop_program {
	const char *const *argv; /* the first word: a path, or a name looked up in PATH of env */
	const char *const *env; /* all of it */
	const char *cwd;
	const struct rlimit *files; /* its limit of open descriptors; NULL: ours */
	size_t queue_max; /* bytes that it has not read yet; 0: LOOP_PROCESS_QUEUE_MAX */
};

/* Any of these but ended may call loop_process_stop(); none may free the process but ended. */
struct loop_process_handlers {
	void (*line)(void *data, const char *line, size_t len); /* lent, without its end */
	void (*too_long)(void *data); /* a line is skipped */
	void (*closed)(void *data); /* standard output has ended, but not the process */
	void (*ended)(void *data, const char *how); /* the last one: "exit status 1" */
};

/*
 * Never NULL: a program that cannot be started ends at once, with the reason on standard error.
 * No handler is called before this function returns.
 */
struct loop_process *loop_process_new(struct event_base *base, const char *supervisor,
    const struct loop_program *program, const struct loop_process_handlers *handlers, void *data);
/* A process that has not ended goes on to end. NULL is accepted. */
void loop_process_free(struct loop_process *process);

/*
 * Ends it: standard input closes, SIGTERM follows after 1 s and SIGKILL 2 s later, to all
 * descendants. Then only ended is called.
 */
void loop_process_stop(struct loop_process *process);

/* Whether a call of len bytes has room in the queue of bytes that the process has not read. */
bool loop_process_has_room(const struct loop_process *process, size_t len);
/* Queues a line with its end. A short one has room beyond calls; false: it is not sent. */
bool loop_process_write(struct loop_process *process, const void *line, size_t len);

/* Whether it reads its standard input: it does not end, as far as is known. */
bool loop_process_is_open(const struct loop_process *process);

#define LOOP_PROCESS_REMARK_SIZE 320
/*
 * The reason that the program wrote to standard error, on one line: the last lines in turn that
 * begin with "error" or a word or two before "error"; else the last line. Control characters are
 * escaped. "" if there is nothing.
 */
void loop_process_remark(const struct loop_process *process, char out[LOOP_PROCESS_REMARK_SIZE]);
