/* SPDX-License-Identifier: ISC */
/*
 * Demand: whether any part of the daemon needs output or events of tmux. Without -o attach=always
 * the daemon is attached only while there is demand, and for ATTACH_REST_MS after. The demand comes
 * from agents, from subscriptions and waits that follow tmux, and from texts that are typed or will
 * be: notifications, tasks, commands. A request that commands can answer is no demand.
 */
#pragma once

struct daemon;

#define ATTACH_REST_MS 2000

/* Looks after each line of a peer, after each post to the queue, and at attach_demand_look(). */
struct attach_demand *attach_demand_new(struct daemon *daemon);
void attach_demand_free(struct attach_demand *demand);

/* Attaches or rests now. */
void attach_demand_settle(struct attach_demand *demand);
/* Does so at the end of this turn: what is followed has changed. Accepts NULL. */
void attach_demand_look(struct attach_demand *demand);
