/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/puller.h"

#include "daemon/core/config.h"
#include "daemon/deliver/way.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"

struct lease {
	uint64_t seq;
	int64_t due_ms; /* end of the lease (CLOCK_MONOTONIC) */
};

struct puller {
	struct list link;
	struct puller_set *set;
	struct pane_ref pane;
	enum puller_way way;
	struct loop_timer *timer; /* rings when a follower is no longer armed, or a lease ends */
	unsigned waiting; /* requests without an answer yet */
	/* requests that still read their notifications; meanwhile leases do not end by time */
	unsigned keeping;
	int64_t armed_until_ms;
	struct lease leases[PULLER_LEASES_MAX];
	size_t count;
};

struct puller_set {
	const struct daemon *parts;
	struct queue_listener listener;
	struct list listeners, pullers;
};

const char *const puller_ways[] = {[PULLER_FOLLOW] = "follow", [PULLER_HOOK] = "hook", NULL};

static int64_t lease_ms(const struct puller_set *set)
{
	return set->parts->config->limits.loan_ms;
}

/* Returns true if the puller takes new notifications. A hook does so only while it waits. */
static bool takes(const struct puller *puller)
{
	return puller->waiting > 0 ||
	    (puller->way == PULLER_FOLLOW && clock_mono_ms() < puller->armed_until_ms);
}

static bool any_takes(
    const struct puller_set *set, const struct pane_ref *pane, enum puller_way way)
{
	list_each (const struct puller, puller, &set->pullers, link)
		if (puller->way == way && pane_ref_equal(&puller->pane, pane) && takes(puller))
			return true;
	return false;
}

bool puller_is_armed(const struct puller_set *set, const struct pane_ref *pane)
{
	return any_takes(set, pane, PULLER_FOLLOW);
}

static struct lease *find_lease(struct puller *puller, uint64_t seq)
{
	for (size_t at = 0; at < puller->count; at++)
		if (puller->leases[at].seq == seq)
			return &puller->leases[at];
	return NULL;
}

bool puller_holds(const struct puller_set *set, uint64_t seq)
{
	list_each (struct puller, puller, &set->pullers, link)
		if (find_lease(puller, seq) != NULL)
			return true;
	return false;
}

bool puller_gave_back(const struct notification *note)
{
	return note->redelivered > 0 && !note->was_handed;
}

static const struct record_field puller_fields[] = {
    {RECORD_ROW(NAME, struct puller, way, "way"), .names = puller_ways, .values = PULLER_HOOK + 1},
};

static const struct record_kind puller_kind = {.prefix = "courier/",
    .noun = "the follower of a pane",
    .rows = RECORD_ROWS(puller_fields, "$way"),
    .source = SOURCE_POST};

/* Stores a follower, or deletes its record. */
static void remember(const struct puller *puller, bool is_there)
{
	struct store *store = queue_store(puller->set->parts->queue);
	char pane[PANE_REF_TEXT_SIZE];
	pane_ref_format(&puller->pane, pane);
	if (puller->way == PULLER_FOLLOW && is_there)
		record_put(store, &puller_kind, pane, puller);
	else if (puller->way == PULLER_FOLLOW)
		record_delete(store, &puller_kind, pane);
}

static void drop_lease(struct puller *puller, struct lease *lease)
{
	*lease = puller->leases[--puller->count];
}

/* Gives back notifications whose lease has ended, or all. Delivery finds another way. */
static void give_back(struct puller *puller, bool is_all, const char *reason)
{
	const struct daemon *parts = puller->set->parts;
	int64_t now_ms = clock_mono_ms();
	for (size_t at = puller->count; at-- > 0;) {
		struct lease lease = puller->leases[at];
		if (!is_all && (puller->keeping > 0 || lease.due_ms > now_ms))
			continue;
		drop_lease(puller, &puller->leases[at]);
		queue_count_redelivery(parts->queue, lease.seq, 1);
		receipt_put(
		    parts, lease.seq, NOTE_QUEUED, "deferred", puller_ways[puller->way], reason);
	}
}

static void puller_free(struct puller *puller)
{
	list_remove(&puller->link);
	loop_timer_free(puller->timer);
	mem_free(puller);
}

static void notify(struct puller_set *set, const struct pane_ref *pane, bool has_begun)
{
	list_each_safe (struct puller_listener, listener, &set->listeners, link)
		if (!has_begun)
			listener->settled(listener, pane);
		else if (listener->begun != NULL)
			listener->begun(listener, pane);
}

void puller_listen(struct puller_set *set, struct puller_listener *listener)
{
	list_append(&set->listeners, &listener->link);
}

/* Gives back notifications whose lease has ended, and frees the puller if it is unused. */
static void settle(void *data)
{
	struct puller *puller = data;
	int64_t now_ms = clock_mono_ms(), next_ms = INT64_MAX;
	struct puller_set *set = puller->set;
	struct pane_ref pane = puller->pane;
	give_back(puller, false, "it was not acknowledged");
	for (size_t at = 0; at < puller->count; at++)
		if (puller->keeping == 0 && puller->leases[at].due_ms < next_ms)
			next_ms = puller->leases[at].due_ms;
	if (puller->waiting == 0 && puller->armed_until_ms > now_ms &&
	    puller->armed_until_ms < next_ms)
		next_ms = puller->armed_until_ms;
	if (next_ms != INT64_MAX)
		loop_timer_arm(puller->timer, next_ms - now_ms);
	if (!takes(puller) && puller->count == 0) {
		remember(puller, false);
		puller_free(puller);
	}
	notify(set, &pane, false);
}

