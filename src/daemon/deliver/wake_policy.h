/* SPDX-License-Identifier: ISC */
/*
 * Wake policies: which notifications wake the agent of a pane, and when. A notification that does
 * not wake stays queued, for all ways of delivery, until another one of its pane wakes or the quiet
 * hours end; requests for notifications get all of them at once. Without a policy all wake.
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
	struct pane_ref pane; /* cleared: of all panes of an agent */
	char agent[PRESENCE_NAME_MAX + 1]; /* as it reports itself; "": of a pane */
	bool wakes[SOURCE_COUNT_];
	int64_t window_ms; /* from the first that wakes, to gather more */
	int quiet_from; /* minutes of the local day; no quiet hours if both are equal */
	int quiet_to;
};

/* Sets the defaults: all wake, at once, at any hour. */
void wake_policy_init(struct wake_policy *policy);
/* Whether it is as the defaults are. */
bool wake_policy_is_default(const struct wake_policy *policy);
/* Reads "22:00-07:00". False if the text is not of that form, or both times are equal. */
bool wake_policy_read_quiet(struct wake_policy *policy, const char *text);
/* When a notification wakes (CLOCK_REALTIME); INT64_MAX: never by itself. Urgent ones do at once. */
int64_t wake_policy_due_ms(
    const struct wake_policy *policy, const struct notification *note, int64_t now_ms);
/* Writes it as members of an object: pane, agent, sources, window_ms, quiet_hours. */
void wake_policy_write(struct json_writer *writer, const struct wake_policy *policy);

/* Loads the policies that the store holds. */
struct wake_policy_set *wake_policy_set_new(const struct daemon *parts);
void wake_policy_set_free(struct wake_policy_set *set);

/* Replaces the policy of that pane or agent; a default one is forgotten. False if there are too many. */
bool wake_policy_put(struct wake_policy_set *set, const struct wake_policy *policy);
/* In the order of their making: NULL starts, NULL ends. */
const struct wake_policy *wake_policy_next(
    const struct wake_policy_set *set, const struct wake_policy *previous);

/*
 * Whether nothing that waits for a pane wakes yet. The policy of the pane goes before that of its
 * agent. Listeners are called when that may have changed.
 */
bool wake_policy_holds(struct wake_policy_set *set, const struct pane_ref *pane);

struct wake_policy_listener {
	struct list link;
	void (*due)(struct wake_policy_listener *listener);
};
void wake_policy_listen(struct wake_policy_set *set, struct wake_policy_listener *listener);

/* The method set_wake_policy, in wake_policy_methods.c. */
extern const struct method methods_wake_policy[];
