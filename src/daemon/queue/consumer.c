/* SPDX-License-Identifier: ISC */
#include "daemon/queue/consumer.h"

#include <strings.h>

#include "daemon/queue/store.h"

struct consumer_place {
	uint64_t floor;
	uint64_t *acked; /* numbers of acknowledged entries above the floor, in order */
	size_t count;
};

static const struct record_field place_fields[] = {
    {RECORD_ROW(UINT64, struct consumer_place, floor, "floor")},
    {RECORD_ROW(NUMBERS, struct consumer_place, acked, "acked"),
	.count_offset = offsetof(struct consumer_place, count)},
};

static const struct record_kind consumer_kind = {
    .prefix = "consumer/",
    .noun = "the place of a consumer",
    .rows = RECORD_ROWS(place_fields, "#floor&acked"),
    .source = SOURCE_POST,
};

/* with more entries in the map `handed`, those that the queue has forgotten are dropped */
enum { HANDED_MAX = 2 * QUEUE_KEEP };

struct handed {
	uint64_t seq;
	int64_t due_ms; /* CLOCK_MONOTONIC from which it is due again; 0: acknowledged */
	unsigned times; /* how often it was handed out; 1 after it was parked and made due again */
};

struct consumer {
	struct list link;
	struct consumer_set *set;
	char name[CONSUMER_NAME_MAX + 1];
	uint64_t floor;
	unsigned waits; /* number of requests that wait for the next entry */
	struct map handed;
};

struct consumer_set {
	struct queue *queue;
	struct list consumers; /* least recently used first; those of an earlier daemon by name */
	int64_t ack_wait_ms;
};

void consumer_set_ack_wait(struct consumer_set *set, int64_t ack_wait_ms)
{
	set->ack_wait_ms = ack_wait_ms;
}

bool consumer_name_is_valid(const char *name)
{
	static const char allowed[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";
	size_t len = strlen(name);
	return len > 0 && len <= CONSUMER_NAME_MAX && strspn(name, allowed) == len;
}

static int compare_seq(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
	return (a > b) - (a < b);
}

static void drop_forgotten(struct consumer *consumer)
{
	map_each (struct handed, handed, &consumer->handed)
		if (queue_find(consumer->set->queue, handed->seq) == NULL)
			mem_free(map_remove(&consumer->handed, handed->seq));
}

/* Stores the floor (consumer_floor()), and the numbers of acknowledged entries above it. */
static void consumer_store(struct consumer *consumer)
{
	struct consumer_place place = {.floor = consumer->floor};
	drop_forgotten(consumer);
	place.acked = xcalloc(consumer->handed.count + 1, sizeof *place.acked);
	map_each (const struct handed, handed, &consumer->handed)
		if (handed->due_ms == 0)
			place.acked[place.count++] = handed->seq;
	qsort(place.acked, place.count, sizeof *place.acked, compare_seq);
	record_put(queue_store(consumer->set->queue), &consumer_kind, consumer->name, &place);
	mem_free(place.acked);
}

static struct handed *consumer_handed(struct consumer *consumer, uint64_t seq)
{
	struct handed *handed = map_get(&consumer->handed, seq);
	if (handed != NULL)
		return handed;
	handed = xcalloc(1, sizeof *handed);
	handed->seq = seq;
	xmap_set(&consumer->handed, seq, handed);
	return handed;
}

static struct consumer *consumer_new(struct consumer_set *set, const char *name)
{
	struct consumer *consumer = xcalloc(1, sizeof *consumer);
	consumer->set = set;
	snprintf(consumer->name, sizeof consumer->name, "%s", name);
	map_init(&consumer->handed);
	list_append(&set->consumers, &consumer->link);
	return consumer;
}

static void consumer_free(struct consumer *consumer)
{
	map_each (struct handed, handed, &consumer->handed)
		mem_free(handed);
	map_finish(&consumer->handed);
	list_remove(&consumer->link);
	mem_free(consumer);
}

static bool consumer_load(void *data, const char *name, const struct json *value)
{
	struct consumer_place place = {0};
	struct consumer *consumer;
	if (!consumer_name_is_valid(name) || !record_read(consumer_kind.rows, value, &place))
		return false;
	consumer = consumer_new(data, name);
	consumer->floor = place.floor;
	for (size_t at = 0; at < place.count; at++)
		if (place.acked[at] > consumer->floor)
			consumer_handed(consumer, place.acked[at])->due_ms = 0;
	record_finish(consumer_kind.rows, &place);
	return true;
}

struct consumer_set *consumer_set_new(struct queue *queue)
{
	struct consumer_set *set = xcalloc(1, sizeof *set);
	set->queue = queue;
	set->ack_wait_ms = CONSUMER_ACK_WAIT_MS;
	list_init(&set->consumers);
	queue_load(queue, &consumer_kind, consumer_load, set);
	return set;
}

void consumer_set_free(struct consumer_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->consumers))
		consumer_free(list_entry(set->consumers.next, struct consumer, link));
	mem_free(set);
}

struct consumer *consumer_find(struct consumer_set *set, const char *name)
{
	list_each (struct consumer, consumer, &set->consumers, link)
		if (strcmp(consumer->name, name) == 0)
			return consumer;
	return NULL;
}

