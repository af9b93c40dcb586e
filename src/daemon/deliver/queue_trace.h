/* SPDX-License-Identifier: ISC */
/*
 * The trace of a queue command: a file that tells the next daemon how a command ended that ran when
 * this one was killed, so that the command is not run again. A shell around the command writes the
 * trace, and gets the command's words as arguments.
 */
#pragma once

#include "base/base.h"

#define QUEUE_TRACE_WORDS 4 /* words before those of the command */

struct queue_trace {
	bool is_running;
	bool is_ended;
	pid_t pid; /* of its process group */
	int status; /* exit status, as in $? */
	char said[4096]; /* the start of its output */
};

/* Makes the path of a new trace in dir, and the words to put before the command. */
void queue_trace_new(const char *dir, char out[PATH_MAX]);
void queue_trace_words(const char *path, char *argv[QUEUE_TRACE_WORDS]);

/* Neither is_running nor is_ended: the command was not started, or was killed. */
void queue_trace_read(const char *path, struct queue_trace *ret_trace);
void queue_trace_remove(const char *path);
