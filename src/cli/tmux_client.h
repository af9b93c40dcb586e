/* SPDX-License-Identifier: ISC */
/* Finds the tmux client that the user used last, to show a pane there; or says how to reach one. */
#pragma once

#include "base/base.h"

/* Parameters of run_tmux that list the clients. */
extern const char tmux_client_list[];

/*
 * Chooses the client that was used last: of the clients that show own_pane, else of all clients.
 * output is that of tmux_client_list; own_pane is "%3" or "". Control clients do not count. Returns
 * false if no other client is attached.
 */
bool tmux_client_choose(const char *output, const char *own_pane, char *ret_name, size_t size);

/* Appends the parameters of run_tmux that show a pane on a client. */
void tmux_client_put_go(struct buf *out, const char *client, const char *pane);

/* Writes how to reach a pane on a host: "%3 is on build: ssh -t build tmux attach -t %3". */
void tmux_client_way(
    char *out, size_t size, const char *pane, const char *host, const char *server);
