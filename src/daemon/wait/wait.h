/* SPDX-License-Identifier: ISC */
/*
 * Waits: any or all of several conditions, with a timeout. The wait of a request ends with its
 * response; a named wait outlives its connection and the daemon, and a request with the same name
 * resumes it. A background wait (wait_for_idle, watch_pane) ends with a notification instead.
 * Named and background waits are kept in the store, and armed again after a restart.
 */
#pragma once

#include "daemon/server/method.h"
#include "daemon/wait/wait_parts.h"

/* Loads the waits of the store. wait_set_wake() arms those that need tmux. */
struct wait_set *wait_set_new(struct daemon *parts);
/* Call when tmux was found: arms the conditions that need tmux. */
void wait_set_wake(struct wait_set *set);
/* Call when the wall clock was set: corrects the deadlines, as boot_clock_align() does. */
void wait_set_follow_clock(struct wait_set *set);
void wait_set_free(struct wait_set *set);

/*
 * Puts a request off if one of its conditions (NULL: none) needs tmux to be listed or attached
 * first; then returns true. A wait for a file or a job begins at once.
 */
bool wait_put_off(struct request *request, const struct json *specs);

/*
 * Answers request when any, or all, of the conditions (arrays; exactly one is not NULL) have
 * matched or are gone, or when the timeout has passed. name NULL: no name. If a wait with this name
 * exists, the request resumes it, without conditions or with equal ones. The wait then keeps its
 * timeout, but if is_timed, the request is answered when its own timeout has passed, if that is
 * earlier. May fail the request at once.
 */
void wait_start(struct wait_set *set, struct request *request, const struct json *any,
    const struct json *all, double timeout_sec, bool is_timed, const char *name);

/*
 * Detaches a request from its wait, which continues. A wait without a name gets a new id as its
 * name. A request with this name resumes the wait. If the wait ends before that, the pane gets a
 * notification with this id. Writes the present result, but does not answer. Returns the name,
 * valid until the next call of any function, or NULL if the request has no wait.
 */
const char *wait_park(struct wait_set *set, struct request *request, const struct pane_ref *pane);

struct wait_background {
	enum wait_kind kind; /* not WAIT_REQUEST */
	struct pane_ref pane; /* the pane to notify; cleared: none */
	const char *spec; /* the condition, as JSON */
	bool is_once; /* it ends with the first match */
	int64_t timeout_ms; /* 0: none */
	const struct once *once; /* key of the request; NULL: none */
};

/* Starts a background wait. Returns NULL after failing the request. Valid until the wait ends. */
const struct wait *wait_start_background(
    struct wait_set *set, struct request *request, const struct wait_background *order);
/* Ends a background wait with a cancelled notification. Returns false if none has this id. */
bool wait_cancel_background(struct wait_set *set, const char *id);
/* Ends a named wait without a notification, and fails its request. Returns false if not found. */
bool wait_cancel_named(struct wait_set *set, const char *name);
/* Returns the next background wait, oldest first; NULL gets the first; NULL after the last. */
const struct wait *wait_next_background(const struct wait_set *set, const struct wait *previous);

/* Returns true if a pending condition needs the daemon to be attached. */
bool wait_set_follows(const struct wait_set *set);

/* The methods of waits and of watches, in wait_methods.c and watch_list.c. */
extern const struct method methods_wait[];
extern const struct method methods_watch_list[];
