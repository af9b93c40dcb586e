/* SPDX-License-Identifier: ISC */
/* The tmux server that the daemon follows, for verbs that need one. */
#pragma once

#include <stdbool.h>

#include "wire/address.h"

struct cli;
struct link;

#define TMUX_SERVER_SESSION ADDRESS_RESTORE /* keeps a server that was started here */

/*
 * Waits until the daemon follows a server, which is started if none runs, with the session above:
 * *ret_is_new is then set, and the caller closes the session. False after saying why there is none.
 */
bool tmux_server_find(const struct cli *cli, struct link *link, bool *ret_is_new);
