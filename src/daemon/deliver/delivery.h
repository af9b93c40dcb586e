/* SPDX-License-Identifier: ISC */
/*
 * Delivery: brings the notifications of the queue to agents and people. The notifications that wait
 * for one pane or thread form a mail (mail.h). Delivery starts the way that the table (way.h) names
 * for the mail, unless a wake policy holds the mail. The receipt (receipt.h) has the outcome.
 */
#pragma once

#include "daemon/deliver/way.h"

struct delivery_set *delivery_set_new(const struct daemon *parts);
void delivery_set_free(struct delivery_set *set);

/* Call this when the tmux server was found or lost. */
void delivery_set_wake(struct delivery_set *set);

/* Returns how a notification for an address would be delivered now. */
void delivery_way(
    const struct delivery_set *set, const struct pane_ref *address, struct way_found *ret_found);

/* Sets the function that is called when a queue command has failed, or a timer tries it again. */
void delivery_on_change(struct delivery_set *set, void (*fn)(void *data), void *data);

/* Returns true if no notification is on its way; those that wait for a person do not count. */
bool delivery_set_is_idle(const struct delivery_set *set);

/* Returns true if a notification is on its way to an agent or a person, or waits for a person. */
bool delivery_set_has_mail(const struct delivery_set *set);
