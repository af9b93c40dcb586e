/* SPDX-License-Identifier: ISC */
/*
 * Waiting for a tmux server: retries at growing, partly random intervals, and at once when the
 * socket appears.
 */
#pragma once

#include "lib/connection/loop.h"

struct reconnect {
	struct muxbus_loop *loop;
	const char *socket_path; /* the caller's */
	void (*try)(void *data);
	void *data;
	struct loop_timeout timer;
	struct loop_watch *watch;
	int inotify_fd; /* -1: none */
	unsigned delay_ms;
	unsigned tries; /* since it was reset */
};

void reconnect_init(struct reconnect *reconnect, struct muxbus_loop *loop, const char *socket_path,
    void (*try)(void *data), void *data);

/* Calls try later. error is the result of the last try. */
void reconnect_wait(struct reconnect *reconnect, int error);

/* Ends the waiting. */
void reconnect_stop(struct reconnect *reconnect);
