/* SPDX-License-Identifier: ISC */
#include "daemon/queue/notification.h"

#include "base/hash.h"
#include "daemon/queue/store.h"

const char *const notification_source_names[] = {
    [SOURCE_COMMAND] = "command",
    [SOURCE_CONDITION] = "condition",
    [SOURCE_JOB] = "job",
    [SOURCE_POST] = "post",
    [SOURCE_PROGRAM] = "program",
    [SOURCE_TIMER] = "timer",
    [SOURCE_TOOL] = "tool",
    [SOURCE_WATCH] = "watch",
    [SOURCE_COUNT_] = NULL,
};

const char *const notification_state_names[] = {
    [NOTE_QUEUED] = "queued",
    [NOTE_DELIVERING] = "delivering",
    [NOTE_DELIVERED] = "delivered",
    [NOTE_ACKNOWLEDGED] = "acknowledged",
    [NOTE_CANCELLED] = "cancelled",
    [NOTE_FAILED] = "failed",
};

void notification_write_id(uint32_t number, size_t len, char ret_id[NOTIFICATION_ID_SIZE])
{
	/* Without I and O, which people may read as 1 and 0. */
	static const char letters[] = "ABCDEFGHJKLMNPQRSTUVWXYZ", digits[] = "0123456789";
	for (size_t at = 0; at < len; at++) {
		const char *set = at % 2 == 0 ? letters : digits;
		size_t count = at % 2 == 0 ? sizeof letters - 1 : sizeof digits - 1;
		ret_id[at] = set[number % count];
		number /= (uint32_t)count;
	}
	ret_id[len] = '\0';
}

/* Writes the receipt. Without one: null, or that the notification waits without an address. */
static void write_delivery(struct json_writer *writer, const struct notification *note)
{
	if (note->delivery != NULL) {
		json_put_raw(writer, "delivery", note->delivery, strlen(note->delivery));
	} else if (note->state != NOTE_QUEUED || pane_ref_is_set(&note->pane)) {
		json_put_null(writer, "delivery");
	} else {
		json_object_begin(writer, "delivery");
		json_put_str(writer, "result", "deferred");
		json_put_str(writer, "way", "none");
		json_put_str(writer, "reason", "it is for no pane and no thread");
		json_object_end(writer);
	}
}

void notification_write_members(
    struct json_writer *writer, const struct notification *note, bool is_event)
{
	if (!is_event) {
		json_put_int(writer, "seq", (int64_t)note->seq);
		json_put_time(writer, "time", note->time_ms);
	}
	json_put_str(writer, "source", notification_source_names[note->source]);
	json_put_str(writer, "id", note->id);
	json_put_id(writer, "pane", '%', note->pane.pane);
	if (note->pane.thread[0] != '\0')
		json_put_str(writer, "thread", note->pane.thread);
	json_put_str(writer, "text", note->text);
	json_put_raw(writer, "data", note->data, strlen(note->data));
	json_put_str(writer, "state", notification_state_names[note->state]);
	write_delivery(writer, note);
	json_put_int(writer, "redelivered", note->redelivered);
	json_put_given(writer, "key", note->key);
	if (note->count > 1)
		json_put_int(writer, "count", note->count);
	if (note->is_urgent)
		json_put_str(writer, "urgency", "high");
	store_put_durable(writer, note->is_durable);
}

static const struct record_field fields[] = {
    {RECORD_ROW(INT, struct notification, time_ms, "time_ms")},
    {RECORD_ROW(NAME, struct notification, source, "source"), .names = notification_source_names,
	.values = SOURCE_COUNT_},
    {RECORD_ROW(WORD, struct notification, id, "id")},
    {RECORD_ROW(PANE, struct notification, pane, "pane"), .is_optional = true},
    {RECORD_ROW(THREAD, struct notification, pane, "thread"), .is_optional = true},
    {RECORD_ROW(TEXT, struct notification, text, "text")},
    {RECORD_ROW(JSON, struct notification, data, "data")},
    {RECORD_ROW(TEXT, struct notification, key, "key"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct notification, count, "count")},
    {RECORD_ROW(BOOL, struct notification, is_urgent, "urgent")},
    {RECORD_ROW(NAME, struct notification, state, "state"), .names = notification_state_names,
	.values = NOTE_STATE_COUNT_},
    {RECORD_ROW(JSON, struct notification, delivery, "delivery"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct notification, redelivered, "redelivered")},
};

