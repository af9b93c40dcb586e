/* SPDX-License-Identifier: ISC */
/*
 * Pullers hand the notifications of a pane to its agent, so that nothing need be typed: a follower,
 * whose output the agent reads, or the agent's own hook. A puller gets a notification on a lease. A
 * notification that is acknowledged in time is delivered; another one is given back and typed. A
 * follower is armed while it waits, and for a short time after each answer; meanwhile nothing new
 * is typed into its pane. Pullers are a sink of the queue.
 */
#pragma once

#include "daemon/deliver/receipt.h"

#define PULLERS_MAX 1024
#define PULLER_LEASES_MAX 64 /* leases of one puller */
#define PULLER_GONE_MS 1000 /* how long a follower stays armed after it has disconnected */

enum puller_way { PULLER_FOLLOW, PULLER_HOOK };
extern const char *const puller_ways[]; /* names of enum puller_way; NULL at the end */

struct puller_set *puller_set_new(const struct daemon *parts);
void puller_set_free(struct puller_set *set);

/* Returns true if a follower of the pane takes new notifications. */
bool puller_is_armed(const struct puller_set *set, const struct pane_ref *pane);
bool puller_holds(const struct puller_set *set, uint64_t seq);
/* Returns true if the notification is typed even while a follower waits. */
bool puller_gave_back(const struct notification *note);

/* Returns the pane's puller for one more requester; NULL: too many pullers. */
struct puller *puller_begin(
    struct puller_set *set, const struct pane_ref *pane, enum puller_way way);
/* Leases the pane's next notification. Returns its number; 0: none waits, or leases are full. */
uint64_t puller_take(struct puller *puller);
/* The leases of a requester that keeps them do not end; later they last loan_ms again. */
void puller_keep(struct puller *puller, bool keeps);
/* has_gone: the requester left without its answer, so the leases are given back. */
void puller_end(struct puller *puller, bool has_gone);

struct puller_listener {
	struct list link;
	/* Another requester waits for notifications of a pane. May be NULL. */
	void (*begun)(struct puller_listener *listener, const struct pane_ref *pane);
	/* A puller of a pane has fewer leases, or is no longer armed. */
	void (*settled)(struct puller_listener *listener, const struct pane_ref *pane);
};
void puller_listen(struct puller_set *set, struct puller_listener *listener);
