/* SPDX-License-Identifier: ISC */
/*
 * Subscriptions: filters on kinds, panes, windows and sessions of events. A set belongs to one peer
 * or one wait; it passes on matching events, replays from the event log, and reports the interest
 * in output and details to streams and tmux.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

#define SUBSCRIPTIONS_MAX 64 /* of one peer */
#define SUBSCRIPTION_PANES_MAX 256
#define SUBSCRIPTION_NAME_SIZE 16

struct event_entry;

struct subscription_filter {
	uint64_t kinds; /* bit per enum event_kind; 0: all permitted kinds */
	bool wants_output; /* pane_output too */
	const uint32_t *panes; /* panes_count 0: all */
	size_t panes_count;
	const uint32_t *sessions; /* sessions_count 0: all */
	size_t sessions_count;
	const uint32_t *windows; /* windows_count 0: all */
	size_t windows_count;
	uint64_t after; /* replay events after this number */
	bool has_after;
	bool is_passive; /* gets what the daemon learns; no reason to be a client of tmux */
};

/* "pane_output" needs wants_output, "line" a bit in kinds; either also brings "gap". */
bool subscription_wants_kind(uint64_t kinds, bool wants_output, const struct event_entry *event);

/* A function returns false if it dropped the event; the receiver then catches up. */
struct subscription_sink {
	bool (*event)(void *data, const char *subscription, struct event_entry *event);
	bool (*gap)(
	    void *data, const char *subscription, uint64_t from, uint64_t to, const char *reason);
	void *data;
	bool is_internal; /* the receiver is a part of the daemon, not a program */
};

struct subscription_set *subscription_set_new(
    const struct daemon *parts, const struct subscription_sink *sink);
void subscription_set_free(struct subscription_set *set);
size_t subscription_set_count(const struct subscription_set *set);
/* Only a client of tmux gets these kinds (0: all). by_pipe: panes are piped if possible. */
bool subscription_follows(uint64_t kinds, bool wants_output, bool by_pipe);
/* Returns true if a program's subscription needs a client of tmux. by_pipe: as above. */
bool subscription_any_follows(bool by_pipe);

bool subscription_set_has(struct subscription_set *set, const char *name);
/* The sink dropped an event later that it had taken: catching up reports a gap for it. */
void subscription_set_dropped(struct subscription_set *set, const char *name, uint64_t seq);

/*
 * Adds a subscription; filter is copied, ret_name (16 bytes) gets "S1" or so. Returns 0, or -1 if
 * there are too many. Events begin with subscription_start(), after the response.
 */
int subscription_add(
    struct subscription_set *set, const struct subscription_filter *filter, char *ret_name);
/* After filter.after, or since the subscription was added. A gap stands for forgotten events. */
void subscription_start(struct subscription_set *set, const char *name);
/* Returns 0, or -1 without such a subscription. */
int subscription_remove(struct subscription_set *set, const char *name);

/* Sends each subscription a gap for the events that it missed. */
void subscription_set_catch_up(struct subscription_set *set);
