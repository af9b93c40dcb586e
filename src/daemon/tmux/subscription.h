/* SPDX-License-Identifier: ISC */
/*
 * Subscriptions: filters of events by kinds, panes, windows and sessions. A set belongs to one
 * receiver, for example a peer or a condition. The set passes matching events on, sends old ones
 * from the event log, and registers which output and details are wanted.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

#define SUBSCRIPTIONS_MAX 64 /* maximum of one set */
#define SUBSCRIPTION_PANES_MAX 256
#define SUBSCRIPTION_NAME_SIZE 16

struct event_entry;

struct subscription_filter {
	uint64_t kinds; /* a bit for each enum event_kind; 0: all except line and pane_output */
	bool wants_output; /* pane_output events too */
	const uint32_t *panes; /* panes_count 0: all panes */
	size_t panes_count;
	const uint32_t *sessions; /* sessions_count 0: all sessions */
	size_t sessions_count;
	const uint32_t *windows; /* windows_count 0: all windows */
	size_t windows_count;
	uint64_t after; /* begin with the events after this number */
	bool has_after;
	/* does not make the daemon a client of tmux */
	bool is_passive;
};

/*
 * Returns true if an event has a wanted kind. pane_output needs wants_output, and line needs its
 * bit in kinds. Either of them also brings gap.
 */
bool subscription_wants_kind(uint64_t kinds, bool wants_output, const struct event_entry *event);

/*
 * The receiver of events. The functions return false if they dropped the event; then the receiver
 * later calls subscription_set_catch_up().
 */
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
/* Returns true if some of these kinds (0: all) need a client of tmux. by_pipe: panes have pipes. */
bool subscription_follows(uint64_t kinds, bool wants_output, bool by_pipe);
/* Returns true if a subscription of a program needs a client of tmux. by_pipe: panes have pipes. */
bool subscription_any_follows(bool by_pipe);

bool subscription_set_has(struct subscription_set *set, const char *name);
/* Call this if the sink drops an event after it took it: catching up then reports a gap. */
void subscription_set_dropped(struct subscription_set *set, const char *name, uint64_t seq);

/*
 * Adds a subscription. filter is copied; ret_name (SUBSCRIPTION_NAME_SIZE) gets a name as "S1".
 * Returns 0; -1: there are too many. Events begin with subscription_start(), after the response.
 */
int subscription_add(
    struct subscription_set *set, const struct subscription_filter *filter, char *ret_name);
/*
 * Begins to send events: those after filter.after, or since the subscription was added. A gap
 * stands for events that the log has not kept.
 */
void subscription_start(struct subscription_set *set, const char *name);
/* Removes a subscription. Returns 0; -1: there is none of this name. */
int subscription_remove(struct subscription_set *set, const char *name);

/*
 * Sends each subscription a gap for the events that it missed, if any. Call this when the receiver
 * can take events again.
 */
void subscription_set_catch_up(struct subscription_set *set);
