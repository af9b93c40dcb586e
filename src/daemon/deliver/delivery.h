/* SPDX-License-Identifier: ISC */
/*
 * Delivery: a sink of the queue. The notifications that wait for one pane or thread form a mail
 * (mail.h). The engine starts the way that the table (way.h) names for the mail, unless a wake
 * policy holds it. The receipt (receipt.h) has the outcome.
 */
#pragma once

#include "daemon/deliver/way.h"

struct delivery_set *delivery_set_new(const struct daemon *parts);
void delivery_set_free(struct delivery_set *set);

/* The tmux server was found or lost. */
void delivery_set_wake(struct delivery_set *set);

/* Returns how a notification for an address would be delivered now. */
void delivery_way(
    const struct delivery_set *set, const struct pane_ref *address, struct way_found *ret_found);

/* Calls fn when ways may have changed: a queue command failed, or may be asked again. */
void delivery_on_change(struct delivery_set *set, void (*fn)(void *data), void *data);

/* Returns true if no notification is on its way into a pane; those for persons do not count. */
bool delivery_set_is_idle(const struct delivery_set *set);

/* Notifications that wait for a person count too. */
bool delivery_set_has_mail(const struct delivery_set *set);
