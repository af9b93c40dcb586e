/* SPDX-License-Identifier: ISC */
/* The server behind a socket, its binary, and starting that binary as a control client. */
#ifndef LIB_LOCATE_H
#define LIB_LOCATE_H

#include <muxbus.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/process.h"

/*
 * Asks who listens at a tmux socket and whose process it is; see muxbus_server_pid().
 */
int locate_server(const char *socket_path, pid_t *ret_pid, uid_t *ret_uid);

/* Identifies a server: process ids are used again, a pid with its start time is not. */
struct identity {
	pid_t pid;
	uint64_t start_ticks; /* since boot; 0 if not known */
};

/* Asks at a tmux socket. Errors as muxbus_server_pid(). */
int locate_identity(const char *socket_path, struct identity *ret_identity);

/* How long ago it was started, in ms; -1 if that is not known. */
int64_t locate_age_ms(const struct identity *identity);

bool locate_is_same(const struct identity *a, const struct identity *b);

/*
 * Writes the path of the server's own binary, good also if the file was replaced or
 * deleted. False if it is not to be had: not ours, not readable, or no tmux by its name,
 * as when it was started through a dynamic loader.
 */
bool locate_server_binary(pid_t pid, uid_t uid, char *out, size_t size);

/*
 * Writes the path of a program: name itself if it has a slash, else what PATH has.
 * False if there is none that can be executed.
 */
bool locate_program(const char *name, char *out, size_t size);

/*
 * Starts the process that attaches as the options say, if there is a server. Returns
 * MUXBUS_ERR_NO_SERVER, MUXBUS_ERR_TIMEOUT (it listens, and accepts nobody) or what
 * process_start() returns.
 */
int locate_start_client(struct process *process, const struct muxbus_connection_options *options);

#endif