/* Ends the lease of a notification whose state is no longer NOTE_DELIVERING. */
static void on_changed(struct queue_listener *listener, const struct notification *note)
{
	struct puller_set *set = list_entry(listener, struct puller_set, listener);
	if (note->state == NOTE_DELIVERING)
		return;
	list_each (struct puller, puller, &set->pullers, link) {
		struct lease *lease = find_lease(puller, note->seq);
		if (lease == NULL)
			continue;
		drop_lease(puller, lease);
		loop_timer_wake(puller->timer);
	}
}

static struct puller *puller_new(
    struct puller_set *set, const struct pane_ref *pane, enum puller_way way)
{
	struct puller *puller = xcalloc(1, sizeof *puller);
	puller->set = set;
	puller->pane = *pane;
	puller->way = way;
	puller->timer = loop_timer_new(set->parts->base, settle, puller);
	list_append(&set->pullers, &puller->link);
	return puller;
}

struct puller *puller_begin(
    struct puller_set *set, const struct pane_ref *pane, enum puller_way way)
{
	struct puller *puller = NULL;
	list_each (struct puller, other, &set->pullers, link)
		if (other->way == way && pane_ref_equal(&other->pane, pane))
			puller = other;
	if (puller == NULL && list_count(&set->pullers) >= PULLERS_MAX)
		return NULL;
	if (puller == NULL) {
		puller = puller_new(set, pane, way);
		remember(puller, true);
	}
	puller->waiting++;
	notify(set, &puller->pane, true);
	return puller;
}

uint64_t puller_take(struct puller *puller)
{
	const struct daemon *parts = puller->set->parts;
	const struct notification *note = NULL;
	if (puller->count == PULLER_LEASES_MAX)
		return 0;
	for (int urgent = 1; urgent >= 0; urgent--) {
		while ((note = queue_next_for(parts->queue, &puller->pane, note)) != NULL) {
			if (note->state != NOTE_QUEUED || puller_gave_back(note) ||
			    note->is_urgent != (urgent == 1) ||
			    puller_holds(puller->set, note->seq))
				continue;
			puller->leases[puller->count++] =
			    (struct lease){note->seq, clock_mono_ms() + lease_ms(puller->set)};
			receipt_put(parts, note->seq, NOTE_DELIVERING, way_follow.result,
			    puller_ways[puller->way], NULL);
			return note->seq;
		}
	}
	return 0;
}

void puller_keep(struct puller *puller, bool keeps)
{
	puller->keeping += keeps ? 1 : -1;
	for (size_t at = 0; at < puller->count; at++)
		puller->leases[at].due_ms = clock_mono_ms() + lease_ms(puller->set);
}

void puller_end(struct puller *puller, bool has_gone)
{
	puller->waiting--;
	puller->armed_until_ms =
	    clock_mono_ms() + (has_gone ? PULLER_GONE_MS : lease_ms(puller->set));
	if (has_gone && puller->waiting == 0)
		give_back(puller, true, "who was to hand it over has gone");
	settle(puller);
}

static bool puller_load(void *data, const char *name, const struct json *value)
{
	struct puller_set *set = data;
	struct puller kept = {0}, *puller;
	if (!pane_ref_parse(name, &kept.pane) || list_count(&set->pullers) >= PULLERS_MAX ||
	    !record_read(puller_kind.rows, value, &kept))
		return false;
	puller = puller_new(set, &kept.pane, PULLER_FOLLOW);
	puller->armed_until_ms = clock_mono_ms() + lease_ms(set);
	loop_timer_wake(puller->timer);
	return true;
}

struct puller_set *puller_set_new(const struct daemon *parts)
{
	struct puller_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	list_init(&set->listeners);
	list_init(&set->pullers);
	set->listener.changed = on_changed;
	queue_load(parts->queue, &puller_kind, puller_load, set);
	queue_listen(parts->queue, &set->listener);
	return set;
}

void puller_set_free(struct puller_set *set)
{
	if (set == NULL)
		return;
	list_remove(&set->listener.link);
	list_each_safe (struct puller, puller, &set->pullers, link)
		puller_free(puller);
	mem_free(set);
}

static enum way_use use_follow(const struct way_place *place, struct way_found *found)
{
	snprintf(found->text, WAY_TEXT_SIZE, "printed by the follower of pane %%%u",
	    (unsigned)place->address->pane);
	return puller_is_armed(place->parts->pullers, place->address) ? WAY_TAKES : WAY_PASSES;
}

static enum way_use use_hook(const struct way_place *place, struct way_found *found)
{
	snprintf(found->text, WAY_TEXT_SIZE, "handed over by the hook that waits in pane %%%u",
	    (unsigned)place->address->pane);
	return any_takes(place->parts->pullers, place->address, PULLER_HOOK) ? WAY_TAKES
									     : WAY_PASSES;
}

const struct way way_follow = {.name = "follow", .result = "handed_over", .use = use_follow};
const struct way way_hook = {.name = "hook", .result = "handed_over", .use = use_hook};