const struct record_rows notification_rows = {
    .fields = fields, .count = sizeof fields / sizeof *fields};

void notification_free(struct notification *note)
{
	if (note == NULL)
		return;
	record_finish(&notification_rows, note);
	mem_free(note);
}

static size_t text_size(const char *text)
{
	return text != NULL ? strlen(text) + 1 : 0;
}

size_t notification_size(const struct notification *note)
{
	return sizeof *note + text_size(note->text) + text_size(note->data) + text_size(note->key) +
	    text_size(note->delivery);
}

static bool is_graphic(const struct buf *text, size_t at)
{
	return at < text->len && text->data[at] > ' ' && text->data[at] < 0x7f;
}

char *notification_clean_text(const char *text, size_t len)
{
	bool is_lossy = false, was_space = true;
	struct buf clean = BUF(SIZE_MAX / 4), out = BUF(NOTIFICATION_TEXT_MAX);
	size_t at = 0;
	(void)utf8_clean(&clean, text,
	    len < 4 * NOTIFICATION_TEXT_MAX ? len : 4 * NOTIFICATION_TEXT_MAX, &is_lossy);
	while (at < clean.len) {
		uint32_t character;
		int size = utf8_decode(clean.data + at, clean.len - at, &character);
		bool is_space = character <= ' ' || (character >= 0x7f && character < 0xa0) ||
		    character == 0x2028 || character == 0x2029;
		if (size <= 0)
			break;
		if (is_space && !was_space && buf_append_byte(&out, ' ') != 0)
			break;
		while (!is_space && size < (int)(out.max - out.len) &&
		    is_graphic(&clean, at + (size_t)size))
			size++;
		if (!is_space && buf_append(&out, clean.data + at, (size_t)size) != 0)
			break;
		was_space = is_space;
		at += (size_t)size;
	}
	if (out.len > 0 && out.data[out.len - 1] == ' ')
		out.data[--out.len] = '\0';
	buf_finish(&clean);
	if (out.len == 0) {
		buf_finish(&out);
		return xstrdup("");
	}
	return (char *)buf_steal(&out, NULL);
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

static void pane_add(struct note_index *index, struct notification *note)
{
	struct list *notes = map_get(&index->by_pane, pane_ref_key(&note->pane)), *place;
	if (notes == NULL) {
		notes = xcalloc(1, sizeof *notes);
		list_init(notes);
		xmap_set(&index->by_pane, pane_ref_key(&note->pane), notes);
	}
	for (place = notes->prev; place != notes; place = place->prev)
		if (list_entry(place, struct notification, same_pane)->seq < note->seq)
			break;
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
	xmap_set(&index->by_seq, note->seq, note);
	list_init(&note->same_id);
	if (newest != NULL)
		list_add_after(&newest->same_id, &note->same_id);
	xmap_set(&index->by_id, id, note);
	note_index_update(index, note);
}

void note_index_remove(struct note_index *index, struct notification *note)
{
	struct notification *older = note_index_older(note);
	uint64_t id = note_index_pack(note->id);
	(void)map_remove(&index->by_seq, note->seq);
	if (map_get(&index->by_id, id) == note) {
		if (older != NULL)
			xmap_set(&index->by_id, id, older);
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

/* The notifications with one id form a ring by seq, in which the newest precedes the oldest. */
struct notification *note_index_older(const struct notification *note)
{
	struct notification *older = list_entry(note->same_id.prev, struct notification, same_id);
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
		xmap_set(&index->by_key, hash, note);
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
		xmap_set(&index->by_key, hash, note->same_key);
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
