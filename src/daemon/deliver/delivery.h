/* SPDX-License-Identifier: ISC */
/*
 * Delivery: a sink of the queue. A notification that is addressed to a pane is typed there
 * when that is safe (submit.h), unless a puller hands it over (puller.h); the receipt has its
 * outcome (receipt.h). Notifications that are due together are one notice. A notice is in the
 * journal before it is typed, so that the next daemon finds it at the prompt, and submits it,
 * or types it again. A notification for a pane in which no agent lives is shown to people instead
 * (person.h, show.h), or taken by their own program (on_notify.h).
 */
#ifndef DAEMON_DELIVER_DELIVERY_H
#define DAEMON_DELIVER_DELIVERY_H

#include <stdbool.h>

struct config;
struct delivery_set;
struct pane_ref;
struct way_found;
struct event_base;
struct event_log;
struct on_notify;
struct person_parts;
struct presence_set;
struct puller_set;
struct queue;
struct submit_set;
struct wake_policy_set;

struct delivery_parts {
	struct event_base *base;
	const struct config *config;
	struct event_log *events;
	struct queue *queue;
	struct presence_set *presences;
	struct puller_set *pullers;
	struct submit_set *submits;
	struct wake_policy_set *wake_policies;
	const struct person_parts *person;
	const struct on_notify *on_notify;
};

/* Loads what the queue holds. */
struct delivery_set *delivery_set_new(const struct delivery_parts *parts);
void delivery_set_free(struct delivery_set *set);

/* The tmux server was found or lost: what waits is looked at again. */
void delivery_set_wake(struct delivery_set *set);

/* How a notification for an address would be delivered now. */
void delivery_way(
    const struct delivery_set *set, const struct pane_ref *address, struct way_found *ret_found);

/* Has fn called when ways may be others: the command of an agent has failed, or is asked again. */
void delivery_on_change(struct delivery_set *set, void (*fn)(void *data), void *data);

/* Whether no notification is on its way into a pane; one that waits for a person is not. */
bool delivery_set_is_idle(const struct delivery_set *set);

#endif
