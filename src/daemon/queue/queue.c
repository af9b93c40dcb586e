/* SPDX-License-Identifier: ISC */
#include "daemon/queue/queue.h"

#include <muxbus.h>

#include <ctype.h>
#include <sys/random.h>

#include "daemon/event/event_log.h"
#include "daemon/queue/store.h"

enum {
	SEQ_SIZE = 24, /* buffer for a sequence number, the name of a record */
	ENTRY_MAX = STORE_VALUE_MAX,
	FIRST_BYTES = 1000, /* allocated at first to encode an event; most need no more */
	ID_TRIES = 1000,
	ID_TRIES_SHORT = 4, /* the first tries are ids of 4 characters, the others of 6 */
	ID_STEP = 35567, /* prime to NOTIFICATION_IDS, so all ids come before one comes again */
	REASON_SIZE = 32,
};

struct queue {
	struct store *store;
	struct event_log *events;
	struct list notes; /* in order of seq */
	struct note_index index;
	struct map ids; /* from the id of a running request to the number of its holders */
	uint32_t id_number; /* rises with each try for an id; 4-character ids are made from it */
	struct list listeners;
	size_t count;
	size_t bytes, bytes_max; /* bytes of all entries, and their limit */
	size_t undelivered;
	uint64_t last;
	uint64_t settled_from; /* all entries before this number are undelivered */
	uint64_t forgotten;
	char reason[REASON_SIZE];
	unsigned depth; /* nesting depth of queue_begin() */
	uint64_t first_untold; /* first number that was posted in the open transaction; 0: none */
	struct notification *recounted; /* older entries whose count has risen in the transaction */
	struct notification **recounted_end;
};

static const struct record_kind note_kind = {
    .prefix = "note/", .noun = "a notification", .rows = &notification_rows, .source = SOURCE_POST};

static const struct record_field forgotten_fields[] = {
    {RECORD_ROW(UINT64, struct queue, forgotten, "seq")},
    {RECORD_ROW(WORD, struct queue, reason, "reason")},
};

static const struct record_kind forgotten_kind = {
    .prefix = "queue/",
    .noun = "the place up to which notifications were forgotten",
    .rows = RECORD_ROWS(forgotten_fields, "#seq $reason"),
    .source = SOURCE_POST,
};

static bool is_undelivered(const struct notification *note)
{
	return note->state == NOTE_QUEUED || note->state == NOTE_DELIVERING;
}

static const char *note_name(uint64_t seq, char out[SEQ_SIZE])
{
	(void)str_put_u64(out, seq, 20);
	return out;
}

void queue_hold_id(struct queue *queue, const char *id)
{
	uint64_t packed = note_index_pack(id);
	uintptr_t count = (uintptr_t)map_get(&queue->ids, packed);
	if (map_set(&queue->ids, packed, (void *)(count + 1)) != 0)
		log_error("out of memory: the id %s may be given again", id);
}

void queue_release_id(struct queue *queue, const char *id)
{
	uint64_t packed = note_index_pack(id);
	uintptr_t count = (uintptr_t)map_remove(&queue->ids, packed);
	if (count > 1)
		/* cannot fail: map_remove() has left a free place */
		(void)map_set(&queue->ids, packed, (void *)(count - 1));
}

bool queue_holds_id(const struct queue *queue, const char *id)
{
	char upper[NOTIFICATION_ID_SIZE];
	size_t len = strlen(id);
	if (len >= sizeof upper)
		return false;
	for (size_t at = 0; at <= len; at++)
		upper[at] = (char)toupper((unsigned char)id[at]);
	return map_get(&queue->ids, note_index_pack(upper)) != NULL;
}

static bool id_is_free(const struct queue *queue, const char *id)
{
	return map_get(&queue->ids, note_index_pack(id)) == NULL &&
	    note_index_newest(&queue->index, id) == NULL;
}

