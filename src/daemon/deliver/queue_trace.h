/* SPDX-License-Identifier: ISC */
/*
 * The trace of a queue command: a file by which the next daemon learns how a command ended that ran
 * when this one was killed, so that it is not run again. A shell before the command writes the trace,
 * and runs nothing but the command, whose words are its arguments.
 */
#pragma once

#include "base/base.h"

#define QUEUE_TRACE_WORDS 4 /* before those of the command */

struct queue_trace {
	bool is_running;
	bool is_ended;
	pid_t pid; /* of its process group */
	int status; /* as a shell has it */
	char said[4096]; /* the beginning of its output */
};

/* The path of a new trace in a directory, and the words before the command. */
void queue_trace_new(const char *dir, char out[PATH_MAX]);
void queue_trace_words(const char *path, char *argv[QUEUE_TRACE_WORDS]);

/* Neither running nor ended: it was not started, or was killed. */
void queue_trace_read(const char *path, struct queue_trace *ret_trace);
void queue_trace_remove(const char *path);
