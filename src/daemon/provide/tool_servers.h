/* SPDX-License-Identifier: ISC */
/*
 * All servers of tools: started by the first call, one for each pane of a caller or one for the
 * daemon, and ended when idle or with the pane. A call under way when its server dies ends as gone,
 * and is never repeated; the next call starts the server again.
 */
#pragma once

#include "base/base.h"

#define TOOL_SERVERS_MAX 64 /* that run; of those that have ended, the oldest are forgotten */

struct declaration;
struct json_writer;
struct pane_ref;
struct provide_set;
struct tmux;

/* How a server is started. All is copied. */
struct tool_server_start {
	const char *program; /* of the command, absolute */
	const char *const *session_env, *const *env; /* as in struct job_order */
	const char *cwd; /* where a server per pane works; one per daemon works in $HOME */
};

/*
 * Whether a call may start a server, for a caller's pane. Else tool_servers_get() needs no start.
 */
bool tool_servers_need_start(const struct provide_set *set, const struct declaration *declaration,
    const struct pane_ref *pane);

/* The server for a call, perhaps a new one; NULL: there are too many. start NULL: none is needed. */
struct provider *tool_servers_get(struct provide_set *set, const struct declaration *declaration,
    const struct pane_ref *pane, const struct tool_server_start *start);

/* Takes up the servers that an earlier daemon, which was killed, has started. */
void tool_servers_take_up(struct provide_set *set);

/* Ends the servers of panes that are closed. */
void tool_servers_check_panes(struct provide_set *set, struct tmux *tmux);

/* Writes all servers as elements of an array, oldest first. */
void tool_servers_write(const struct provide_set *set, struct json_writer *writer);

/*
 * The reason why a declared tool does not fit its server: missing there, or with another schema.
 * NULL: it fits, or its server has not been asked yet. Lent until the next call.
 */
const char *tool_servers_mismatch(
    const struct provide_set *set, const struct declaration *declaration);
