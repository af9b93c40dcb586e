/* SPDX-License-Identifier: ISC */
/* What hangs on a loop: descriptors that are watched, and timers. */
#ifndef LIB_LOOP_H
#define LIB_LOOP_H

#include <muxbus.h>

#include <stdint.h>

#include "base/list.h"

/* A descriptor under watch. The loop owns it. */
struct loop_watch;

/* events are those of epoll that are ready, EPOLLHUP and EPOLLERR among them. */
typedef void loop_watch_fn(void *data, uint32_t events);

/*
 * Watches a descriptor for events (EPOLLIN, EPOLLOUT) until loop_unwatch(). It must stay
 * open as long. Returns MUXBUS_ERR_NOMEM, or MUXBUS_ERR_SYSTEM with errno set.
 */
int loop_watch(struct muxbus_loop *loop, int fd, uint32_t events, loop_watch_fn *callback,
    void *data, struct loop_watch **ret_watch);

/*
 * Ends a watch; its callback is not called again, also if its event was already read.
 * Allowed in any callback. NULL is no watch. Close the descriptor afterwards.
 */
void loop_unwatch(struct loop_watch *watch);

/* A time to come. It lives in whatever waits for it. */
struct loop_timer {
	struct list link; /* in the loop's list while it runs */
	struct muxbus_loop *loop;
	int64_t due_us; /* CLOCK_MONOTONIC */
	void (*callback)(void *data);
	void *data;
};

void loop_timer_init(
    struct loop_timer *timer, struct muxbus_loop *loop, void (*callback)(void *data), void *data);
/* (Re)starts it: the callback is called once, from the loop, not before delay_ms. */
void loop_timer_start(struct loop_timer *timer, int64_t delay_ms);
/* Allowed in any callback and for one that does not run. Before its memory goes. */
void loop_timer_stop(struct loop_timer *timer);
bool loop_timer_is_running(const struct loop_timer *timer);

#define LOOP_SCRATCH_BYTES (64 * 1024)

/* LOOP_SCRATCH_BYTES to read into. Good until the callback returns; others use it as well. */
uint8_t *loop_scratch(struct muxbus_loop *loop);

/* Hangs something on the loop that is let go, by detach, before the loop is freed. */
int loop_set_attachment(
    struct muxbus_loop *loop, void *attachment, void (*detach)(void *attachment));

#endif
