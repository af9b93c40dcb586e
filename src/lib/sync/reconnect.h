/* SPDX-License-Identifier: ISC */
/* Waits for a server at growing, partly random intervals, or until its socket file appears. */
#pragma once

#include "lib/connection/loop.h"

struct reconnect {
	struct muxbus_loop *loop;
	const char *socket_path; /* lent by the caller */
	void (*try)(void *data);
	void *data;
	struct loop_timeout timer;
	struct loop_watch *watch;
	int inotify_fd; /* -1: none */
	unsigned delay_ms;
	unsigned tries; /* since reconnect_stop(), or since the socket file appeared */
};

void reconnect_init(struct reconnect *reconnect, struct muxbus_loop *loop, const char *socket_path,
    void (*try)(void *data), void *data);

/* Schedules a call of try. error is the result of the last try. */
void reconnect_wait(struct reconnect *reconnect, int error);

void reconnect_stop(struct reconnect *reconnect); /* stops waiting */
