/* SPDX-License-Identifier: ISC */
/*
 * The server: listens on the socket, and on the read-only one if it is wanted; accepts peers and
 * counts them. The socket has mode 0600 from the begin, the read-only one that of the
 * configuration. No other user can replace them in their directories. A socket on which another
 * process listens is never replaced.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

/*
 * Checks the paths of the sockets, and removes those on which no one listens. Returns NULL with a
 * reason on failure. Call this while holding the lock of this tmux server. parts must outlive the
 * server.
 */
struct server *server_new(struct daemon *parts, char *ret_reason, size_t reason_size);
struct dispatch *server_dispatch(const struct server *server);
/* Makes the sockets and accepts peers. Returns 0, or -1 with a reason. */
int server_listen(struct server *server, char *ret_reason, size_t reason_size);
/* Makes each socket again whose file was removed. Peers stay connected. */
void server_listen_anew(struct server *server);
/* Closes the sockets and all peers, after writing pending responses for at most a second. */
void server_free(struct server *server);

/* Stops accepting peers, and unlinks the sockets that were made here and are still ours. */
void server_close_listener(struct server *server);

size_t server_peer_count(const struct server *server);
/* Walks through the peers. NULL begins and ends. */
struct peer *server_next_peer(const struct server *server, struct peer *previous);
