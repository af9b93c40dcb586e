/* SPDX-License-Identifier: ISC */
/* The watches, the timeouts and the host of a loop. */
#pragma once

#include "lib/connection/nonce.h"

struct loop_watch;

/* Handles the ready events of epoll, which may include EPOLLHUP and EPOLLERR. */
typedef void loop_watch_fn(void *data, uint32_t events);

/*
 * Watches a descriptor, which must stay open until loop_unwatch(), for EPOLLIN, EPOLLOUT or both.
 * Returns 0, MUXBUS_ERR_NOMEM, or MUXBUS_ERR_SYSTEM with errno.
 */
int loop_watch(struct muxbus_loop *loop, int fd, uint32_t events, loop_watch_fn *callback,
    void *data, struct loop_watch **ret_watch);

/*
 * Ends a watch and sets *watch to NULL; does nothing if *watch is NULL. Allowed in any callback:
 * the callback of the watch is not called again, even if its event was already read.
 */
void loop_unwatch(struct loop_watch **watch);
/* Ends the watch of a descriptor, closes the descriptor unless *fd is -1, and sets *fd to -1. */
void loop_close(struct loop_watch **watch, int *fd);
/* loop_close() for a descriptor without a watch. */
void loop_close_fd(int *fd);

/* A timeout, which is part of its owner's memory. */
struct loop_timeout {
	struct list link; /* in loop->timers while the timeout runs */
	struct muxbus_loop *loop;
	int64_t due_us; /* by CLOCK_MONOTONIC */
	void (*callback)(void *data);
	void *data;
};

void loop_timeout_init(
    struct loop_timeout *timer, struct muxbus_loop *loop, void (*callback)(void *data), void *data);
/* Starts or restarts a timeout: the loop calls the callback once, after delay_ms or later. */
void loop_timeout_start(struct loop_timeout *timer, int64_t delay_ms);
/* Stops a timeout if it runs; allowed in any callback. Call this before freeing its memory. */
void loop_timeout_stop(struct loop_timeout *timer);
bool loop_timeout_is_running(const struct loop_timeout *timer);

#define LOOP_SCRATCH_BYTES (64 * 1024)

/* Returns a shared buffer of LOOP_SCRATCH_BYTES, valid until the current callback returns. */
uint8_t *loop_scratch(struct muxbus_loop *loop);

/* Returns the random numbers that all connections and one-shot commands of the loop share. */
struct nonce_pool *loop_nonces(struct muxbus_loop *loop);

/*
 * Another event loop, which watches the descriptors instead of epoll. watch() returns 0,
 * MUXBUS_ERR_NOMEM or MUXBUS_ERR_SYSTEM. detach() is called when the loop is freed.
 */
struct loop_host {
	int (*watch)(
	    void *data, int fd, uint32_t events, struct loop_watch *watch, void **ret_event);
	void (*unwatch)(void *event);
	void (*detach)(void *data);
};
/*
 * Sets the host, which then watches all descriptors. Returns 0, MUXBUS_ERR_INVALID if a host is
 * already set, or an error of watch().
 */
int loop_set_host(struct muxbus_loop *loop, const struct loop_host *host, void *data);

/*
 * The host calls loop_ready() for each ready descriptor. If a call returns true, the host calls
 * loop_ready_timers() after all descriptors that are ready now. So an answer that arrives just
 * before its deadline is in time.
 */
bool loop_ready(struct loop_watch *watch, uint32_t events);
void loop_ready_timers(struct muxbus_loop *loop);