static bool consumer_is_busy(const struct consumer *consumer)
{
	int64_t now_ms = clock_mono_ms();
	bool is_busy = consumer->waits > 0;
	map_each (const struct handed, handed, &consumer->handed)
		is_busy |= handed->due_ms > now_ms;
	return is_busy;
}

/* Forgets the least recently used consumer that is not in use. */
static void forget_one(struct consumer_set *set)
{
	list_each (struct consumer, consumer, &set->consumers, link) {
		if (consumer_is_busy(consumer))
			continue;
		record_delete(queue_store(set->queue), &consumer_kind, consumer->name);
		consumer_free(consumer);
		return;
	}
}

static void consumer_use(struct consumer *consumer)
{
	list_move(&consumer->set->consumers, &consumer->link);
}

struct consumer *consumer_get(struct consumer_set *set, const char *name)
{
	struct consumer *consumer = consumer_find(set, name);
	if (consumer != NULL) {
		consumer_use(consumer);
		return consumer;
	}
	if (list_count(&set->consumers) == CONSUMERS_MAX)
		forget_one(set);
	if (list_count(&set->consumers) == CONSUMERS_MAX)
		return NULL;
	consumer = consumer_new(set, name);
	consumer_store(consumer);
	return consumer;
}

void consumer_begin_wait(struct consumer *consumer)
{
	consumer->waits++;
}

void consumer_end_wait(struct consumer *consumer)
{
	consumer->waits--;
	consumer_use(consumer);
}

uint64_t consumer_floor(const struct consumer *consumer)
{
	return consumer->floor;
}

/* Returns true if an entry is due now. If not, *ret_due_ms is when it will be; 0: never. */
static bool handed_is_due(
    struct consumer *consumer, const struct notification *note, int64_t now_ms, int64_t *ret_due_ms)
{
	const struct handed *handed = map_get(&consumer->handed, note->seq);
	*ret_due_ms = 0;
	if (handed == NULL)
		return true;
	if (handed->due_ms == 0 || handed->times >= CONSUMER_DELIVER_MAX)
		return false;
	*ret_due_ms = handed->due_ms;
	return handed->due_ms <= now_ms;
}

void consumer_hand_out(struct consumer *consumer, const struct notification *note, int64_t now_ms)
{
	struct handed *handed = consumer_handed(consumer, note->seq);
	bool was_out = handed->times > 0;
	if (consumer->handed.count > HANDED_MAX)
		drop_forgotten(consumer);
	queue_note_told(consumer->set->queue, note->seq);
	handed->times++;
	handed->due_ms = now_ms + consumer->set->ack_wait_ms;
	if (was_out)
		queue_count_redelivery(consumer->set->queue, note->seq, 1);
}

void consumer_put_back(struct consumer *consumer, uint64_t seq)
{
	struct handed *handed = map_get(&consumer->handed, seq);
	if (handed == NULL || handed->due_ms == 0)
		return;
	handed->due_ms = 1; /* a past time */
	if (--handed->times == 0)
		mem_free(map_remove(&consumer->handed, seq));
	else
		queue_count_redelivery(consumer->set->queue, seq, -1);
}

const struct notification *consumer_peek(struct consumer *consumer,
    const struct consumer_filter *filter, int64_t now_ms, int64_t *ret_due_ms)
{
	const struct notification *note = queue_after(consumer->set->queue, consumer->floor);
	int64_t soonest_ms = 0, due_ms;
	for (; note != NULL; note = queue_next(consumer->set->queue, note)) {
		if (note->state == NOTE_CANCELLED || !consumer_filter_matches(filter, note))
			continue;
		if (handed_is_due(consumer, note, now_ms, &due_ms)) {
			*ret_due_ms = 0;
			return note;
		}
		if (due_ms != 0 && (soonest_ms == 0 || due_ms < soonest_ms))
			soonest_ms = due_ms;
	}
	*ret_due_ms = soonest_ms;
	return NULL;
}

static void consumer_raise(struct consumer *consumer)
{
	const struct notification *note = queue_after(consumer->set->queue, consumer->floor);
	for (; note != NULL; note = queue_next(consumer->set->queue, note)) {
		struct handed *handed = map_get(&consumer->handed, note->seq);
		if (handed == NULL || handed->due_ms != 0)
			return;
		consumer->floor = note->seq;
		mem_free(map_remove(&consumer->handed, note->seq));
	}
}

/* Marks an entry as acknowledged. Returns the entry; NULL: unknown, or acknowledged before. */
static const struct notification *consumer_mark(struct consumer *consumer, uint64_t seq)
{
	const struct notification *note = queue_find(consumer->set->queue, seq);
	struct handed *handed = map_get(&consumer->handed, seq);
	if (seq <= consumer->floor || note == NULL || (handed != NULL && handed->due_ms == 0))
		return NULL;
	consumer_handed(consumer, seq)->due_ms = 0;
	return note;
}

