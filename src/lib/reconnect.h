/* SPDX-License-Identifier: ISC */
/*
 * Waiting for a tmux server: tries come at growing intervals with some chance in them,
 * and at once when something appears at the place of the socket.
 */
#ifndef LIB_RECONNECT_H
#define LIB_RECONNECT_H

#include <muxbus.h>

#include "lib/loop.h"

struct reconnect {
	struct muxbus_loop *loop;
	const char *socket_path; /* the caller's */
	void (*try)(void *data);
	void *data;
	struct loop_timer timer;
	struct loop_watch *watch;
	int inotify_fd; /* -1: none */
	unsigned delay_ms;
	unsigned tries; /* since it was reset */
};

void reconnect_init(struct reconnect *reconnect, struct muxbus_loop *loop, const char *socket_path,
    void (*try)(void *data), void *data);

/* Has try called later; error says why the last try failed. */
void reconnect_wait(struct reconnect *reconnect, int error);

/* Ends the waiting: the server was found, or is not wanted any more. */
void reconnect_stop(struct reconnect *reconnect);

#endif
