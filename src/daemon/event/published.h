/* SPDX-License-Identifier: ISC */
/*
 * Kinds of events that providers publish. Each has a number behind those of the daemon's own kinds,
 * so that filters hold it as one bit. A kind that its provider has left keeps its number, for
 * filters, and for a provider that comes again. When all numbers are given, a new kind gets that of
 * a left kind which no filter names and of which no event is remembered.
 */
#pragma once

#include "daemon/event/event_log.h"

/*
 * Takes a kind for a provider. kind is what event_kind_find() says of the name. The texts are
 * copied. oldest: the oldest number that is remembered. Returns its number, -1 if another provider
 * has it, or -2 if all are given.
 */
int published_take(int kind, const char *name, const char *help, uint64_t oldest);
/* Its provider is gone. */
void published_leave(int kind);
/* An event of that kind was published. */
void published_note(int kind, uint64_t seq);

/* A filter with these bits begins, or ends; bits of other kinds are as good as none. */
void published_hold(uint64_t kinds);
void published_release(uint64_t kinds);

/* The row of a number, NULL: not given. */
const struct event_kind_info *published_info(int kind);
