/* SPDX-License-Identifier: ISC */
/*
 * Waits: several conditions as one, any or all of them, with a time-out. A wait belongs to
 * the request that made it; one with a name outlives its connection, and the daemon: whoever
 * asks for the same name goes on with it.
 */
#ifndef DAEMON_SOURCE_WAIT_H
#define DAEMON_SOURCE_WAIT_H

#include <stdbool.h>
#include <stddef.h>

#define WAIT_CONDITIONS_MAX 64
#define WAIT_NAMED_MAX 256
#define WAIT_NAME_MAX 64
#define WAIT_KEEP_SEC 3600 /* a named wait that is over, and that nobody has asked for */

struct daemon;
struct json;
struct request;
struct wait_set;

/* Takes up the named waits of an earlier life; those on panes by wait_set_wake(). */
struct wait_set *wait_set_new(struct daemon *daemon);
/* tmux was found: what could not be armed is. */
void wait_set_wake(struct wait_set *set);
void wait_set_free(struct wait_set *set);
/* Waits that are armed, also those that nobody asks for at the moment. */
size_t wait_count(const struct wait_set *set);

/*
 * Answers request when any, or all, of the conditions (arrays; exactly one is not NULL) have
 * come true or are gone, or the time is up. name NULL: without one. A name that is known goes
 * on with that wait, and the conditions are not looked at. May fail the request at once.
 */
void wait_start(struct wait_set *set, struct request *request, const struct json *any,
    const struct json *all, double timeout_sec, const char *name);

/*
 * Lets go of the request of a wait, which goes on under its name, or under a new one: whoever
 * asks for that goes on with it. Is it over before, pane is told by a notification whose id is
 * the new name. Writes the result as it stands, with that name, but does not answer. NULL if
 * nothing waits for this request; the name is lent until anything else is called.
 */
struct pane_ref;
const char *wait_park(struct wait_set *set, struct request *request, const struct pane_ref *pane);

#endif
