/* SPDX-License-Identifier: ISC */
/* The watches and timers of a loop. */
#ifndef LIB_CONNECTION_LOOP_H
#define LIB_CONNECTION_LOOP_H

#include <muxbus.h>

#include <stdint.h>

#include "base/list.h"

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

/* A timer. It is a member of its owner. */
struct loop_timer {
	struct list link; /* in the loop's list while it runs */
	struct muxbus_loop *loop;
	int64_t due_us; /* CLOCK_MONOTONIC */
	void (*callback)(void *data);
	void *data;
};

void loop_timer_init(
    struct loop_timer *timer, struct muxbus_loop *loop, void (*callback)(void *data), void *data);
/* Starts or restarts it: the loop calls the callback once, not before delay_ms. */
void loop_timer_start(struct loop_timer *timer, int64_t delay_ms);
/* Allowed in any callback, and for a stopped timer. Required before freeing its memory. */
void loop_timer_stop(struct loop_timer *timer);
bool loop_timer_is_running(const struct loop_timer *timer);

#define LOOP_SCRATCH_BYTES (64 * 1024)

/* A shared buffer of LOOP_SCRATCH_BYTES, valid until the callback returns. */
uint8_t *loop_scratch(struct muxbus_loop *loop);

/* Attaches data to the loop; detach is called before the loop is freed. */
int loop_set_attachment(
    struct muxbus_loop *loop, void *attachment, void (*detach)(void *attachment));

#endif