static uint32_t random_number(void)
{
	uint32_t number;
	if (getrandom(&number, sizeof number, 0) != sizeof number)
		number = (uint32_t)clock_mono_us();
	return number;
}

void queue_new_id(struct queue *queue, char ret_id[NOTIFICATION_ID_SIZE])
{
	for (unsigned attempt = 0; attempt < ID_TRIES; attempt++) {
		queue->id_number = (queue->id_number + ID_STEP) % NOTIFICATION_IDS;
		if (attempt < ID_TRIES_SHORT)
			notification_write_id(queue->id_number, 4, ret_id);
		else
			notification_write_id(random_number() + attempt, 6, ret_id);
		if (id_is_free(queue, ret_id))
			break;
	}
	queue_hold_id(queue, ret_id);
}

static void store_note(struct queue *queue, const struct notification *note)
{
	char name[SEQ_SIZE];
	record_put(queue->store, &note_kind, note_name(note->seq, name), note);
}

static void queue_insert(struct queue *queue, struct notification *note)
{
	note_index_add(&queue->index, note);
	list_append(&queue->notes, &note->link);
	queue->count++;
	queue->bytes += notification_size(note);
	queue->undelivered += is_undelivered(note);
	if (!is_undelivered(note) && note->seq < queue->settled_from)
		queue->settled_from = note->seq;
	if (note->seq > queue->last)
		queue->last = note->seq;
}

static void queue_remove(struct queue *queue, struct notification *note)
{
	if (queue->settled_from == note->seq)
		queue->settled_from = note->link.next == &queue->notes
		    ? UINT64_MAX
		    : list_entry(note->link.next, struct notification, link)->seq;
	note_index_remove(&queue->index, note);
	list_remove(&note->link);
	queue->count--;
	queue->bytes -= notification_size(note);
	queue->undelivered -= is_undelivered(note);
	notification_free(note);
}

#define SEQ_END ((uint64_t)1 << 53) /* JSON numbers are exact up to here */

static bool take_forgotten(void *data, const char *name UNUSED, const struct json *value)
{
	struct queue *queue = data;
	if (record_read(forgotten_kind.rows, value, queue) && queue->forgotten < SEQ_END)
		return true;
	queue->forgotten = 0;
	return false;
}

/* Returns the number in a name from note_name(); 0: another name. */
static uint64_t note_number(const char *name)
{
	uint64_t seq = strtoull(name, NULL, 10);
	char again[SEQ_SIZE];
	return seq < SEQ_END && strcmp(note_name(seq, again), name) == 0 ? seq : 0;
}

static bool take_note(void *data, const char *name, const struct json *value)
{
	struct notification *note = xcalloc(1, sizeof *note);
	struct queue *queue = data;
	note->seq = note_number(name);
	if (note->seq == 0 || !record_read(note_kind.rows, value, note)) {
		notification_free(note);
		return false;
	}
	note->is_durable = true;
	note->is_told = true; /* an earlier daemon may have handed it out */
	/* Delivery finds out whether the notification was typed, and types it if not. */
	if (note->state == NOTE_DELIVERING) {
		note->state = NOTE_QUEUED;
		note->was_handed =
		    note->delivery != NULL && strstr(note->delivery, "\"handed_over\"") != NULL;
	}
	queue_insert(queue, note);
	return true;
}

/* Returns the highest number of a stored notification, even of one that cannot be read. */
static uint64_t last_number(struct store *store)
{
	const char *key, *value;
	uint64_t last = 0, seq;
	size_t cursor = 0;
	while (store_next(store, note_kind.prefix, &cursor, &key, &value, NULL)) {
		seq = note_number(key + strlen(note_kind.prefix));
		last = seq > last ? seq : last;
	}
	return last;
}

static void post_all_lost(
    struct queue *queue, const struct record_kind *kind, struct record_lost *lost);

