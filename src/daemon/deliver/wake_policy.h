/* SPDX-License-Identifier: ISC */
/*
 * Wake policies: which notifications wake the agent of a pane, and when. A notification that does
 * not wake is held: it is delivered when another one of its pane wakes, or when quiet hours end. A
 * request for notifications gets it at once. Without a policy every notification wakes.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/notification.h"
#include "daemon/server/method.h"

#define WAKE_POLICIES_MAX 1024
#define WAKE_WINDOW_MAX_MS (10 * 60 * 1000)
#define WAKE_QUIET_SIZE 12 /* "22:00-07:00" and its NUL */

struct wake_policy {
	struct list link;
	struct pane_ref pane; /* cleared: all panes of the agent */
	char agent[PRESENCE_NAME_MAX + 1]; /* name that the agent reports; "": for a pane */
	bool wakes[SOURCE_COUNT_];
	int64_t window_ms; /* how long a notification waits for others to be delivered with it */
	int quiet_from; /* quiet hours, in minutes since local midnight; both equal: none */
	int quiet_to;
};

/* Sets the defaults: all sources wake, at once and at any hour. */
void wake_policy_init(struct wake_policy *policy);
bool wake_policy_is_default(const struct wake_policy *policy);
/* Reads quiet hours such as "22:00-07:00". Returns false for another form, or two equal times. */
bool wake_policy_read_quiet(struct wake_policy *policy, const char *text);
/* Returns when a notification wakes (CLOCK_REALTIME), urgent ones at once; INT64_MAX: never. */
int64_t wake_policy_due_ms(
    const struct wake_policy *policy, const struct notification *note, int64_t now_ms);
void wake_policy_write(struct json_writer *writer, const struct wake_policy *policy);

struct wake_policy_set *wake_policy_set_new(const struct daemon *parts);
void wake_policy_set_free(struct wake_policy_set *set);

/* Adds or replaces a policy, or removes it if it has all defaults. Returns false at the limit. */
bool wake_policy_put(struct wake_policy_set *set, const struct wake_policy *policy);
/* Walks through the policies: begin with NULL; returns NULL at the end. */
const struct wake_policy *wake_policy_next(
    const struct wake_policy_set *set, const struct wake_policy *previous);

/*
 * Returns true if a policy holds the notifications of a pane now. The policy of the pane counts
 * before the policy of its agent. Listeners are called when a notification becomes due, and after
 * a change of a policy.
 */
bool wake_policy_holds(struct wake_policy_set *set, const struct pane_ref *pane);

struct wake_policy_listener {
	struct list link;
	void (*due)(struct wake_policy_listener *listener);
};
void wake_policy_listen(struct wake_policy_set *set, struct wake_policy_listener *listener);

extern const struct method methods_wake_policy[];
