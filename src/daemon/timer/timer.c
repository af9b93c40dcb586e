/* SPDX-License-Identifier: ISC */
#include "daemon/timer/timer.h"

#include "daemon/queue/once.h"
#include "daemon/queue/queue.h"

enum {
	DATA_SIZE = 256,
	TEXT_SIZE = 128,
	LATE_MS = 1000, /* from this on, the text says how late a timer fires */
};

struct timer_set {
	struct queue *queue;
	const struct boot_clock *clock;
	struct timer **heap; /* a binary heap, the soonest timer at the top */
	size_t count;
	size_t size;
	size_t reminders;
	uint64_t last_number;
	int64_t between_ms; /* real_ms() minus boot_ms(), when the timers were last aligned */
	struct map by_id;
	struct map by_pane; /* from pane_ref_key() to the first of the pane's timers */
};

static int64_t now_boot_ms(const struct timer_set *set)
{
	return set->clock->boot_ms(set->clock->data);
}

static const struct record_field timer_fields[] = {
    {RECORD_ROW(INT, struct timer, boot_due_ms, "boot_due_ms")},
    {RECORD_ROW(INT, struct timer, real_due_ms, "real_due_ms")},
    {RECORD_ROW(NATURAL, struct timer, period_ms, "period_ms")},
    {RECORD_ROW(PANE, struct timer, pane, "pane"), .is_optional = true},
    {RECORD_ROW(THREAD, struct timer, pane, "thread"), .is_optional = true},
    {RECORD_ROW(WORD, struct timer, boot_id, "boot"), .is_optional = true},
    {RECORD_ROW(TEXT, struct timer, text, "text"), .is_optional = true},
};

static const struct record_kind timer_kind = {
    .prefix = "timer/",
    .noun = "a timer",
    .rows = RECORD_ROWS(timer_fields, "#boot_due_ms #real_due_ms #period_ms $pane $boot"),
    .source = SOURCE_TIMER,
    .naming = RECORD_BY_ID,
};

static void timer_store(struct timer_set *set, const struct timer *timer)
{
	record_put(queue_store(set->queue), &timer_kind, timer->id, timer);
}

static bool is_before(const struct timer *one, const struct timer *other)
{
	if (one->boot_due_ms != other->boot_due_ms)
		return one->boot_due_ms < other->boot_due_ms;
	return one->number < other->number;
}

static void heap_put(struct timer_set *set, size_t place, struct timer *timer)
{
	set->heap[place] = timer;
	timer->place = place;
}