struct queue *queue_new(struct store *store, struct event_log *events)
{
	struct record_lost places = {.count = 0}, notes = {.count = 0};
	struct queue *queue = xcalloc(1, sizeof *queue);
	queue->settled_from = UINT64_MAX;
	queue->bytes_max = QUEUE_BYTES;
	queue->id_number = random_number() % NOTIFICATION_IDS;
	queue->store = store;
	queue->events = events;
	list_init(&queue->notes);
	list_init(&queue->listeners);
	queue->recounted_end = &queue->recounted;
	note_index_init(&queue->index);
	map_init(&queue->ids);
	record_load(store, &forgotten_kind, take_forgotten, queue, &places);
	record_load(store, &note_kind, take_note, queue, &notes);
	queue->last = last_number(store);
	event_log_pass(events, queue->last > queue->forgotten ? queue->last : queue->forgotten);
	/* Posts need numbers above the stored ones, so post after loading. */
	post_all_lost(queue, &forgotten_kind, &places);
	post_all_lost(queue, &note_kind, &notes);
	return queue;
}

void queue_free(struct queue *queue)
{
	if (queue == NULL)
		return;
	while (!list_is_empty(&queue->notes))
		queue_remove(queue, list_entry(queue->notes.next, struct notification, link));
	note_index_finish(&queue->index);
	map_finish(&queue->ids);
	mem_free(queue);
}

struct store *queue_store(struct queue *queue)
{
	return queue->store;
}

bool queue_is_degraded(const struct queue *queue)
{
	return queue != NULL && store_is_degraded(queue->store);
}

void queue_begin(struct queue *queue)
{
	queue->depth++;
	store_begin(queue->store);
}

static void tell_posted(struct queue *queue, const struct notification *note)
{
	list_each_safe (struct queue_listener, listener, &queue->listeners, link)
		if (listener->posted != NULL)
			listener->posted(listener, note);
}

/* Publishes a committed notification as the event of the same number. */
static void queue_tell(struct queue *queue, const struct notification *note)
{
	struct event_scope scope = {.pane = note->pane.pane, .window = MUXBUS_NO_ID};
	struct json_writer writer;
	struct buf members;
	uint64_t seq;
	scope.sessions[0] = MUXBUS_NO_ID;
	json_start(&writer, &members, 2 * ENTRY_MAX);
	(void)buf_reserve(&members, FIRST_BYTES);
	notification_write_members(&writer, note, true);
	seq = event_log_publish(queue->events, EVENT_NOTIFICATION, &scope,
	    (const char *)members.data, members.len, true);
	buf_finish(&members);
	if (seq != note->seq)
		log_error(
		    "notification %" PRIu64 " was published as event %" PRIu64, note->seq, seq);
	tell_posted(queue, note);
}

static void recounted_add(struct queue *queue, struct notification *note)
{
	note->is_recounted = true;
	note->next_recounted = NULL;
	*queue->recounted_end = note;
	queue->recounted_end = &note->next_recounted;
}

/* Calls posted() for notifications whose count has risen. No event is published for these. */
static void queue_tell_recounted(struct queue *queue)
{
	struct notification *note = queue->recounted, *next;
	queue->recounted = NULL;
	queue->recounted_end = &queue->recounted;
	for (; note != NULL; note = next) {
		next = note->next_recounted;
		note->is_recounted = false;
		tell_posted(queue, note);
	}
}

static struct notification *oldest_settled(struct queue *queue)
{
	struct notification *note = NULL;
	struct list *link = queue->notes.next;
	if (queue->settled_from != UINT64_MAX)
		note = note_index_find(&queue->index, queue->settled_from);
	else if (queue->undelivered == queue->count)
		return NULL;
	if (note != NULL)
		link = &note->link;
	for (; link != &queue->notes; link = link->next) {
		note = list_entry(link, struct notification, link);
		if (is_undelivered(note))
			continue;
		queue->settled_from = note->seq;
		return note;
	}
	queue->settled_from = UINT64_MAX;
	return NULL;
}

static bool is_untold(const struct queue *queue, const struct notification *note)
{
	return queue->first_untold != 0 && note->seq >= queue->first_untold;
}

