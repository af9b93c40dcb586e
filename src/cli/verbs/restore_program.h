/* SPDX-License-Identifier: ISC */
/* For muxbus restore: the programs of panes, names of sessions and windows, and the tmux server. */
#pragma once

#include "wire/address.h"

struct cli;
struct json;
struct json_writer;
struct link;

/* Returns true if the agent of a saved pane can resume its conversation. */
bool restore_can_resume(const struct json *pane);

/*
 * Writes the "cwd" of a pane, and perhaps a "command". Returns false if the saved directory is
 * missing; "cwd" is then the home directory.
 */
bool restore_put_program(struct json_writer *writer, const struct json *pane);

/*
 * Returns a format that tmux expands to the name; the caller frees it. Each # is doubled, except in
 * a run before "[". is_encoded: control characters and backslashes of the name are decoded, since
 * tmux encodes them again.
 */
char *restore_name_literal(const char *name, bool is_encoded);

#define TMUX_SERVER_SESSION ADDRESS_RESTORE /* session that keeps our new server alive */

/*
 * Waits until the daemon follows a tmux server. If none runs, starts one with the session above and
 * sets *ret_is_new; the caller closes that session. Prints an error and returns false on failure.
 */
bool tmux_server_find(const struct cli *cli, struct link *link, bool *ret_is_new);
