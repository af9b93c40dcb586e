/* SPDX-License-Identifier: ISC */
/* A connection under test, and a record of all its callbacks. */
#pragma once

#include <muxbus.h>

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* The bound of all waiting. */
enum { TRIAL_TIMEOUT_MS = 10000 };

/* The outcome of a list. All zeroes to begin with. */
struct answer {
	unsigned calls;
	int error;
	size_t count;
	int errors[8]; /* errors of the first replies */
	unsigned blocks[8];
	char bodies[8][256]; /* bodies of the first replies, cut */
};
/* To be given to muxbus_connection_run() with a struct answer. */
void answer_note(void *data, int error, const struct muxbus_reply *replies, size_t count);

/* A connection and its recorded callbacks. */
struct trial {
	struct muxbus_loop *loop;
	struct muxbus_connection *connection; /* NULL once the closed handler was called */
	pid_t pid;
	unsigned ready;
	struct muxbus_version version;
	uint32_t session;
	unsigned closed;
	int error; /* error of the closed handler */
	char reason[300];
	unsigned events;
	struct buf output;
	int open_error;
};

/* Opens a connection. The closed handler frees it. */
void trial_open(struct trial *trial, const struct muxbus_connection_options *options);
/* Frees what is left of a trial. */
void trial_finish(struct trial *trial);

/* Runs the loop until *flag is not 0; false if it still is after TRIAL_TIMEOUT_MS. */
bool trial_until(struct trial *trial, const unsigned *flag);

/* Makes a list of commands from words, where ";" separates two, and NULL ends. */
struct muxbus_command *command_of(const char *word, ...) __attribute__((sentinel));

/* Returns true if the process has ended and was waited for, or if no process was made. */
bool is_gone(pid_t pid);
