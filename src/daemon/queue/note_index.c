/* SPDX-License-Identifier: ISC */
/* Indexes of notifications: maps whose values are the first of a chain. */
#include "daemon/queue/note_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/xalloc.h"

static void set(struct map *map, uint64_t key, void *value)
{
	if (map_set(map, key, value) != 0) {
		log_error("out of memory");
		abort();
	}
}

uint64_t note_index_pack(const char *id)
{
	uint64_t packed = 0;
	for (size_t at = 0; at < NOTIFICATION_ID_SIZE - 1 && id[at] != '\0'; at++)
		packed = packed << 8 | (uint8_t)id[at];
	return packed;
}

void note_index_init(struct note_index *index)
{
	map_init(&index->by_seq);
	map_init(&index->by_id);
	map_init(&index->by_key);
	map_init(&index->by_pane);
}

void note_index_finish(struct note_index *index)
{
	map_finish(&index->by_seq);
	map_finish(&index->by_id);
	map_finish(&index->by_key);
	map_finish(&index->by_pane);
}

static bool is_undelivered(const struct notification *note)
{
	return pane_ref_is_set(&note->pane) &&
	    (note->state == NOTE_QUEUED || note->state == NOTE_DELIVERING);
}

/* Puts one into the list of its pane, mostly at the end. */
static void pane_add(struct note_index *index, struct notification *note)
{
	struct list *notes = map_get(&index->by_pane, pane_ref_key(&note->pane)), *place;
	if (notes == NULL) {
		notes = xcalloc(1, sizeof *notes);
		list_init(notes);
		set(&index->by_pane, pane_ref_key(&note->pane), notes);
	}
	for (place = notes->prev; place != notes; place = place->prev) {
		if (list_entry(place, struct notification, same_pane)->seq < note->seq)
			break;
	}
	list_add_after(place, &note->same_pane);
	note->is_in_pane = true;
}

static void pane_remove(struct note_index *index, struct notification *note)
{
	struct list *notes = map_get(&index->by_pane, pane_ref_key(&note->pane));
	list_remove(&note->same_pane);
	note->is_in_pane = false;
	if (list_is_empty(notes))
		mem_free(map_remove(&index->by_pane, pane_ref_key(&note->pane)));
}

void note_index_update(struct note_index *index, struct notification *note)
{
	if (is_undelivered(note) == note->is_in_pane)
		return;
	if (note->is_in_pane)
		pane_remove(index, note);
	else
		pane_add(index, note);
}

void note_index_add(struct note_index *index, struct notification *note)
{
	uint64_t id = note_index_pack(note->id);
	struct notification *newest = map_get(&index->by_id, id);
	set(&index->by_seq, note->seq, note);
	list_init(&note->same_id);
	if (newest != NULL)
		list_add_after(&newest->same_id, &note->same_id);
	set(&index->by_id, id, note);
	note_index_update(index, note);
}

void note_index_remove(struct note_index *index, struct notification *note)
{
	struct notification *older = note_index_older(index, note);
	uint64_t id = note_index_pack(note->id);
	(void)map_remove(&index->by_seq, note->seq);
	if (map_get(&index->by_id, id) == note) {
		if (older != NULL)
			set(&index->by_id, id, older);
		else
			(void)map_remove(&index->by_id, id);
	}
	list_remove(&note->same_id);
	note_index_withdraw(index, note);
	if (note->is_in_pane)
		pane_remove(index, note);
}

struct notification *note_index_find(const struct note_index *index, uint64_t seq)
{
	return map_get(&index->by_seq, seq);
}

struct notification *note_index_newest(const struct note_index *index, const char *id)
{
	return map_get(&index->by_id, note_index_pack(id));
}

/* The chain is a ring in order of seq: behind the oldest comes the newest. */
struct notification *note_index_older(
    const struct note_index *index, const struct notification *note)
{
	struct notification *older = list_entry(note->same_id.prev, struct notification, same_id);
	(void)index;
	return older->seq < note->seq ? older : NULL;
}

struct notification *note_index_undelivered(
    const struct note_index *index, uint64_t key, const struct notification *previous)
{
	const struct list *notes = map_get(&index->by_pane, key), *link;
	if (notes == NULL)
		return NULL;
	link = previous == NULL ? notes->next : previous->same_pane.next;
	return link == notes ? NULL : list_entry(link, struct notification, same_pane);
}

static uint64_t key_hash(const char *key)
{
	return hash_bytes(key, strlen(key));
}

void note_index_offer(struct note_index *index, struct notification *note)
{
	uint64_t hash = key_hash(note->key);
	struct notification *last = map_get(&index->by_key, hash);
	note->is_offered = true;
	note->same_key = NULL;
	if (last == NULL) {
		set(&index->by_key, hash, note);
		return;
	}
	while (last->same_key != NULL)
		last = last->same_key;
	last->same_key = note;
}

void note_index_withdraw(struct note_index *index, struct notification *note)
{
	struct notification *before;
	uint64_t hash;
	if (!note->is_offered)
		return;
	note->is_offered = false;
	hash = key_hash(note->key);
	before = map_get(&index->by_key, hash);
	if (before == note && note->same_key == NULL) {
		(void)map_remove(&index->by_key, hash);
	} else if (before == note) {
		set(&index->by_key, hash, note->same_key);
	} else {
		while (before->same_key != note)
			before = before->same_key;
		before->same_key = note->same_key;
	}
}

struct notification *note_index_offered(
    const struct note_index *index, const char *key, const struct notification *previous)
{
	struct notification *note =
	    previous == NULL ? map_get(&index->by_key, key_hash(key)) : previous->same_key;
	/* Another key may have the same hash. */
	while (note != NULL && strcmp(note->key, key) != 0)
		note = note->same_key;
	return note;
}
