/* SPDX-License-Identifier: ISC */
/*
 * Demand: whether any part of the daemon needs output or events of tmux. By default the daemon is
 * attached while there is demand, and for ATTACH_REST_MS after. With -o attach=always it stays
 * attached, and with attach=never it does not attach.
 *
 * The demand comes from subscriptions, waits, followed output and requests that need a client of
 * tmux. If output does not come by pipe, it also comes from agents, and from texts that are typed
 * or will be. A request that tmux commands can answer makes no demand.
 */
#pragma once

struct daemon;

#define ATTACH_REST_MS 2000

/* Never returns NULL. */
struct attach_demand *attach_demand_new(struct daemon *daemon);
void attach_demand_free(struct attach_demand *demand);

/*
 * Attaches if there is demand; detaches if there has been none for ATTACH_REST_MS. demand is a
 * struct attach_demand: these two functions are used as callbacks.
 */
void attach_demand_settle(void *demand);
/* Calls attach_demand_settle() at the end of this turn of the event loop. demand may be NULL. */
void attach_demand_look(void *demand);
