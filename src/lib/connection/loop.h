/* SPDX-License-Identifier: ISC */
/* The watches and timeouts of a loop. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/* A watched descriptor. The loop owns the watch. */
struct loop_watch;

/* events are the ready events of epoll, including EPOLLHUP and EPOLLERR. */
typedef void loop_watch_fn(void *data, uint32_t events);

/*
 * Watches a descriptor for events (EPOLLIN, EPOLLOUT). It must stay open until
 * loop_unwatch(). Returns MUXBUS_ERR_NOMEM, or MUXBUS_ERR_SYSTEM with errno set.
 */
int loop_watch(struct muxbus_loop *loop, int fd, uint32_t events, loop_watch_fn *callback,
    void *data, struct loop_watch **ret_watch);

/*
 * Ends a watch; its callback is not called again, even if its event was already read.
 * Allowed in any callback. Accepts NULL. Close the descriptor afterwards.
 */
void loop_unwatch(struct loop_watch *watch);

/* A timeout. It is a member of its owner. */
struct loop_timeout {
	struct list link; /* in the loop's list while it runs */
	struct muxbus_loop *loop;
	int64_t due_us; /* CLOCK_MONOTONIC */
	void (*callback)(void *data);
	void *data;
};

void loop_timeout_init(
    struct loop_timeout *timer, struct muxbus_loop *loop, void (*callback)(void *data), void *data);
/* Starts or restarts it: the loop calls the callback once, not before delay_ms. */
void loop_timeout_start(struct loop_timeout *timer, int64_t delay_ms);
/* Allowed in any callback, and for a stopped timer. Required before freeing its memory. */
void loop_timeout_stop(struct loop_timeout *timer);
bool loop_timeout_is_running(const struct loop_timeout *timer);

#define LOOP_SCRATCH_BYTES (64 * 1024)

/* A shared buffer of LOOP_SCRATCH_BYTES, valid until the callback returns. */
uint8_t *loop_scratch(struct muxbus_loop *loop);

/*
 * Another event loop that watches the descriptors in place of this one. watch returns
 * MUXBUS_ERR_NOMEM or MUXBUS_ERR_SYSTEM; detach is called when no descriptor is watched any more.
 */
struct loop_host {
	int (*watch)(
	    void *data, int fd, uint32_t events, struct loop_watch *watch, void **ret_event);
	void (*unwatch)(void *event);
	void (*detach)(void *data);
};
/* Also hands over the descriptors that are watched already. MUXBUS_ERR_INVALID: has a host. */
int loop_set_host(struct muxbus_loop *loop, const struct loop_host *host, void *data);

/*
 * The host calls this for each ready descriptor. True: timers may be due, and the host calls
 * loop_ready_timers() after all that is ready now, so that an answer just before its deadline is
 * in time.
 */
bool loop_ready(struct loop_watch *watch, uint32_t events);
void loop_ready_timers(struct muxbus_loop *loop);
