/* SPDX-License-Identifier: ISC */
/* Where the daemon of a tmux server listens and keeps its state. */
#pragma once

#include "base/base.h"

/* The names of tmux sessions that muxbus restore needs while it works begin so: they are not saved. */
#define ADDRESS_RESTORE "muxbus-restore"

/*
 * The socket of a tmux server as tmux itself finds it: path (-S), else the server of that
 * name (-L), else that of $TMUX, else the default one. Either may be NULL. -1 if it does
 * not fit. (The library has the same function for programs that link it.)
 */
int address_tmux(char *out, size_t size, const char *name, const char *path);

/* The socket that belongs to a tmux socket: ".muxbus" appended. -1 if it does not fit. */
int address_socket(char *out, size_t size, const char *tmux_socket);

/*
 * The state directory: $XDG_STATE_HOME/muxbus/<key>, ~/.local/state if that is unset; the key is
 * made from the tmux socket's path, readable and unique. -1 if it does not fit or there is no home.
 */
int address_state(char *out, size_t size, const char *tmux_socket);

/*
 * Those of the fleet: its socket, $XDG_RUNTIME_DIR/muxbus/fleet, else /tmp/muxbus-UID/fleet; its
 * state directory beside those above. -1 as above.
 */
int address_fleet(char *out, size_t size);
int address_fleet_state(char *out, size_t size);

/* A file of the user's configuration: $XDG_CONFIG_HOME/muxbus/NAME, else ~/.config/muxbus/NAME. */
int address_config(char *out, size_t size, const char *name);

/* The home directory: $HOME, else that of the user's account. NULL: neither is absolute. */
const char *address_home(void);

/*
 * Makes a path from the user absolute, since the daemon changes its directory. -1 if it does
 * not fit or the current directory is unknown.
 */
int address_absolute(char *out, size_t size, const char *path);

/*
 * The same for a tmux socket, with symbolic links to it followed, also where it does not exist yet:
 * one server has one address, whatever path names it. A link to a path that would be too long
 * for a socket stays.
 */
int address_server(char *out, size_t size, const char *path);

/*
 * Checks a socket's path: absolute or relative, within sun_path, in a directory that is
 * ours or root's and that no other user can write to (sticky directories like /tmp are accepted
 * only if the socket cannot be replaced there). Returns 0, or -1 with the reason.
 */
int address_check(const char *path, char *ret_reason, size_t size);
