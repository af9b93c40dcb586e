/* SPDX-License-Identifier: ISC */
/*
 * Pullers hand the notifications of a pane to its agent, so that nothing need be typed. A puller is
 * a follower (muxbus follow), whose output the agent reads, or the agent's own hook. A puller takes
 * a notification on a lease, a hold of limited time (loan_ms). If the notification is acknowledged
 * in time, it is delivered; if not, it is given back, and another way delivers it. A follower is
 * armed while it waits, and for loan_ms after each answer; meanwhile new notifications of its pane
 * are not typed.
 */
#pragma once

#include "daemon/deliver/receipt.h"

#define PULLERS_MAX 1024
#define PULLER_LEASES_MAX 64 /* leases of one puller */
#define PULLER_GONE_MS 1000 /* how long a follower counts as armed after it has disconnected */

enum puller_way { PULLER_FOLLOW, PULLER_HOOK };
extern const char *const puller_ways[]; /* names of enum puller_way; NULL at the end */

struct puller_set *puller_set_new(const struct daemon *parts);
void puller_set_free(struct puller_set *set);

/* Returns true if a follower of the pane takes new notifications. */
bool puller_is_armed(const struct puller_set *set, const struct pane_ref *pane);
/* Returns true if a puller has the notification with this number on a lease. */
bool puller_holds(const struct puller_set *set, uint64_t seq);
/* Returns true if a puller gave it back: then another way delivers it, even if a follower waits. */
bool puller_gave_back(const struct notification *note);

/*
 * Adds a request to the pane's puller, which is made if needed. Returns the puller, or NULL if
 * there are too many. Call puller_end() for each request.
 */
struct puller *puller_begin(
    struct puller_set *set, const struct pane_ref *pane, enum puller_way way);
/*
 * Takes the pane's next notification on a lease. Returns its number; 0: none waits, or the puller
 * has PULLER_LEASES_MAX leases.
 */
uint64_t puller_take(struct puller *puller);
/*
 * keeps: a request still reads, so no lease of this puller ends by time. false: the request has
 * read all, and the leases last loan_ms from now on.
 */
void puller_keep(struct puller *puller, bool keeps);
/*
 * Ends a request of the puller, and may free the puller. has_gone: the peer left or cancelled
 * before its answer, or the pane was closed, so the leases are given back, unless another request
 * of the puller waits.
 */
void puller_end(struct puller *puller, bool has_gone);

struct puller_listener {
	struct list link;
	/* Called when one more request waits for notifications of a pane. May be NULL. */
	void (*begun)(struct puller_listener *listener, const struct pane_ref *pane);
	/* Called when a puller of a pane may have fewer leases, or be no longer armed. */
	void (*settled)(struct puller_listener *listener, const struct pane_ref *pane);
};
void puller_listen(struct puller_set *set, struct puller_listener *listener);