static void keep_forgotten(struct queue *queue, uint64_t seq, const char *reason)
{
	queue->forgotten = seq;
	snprintf(queue->reason, sizeof queue->reason, "%s", reason);
	record_put(queue->store, &forgotten_kind, "forgotten", queue);
}

/*
 * Forgets entries beyond the limits, settled ones first. Stops at an entry that the open
 * transaction has posted or recounted: the listeners get it after the commit.
 */
static void queue_forget(struct queue *queue)
{
	struct notification *oldest;
	uint64_t last = 0;
	char name[SEQ_SIZE];
	while (queue->count > QUEUE_KEEP || (queue->bytes > queue->bytes_max && queue->count > 1)) {
		oldest = oldest_settled(queue);
		if (oldest == NULL)
			oldest = list_entry(queue->notes.next, struct notification, link);
		if (is_untold(queue, oldest) || oldest->is_recounted)
			break;
		last = oldest->seq > last ? oldest->seq : last;
		record_delete(queue->store, &note_kind, note_name(oldest->seq, name));
		queue_remove(queue, oldest);
	}
	if (last > queue->forgotten)
		keep_forgotten(queue, last, "retention");
}

static void queue_forget_now(struct queue *queue)
{
	store_begin(queue->store);
	queue_forget(queue);
	(void)store_commit(queue->store);
}

void queue_set_bytes(struct queue *queue, size_t max)
{
	queue->bytes_max = max;
	queue_forget_now(queue);
}

size_t queue_bytes(const struct queue *queue)
{
	return queue->bytes;
}

uint64_t queue_commit(struct queue *queue)
{
	uint64_t ticket, first = queue->first_untold;
	const struct notification *note;
	/* Before the commit, so that posts and deletions are in one journal record. */
	if (queue->depth == 1 && first != 0)
		queue_forget(queue);
	ticket = store_commit(queue->store);
	if (--queue->depth > 0)
		return 0;
	queue->first_untold = 0;
	queue_tell_recounted(queue);
	if (first == 0)
		return ticket;
	for (note = queue_find(queue, first); note != NULL; note = queue_next(queue, note)) {
		struct notification *mine = note_index_find(&queue->index, note->seq);
		mine->is_durable = ticket > 0;
		queue_tell(queue, note);
	}
	queue_forget_now(queue);
	return ticket;
}

/*
 * Returns true if a notification is settled, or a reader may have got it. That is unknown, and so
 * returns true, if the event of the notification was forgotten.
 */
static bool has_reader(const struct queue *queue, const struct notification *note)
{
	const struct event_entry *event = event_log_after(queue->events, note->seq - 1);
	return !is_undelivered(note) || note->is_told || event == NULL || event->seq != note->seq ||
	    event->is_sent;
}

/* An entry in delivery stays on offer: if it cannot be typed, it is queued again. */
const struct notification *queue_unread(struct queue *queue, const struct notification_draft *draft)
{
	const struct pane_ref *pane = draft->source == SOURCE_POST ? draft->pane : NULL;
	struct notification *next,
	    *note = draft->key != NULL ? note_index_offered(&queue->index, draft->key, NULL) : NULL;
	for (; note != NULL; note = next) {
		next = note_index_offered(&queue->index, draft->key, note);
		if (note->source != draft->source || note->owner != draft->owner ||
		    (draft->is_urgent && !note->is_urgent) ||
		    (pane != NULL && !pane_ref_equal(&note->pane, pane)))
			continue;
		if (is_untold(queue, note))
			return note;
		if (has_reader(queue, note))
			note_index_withdraw(&queue->index, note);
		else if (note->state == NOTE_QUEUED)
			return note;
	}
	return NULL;
}

static void queue_changed(struct queue *queue, struct notification *note)
{
	store_note(queue, note);
	list_each_safe (struct queue_listener, listener, &queue->listeners, link)
		if (listener->changed != NULL)
			listener->changed(listener, note);
}

