/* SPDX-License-Identifier: ISC */
/*
 * Kinds of events that providers publish. A kind keeps its number when its provider leaves, for
 * filters and for the provider's return. When all numbers are used, a new kind takes the number of
 * an old kind: one without a provider, which is in no filter and in no remembered event.
 */
#pragma once

#include "daemon/event/event_log.h"

/*
 * Takes a name for a provider, or for a restored wait whose provider is not back yet. kind: the
 * result of event_kind_find(name); negative: a new name. oldest: the number of the oldest
 * remembered event. Copies the texts. Returns the number of the kind, -1 if another provider or the
 * daemon has the name, or -2 if no number is free.
 */
int published_take(int kind, const char *name, const char *help, uint64_t oldest);
/* Call this when the provider of a kind has left. */
void published_leave(int kind);
/* Call this when an event of this kind was published. */
void published_note(int kind, uint64_t seq);

/* Call this when a filter with these bits begins (by 1) or ends (by -1). */
void published_hold(uint64_t kinds, int by);

/* Returns NULL if the number was never taken, or is that of no published kind. */
const struct event_kind_info *published_info(int kind);
