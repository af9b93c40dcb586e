/* SPDX-License-Identifier: ISC */
/*
 * Paths of the daemon's socket, state and configuration. Functions that return an int write a path
 * and return 0, or -1 if it is too long, or if the home or current directory is needed and unknown.
 * But address_check() checks a path.
 */
#pragma once

#include <sys/un.h>

#include "base/base.h"

/* Maximum bytes of the path of a socket. */
#define ADDRESS_SOCKET_MAX (sizeof((struct sockaddr_un *)NULL)->sun_path - 1)

/* muxbus restore makes sessions for itself, whose names begin with this. They are not saved. */
#define ADDRESS_RESTORE "muxbus-restore"

/* Writes the daemon's socket for a tmux socket: ".muxbus" is appended. */
int address_socket(char *out, size_t size, const char *tmux_socket);

/* Writes a socket path without ".muxbus". Returns false if it has no such end, or is too long. */
bool address_without_suffix(char *out, size_t size, const char *socket);

/*
 * Writes the state directory of a daemon, $XDG_STATE_HOME/muxbus/KEY or ~/.local/state/muxbus/KEY.
 * KEY is made from the name of the tmux socket and a hash of its path.
 */
int address_state(char *out, size_t size, const char *tmux_socket);

/*
 * Write the socket of the fleet's daemon, $XDG_RUNTIME_DIR/muxbus/fleet or /tmp/muxbus-UID/fleet,
 * and its state directory.
 */
int address_fleet(char *out, size_t size);
int address_fleet_state(char *out, size_t size);

/* Writes $XDG_CONFIG_HOME/muxbus/NAME or ~/.config/muxbus/NAME. */
int address_config(char *out, size_t size, const char *name);

/* Returns $HOME if absolute, else the account's home directory; NULL if neither is. Lent. */
const char *address_home(void);

/* Makes a path absolute, by the current directory. */
int address_absolute(char *out, size_t size, const char *path);

/*
 * Makes the path of a tmux socket absolute. If the socket is a symbolic link, writes the path of
 * its target instead, unless that path with ".muxbus" is too long for a socket.
 */
int address_server(char *out, size_t size, const char *path);

/*
 * Checks that a socket's path fits into sun_path, that a file of this name, if any, is a socket
 * that belongs to us or root, and that others cannot replace the socket. The directory must belong
 * to us or root, must not be a link, and must be sticky or closed to writing by group and others;
 * file_check_parents() checks its parents. Returns 0, or -1 with the reason.
 */
int address_check(const char *path, char *ret_reason, size_t size);
