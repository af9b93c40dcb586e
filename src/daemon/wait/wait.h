/* SPDX-License-Identifier: ISC */
/*
 * Waits. An unnamed wait of a request ends with it. A named wait outlives its connection, and a
 * request with the same name resumes it. A background wait (wait_for_idle, watch_pane) ends with a
 * notification. Named and background waits are in the store, and are armed again after a restart.
 */
#pragma once

#include "daemon/server/method.h"
#include "daemon/wait/wait_parts.h"

/* Loads the waits from the store. Waits that need tmux are armed by wait_set_wake(). */
struct wait_set *wait_set_new(struct daemon *parts);
/* Call this when tmux was found. */
void wait_set_wake(struct wait_set *set);
/* Call this when the wall clock was set: corrects the deadlines, as boot_clock_align() does. */
void wait_set_follow_clock(struct wait_set *set);
void wait_set_free(struct wait_set *set);

/* Returns true after putting off a request whose conditions need tmux listed or attached first. */
bool wait_put_off(struct request *request, const struct json *specs);

/*
 * Waits for any, or all, of the conditions: an array, one object, or a string with JSON; the other
 * is NULL. name may be NULL. May answer or fail the request before it returns.
 *
 * If there is a wait of this name, the request resumes it, without conditions or with equal ones.
 * The wait keeps its timeout; is_timed: the request has one of its own too.
 */
void wait_start(struct wait_set *set, struct request *request, const struct json *any,
    const struct json *all, double timeout_sec, bool is_timed, const char *name);

/*
 * Detaches a request from its wait, which gets a new id as its name if it has no name. A request
 * with this name resumes the wait; if the wait ends before, the pane, if set, gets a notification.
 *
 * Writes the present result, but does not answer. Returns the name, valid until the next call of
 * any function of waits; NULL: the request has no wait, or there are too many named waits.
 */
const char *wait_park(struct wait_set *set, struct request *request, const struct pane_ref *pane);

struct wait_background {
	enum wait_kind kind; /* not WAIT_REQUEST */
	struct pane_ref pane; /* the pane that is notified; cleared: none */
	const char *spec; /* the condition as JSON */
	bool is_once; /* ends with the first match */
	int64_t timeout_ms; /* 0: none */
	const struct once *once; /* NULL: none */
};

/* Starts a background wait. Returns it, valid until it ends; NULL after failing the request. */
const struct wait *wait_start_background(
    struct wait_set *set, struct request *request, const struct wait_background *order);
/* Cancels a background wait, and posts a cancelled notification; false if none has this id. */
bool wait_cancel_background(struct wait_set *set, const char *id);
/* Cancels a named wait: fails its request, without a notification. Returns false if none has it. */
bool wait_cancel_named(struct wait_set *set, const char *name);
/* Walks through background waits, the oldest first. Begin with NULL; returns NULL at the end. */
const struct wait *wait_next_background(const struct wait_set *set, const struct wait *previous);

/* Returns true if a pending condition needs the daemon to be attached. */
bool wait_set_follows(const struct wait_set *set);

extern const struct method methods_wait[];
extern const struct method methods_watch_list[];
