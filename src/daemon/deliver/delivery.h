/* SPDX-License-Identifier: ISC */
/*
 * Delivery: a sink of the queue. The notifications that wait for a pane or thread are a mail (mail.h).
 * The engine starts the way that the table names for it (way.h), unless a wake policy holds it. The
 * receipt has the outcome (receipt.h).
 */
#pragma once

#include "daemon/deliver/way.h"

/* Loads what the queue holds. */
struct delivery_set *delivery_set_new(const struct daemon *parts);
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

/* Whether any notification is on its way, also one that waits for a person. */
bool delivery_set_has_mail(const struct delivery_set *set);
