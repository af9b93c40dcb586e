/* SPDX-License-Identifier: ISC */
/*
 * The environment of the program behind a declared tool: that of the caller's tmux session, with
 * MUXBUS, MUXBUS_PANE, TMUX and TMUX_PANE as in the caller's pane, the name of the tool, a folder
 * of its group for what it keeps, and how much of its answer the caller gets to see; also the second
 * spellings of parameters that the caller has used.
 */
#ifndef DAEMON_TOOL_TOOL_ENV_H
#define DAEMON_TOOL_TOOL_ENV_H

#include <stddef.h>

struct config;
struct declaration;
struct pane_ref;
struct tmux;

/*
 * shown_bytes: of the answer, as JSON; 0: all. spelled: the second spellings of parameters that the
 * caller has used. Changes beyond those of the session, as job_order has them; the caller frees. Makes the folder of
 * the group in the state directory.
 */
char **tool_env_new(const struct config *config, const struct tmux *tmux,
    const struct declaration *declaration, const struct pane_ref *pane, size_t shown_bytes,
    const char *spelled);
void tool_env_free(char **env); /* NULL is accepted */

#endif
