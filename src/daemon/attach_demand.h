/* SPDX-License-Identifier: ISC */
/*
 * Demand: whether any part of the daemon needs output or events of tmux. Without -o attach=always
 * the daemon is attached only while there is demand, and for ATTACH_REST_MS after.
 *
 * The demand comes from agents, from subscriptions and waits that follow tmux, and from texts that
 * are typed or will be. A request that tmux commands can answer makes no demand.
 */
#pragma once

struct daemon;

#define ATTACH_REST_MS 2000

/* Never returns NULL. */
struct attach_demand *attach_demand_new(struct daemon *daemon);
void attach_demand_free(struct attach_demand *demand);

/* Attaches or detaches now if the demand has changed. */
void attach_demand_settle(void *demand);
/* Checks the demand at the end of this turn of the event loop. NULL is ignored. */
void attach_demand_look(void *demand);
