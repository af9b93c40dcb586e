/* SPDX-License-Identifier: ISC */
/* Where the daemon of a tmux server listens, and where it keeps its state. */
#pragma once

#include "base/base.h"

/* Prefix of names of tmux sessions that muxbus restore needs for a while; they are not saved. */
#define ADDRESS_RESTORE "muxbus-restore"

/*
 * Writes the socket of a tmux server, found as tmux does: path (-S), else the server called name
 * (-L), else that of $TMUX, else the default server. Both may be NULL. Returns 0, or -1 if out is
 * too small. (The library has the same function for programs that link it.)
 */
int address_tmux(char *out, size_t size, const char *name, const char *path);

/* Writes the daemon's socket for a tmux socket: ".muxbus" is appended. Returns -1 if too long. */
int address_socket(char *out, size_t size, const char *tmux_socket);

/*
 * Writes the path of a daemon's socket without its suffix ".muxbus". Returns false for a path
 * without the suffix, which is written whole, or if the path is too long.
 */
bool address_without_suffix(char *out, size_t size, const char *socket);

/*
 * Writes the state directory, $XDG_STATE_HOME/muxbus/<key> or ~/.local/state/muxbus/<key>. The key
 * is a readable, unique form of the tmux socket's path. Returns -1 if too long or without a home.
 */
int address_state(char *out, size_t size, const char *tmux_socket);

/*
 * Write the socket of the fleet, $XDG_RUNTIME_DIR/muxbus/fleet or /tmp/muxbus-UID/fleet, and its
 * state directory. Return 0, or -1 if out is too small or there is no home.
 */
int address_fleet(char *out, size_t size);
int address_fleet_state(char *out, size_t size);

/* Writes $XDG_CONFIG_HOME/muxbus/NAME or ~/.config/muxbus/NAME. -1 if too long, or no home. */
int address_config(char *out, size_t size, const char *name);

/* Returns the home directory: $HOME, or that of the user's account. NULL if not absolute. */
const char *address_home(void);

/* Makes a user's path absolute, as the daemon changes its directory. Returns -1 on failure. */
int address_absolute(char *out, size_t size, const char *path);

/*
 * Makes the path of a tmux socket absolute and follows symbolic links, even if the socket does not
 * exist, so that a server has one address, whichever path names it. A link is kept if its target is
 * too long for a socket. Returns 0, or -1.
 */
int address_server(char *out, size_t size, const char *path);

/*
 * Checks a socket's path, absolute or relative: it must fit into sun_path. Its directory must
 * belong to us or root, and no other user may write there; a sticky directory like /tmp is accepted
 * if the socket cannot be replaced in it. Returns 0, or -1 with the reason.
 */
int address_check(const char *path, char *ret_reason, size_t size);
