/* SPDX-License-Identifier: ISC */
/*
 * Couriers hand the notifications of a pane on to its agent, so that nothing need be typed:
 * a follower, whose stream the agent reads, or the agent's own hook. A sink of the queue.
 *
 * What a courier takes is lent to it: told when it is acknowledged, and given back, to be
 * typed instead, when that does not come in time. A follower is armed while it waits
 * for more, and for a moment behind each answer; then nothing is typed into its pane.
 */
#ifndef DAEMON_DELIVER_PULLER_H
#define DAEMON_DELIVER_PULLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/core/pane_ref.h"

#define COURIERS_MAX 1024
#define COURIER_LOANS_MAX 64 /* notifications that one courier holds */
#define COURIER_GONE_MS 1000 /* for a follower that has gone to be there again */

enum courier_way {
	COURIER_FOLLOW,
	COURIER_HOOK,
};

struct courier;
struct courier_set;
struct daemon;

const char *courier_way_name(enum courier_way way);

/* Takes up which followers there were. */
struct courier_set *courier_set_new(struct daemon *daemon);
void courier_set_free(struct courier_set *set);

/* Whether a follower tells what comes for a pane. */
bool courier_is_armed(const struct courier_set *set, const struct pane_ref *pane);
/* Whether a notification is on its way with a courier. */
bool courier_holds(const struct courier_set *set, uint64_t seq);

/* The courier of a pane for one more asker; NULL if there are too many. */
struct courier *courier_begin(
    struct courier_set *set, const struct pane_ref *pane, enum courier_way way);
/* The next that waits for the pane, lent from now on; 0 if there is none, or too many are lent. */
uint64_t courier_take(struct courier *courier);
/* The asker has its answer; or it has gone without one, and what it holds is given back. */
void courier_end(struct courier *courier, bool has_gone);

#endif