static void heap_settle(struct timer_set *set, size_t place, struct timer *timer)
{
	while (place > 0 && is_before(timer, set->heap[(place - 1) / 2])) {
		heap_put(set, place, set->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (;;) {
		size_t child = 2 * place + 1;
		if (child + 1 < set->count && is_before(set->heap[child + 1], set->heap[child]))
			child++;
		if (child >= set->count || !is_before(set->heap[child], timer))
			break;
		heap_put(set, place, set->heap[child]);
		place = child;
	}
	heap_put(set, place, timer);
}

static void set_insert(struct timer_set *set, struct timer *timer)
{
	if (set->count == set->size) {
		set->size = set->size == 0 ? 16 : 2 * set->size;
		set->heap = xrealloc(set->heap, set->size * sizeof *set->heap);
	}
	timer->number = ++set->last_number;
	timer->same_pane = map_get(&set->by_pane, pane_ref_key(&timer->pane));
	if (pane_ref_is_set(&timer->pane))
		xmap_set(&set->by_pane, pane_ref_key(&timer->pane), timer);
	xmap_set(&set->by_id, note_index_pack(timer->id), timer);
	set->count++;
	set->reminders += timer->text != NULL;
	heap_settle(set, set->count - 1, timer);
}

static void set_take(struct timer_set *set, struct timer *timer)
{
	struct timer *last = set->heap[--set->count];
	struct timer *before = map_get(&set->by_pane, pane_ref_key(&timer->pane));
	set->reminders -= timer->text != NULL;
	if (last != timer)
		heap_settle(set, timer->place, last);
	(void)map_remove(&set->by_id, note_index_pack(timer->id));
	if (before == timer && timer->same_pane == NULL) {
		(void)map_remove(&set->by_pane, pane_ref_key(&timer->pane));
	} else if (before == timer) {
		xmap_set(&set->by_pane, pane_ref_key(&timer->pane), timer->same_pane);
	} else if (before != NULL) {
		while (before->same_pane != timer)
			before = before->same_pane;
		before->same_pane = timer->same_pane;
	}
}

static void set_arm(struct timer_set *set)
{
	int64_t due_ms = set->count > 0 ? set->heap[0]->boot_due_ms : -1;
	/* The deadline of a timer that was due before the machine booted is below 0. */
	set->clock->arm(set->clock->data, set->count > 0 && due_ms < 0 ? 0 : due_ms);
}

static void set_remove(struct timer_set *set, struct timer *timer)
{
	set_take(set, timer);
	queue_release_id(set->queue, timer->id);
	mem_free(timer->text);
	mem_free(timer);
}

static bool timer_load(void *data, const char *id, const struct json *value)
{
	struct timer *timer = xcalloc(1, sizeof *timer);
	struct timer_set *set = data;
	if (!record_read(timer_kind.rows, value, timer)) {
		mem_free(timer);
		return false;
	}
	strcpy(timer->id, id);
	timer->is_written = true;
	queue_hold_id(set->queue, timer->id);
	set_insert(set, timer);
	return true;
}

static void follow_clock(struct timer_set *set);

static int64_t clocks_between_ms(const struct timer_set *set)
{
	return set->clock->real_ms(set->clock->data) - now_boot_ms(set);
}

struct timer_set *timer_set_new(struct queue *queue, const struct boot_clock *clock)
{
	struct timer_set *set = xcalloc(1, sizeof *set);
	set->queue = queue;
	set->clock = clock;
	map_init(&set->by_id);
	map_init(&set->by_pane);
	queue_load(queue, &timer_kind, timer_load, set);
	follow_clock(set);
	set_arm(set);
	return set;
}

void timer_set_free(struct timer_set *set)
{
	if (set == NULL)
		return;
	while (set->count > 0)
		set_remove(set, set->heap[set->count - 1]);
	map_finish(&set->by_id);
	map_finish(&set->by_pane);
	mem_free(set->heap);
	mem_free(set);
}

static struct timer *find_sleep(const struct timer_set *set, const struct pane_ref *pane)
{
	struct timer *timer = map_get(&set->by_pane, pane_ref_key(pane));
	while (timer != NULL && (timer->text != NULL || !pane_ref_equal(&timer->pane, pane)))
		timer = timer->same_pane;
	return timer;
}

/* Posts the notification of a timer. Call this within a transaction. Returns its number. */
static uint64_t timer_post(struct timer_set *set, const struct timer *timer, const char *text,
    const char *data, bool is_end)
{
	const struct notification_draft draft = {
	    .source = SOURCE_TIMER,
	    .id = timer->id,
	    .pane = &timer->pane,
	    .text = text,
	    .data = data,
	};
	if (is_end)
		record_delete(queue_store(set->queue), &timer_kind, timer->id);
	return queue_post(set->queue, &draft);
}

/* Ends a timer without waking its pane: cancels the notification. Returns like queue_commit(). */
static uint64_t timer_drop(struct timer_set *set, struct timer *timer, const char *why)
{
	char data[DATA_SIZE], due[CLOCK_TEXT_SIZE], text[TEXT_SIZE];
	uint64_t seq, ticket;
	clock_format(timer->real_due_ms, due);
	snprintf(data, sizeof data, "{\"due\":\"%s\",\"reason\":\"%s\"}", due, why);
	snprintf(text, sizeof text, "%s %s", timer->text != NULL ? "reminder" : "sleep", why);
	queue_begin(set->queue);
	seq = timer_post(set, timer, text, data, true);
	(void)queue_set_state(set->queue, seq, NOTE_CANCELLED, NULL);
	ticket = queue_commit(set->queue);
	set_remove(set, timer);
	return ticket;
}

/* Makes a timer, which is not in the set yet. */
static struct timer *timer_new(
    const struct timer_set *set, const struct pane_ref *pane, int64_t ms, bool is_recurring)
{
	struct timer *timer = xcalloc(1, sizeof *timer);
	timer->pane = *pane;
	timer->boot_due_ms = now_boot_ms(set) + ms;
	timer->real_due_ms = set->clock->real_ms(set->clock->data) + ms;
	timer->period_ms = is_recurring ? ms : 0;
	snprintf(timer->boot_id, sizeof timer->boot_id, "%s", set->clock->boot_id);
	return timer;
}

static void timer_begin(struct timer_set *set, struct timer *timer, const struct once *once)
{
	queue_new_id(set->queue, timer->id);
	timer_store(set, timer);
	once_keep(once, timer->id);
	timer->is_written = queue_commit(set->queue) > 0;
	set_insert(set, timer);
	set_arm(set);
}

const struct timer *timer_remind(struct timer_set *set, const struct pane_ref *pane, int64_t ms,
    bool is_recurring, const char *text, const struct once *once)
{
	struct timer *timer;
	if (set->reminders == REMINDERS_MAX || set->count == TIMERS_MAX)
		return NULL;
	timer = timer_new(set, pane, ms, is_recurring);
	timer->text = xstrdup(text);
	queue_begin(set->queue);
	timer_begin(set, timer, once);
	return timer;
}

enum timer_verdict timer_sleep(struct timer_set *set, const struct pane_ref *pane, int64_t ms,
    bool is_recurring, const struct once *once, const struct timer **ret_timer,
    char old_id[NOTIFICATION_ID_SIZE])
{
	struct timer *old = find_sleep(set, pane);
	int64_t due_ms = now_boot_ms(set) + ms;
	struct timer *timer;
	if (old != NULL && old->boot_due_ms <= due_ms) {
		*ret_timer = old;
		once_keep(once, old->id);
		return TIMER_IGNORED;
	}
	if (old == NULL && set->count == TIMERS_MAX)
		return TIMER_FULL;
	timer = timer_new(set, pane, ms, is_recurring);
	queue_begin(set->queue);
	if (old != NULL) {
		strcpy(old_id, old->id);
		(void)timer_drop(set, old, "replaced");
	}
	timer_begin(set, timer, once);
	*ret_timer = timer;
	return old != NULL ? TIMER_REPLACED : TIMER_SET;
}

bool timer_is_durable(const struct timer_set *set, const struct timer *timer)
{
	/* When the journal is no longer degraded, it has the records that were missing. */
	return timer->is_written || !queue_is_degraded(set->queue);
}

bool timer_cancel(struct timer_set *set, const char *id, bool *ret_is_durable)
{
	struct timer *timer = map_get(&set->by_id, note_index_pack(id));
	if (timer == NULL || strcmp(timer->id, id) != 0)
		return false;
	*ret_is_durable = timer_drop(set, timer, "cancelled") > 0;
	set_arm(set);
	return true;
}

const struct timer *timer_of_pane(
    const struct timer_set *set, const struct pane_ref *pane, const struct timer *previous)
{
	const struct timer *timer =
	    previous != NULL ? previous->same_pane : map_get(&set->by_pane, pane_ref_key(pane));
	while (timer != NULL && !pane_ref_equal(&timer->pane, pane))
		timer = timer->same_pane;
	return timer;
}

const struct timer *timer_find(const struct timer_set *set, const char *id)
{
	const struct timer *timer = map_get(&set->by_id, note_index_pack(id));
	return timer != NULL && strcmp(timer->id, id) == 0 ? timer : NULL;
}

static int compare(const void *one, const void *other)
{
	const struct timer *a = *(struct timer *const *)one, *b = *(struct timer *const *)other;
	return is_before(a, b) ? -1 : 1;
}

/* Sorts the heap: a sorted array is a heap too. */
static void heap_sort(const struct timer_set *set)
{
	size_t at = 1;
	while (at < set->count && is_before(set->heap[at - 1], set->heap[at]))
		at++;
	if (at >= set->count)
		return;
	qsort(set->heap, set->count, sizeof *set->heap, compare);
	for (at = 0; at < set->count; at++)
		set->heap[at]->place = at;
}

const struct timer *timer_next(const struct timer_set *set, const struct timer *previous)
{
	size_t place = previous == NULL ? 0 : previous->place + 1;
	if (previous == NULL)
		heap_sort(set);
	return place < set->count ? set->heap[place] : NULL;
}

size_t timer_count(const struct timer_set *set)
{
	return set->count;
}

/* Fires a timer. A recurring timer is due again by its own schedule, so that it does not drift. */
static void timer_fire(struct timer_set *set, struct timer *timer)
{
	int64_t late_ms = now_boot_ms(set) - timer->boot_due_ms;
	char data[DATA_SIZE], text[TIMER_TEXT_MAX + TEXT_SIZE], due[CLOCK_TEXT_SIZE];
	int64_t missed = timer->period_ms > 0 ? late_ms / timer->period_ms : 0;
	clock_format(timer->real_due_ms, due);
	snprintf(data, sizeof data,
	    "{\"due\":\"%s\",\"late_by_sec\":%" PRId64 ".%03d,\"recurring\":%s,\"missed\":%" PRId64
	    "}",
	    due, late_ms / 1000, (int)(late_ms % 1000), timer->period_ms > 0 ? "true" : "false",
	    missed);
	if (timer->text != NULL && late_ms >= LATE_MS)
		snprintf(text, sizeof text, "%s (%" PRId64 " s late)", timer->text, late_ms / 1000);
	else if (timer->text != NULL)
		snprintf(text, sizeof text, "%s", timer->text);
	else if (late_ms >= LATE_MS)
		snprintf(
		    text, sizeof text, "the sleep is over since %" PRId64 " s", late_ms / 1000);
	else
		snprintf(text, sizeof text, "the sleep is over");
	if (timer->period_ms == 0) {
		queue_begin(set->queue);
		(void)timer_post(set, timer, text, data, true);
		(void)queue_commit(set->queue);
		set_remove(set, timer);
		return;
	}
	set_take(set, timer);
	timer->boot_due_ms += (missed + 1) * timer->period_ms;
	timer->real_due_ms += (missed + 1) * timer->period_ms;
	snprintf(timer->boot_id, sizeof timer->boot_id, "%s", set->clock->boot_id);
	queue_begin(set->queue);
	timer_store(set, timer);
	(void)timer_post(set, timer, text, data, false);
	timer->is_written = queue_commit(set->queue) > 0;
	set_insert(set, timer);
}

static void follow_clock(struct timer_set *set)
{
	set->between_ms = clocks_between_ms(set);
	queue_begin(set->queue);
	for (size_t at = 0; at < set->count; at++) {
		struct timer *timer = set->heap[at];
		int64_t real_due_ms = timer->real_due_ms;
		boot_clock_align(
		    set->clock, timer->boot_id, &timer->boot_due_ms, &timer->real_due_ms);
		if (timer->real_due_ms != real_due_ms)
			timer_store(set, timer);
	}
	(void)queue_commit(set->queue);
	heap_sort(set);
}

void timer_ring(struct timer_set *set)
{
	int64_t now_ms = now_boot_ms(set);
	if (llabs(clocks_between_ms(set) - set->between_ms) >= BOOT_CLOCK_STEP_MS)
		follow_clock(set);
	for (unsigned fired = 0; fired < TIMER_FIRE_MAX && set->count > 0; fired++) {
		if (set->heap[0]->boot_due_ms > now_ms)
			break;
		timer_fire(set, set->heap[0]);
	}
	set_arm(set); /* a timer that is due already rings now */
}
