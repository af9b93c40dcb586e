/* SPDX-License-Identifier: ISC */
/*
 * A ping: whether a server that did not answer has begun to answer. The ping is a message of a
 * foreign protocol version, which all servers refuse, and which makes no client. A ping waits
 * without a timeout, so that a stopped server finds one ping and not many attempts to attach.
 */
#pragma once

#include "lib/connection/loop.h"

struct ping {
	struct muxbus_loop *loop;
	const char *socket_path; /* lent */
	int fd; /* -1: no ping waits */
	ino_t socket; /* the inode to which the ping was sent */
	struct loop_watch *watch;
	struct loop_timeout timer; /* the next try, while the server accepts no connection */
	unsigned delay_ms;
	void (*answered)(void *data);
	void *data;
};

/* answered is called once for each start, also if the server has ended. */
void ping_init(struct ping *ping, struct muxbus_loop *loop, const char *socket_path,
    void (*answered)(void *data), void *data);

/* Sends a ping, unless one waits. */
void ping_start(struct ping *ping);
/* Whether a ping waits for the server that listens now, so that no attempt may be made. */
bool ping_is_waiting(const struct ping *ping);
void ping_stop(struct ping *ping);
