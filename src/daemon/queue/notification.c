/* SPDX-License-Identifier: ISC */
/* A notification as JSON, on the wire and in the store. */
#include "daemon/queue/notification.h"

#include <muxbus.h>

#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"

static const char *const source_names[] = {
    [SOURCE_COMMAND] = "command",
    [SOURCE_CONDITION] = "condition",
    [SOURCE_JOB] = "job",
    [SOURCE_POST] = "post",
    [SOURCE_TIMER] = "timer",
    [SOURCE_WATCH] = "watch",
};

static const char *const state_names[] = {
    [NOTE_QUEUED] = "queued",
    [NOTE_DELIVERING] = "delivering",
    [NOTE_DELIVERED] = "delivered",
    [NOTE_ACKNOWLEDGED] = "acknowledged",
    [NOTE_CANCELLED] = "cancelled",
    [NOTE_FAILED] = "failed",
};

const char *notification_source_name(enum notification_source source)
{
	return source_names[source];
}

const char *notification_state_name(enum notification_state state)
{
	return state_names[state];
}

static int find_name(const char *const *names, int count, const char *name)
{
	for (int at = 0; at < count; at++) {
		if (strcmp(names[at], name) == 0)
			return at;
	}
	return -1;
}

int notification_source_find(const char *name)
{
	return find_name(source_names, SOURCE_COUNT_, name);
}

int notification_state_find(const char *name)
{
	return find_name(state_names, NOTE_STATE_COUNT_, name);
}

void notification_free(struct notification *note)
{
	if (note == NULL)
		return;
	mem_free(note->text);
	mem_free(note->data);
	mem_free(note->key);
	mem_free(note->delivery);
	mem_free(note);
}

void notification_write_members(
    struct json_writer *writer, const struct notification *note, bool is_event)
{
	if (!is_event) {
		json_put_int(writer, "seq", (int64_t)note->seq);
		json_put_time(writer, "time", note->time_ms);
	}
	json_put_str(writer, "source", source_names[note->source]);
	json_put_str(writer, "id", note->id);
	if (note->pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', note->pane.pane);
	else
		json_put_null(writer, "pane");
	json_put_str(writer, "text", note->text);
	json_put_raw(writer, "data", note->data, strlen(note->data));
	json_put_str(writer, "state", state_names[note->state]);
	if (note->delivery != NULL)
		json_put_raw(writer, "delivery", note->delivery, strlen(note->delivery));
	else
		json_put_null(writer, "delivery");
	json_put_int(writer, "redelivered", note->redelivered);
	if (note->key != NULL)
		json_put_str(writer, "key", note->key);
	if (note->count > 1)
		json_put_int(writer, "count", note->count);
	if (note->is_urgent)
		json_put_str(writer, "urgency", "high");
	if (!note->is_durable)
		json_put_bool(writer, "durable", false);
}

void notification_store(struct buf *out, const struct notification *note)
{
	struct json_writer writer;
	char pane[PANE_REF_TEXT_SIZE];

	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_put_int(&writer, "time_ms", note->time_ms);
	json_put_str(&writer, "source", source_names[note->source]);
	json_put_str(&writer, "id", note->id);
	if (note->pane.pane != MUXBUS_NO_ID) {
		pane_ref_format(&note->pane, pane);
		json_put_str(&writer, "pane", pane);
	}
	json_put_str(&writer, "text", note->text);
	json_put_raw(&writer, "data", note->data, strlen(note->data));
	if (note->key != NULL)
		json_put_str(&writer, "key", note->key);
	json_put_int(&writer, "count", note->count);
	json_put_bool(&writer, "urgent", note->is_urgent);
	json_put_str(&writer, "state", state_names[note->state]);
	if (note->delivery != NULL)
		json_put_raw(&writer, "delivery", note->delivery, strlen(note->delivery));
	json_put_int(&writer, "redelivered", note->redelivered);
	json_object_end(&writer);
}

static const char *load_text(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);

	return member != NULL && member->type == JSON_STRING ? member->text : NULL;
}

static int64_t load_int(const struct json *value, const char *name)
{
	int64_t number = 0;

	(void)json_int(json_member(value, name), &number); /* absent: 0 */
	return number;
}

/* An object as text of its own; NULL if there is none. */
static char *load_object(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	struct json_writer writer;
	struct buf out;

	if (member == NULL || member->type != JSON_OBJECT)
		return NULL;
	buf_init(&out, 2 * NOTIFICATION_DATA_MAX);
	json_writer_init(&writer, &out);
	json_put_value(&writer, NULL, member);
	return (char *)buf_steal(&out, NULL);
}

/* Fills what a value says of state and address. False if it is none of ours. */
static bool load_state(const struct json *value, struct notification *note)
{
	const char *source = load_text(value, "source");
	const char *state = load_text(value, "state");
	const char *id = load_text(value, "id");
	const char *pane = load_text(value, "pane");
	int source_value = source != NULL ? notification_source_find(source) : -1;
	int state_value = state != NULL ? notification_state_find(state) : -1;

	if (source_value < 0 || state_value < 0 || id == NULL || strlen(id) >= NOTIFICATION_ID_SIZE)
		return false;
	note->source = (enum notification_source)source_value;
	note->state = (enum notification_state)state_value;
	strcpy(note->id, id);
	pane_ref_clear(&note->pane);
	return pane == NULL || pane_ref_parse(pane, &note->pane);
}

struct notification *notification_load(
    struct json_reader *reader, uint64_t seq, const char *text, size_t len)
{
	struct json_error error;
	const struct json *value = json_read(reader, text, len, &error);
	const struct json *urgent = json_member(value, "urgent");
	const char *words, *key;
	struct notification *note;

	if (value == NULL || (words = load_text(value, "text")) == NULL)
		return NULL;
	note = xcalloc(1, sizeof *note);
	if (!load_state(value, note)) {
		notification_free(note);
		return NULL;
	}
	key = load_text(value, "key");
	note->seq = seq;
	note->time_ms = load_int(value, "time_ms");
	note->text = xstrdup(words);
	note->data = load_object(value, "data");
	if (note->data == NULL)
		note->data = xstrdup("{}");
	note->delivery = load_object(value, "delivery");
	note->key = key != NULL ? xstrdup(key) : NULL;
	note->count = (unsigned)load_int(value, "count");
	note->redelivered = (unsigned)load_int(value, "redelivered");
	note->is_urgent = urgent != NULL && urgent->boolean;
	note->is_durable = true;
	return note;
}

char *notification_clean_text(const char *text, size_t len)
{
	bool is_lossy = false, was_space = true;
	struct buf clean, out;
	size_t at = 0;

	buf_init(&clean, SIZE_MAX / 4);
	buf_init(&out, NOTIFICATION_TEXT_MAX);
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
