/* SPDX-License-Identifier: ISC */
/* The server behind a socket, and its binary. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/* Finds the process that listens at a tmux socket, and its user; see muxbus_server_pid(). */
int locate_server(const char *socket_path, pid_t *ret_pid, uid_t *ret_uid);

/* Identifies a server: process ids are used again, a pid with its start time is not. */
struct identity {
	pid_t pid;
	uint64_t start_ticks; /* since boot; 0 if not known */
};

/* Identifies the server at a tmux socket. Errors as muxbus_server_pid(). */
int locate_identity(const char *socket_path, struct identity *ret_identity);

/* The time since the start of the server; -1 if not known. */
int64_t locate_age_ms(const struct identity *identity);

bool locate_is_same(const struct identity *a, const struct identity *b);

/*
 * Writes a path of the server's own binary that works also if the file was replaced or
 * deleted. False if the process has another user, if the binary is not readable, or if its
 * name is not tmux, as when a dynamic loader runs it.
 */
bool locate_server_binary(pid_t pid, uid_t uid, char *out, size_t size);

/*
 * Writes the path of a program: name itself if it has a slash, else its place in PATH. False
 * if there is no executable file.
 */
bool locate_program(const char *name, char *out, size_t size);

/*
 * Connects to the socket of a server. Returns a descriptor, or -1 with errno set: ETIMEDOUT if
 * the server accepts no connection.
 */
int locate_connect(const char *socket_path);

/* The error for the errno of locate_connect(): MUXBUS_ERR_NO_SERVER, _TIMEOUT or _SYSTEM. */
int locate_connect_error(int error_number);
