/* SPDX-License-Identifier: ISC */
/*
 * Demand: whether any part of the daemon needs tmux. With -o attach=wanted the daemon is attached
 * only while there is demand, and for DEMAND_REST_MS after. Subscriptions, open requests, waits,
 * notifications on their way into panes, commands, texts that are being typed, and agents are
 * demand.
 */
#ifndef DAEMON_METHODS_DEMAND_H
#define DAEMON_METHODS_DEMAND_H

#include <stdbool.h>

struct daemon;
struct demand;

#define DEMAND_REST_MS 2000

/* Looks after each line of a peer, after each post to the queue, and while attached each second. */
struct demand *demand_new(struct daemon *daemon);
void demand_free(struct demand *demand);

/* Attaches or rests now. Returns whether there is demand. */
bool demand_settle(struct demand *demand);

#endif
