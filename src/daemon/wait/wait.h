/* SPDX-License-Identifier: ISC */
/*
 * A wait ends with the response to its request. A named wait outlives its connection, and a request
 * with the same name resumes it; a background wait (wait_for_idle, watch_pane) ends with a
 * notification. Both are kept in the store, and armed again after a restart.
 */
#pragma once

#include "daemon/server/method.h"
#include "daemon/wait/wait_parts.h"

/* wait_set_wake() arms the stored waits that need tmux. */
struct wait_set *wait_set_new(struct daemon *parts);
/* Call when tmux was found. */
void wait_set_wake(struct wait_set *set);
/* Call when the wall clock was set: corrects the deadlines, as boot_clock_align() does. */
void wait_set_follow_clock(struct wait_set *set);
void wait_set_free(struct wait_set *set);

/* Returns true if a condition needs tmux to be listed or attached first. specs may be NULL. */
bool wait_put_off(struct request *request, const struct json *specs);

/*
 * Waits for any, or all, of the conditions (arrays; exactly one is not NULL). name may be NULL. May
 * fail the request at once.
 *
 * If a wait of this name exists, the request resumes it, without conditions or with equal ones. The
 * wait keeps its timeout; is_timed: the request has its own as well.
 */
void wait_start(struct wait_set *set, struct request *request, const struct json *any,
    const struct json *all, double timeout_sec, bool is_timed, const char *name);

/*
 * Detaches a request from its wait, which gets a new id as its name if it has none. A request with
 * this name resumes the wait; if the wait ends before, the pane gets a notification with this id.
 *
 * Writes the present result, but does not answer. Returns the name, valid until the next call of
 * any function, or NULL if the request has no wait.
 */
const char *wait_park(struct wait_set *set, struct request *request, const struct pane_ref *pane);

struct wait_background {
	enum wait_kind kind; /* not WAIT_REQUEST */
	struct pane_ref pane; /* is notified; cleared: none */
	const char *spec; /* JSON of the condition */
	bool is_once; /* ends with the first match */
	int64_t timeout_ms; /* 0: none */
	const struct once *once; /* NULL: none */
};

/* Returns NULL after failing the request. Valid until the wait ends. */
const struct wait *wait_start_background(
    struct wait_set *set, struct request *request, const struct wait_background *order);
/* Posts a cancelled notification. Returns false if no background wait has this id. */
bool wait_cancel_background(struct wait_set *set, const char *id);
/* Posts no notification, and fails the wait's request. Returns false if not found. */
bool wait_cancel_named(struct wait_set *set, const char *name);
/* Oldest first; NULL gets the first; NULL after the last. */
const struct wait *wait_next_background(const struct wait_set *set, const struct wait *previous);

/* Returns true if a pending condition needs the daemon to be attached. */
bool wait_set_follows(const struct wait_set *set);

extern const struct method methods_wait[];
extern const struct method methods_watch_list[];
