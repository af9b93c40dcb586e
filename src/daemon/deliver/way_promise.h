/* SPDX-License-Identifier: ISC */
/*
 * Promises: addresses for which something is armed, each with the way that the answer named. When
 * the last way is lost, or there is one again, while something is still pending, an event says so.
 * A way is looked at again about a second after a fact that may change it: the end of the program
 * that would get the notification, an agent's report, a follower or hook that comes or goes, an
 * event of the pane. Nothing is asked in between.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

#define WAY_PROMISES_MAX 256 /* addresses; then the one that was armed longest ago is forgotten */
#define WAY_PROMISE_CHECK_MS 1000 /* from a fact until the ways are looked at again */

struct json_writer;
struct pane_ref;
struct way_found;

struct way_promises *way_promises_new(const struct daemon *parts);
void way_promises_free(struct way_promises *set);

/* An answer names this way to an address. */
void way_promise_give(
    struct way_promises *set, const struct pane_ref *address, const struct way_found *found);
/* An address for which an earlier daemon armed something: its way was not known to this one. */
void way_promise_restore(struct way_promises *set, const struct pane_ref *address);

/* Looks at all ways now, and writes those of addresses with something pending: an array. */
void way_promises_write(struct way_promises *set, struct json_writer *writer, const char *name);
