/* SPDX-License-Identifier: ISC */
/*
 * Kinds of events that providers publish. When its provider leaves, a kind keeps its number, for
 * filters and for the provider's return. When all numbers are in use, a new kind takes that of a
 * kind without a provider that no filter names and no remembered event has.
 */
#pragma once

#include "daemon/event/event_log.h"

/*
 * Takes a name for a provider, or for a restored wait whose provider is not back. kind: the result
 * of event_kind_find(name); negative: a new name. oldest: the lowest remembered number of an event,
 * as a kind's number is given again only if its last event is older. Copies the texts. Returns the
 * kind's number, -1 if another provider or the daemon has the name, or -2 if each number is taken,
 * in a filter, or that of a remembered event.
 */
int published_take(int kind, const char *name, const char *help, uint64_t oldest);
/* The provider of a kind has left. */
void published_leave(int kind);
/* An event of this kind was published. */
void published_note(int kind, uint64_t seq);

/* A filter with these bits begins (by 1) or ends (-1). Bits of the daemon's kinds are ignored. */
void published_hold(uint64_t kinds, int by);

/* Returns NULL if the number is not in use. */
const struct event_kind_info *published_info(int kind);
