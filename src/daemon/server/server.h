/* SPDX-License-Identifier: ISC */
/*
 * The server: listens on the socket, and on the read-only socket if it is configured, and accepts
 * peers. A socket that is made here has mode 0600; the read-only socket then gets its configured
 * group and mode. The directories of the sockets must be safe from other users (address_check()). A
 * socket on which another process listens is not replaced.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

/*
 * Checks the paths of the sockets, and removes sockets on which no process listens. Returns NULL
 * with a reason on failure. The caller must hold the lock of this tmux server. parts must outlive
 * the server.
 */
struct server *server_new(struct daemon *parts, char *ret_reason, size_t reason_size);
struct dispatch *server_dispatch(const struct server *server);
/* Makes the sockets, or takes a given one, and accepts peers. Returns 0, or -1 with a reason. */
int server_listen(struct server *server, char *ret_reason, size_t reason_size);
/* Makes a socket again, if possible, after its file was removed. Peers stay connected. */
void server_listen_anew(struct server *server);
/* Stops accepting, fails open requests, writes pending output for a limited time, frees peers. */
void server_free(struct server *server);

/* Stops accepting peers, and unlinks the sockets that were made here and are still ours. */
void server_close_listener(struct server *server);

size_t server_peer_count(const struct server *server);
/* Walks through the peers. NULL begins and ends. */
struct peer *server_next_peer(const struct server *server, struct peer *previous);
