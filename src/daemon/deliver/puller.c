/* SPDX-License-Identifier: ISC */
/* Couriers: what they hold, until when, and what is given back. */
#include "daemon/deliver/puller.h"

#include <muxbus.h>

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/list.h"
#include "daemon/core/config.h"
#include "daemon/deliver/delivery.h"
#include "daemon/deliver/receipt.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/server/daemon.h"

#define PREFIX "courier/"

enum { KEY_SIZE = sizeof PREFIX + PANE_REF_TEXT_SIZE };

struct loan {
	uint64_t seq;
	int64_t due_ms; /* CLOCK_MONOTONIC, as all here */
};

struct courier {
	struct list link;
	struct courier_set *set;
	struct pane_ref pane;
	enum courier_way way;
	struct event *timer; /* when it is armed no more, or a loan is due */
	unsigned waiting; /* askers without an answer */
	int64_t armed_until_ms;
	struct loan loans[COURIER_LOANS_MAX];
	size_t count;
};

struct courier_set {
	struct daemon *daemon;
	struct queue_listener listener;
	struct list couriers;
	size_t count;
};

const char *courier_way_name(enum courier_way way)
{
	return way == COURIER_FOLLOW ? "follow" : "hook";
}

static int64_t loan_ms(const struct courier_set *set)
{
	return set->daemon->config->limits.loan_ms;
}

static bool is_armed(const struct courier *courier)
{
	return courier->way == COURIER_FOLLOW &&
	    (courier->waiting > 0 || clock_mono_ms() < courier->armed_until_ms);
}

bool courier_is_armed(const struct courier_set *set, const struct pane_ref *pane)
{
	const struct list *link;

	list_for_each (link, &set->couriers) {
		const struct courier *courier = list_entry(link, const struct courier, link);

		if (pane_ref_equal(&courier->pane, pane) && is_armed(courier))
			return true;
	}
	return false;
}

static struct loan *find_loan(struct courier *courier, uint64_t seq)
{
	for (size_t at = 0; at < courier->count; at++) {
		if (courier->loans[at].seq == seq)
			return &courier->loans[at];
	}
	return NULL;
}

bool courier_holds(const struct courier_set *set, uint64_t seq)
{
	const struct list *link;

	list_for_each (link, &set->couriers) {
		if (find_loan(list_entry(link, struct courier, link), seq) != NULL)
			return true;
	}
	return false;
}

/* ---- which followers there are, for the next daemon ---- */

static void courier_key(const struct courier *courier, char out[KEY_SIZE])
{
	char text[PANE_REF_TEXT_SIZE];

	pane_ref_format(&courier->pane, text);
	snprintf(out, KEY_SIZE, PREFIX "%s", text);
}

static void remember(const struct courier *courier)
{
	char key[KEY_SIZE];

	if (courier->way != COURIER_FOLLOW)
		return;
	courier_key(courier, key);
	store_put(queue_store(courier->set->daemon->queue), key, "follow", 6);
}

/* ---- loans ---- */

static void drop_loan(struct courier *courier, struct loan *loan)
{
	*loan = courier->loans[--courier->count];
}

/* Gives back what is due, or all. It is typed then: no courier takes it again. */
static void give_back(struct courier *courier, bool is_all, const char *reason)
{
	struct daemon *daemon = courier->set->daemon;
	int64_t now_ms = clock_mono_ms();

	for (size_t at = courier->count; at-- > 0;) {
		struct loan loan = courier->loans[at];

		if (!is_all && loan.due_ms > now_ms)
			continue;
		drop_loan(courier, &courier->loans[at]);
		queue_count_redelivery(daemon->queue, loan.seq);
		receipt_put(daemon, loan.seq, NOTE_QUEUED, "deferred",
		    courier_way_name(courier->way), reason);
	}
}

static void courier_free(struct courier *courier)
{
	list_remove(&courier->link);
	courier->set->count--;
	event_free(courier->timer);
	mem_free(courier);
}

/* Looks what is due; an idle courier is forgotten, and what waits for its pane is typed. */
static void settle(struct courier *courier)
{
	int64_t now_ms = clock_mono_ms(), next_ms = INT64_MAX;
	struct courier_set *set = courier->set;
	struct pane_ref pane = courier->pane;
	struct timeval left;
	char key[KEY_SIZE];

	give_back(courier, false, "it was not acknowledged");
	for (size_t at = 0; at < courier->count; at++) {
		if (courier->loans[at].due_ms < next_ms)
			next_ms = courier->loans[at].due_ms;
	}
	if (courier->waiting == 0 && courier->armed_until_ms > now_ms &&
	    courier->armed_until_ms < next_ms)
		next_ms = courier->armed_until_ms;
	if (next_ms != INT64_MAX) {
		next_ms = next_ms > now_ms ? next_ms - now_ms : 0;
		left = (struct timeval){next_ms / 1000, next_ms % 1000 * 1000};
		(void)event_add(courier->timer, &left);
	}
	if (courier->waiting == 0 && !is_armed(courier) && courier->count == 0) {
		if (courier->way == COURIER_FOLLOW) {
			courier_key(courier, key);
			store_delete(queue_store(set->daemon->queue), key);
		}
		courier_free(courier);
	}
	if (set->daemon->deliveries != NULL)
		delivery_set_wake_pane(set->daemon->deliveries, &pane);
}

