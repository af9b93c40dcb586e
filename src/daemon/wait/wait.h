/* SPDX-License-Identifier: ISC */
/*
 * Waits: one or several conditions as one, any or all of them, with a time-out. The wait of a
 * request ends with its response; one with a name outlives its connection, and the daemon:
 * ask for the same name again to resume. A background wait (wait_for_idle, watch_pane) ends
 * with a notification instead. Named and background waits are kept in the store and armed
 * again after a restart.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/server/method.h"
#include "daemon/wait/wait_parts.h"

/* Loads the waits that the store holds; those on panes are armed by wait_set_wake(). */
struct wait_set *wait_set_new(struct daemon *parts);
/* tmux was found: arms the conditions that could not be armed before. */
void wait_set_wake(struct wait_set *set);
void wait_set_free(struct wait_set *set);

/*
 * Whether a request is put off until tmux was looked at, or is followed: what any of the conditions
 * needs (NULL: none). A wait for a file or a job begins at once.
 */
bool wait_put_off(struct request *request, const struct json *specs);

/*
 * Answers request when any, or all, of the conditions (arrays; exactly one is not NULL) have
 * come true or are gone, or the time is up. name NULL: without one. A name that is known
 * resumes that wait, without conditions or with its own; the time is then that of the wait,
 * or an earlier one of the request if it has one (is_timed). May fail the request at once.
 */
void wait_start(struct wait_set *set, struct request *request, const struct json *any,
    const struct json *all, double timeout_sec, bool is_timed, const char *name);

/*
 * Lets go of the request of a wait, which stays under its name, or under a new one: a request
 * for that name resumes it. If the wait is over before, pane gets a notification whose id is
 * the new name. Writes the result as it stands, with that name, but does not answer. NULL if
 * nothing waits for this request; the name is lent until anything else is called.
 */
const char *wait_park(struct wait_set *set, struct request *request, const struct pane_ref *pane);

/* A background wait: what is asked for, and how it is. */
struct wait_background {
	enum wait_kind kind; /* not WAIT_REQUEST */
	struct pane_ref pane; /* that is notified; cleared: none */
	const char *spec; /* the condition, as JSON */
	bool is_once; /* it ends when the condition has come true */
	int64_t timeout_ms; /* of a new one; 0: none */
	const struct once *once; /* of the request for a new one; NULL: it has no key */
	/* Filled in by wait_background_get(): */
	const char *id;
	struct pane_ref subject; /* the pane that is watched; cleared: none */
	int64_t due_ms; /* CLOCK_REALTIME; 0: none */
	unsigned matches;
};

/* Starts one; NULL after failing the request. Lent until it ends. */
const struct wait *wait_start_background(
    struct wait_set *set, struct request *request, const struct wait_background *order);
/* Ends one with a cancelled notification; false if there is none of that id. */
bool wait_cancel_background(struct wait_set *set, const char *id);
/* Ends a named wait without a notification; its request fails. False if there is none. */
bool wait_cancel_named(struct wait_set *set, const char *name);
/* Oldest first: NULL starts, NULL ends. */
const struct wait *wait_next_background(const struct wait_set *set, const struct wait *previous);
/* Its strings are lent until the wait ends. */
void wait_background_get(const struct wait *wait, struct wait_background *ret_wait);

/* Whether a condition that is pending needs the daemon to be attached. */
bool wait_set_follows(const struct wait_set *set);

/* The methods of waits and of all watches, in wait_methods.c and watch_list.c. */
extern const struct method methods_wait[];
extern const struct method methods_watch_list[];
