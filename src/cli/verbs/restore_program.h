/* SPDX-License-Identifier: ISC */
/* The programs of the panes that muxbus restore makes: shells, and agents that go on; and names. */
#pragma once

#include "wire/address.h"

struct cli;
struct json;
struct json_writer;
struct link;

/* Whether the agent of a saved pane can go on with its conversation. */
bool restore_can_resume(const struct json *pane);

/*
 * Puts the "cwd" of a saved pane, and a "command" unless its program is the shell of tmux. False:
 * its directory is gone, and HOME takes its place.
 */
bool restore_put_program(struct json_writer *writer, const struct json *pane);

/*
 * A name as a format that tmux expands to it: a run of # before [ is one already. tmux stores
 * names encoded, and encodes them again: control characters, backslashes, in 3.3 also dollars.
 * The caller frees.
 */
char *restore_name_literal(const char *name, bool is_encoded);

#define TMUX_SERVER_SESSION ADDRESS_RESTORE /* keeps a server that was started here */

/*
 * Waits until the daemon follows a server, which is started if none runs, with the session above:
 * *ret_is_new is then set, and the caller closes the session. False after saying why there is none.
 */
bool tmux_server_find(const struct cli *cli, struct link *link, bool *ret_is_new);
