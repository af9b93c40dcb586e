/* SPDX-License-Identifier: ISC */
/*
 * Errands: conditions that are waited for on somebody's behalf, with a notification at the
 * end: wait_for_idle, watch_pane. A source. Kept in the store, and armed again after a
 * restart; each ends in exactly one terminal notification.
 */
#ifndef DAEMON_SOURCE_BACKGROUND_WAIT_H
#define DAEMON_SOURCE_BACKGROUND_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "daemon/queue/notification.h"

#define ERRANDS_MAX 1000

struct daemon;
struct errand_set;
struct request;

enum errand_kind {
	ERRAND_IDLE, /* wait_for_idle */
	ERRAND_PANE, /* watch_pane */
	ERRAND_KIND_COUNT_,
};

struct errand {
	struct list link; /* oldest first */
	char id[NOTIFICATION_ID_SIZE];
	enum errand_kind kind;
	struct pane_ref teller; /* who is told; cleared: nobody */
	struct pane_ref subject; /* the pane that is watched; cleared: none */
	char *spec; /* the condition, as JSON */
	bool is_once; /* it ends when it has come true */
	int64_t deadline_ms; /* CLOCK_REALTIME; 0: none */
	unsigned matches;
};

/* Loads what the store holds; armed by errand_set_wake(), once tmux is followed. */
struct errand_set *errand_set_new(struct daemon *daemon);
void errand_set_free(struct errand_set *set);
/* tmux was found: what is not armed is. */
void errand_set_wake(struct errand_set *set);

struct errand_order {
	enum errand_kind kind;
	const struct pane_ref *teller;
	const struct pane_ref *subject;
	const char *spec;
	bool is_once;
	int64_t timeout_ms; /* 0: none */
};

/* Accepts an errand. NULL after failing the request. Lent until it ends. */
const struct errand *errand_start(
    struct errand_set *set, struct request *request, const struct errand_order *order);

/* Ends one with a cancelled notification; false if there is none of that id. */
bool errand_cancel(struct errand_set *set, const char *id);

/* Oldest first: NULL starts, NULL ends. */
const struct errand *errand_next(const struct errand_set *set, const struct errand *previous);
size_t errand_count(const struct errand_set *set);

#endif
