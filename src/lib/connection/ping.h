/* SPDX-License-Identifier: ISC */
/*
 * A ping finds out when a server that did not answer begins to answer. The ping is a message of an
 * unknown protocol version, which a server refuses without making a client. A ping waits without a
 * timeout, so that a stopped server later finds one ping and not many attempts to attach.
 */
#pragma once

#include "lib/connection/loop.h"

struct ping {
	struct muxbus_loop *loop;
	const char *socket_path; /* lent */
	int fd; /* connection of the waiting ping; -1: no ping waits */
	ino_t socket; /* inode of the socket to which the ping was sent */
	struct loop_watch *watch;
	struct loop_timeout timer; /* until the next try, while the server accepts no connection */
	unsigned delay_ms;
	void (*answered)(void *data);
	void *data;
};

/* answered() is called once after ping_start(), unless ping_stop() comes first. */
void ping_init(struct ping *ping, struct muxbus_loop *loop, const char *socket_path,
    void (*answered)(void *data), void *data);

/* Sends a ping, unless one is waiting. */
void ping_start(struct ping *ping);
/* Returns true if a ping waits for the current server, so that the caller must not attach now. */
bool ping_is_waiting(const struct ping *ping);
void ping_stop(struct ping *ping);
