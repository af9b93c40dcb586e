/* SPDX-License-Identifier: ISC */
/* The tmux client before which the user sits: to show another pane there. */
#pragma once

#include "base/base.h"

/* The parameters of run_tmux that list the clients. */
extern const char tmux_client_list[];

/*
 * Chooses among the output of that: the client that shows own_pane ("%3", or "" if unknown), else
 * the one that was used last; never a control client. False: no person has a terminal attached.
 */
bool tmux_client_choose(const char *output, const char *own_pane, char *ret_name, size_t size);

/* Appends the parameters of run_tmux that show a pane on a client. */
void tmux_client_put_go(struct buf *out, const char *client, const char *pane);

/* How to get to a pane of a host of the fleet: "%3 is on build: ssh -t build tmux attach -t %3". */
void tmux_client_way(
    char *out, size_t size, const char *pane, const char *host, const char *server);
