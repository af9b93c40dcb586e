/* SPDX-License-Identifier: ISC */
/*
 * Backlog: events that wait until a peer reads, in order. Events are shared by all who wait for
 * them, so a backlog costs little; it can be dropped as a whole at any time.
 */
#ifndef DAEMON_SERVER_BACKLOG_H
#define DAEMON_SERVER_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"
#include "daemon/tmux/subscription.h"

struct output;

struct backlog {
	struct list items;
	size_t bytes; /* of the events as they will be sent */
};

void backlog_init(struct backlog *backlog);
void backlog_finish(struct backlog *backlog); /* frees all; it may be used again */
bool backlog_is_empty(const struct backlog *backlog);

/* Appends an event, with a reference of its own, for the subscription of that name. */
void backlog_put(struct backlog *backlog, const char *subscription, struct event_entry *event);
/* Takes the first one, and its reference; NULL if there is none. */
struct event_entry *backlog_take(
    struct backlog *backlog, char ret_subscription[SUBSCRIPTION_NAME_SIZE]);

/* Writes an event as the line that a subscribed peer gets. 0, or -1 if out of memory. */
int backlog_write(struct output *output, const char *subscription, struct event_entry *event);

#endif
