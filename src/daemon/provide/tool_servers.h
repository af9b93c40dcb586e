/* SPDX-License-Identifier: ISC */
/*
 * All tool servers. A server serves one pane of callers, or all panes. A call starts a server that
 * does not run. A server is ended when idle, with its pane, with the daemon, or if its command has
 * changed. If a server dies during a call, the call fails as gone and is not repeated.
 */
#pragma once

#include "base/base.h"

#define TOOL_SERVERS_MAX 64 /* maximum number; with more, the oldest that have ended are removed */

struct declaration;
struct json_writer;
struct pane_ref;
struct provide_set;
struct tmux;

/* How to start a server. All is copied. */
struct tool_server_start {
	const char *program; /* absolute path of the program in the command */
	const char *const *session_env, *const *env; /* as in struct job_order */
	/* directory of a server for one pane; a server for all panes runs in $HOME */
	const char *cwd;
};

/* Returns true if a call may start its server. If not, start may be NULL in tool_servers_get(). */
bool tool_servers_need_start(const struct provide_set *set, const struct declaration *declaration,
    const struct pane_ref *pane);

/* Returns the server for a call, perhaps a new one. Returns NULL if too many run. */
struct provider *tool_servers_get(struct provide_set *set, const struct declaration *declaration,
    const struct pane_ref *pane, const struct tool_server_start *start);

/* Takes over the servers that an earlier daemon has started before it was killed. */
void tool_servers_take_up(struct provide_set *set);

/* Ends the servers whose panes are closed. */
void tool_servers_check_panes(struct provide_set *set, struct tmux *tmux);

/* Writes the servers as elements of an array, oldest first. */
void tool_servers_write(const struct provide_set *set, struct json_writer *writer);

/*
 * Returns why a declared tool does not fit its server: the server lacks the tool, or requires other
 * arguments. NULL if it fits, or the server's tools are not known. Valid until the next call.
 */
const char *tool_servers_mismatch(
    const struct provide_set *set, const struct declaration *declaration);
