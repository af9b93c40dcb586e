/* SPDX-License-Identifier: ISC */
/* Where the daemon of a tmux server listens, and where it keeps its state. */
#pragma once

#include "base/base.h"

/* Prefix of names of tmux sessions that muxbus restore needs for a while; they are not saved. */
#define ADDRESS_RESTORE "muxbus-restore"

/* Writes the socket of a tmux server, as tmux finds it: path (-S), name (-L), $TMUX, or default. */
int address_tmux(char *out, size_t size, const char *name, const char *path);

/* Writes the daemon's socket for a tmux socket: ".muxbus" is appended. Returns -1 if too long. */
int address_socket(char *out, size_t size, const char *tmux_socket);

/* Writes a daemon's socket without ".muxbus". Returns false without the suffix, or if too long. */
bool address_without_suffix(char *out, size_t size, const char *socket);

/* Writes $XDG_STATE_HOME/muxbus/KEY or ~/.local/state/muxbus/KEY, with a KEY for tmux_socket. */
int address_state(char *out, size_t size, const char *tmux_socket);

/* Write $XDG_RUNTIME_DIR/muxbus/fleet or /tmp/muxbus-UID/fleet, and the fleet's state directory. */
int address_fleet(char *out, size_t size);
int address_fleet_state(char *out, size_t size);

/* Writes $XDG_CONFIG_HOME/muxbus/NAME or ~/.config/muxbus/NAME. -1 if too long, or no home. */
int address_config(char *out, size_t size, const char *name);

/* Returns the home directory: $HOME, or that of the user's account. NULL if not absolute. */
const char *address_home(void);

/* Makes a user's path absolute, as the daemon changes its directory. Returns -1 on failure. */
int address_absolute(char *out, size_t size, const char *path);

/*
 * Makes the path of a tmux socket absolute and free of links, so that a server has one address. A
 * link is kept if its target is too long for a socket.
 */
int address_server(char *out, size_t size, const char *path);

/*
 * Checks that a socket's path fits into sun_path, and that no other user can replace the socket:
 * its directory belongs to us or root, and others cannot write there, or it is sticky.
 */
int address_check(const char *path, char *ret_reason, size_t size);
