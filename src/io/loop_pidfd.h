/* SPDX-License-Identifier: ISC */
/* Watches for the end of a process, a child or not, by its pidfd. */
#pragma once

struct event_base;

/*
 * Calls ended() once, from the loop, when the process has ended; a child must still be reaped.
 * Takes over pidfd. Returns NULL, with pidfd closed, if pidfd is negative or cannot be watched.
 */
struct loop_pidfd *loop_pidfd_new(
    struct event_base *base, int pidfd, void (*ended)(void *data), void *data);
/* ended() may call this function. NULL is accepted. */
void loop_pidfd_free(struct loop_pidfd *watch);

/* Returns the pidfd, lent for sending signals; -1 if watch is NULL. */
int loop_pidfd_fd(const struct loop_pidfd *watch);
