/* SPDX-License-Identifier: ISC */
/* The responses that a peer is owed. */
#include "daemon/server/response_row.h"

#include <stdint.h>

#include "base/buf.h"
#include "base/xalloc.h"

/* A reserved place for a response. */
struct response_slot {
	struct list link; /* in slots or waits */
	struct response_row *row;
	void (*gone)(void *data); /* NULL once it is answered */
	void *data;
	bool is_waiting;
	struct buf line; /* waits for the slots before it */
	void (*sent)(struct peer *peer, void *data);
	void *sent_data;
};

void response_row_init(
    struct response_row *row, struct peer *peer, bool (*emit)(struct peer *peer, struct buf *line))
{
	*row = (struct response_row){.peer = peer, .emit = emit};
	list_init(&row->slots);
	list_init(&row->waits);
}

struct response_slot *response_row_reserve(
    struct response_row *row, bool is_waiting, void (*gone)(void *data), void *data)
{
	struct response_slot *slot = xcalloc(1, sizeof *slot);
	slot->row = row;
	slot->gone = gone;
	slot->data = data;
	slot->is_waiting = is_waiting;
	buf_init(&slot->line, SIZE_MAX);
	list_append(is_waiting ? &row->waits : &row->slots, &slot->link);
	if (is_waiting)
		row->wait_count++;
	else
		row->count++;
	return slot;
}

void *response_row_find(const struct response_row *row,
    bool (*is_it)(const void *data, const void *key), const void *key)
{
	const struct list *const lists[] = {&row->waits, &row->slots};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		list_each (const struct response_slot, slot, lists[i], link) {
			if (slot->gone != NULL && is_it(slot->data, key))
				return slot->data;
		}
	}
	return NULL;
}

struct peer *response_slot_peer(const struct response_slot *slot)
{
	return slot->row->peer;
}

static void slot_free(struct response_slot *slot)
{
	list_remove(&slot->link);
	buf_finish(&slot->line);
	mem_free(slot->sent_data);
	mem_free(slot);
}

void response_row_detach(struct list *slots)
{
	while (!list_is_empty(slots)) {
		struct response_slot *slot = list_entry(slots->next, struct response_slot, link);
		void (*gone)(void *) = slot->gone;
		void *data = slot->data;
		slot_free(slot);
		if (gone != NULL)
			gone(data);
	}
}

/* Hands the line of a slot on, whose turn it is, and frees the slot. */
static void leave(struct response_slot *slot, struct buf *line)
{
	struct peer *peer = slot->row->peer;
	if (slot->row->emit(peer, line) && slot->sent != NULL)
		slot->sent(peer, slot->sent_data);
	slot_free(slot);
}

/* The answered slots at the head of the list leave. */
static void advance(struct response_row *row)
{
	while (!list_is_empty(&row->slots)) {
		struct response_slot *slot =
		    list_entry(row->slots.next, struct response_slot, link);
		struct buf line;
		if (slot->gone != NULL)
			return;
		row->held_bytes -= slot->line.len;
		line = slot->line;
		buf_init(&slot->line, SIZE_MAX);
		leave(slot, &line);
		buf_finish(&line);
	}
}

void response_row_answer(struct response_slot *slot, struct buf *line,
    void (*sent)(struct peer *peer, void *data), void *sent_data)
{
	struct response_row *row = slot->row;
	slot->gone = NULL;
	slot->sent = sent;
	slot->sent_data = sent_data;
	if (slot->is_waiting) {
		row->wait_count--;
		leave(slot, line);
		return;
	}
	row->count--;
	if (slot->link.prev == &row->slots) {
		leave(slot, line);
		advance(row);
		return;
	}
	slot->line = *line;
	buf_init(line, line->max);
	row->held_bytes += slot->line.len;
}