static char *draft_data(const struct notification_draft *draft)
{
	const char *data = draft->data != NULL ? draft->data : "{}";
	if (strlen(data) <= NOTIFICATION_DATA_MAX)
		return xstrdup(data);
	return xasprintf("{\"truncated\":true,\"bytes\":%zu}", strlen(data));
}

static struct notification *draft_note(struct queue *queue, const struct notification_draft *draft)
{
	struct notification *note = xcalloc(1, sizeof *note);
	note->time_ms = clock_real_ms();
	note->source = draft->source;
	if (draft->id != NULL)
		memcpy(note->id, draft->id, strnlen(draft->id, sizeof note->id - 1));
	else
		queue_new_id(queue, note->id);
	pane_ref_clear(&note->pane);
	if (draft->pane != NULL)
		note->pane = *draft->pane;
	note->text = notification_clean_text(draft->text, strlen(draft->text));
	note->data = draft_data(draft);
	note->key = draft->key != NULL ? xstrdup(draft->key) : NULL;
	note->owner = draft->owner;
	note->count = draft->count > 0 ? draft->count : 1;
	note->is_urgent = draft->is_urgent;
	note->state = NOTE_QUEUED;
	return note;
}

uint64_t queue_post(struct queue *queue, const struct notification_draft *draft)
{
	const struct notification *unread = queue_unread(queue, draft);
	struct notification *note =
	    unread != NULL ? note_index_find(&queue->index, unread->seq) : NULL;
	uint64_t seq;
	queue_begin(queue);
	if (note != NULL) {
		note->count += draft->count > 0 ? draft->count : 1;
		if (!note->is_recounted && !is_untold(queue, note))
			recounted_add(queue, note);
		queue_changed(queue, note);
		seq = note->seq;
		(void)queue_commit(queue);
		return seq;
	}
	note = draft_note(queue, draft);
	/* Events and notifications have one sequence of numbers. */
	seq = event_log_next(queue->events);
	if (queue->first_untold != 0)
		seq = queue->last + 1;
	else
		queue->first_untold = seq;
	note->seq = seq;
	queue_insert(queue, note);
	if (note->key != NULL)
		note_index_offer(&queue->index, note);
	if (draft->id == NULL)
		queue_release_id(queue, note->id); /* the index has the id now */
	store_note(queue, note);
	(void)queue_commit(queue);
	return seq;
}

static void post_lost(struct queue *queue, const struct record_kind *kind, const char *key)
{
	const char *name = key + strlen(kind->prefix);
	bool has_id = kind->naming != RECORD_BY_NAME && name[0] != '\0' &&
	    strlen(name) < NOTIFICATION_ID_SIZE && utf8_is_valid(name, strlen(name));
	char *text = xasprintf("%s was lost: its record cannot be read", kind->noun);
	struct json_writer writer;
	struct buf data;
	json_start_object(&writer, &data, NOTIFICATION_DATA_MAX);
	json_put_str(&writer, "reason", "lost");
	(void)json_put_text(&writer, "record", key, strlen(key));
	json_object_end(&writer);
	(void)queue_post(queue,
	    &(struct notification_draft){.source = kind->source,
		.id = has_id ? name : NULL,
		.text = text,
		.data = (const char *)data.data});
	/* For readers, a notification that cannot be read is a gap. */
	if (kind == &note_kind && note_number(name) > queue->forgotten)
		keep_forgotten(queue, note_number(name), "corruption");
	store_delete(queue->store, key);
	buf_finish(&data);
	mem_free(text);
}

static void post_all_lost(
    struct queue *queue, const struct record_kind *kind, struct record_lost *lost)
{
	if (lost->count == 0)
		return;
	queue_begin(queue);
	for (size_t at = 0; at < lost->count; at++) {
		post_lost(queue, kind, lost->keys[at]);
		mem_free(lost->keys[at]);
	}
	(void)queue_commit(queue);
}

