/* SPDX-License-Identifier: ISC */
/*
 * Waits: any or all of several conditions, with a timeout. The wait of a request ends with its
 * response; a named wait outlives its connection and the daemon, and a request with the same name
 * resumes it. A background wait (wait_for_idle, watch_pane) ends with a notification instead.
 * Named and background waits are kept in the store, and armed again after a restart.
 */
#pragma once

#include "daemon/core/boot_clock.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"
#include "daemon/server/method.h"

#define WAIT_CONDITIONS_MAX 64
#define WAIT_NAMED_MAX 256
#define WAIT_READERS_MAX \
	1024 /* conditions in all waits of the role read_only, of about 20 kB each */
#define WAIT_BACKGROUND_MAX 1000
#define WAIT_NAME_MAX 64
#define WAIT_KEEP_SEC 3600 /* how long the result of a named wait stays if no request asks for it */

enum wait_kind {
	WAIT_REQUEST, /* wait_for */
	WAIT_IDLE, /* wait_for_idle */
	WAIT_PANE, /* watch_pane */
	WAIT_KIND_COUNT_,
};

/* A condition of a wait. */
struct wait_part {
	struct condition *condition;
	char *spec; /* as JSON, with its pane as id */
	struct pane_ref pane; /* the pane of the condition; cleared: none */
};

struct wait {
	struct list link; /* oldest first */
	struct wait_set *set;
	enum wait_kind kind;
	char name[WAIT_NAME_MAX + 1]; /* "": none; the id of a background wait */
	bool holds_id; /* the name is an id of the queue, which must be released */
	struct request *request; /* NULL: no request waits now */
	struct wait_part *parts;
	size_t count;
	bool is_all;
	bool is_once; /* background: it ends with the first match */
	unsigned matches; /* background: number of matches that were notified */
	struct buf found; /* details of matches that are not yet notified, separated by commas */
	size_t first_len; /* length of the first details in found */
	unsigned found_count; /* matches that are not yet notified */
	int64_t posted_ms; /* last notification of matches; CLOCK_MONOTONIC */
	bool is_over, is_timed_out;
	int64_t due_ms; /* CLOCK_REALTIME; 0: none */
	int64_t due_run_ms; /* the same time on the clock of wait_run_ms() */
	char boot_id[BOOT_ID_SIZE]; /* of the boot in which the wait began */
	int64_t asked_due_ms; /* timeout of the resuming request, CLOCK_MONOTONIC; 0: none */
	int64_t began_ms; /* CLOCK_MONOTONIC */
	int64_t over_ms;
	struct pane_ref pane; /* gets a notification at the end; cleared: no pane does */
	uint64_t notified; /* number of this notification; 0: none yet */
	struct loop_timer *deadline;
	struct loop_timer *settled; /* runs at the end of the turn, when a condition has changed */
};

/* Loads the waits of the store. wait_set_wake() arms those that need tmux. */
struct wait_set *wait_set_new(struct daemon *parts);
/* Call when tmux was found: arms the conditions that need tmux. */
void wait_set_wake(struct wait_set *set);
/* Call this when the wall clock was set: time-outs follow or stay, as those of timers. */
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
 * Detaches a request from its wait, which continues under its name, or, without one, under a new
 * id. A request with this name resumes the wait. If the wait ends before that, the pane gets a
 * notification whose id is the new id. Writes the present result, but does not answer. Returns the
 * name, valid until the next call of any function, or NULL if the request has no wait.
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
