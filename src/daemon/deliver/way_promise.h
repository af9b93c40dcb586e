/* SPDX-License-Identifier: ISC */
/*
 * Promises: the answer to a request that arms something (such as a timer) names the way in which
 * its notification will wake the requester. While something is pending for the address, an
 * event reports that no way wakes the requester any more, or that one does again. Ways are looked
 * up again soon after a fact that may change them, such as the end of the program that would get
 * the notification, a report, or a follower that leaves.
 */
#pragma once

#include "daemon/core/daemon_parts.h"

/* maximum number of addresses; with more, the least recently renewed one is dropped */
#define WAY_PROMISES_MAX 256
#define WAY_PROMISE_CHECK_MS 1000 /* time from a fact until all ways are looked up again */

struct json_writer;
struct pane_ref;
struct way_found;

struct way_promises *way_promises_new(const struct daemon *parts);
void way_promises_free(struct way_promises *set);

/* Remembers that an answer has named this way for an address. */
void way_promise_give(
    struct way_promises *set, const struct pane_ref *address, const struct way_found *found);
/* Restores an address for which an earlier daemon armed something. Its way is unknown. */
void way_promise_restore(struct way_promises *set, const struct pane_ref *address);

/* Looks up all ways now, and writes those of addresses with something pending, as an array. */
void way_promises_write(struct way_promises *set, struct json_writer *writer, const char *name);