void queue_load(
    struct queue *queue, const struct record_kind *kind, record_take_fn *take, void *data)
{
	struct record_lost lost = {.count = 0};
	record_load(queue->store, kind, take, data, &lost);
	post_all_lost(queue, kind, &lost);
}

const struct notification *queue_find(const struct queue *queue, uint64_t seq)
{
	return note_index_find(&queue->index, seq);
}

const struct notification *queue_find_id(const struct queue *queue, const char *id)
{
	return note_index_newest(&queue->index, id);
}

const struct notification *queue_next_for(
    const struct queue *queue, const struct pane_ref *pane, const struct notification *previous)
{
	const struct notification *note =
	    note_index_undelivered(&queue->index, pane_ref_key(pane), previous);
	while (note != NULL && !pane_ref_equal(&note->pane, pane))
		note = note_index_undelivered(&queue->index, pane_ref_key(pane), note);
	return note;
}

const struct notification *queue_next(
    const struct queue *queue, const struct notification *previous)
{
	const struct list *link = previous == NULL ? queue->notes.next : previous->link.next;
	if (link == &queue->notes)
		return NULL;
	return list_entry(link, const struct notification, link);
}

const struct notification *queue_after(const struct queue *queue, uint64_t seq)
{
	const struct notification *note = queue_find(queue, seq);
	const struct list *link;
	if (note != NULL)
		return queue_next(queue, note);
	note = queue_find(queue, seq + 1);
	if (note == NULL)
		note = queue_next(queue, NULL);
	if (note == NULL || note->seq > seq)
		return note;
	/* Search from the end: most callers have seen nearly all entries. */
	for (link = queue->notes.prev; link != &queue->notes; link = link->prev) {
		note = list_entry(link, const struct notification, link);
		if (note->seq <= seq)
			return queue_next(queue, note);
	}
	return queue_next(queue, NULL);
}

uint64_t queue_last(const struct queue *queue)
{
	return queue->last;
}

size_t queue_undelivered(const struct queue *queue)
{
	return queue->undelivered;
}

uint64_t queue_forgotten(const struct queue *queue, const char **ret_reason)
{
	*ret_reason = queue->reason;
	return queue->forgotten;
}

void queue_note_loss(struct queue *queue)
{
	const char *reason = store_get(queue->store, STORE_LOSS_KEY, NULL);
	if (reason == NULL)
		return;
	store_begin(queue->store);
	keep_forgotten(queue, event_log_last(queue->events), reason);
	store_delete(queue->store, STORE_LOSS_KEY);
	(void)store_commit(queue->store);
}

bool queue_set_state(
    struct queue *queue, uint64_t seq, enum notification_state state, const char *receipt)
{
	struct notification *note = note_index_find(&queue->index, seq);
	if (note == NULL)
		return false;
	if (note->was_handed && (state == NOTE_DELIVERING || state == NOTE_DELIVERED)) {
		note->was_handed = false;
		note->redelivered++;
	}
	queue->undelivered -= is_undelivered(note);
	note->state = state;
	queue->undelivered += is_undelivered(note);
	note_index_update(&queue->index, note);
	if (!is_undelivered(note) && seq < queue->settled_from)
		queue->settled_from = seq;
	queue->bytes -= notification_size(note);
	if (receipt != NULL) {
		mem_free(note->delivery);
		note->delivery = xstrdup(receipt);
	}
	queue->bytes += notification_size(note);
	queue_changed(queue, note);
	return true;
}

void queue_note_told(struct queue *queue, uint64_t seq)
{
	struct notification *note = note_index_find(&queue->index, seq);
	if (note != NULL)
		note->is_told = true;
}

void queue_count_redelivery(struct queue *queue, uint64_t seq, int count)
{
	struct notification *note = note_index_find(&queue->index, seq);
	if (note == NULL)
		return;
	note->redelivered += count;
	queue_changed(queue, note);
}

void queue_listen(struct queue *queue, struct queue_listener *listener)
{
	list_append(&queue->listeners, &listener->link);
}
