/* SPDX-License-Identifier: ISC */
/* Which binary to run as the control client of a server. */
#ifndef LIB_LOCATE_H
#define LIB_LOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Asks who listens at a tmux socket and whose process it is; see muxbus_server_pid().
 */
int locate_server(const char *socket_path, pid_t *ret_pid, uid_t *ret_uid);

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

#endif
