/* SPDX-License-Identifier: ISC */
/*
 * Pullers hand the notifications of a pane on to its agent, so that nothing need be typed: a
 * follower, whose stream the agent reads, or the agent's own hook. A sink of the queue. A
 * notification is lent to its puller: delivered when it is acknowledged, and given back, to be
 * typed instead, when no acknowledgement comes in time. A follower is armed while it waits for
 * more, and for a moment behind each answer; then nothing is typed into its pane.
 */
#pragma once

#include "daemon/deliver/receipt.h"

#define PULLERS_MAX 1024
#define PULLER_LEASES_MAX 64 /* notifications that one puller holds */
#define PULLER_GONE_MS 1000 /* for a follower that has gone to be there again */

enum puller_way { PULLER_FOLLOW, PULLER_HOOK };
extern const char *const puller_ways[]; /* their names; NULL ends */

/* Loads which followers there were. */
struct puller_set *puller_set_new(const struct daemon *parts);
void puller_set_free(struct puller_set *set);

/* Whether a follower tells what comes for a pane. */
bool puller_is_armed(const struct puller_set *set, const struct pane_ref *pane);
/* Whether a notification is on its way with a puller. */
bool puller_holds(const struct puller_set *set, uint64_t seq);

/* The puller of a pane for one more requester; NULL if there are too many. */
struct puller *puller_begin(
    struct puller_set *set, const struct pane_ref *pane, enum puller_way way);
/* The next that waits for the pane, lent from now on; 0 if there is none, or too many are lent. */
uint64_t puller_take(struct puller *puller);
/* As long as a requester keeps it, what is lent is not due; then for the usual time. */
void puller_keep(struct puller *puller, bool keeps);
/* The requester has its answer; or it has gone without one, and what it holds is given back. */
void puller_end(struct puller *puller, bool has_gone);

struct puller_listener {
	struct list link;
	/* Another requester waits for what comes for a pane. May be NULL. */
	void (*begun)(struct puller_listener *listener, const struct pane_ref *pane);
	/* A puller of a pane holds less, or is not armed any more. */
	void (*settled)(struct puller_listener *listener, const struct pane_ref *pane);
};
void puller_listen(struct puller_set *set, struct puller_listener *listener);
