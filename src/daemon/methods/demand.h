/* SPDX-License-Identifier: ISC */
/*
 * Demand: whether any part of the daemon needs output or events of tmux. With -o attach=used the
 * daemon is attached only while there is demand, and for DEMAND_REST_MS after. Subscriptions to
 * what tmux does, waits for it, notifications on their way into panes, commands, texts that are
 * being typed, and agents are demand; a request that commands can answer is none.
 */
#ifndef DAEMON_METHODS_DEMAND_H
#define DAEMON_METHODS_DEMAND_H

#include <stdbool.h>

struct daemon;
struct demand;

#define DEMAND_REST_MS 2000

/* Looks after each line of a peer, after each post to the queue, and at demand_look(). */
struct demand *demand_new(struct daemon *daemon);
void demand_free(struct demand *demand);

/* Attaches or rests now. */
void demand_settle(struct demand *demand);
/* Does so at the end of this turn: what is followed has changed. Accepts NULL. */
void demand_look(struct demand *demand);

#endif
