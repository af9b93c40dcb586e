/* SPDX-License-Identifier: ISC */
/* Watches the end of a process, a child or not, by its pidfd. */
#pragma once

struct event_base;

/*
 * Calls ended() from the loop, once, when the process has ended; a child is then to be reaped. The
 * pidfd is taken over: it is closed with the watch, and also at a failure. NULL: the process cannot
 * be watched, or pidfd is below 0.
 */
struct loop_pidfd *loop_pidfd_new(
    struct event_base *base, int pidfd, void (*ended)(void *data), void *data);
/* Also from ended(). NULL is accepted. */
void loop_pidfd_free(struct loop_pidfd *watch);

/* The pidfd, lent for signals; -1 for NULL. */
int loop_pidfd_fd(const struct loop_pidfd *watch);