void consumer_settle(struct queue *queue, uint64_t seq, const char *name)
{
	const struct notification *note = queue_find(queue, seq);
	struct json_writer writer;
	struct buf receipt;
	if (note == NULL)
		return;
	json_start_object(&writer, &receipt, STORE_VALUE_MAX);
	json_put_str(&writer, "result", "handed_over");
	json_put_time(&writer, "time", clock_real_ms());
	json_put_str(&writer, "way", "waited");
	json_put_given(&writer, "consumer", name);
	json_object_end(&writer);
	(void)queue_set_state(queue, seq, NOTE_ACKNOWLEDGED,
	    note->state == NOTE_QUEUED ? (const char *)receipt.data : NULL);
	buf_finish(&receipt);
}

static unsigned consumer_take_in(struct consumer *consumer, uint64_t seq, bool settles)
{
	const struct notification *note = consumer_mark(consumer, seq);
	if (note != NULL && settles &&
	    (note->state == NOTE_QUEUED || note->state == NOTE_DELIVERED))
		consumer_settle(consumer->set->queue, seq, consumer->name);
	return note != NULL;
}

static unsigned consumer_advance(struct consumer *consumer, uint64_t seq, bool up_to, bool settles)
{
	struct queue *queue = consumer->set->queue;
	const struct notification *note;
	unsigned marked = 0;
	queue_begin(queue);
	if (!up_to)
		marked += consumer_take_in(consumer, seq, settles);
	else
		for (note = queue_after(queue, consumer->floor); note != NULL && note->seq <= seq;
		     note = queue_next(queue, note))
			marked += consumer_take_in(consumer, note->seq, settles);
	consumer_raise(consumer);
	if (marked > 0)
		consumer_store(consumer);
	(void)queue_commit(queue);
	return marked;
}

unsigned consumer_acknowledge(struct consumer *consumer, uint64_t seq, bool up_to)
{
	return consumer_advance(consumer, seq, up_to, true);
}

unsigned consumer_pass(struct consumer *consumer, uint64_t seq, bool up_to)
{
	return consumer_advance(consumer, seq, up_to, false);
}

size_t consumer_parked(struct consumer *consumer, bool takes_back)
{
	int64_t now_ms = clock_mono_ms();
	size_t count = 0;
	map_each (struct handed, handed, &consumer->handed) {
		const struct notification *note = queue_find(consumer->set->queue, handed->seq);
		if (handed->times < CONSUMER_DELIVER_MAX || handed->due_ms == 0 ||
		    handed->due_ms > now_ms || note == NULL || note->state == NOTE_CANCELLED)
			continue;
		count++;
		if (takes_back)
			handed->times = 1;
	}
	return count;
}

size_t consumer_set_parked(const struct consumer_set *set)
{
	size_t count = 0;
	list_each (struct consumer, consumer, &set->consumers, link)
		count += consumer_parked(consumer, false);
	return count;
}

size_t consumer_set_count(const struct consumer_set *set)
{
	return list_count(&set->consumers);
}

struct filter_args {
	const char *pane;
	int source;
	const char *id;
	bool urgent;
};

const struct field consumer_filter_fields[] = {
    {FIELD_ROW(STRING, struct filter_args, pane, "pane"),
	.help = "Only those addressed to this pane."},
    {FIELD_ROW(CHOICE, struct filter_args, source, "source"), .choices = notification_source_names,
	.help = "Only those from this source."},
    {FIELD_ROW(STRING, struct filter_args, id, "id"), .max = CONSUMER_FILTER_ID_MAX,
	.help = "Only those of this request; the name of a job is accepted."},
    {FIELD_ROW(BOOL, struct filter_args, urgent, "urgent"), .help = "Only those of high urgency."},
    {.name = NULL},
};

bool consumer_filter_read(const struct json *value, struct consumer_filter *ret_filter,
    const char **ret_pane, char *ret_reason, size_t size)
{
	struct field_error error = {.text = "must be an object, or an id"};
	struct filter_args args;
	struct buf scratch = BUF(NOTIFICATION_DATA_MAX);
	bool is_read;
	*ret_filter = (struct consumer_filter){.source = -1};
	*ret_pane = NULL;
	if (value == NULL)
		return true;
	if (value->type == JSON_STRING && value->len > 0 && value->len <= CONSUMER_FILTER_ID_MAX) {
		ret_filter->id = value->text;
		return true;
	}
	is_read = value->type == JSON_OBJECT &&
	    field_read(consumer_filter_fields, value, &args, sizeof args, &scratch, &error) == 0;
	buf_finish(&scratch);
	if (!is_read) {
		snprintf(ret_reason, size, "%s", error.text);
		return false;
	}
	ret_filter->source = args.source;
	ret_filter->is_urgent = args.urgent;
	ret_filter->id = args.id;
	*ret_pane = args.pane;
	return true;
}

bool consumer_filter_matches(const struct consumer_filter *filter, const struct notification *note)
{
	if (filter->has_pane && note->pane.pane != filter->pane)
		return false;
	if (filter->source >= 0 && note->source != (enum notification_source)filter->source)
		return false;
	if (filter->id != NULL && strcasecmp(note->id, filter->id) != 0)
		return false;
	return !filter->is_urgent || note->is_urgent;
}
