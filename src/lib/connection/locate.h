/* SPDX-License-Identifier: ISC */
/* Connects to the server behind a socket, and finds its process and its binary. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/* Finds the process that listens on a tmux socket, and its user; see muxbus_server_pid(). */
int locate_server(const char *socket_path, pid_t *ret_pid, uid_t *ret_uid);

/* Identifies a server. A pid may be reused, but not a pid together with its start time. */
struct identity {
	pid_t pid;
	uint64_t start_ticks; /* since boot; 0 if unknown */
};

/* Returns 0, or an error as muxbus_server_pid(). */
int locate_identity(const char *socket_path, struct identity *ret_identity);

/* Returns the time since the server started; -1 if unknown. */
int64_t locate_age_ms(const struct identity *identity);

bool locate_is_same(const struct identity *a, const struct identity *b);

/*
 * Writes a path of the server's own binary, which works even if the file was replaced or removed.
 * Returns false if the process has another user, or its binary is not executable or does not seem
 * to be tmux.
 */
bool locate_server_binary(pid_t pid, uid_t uid, char *out, size_t size);

/* Writes the path of a program, searched in PATH if name has no slash. False if none is found. */
bool locate_program(const char *name, char *out, size_t size);

/* Returns a connection, or -1 with errno; ETIMEDOUT: the queue of the server stayed full. */
int locate_connect(const char *socket_path);
/* As locate_connect(), but does not wait. The descriptor is non-blocking. */
int locate_connect_now(const char *socket_path);

/*
 * Returns the connection *spare, and sets *spare to -1. Returns -1 if there is none, or if the
 * server has closed it or has sent something.
 */
int locate_take(int *spare);

/* Converts an errno of locate_connect() to MUXBUS_ERR_NO_SERVER, _TIMEOUT or _SYSTEM. */
int locate_connect_error(int error_number);
