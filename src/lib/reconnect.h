/* SPDX-License-Identifier: ISC */
/*
 * Waiting for a tmux server: tries come at growing intervals with some chance in them,
 * and at once when something appears at the place of the socket.
 */
#ifndef LIB_RECONNECT_H
#define LIB_RECONNECT_H

#include <muxbus.h>

#include "lib/loop.h"

struct finder {
	struct muxbus_sync *sync;
	struct loop_timer timer;
	struct loop_watch *watch;
	int inotify_fd; /* -1: none */
	unsigned delay_ms;
	unsigned tries; /* since it was reset */
};

void reconnect_init(struct finder *finder, struct muxbus_sync *sync);
void reconnect_finish(struct finder *finder);

/* Has sync_try() called later; error says why the last try failed. */
void reconnect_wait(struct finder *finder, int error);

/* Ends the waiting: the server was found, or is not wanted any more. */
void reconnect_stop(struct finder *finder);

#endif