static void on_timer(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	settle(data);
}

/* What is acknowledged, or cancelled, is lent no more. */
static void on_changed(struct queue_listener *listener, const struct notification *note)
{
	struct courier_set *set = list_entry(listener, struct courier_set, listener);
	struct list *link;

	if (note->state == NOTE_DELIVERING)
		return;
	list_for_each (link, &set->couriers) {
		struct courier *courier = list_entry(link, struct courier, link);
		struct loan *loan = find_loan(courier, note->seq);

		if (loan == NULL)
			continue;
		drop_loan(courier, loan);
		event_active(courier->timer, EV_TIMEOUT, 0);
	}
}

static void on_posted(struct queue_listener *listener, const struct notification *note)
{
	(void)listener; /* who waits for more listens too, and takes it */
	(void)note;
}

/* ---- askers ---- */

static struct courier *courier_new(
    struct courier_set *set, const struct pane_ref *pane, enum courier_way way)
{
	struct courier *courier = xcalloc(1, sizeof *courier);

	courier->set = set;
	courier->pane = *pane;
	courier->way = way;
	courier->timer = evtimer_new(set->daemon->base, on_timer, courier);
	list_append(&set->couriers, &courier->link);
	set->count++;
	return courier;
}

struct courier *courier_begin(
    struct courier_set *set, const struct pane_ref *pane, enum courier_way way)
{
	struct courier *courier = NULL;
	struct list *link;

	list_for_each (link, &set->couriers) {
		struct courier *other = list_entry(link, struct courier, link);

		if (other->way == way && pane_ref_equal(&other->pane, pane))
			courier = other;
	}
	if (courier == NULL && set->count >= COURIERS_MAX)
		return NULL;
	if (courier == NULL) {
		courier = courier_new(set, pane, way);
		remember(courier);
	}
	courier->waiting++;
	return courier;
}

uint64_t courier_take(struct courier *courier)
{
	struct daemon *daemon = courier->set->daemon;
	const struct notification *note = NULL;

	if (courier->count == COURIER_LOANS_MAX)
		return 0;
	for (int urgent = 1; urgent >= 0; urgent--) {
		while ((note = queue_next(daemon->queue, note)) != NULL) {
			if (note->state != NOTE_QUEUED || note->redelivered > 0 ||
			    note->is_urgent != (urgent == 1) ||
			    !pane_ref_equal(&note->pane, &courier->pane) ||
			    courier_holds(courier->set, note->seq))
				continue;
			courier->loans[courier->count++] =
			    (struct loan){note->seq, clock_mono_ms() + loan_ms(courier->set)};
			receipt_put(daemon, note->seq, NOTE_DELIVERING, "handed_over",
			    courier_way_name(courier->way), NULL);
			return note->seq;
		}
	}
	return 0;
}

void courier_end(struct courier *courier, bool has_gone)
{
	courier->waiting--;
	courier->armed_until_ms =
	    clock_mono_ms() + (has_gone ? COURIER_GONE_MS : loan_ms(courier->set));
	if (has_gone && courier->waiting == 0)
		give_back(courier, true, "who was to hand it over has gone");
	settle(courier);
}

/* ---- the set ---- */

struct courier_set *courier_set_new(struct daemon *daemon)
{
	struct courier_set *set = xcalloc(1, sizeof *set);
	const char *key, *value;
	size_t cursor = 0;

	set->daemon = daemon;
	list_init(&set->couriers);
	set->listener.posted = on_posted;
	set->listener.changed = on_changed;
	queue_listen(daemon->queue, &set->listener);
	while (store_next(queue_store(daemon->queue), PREFIX, &cursor, &key, &value, NULL)) {
		struct pane_ref pane;
		struct courier *courier;

		if (!pane_ref_parse(key + strlen(PREFIX), &pane) || set->count >= COURIERS_MAX)
			continue;
		courier = courier_new(set, &pane, COURIER_FOLLOW);
		courier->armed_until_ms = clock_mono_ms() + loan_ms(set);
		event_active(courier->timer, EV_TIMEOUT, 0);
	}
	return set;
}

void courier_set_free(struct courier_set *set)
{
	struct list *link, *after;

	if (set == NULL)
		return;
	queue_unlisten(set->daemon->queue, &set->listener);
	list_for_each_safe (link, after, &set->couriers)
		courier_free(list_entry(link, struct courier, link));
	mem_free(set);
}
