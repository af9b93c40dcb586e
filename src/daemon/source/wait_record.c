/* SPDX-License-Identifier: ISC */
/* Records of waits in the store. */
#include <muxbus.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/queue/lost_record.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/source/wait_private.h"

#define NAMED_PREFIX "wait/"
#define BACKGROUND_PREFIX "errand/"

enum {
	KEY_SIZE = sizeof BACKGROUND_PREFIX + WAIT_NAME_MAX,
	DETAILS_KEPT = 16 * 1024, /* of one condition */
};

static const char *const kind_names[] = {
    [WAIT_REQUEST] = NULL,
    [WAIT_IDLE] = "idle",
    [WAIT_PANE] = "pane",
};

/* ---- writing ---- */

static void write_ref(struct json_writer *writer, const char *name, const struct pane_ref *ref)
{
	char text[PANE_REF_TEXT_SIZE];

	if (ref->pane == MUXBUS_NO_ID)
		return;
	pane_ref_format(ref, text);
	json_put_str(writer, name, text);
}

static void write_part(struct json_writer *writer, const struct wait_part *part)
{
	const struct condition *condition = part->condition;
	const struct buf *details = &condition->details;

	json_object_begin(writer, NULL);
	json_put_raw(writer, "spec", part->spec, strlen(part->spec));
	write_ref(writer, "pane", &part->pane);
	json_put_str(writer, "state", condition_state_name(condition->state));
	if (condition->state != CONDITION_PENDING && details->len > 0 &&
	    details->len < DETAILS_KEPT)
		json_put_raw(writer, "details", details->data, details->len);
	json_object_end(writer);
}

static void write_named(struct json_writer *writer, const struct wait *wait)
{
	json_put_bool(writer, "all", wait->is_all);
	json_put_bool(writer, "over", wait->is_over);
	json_put_bool(writer, "timed_out", wait->is_timed_out);
	json_put_int(writer, "began_ms", clock_real_ms() - (clock_mono_ms() - wait->began_ms));
	json_put_int(writer, "due_ms", wait->due_ms);
	json_array_begin(writer, "conditions");
	for (size_t at = 0; at < wait->count; at++)
		write_part(writer, &wait->parts[at]);
	json_array_end(writer);
}

static void write_background(struct json_writer *writer, const struct wait *wait)
{
	const struct wait_part *part = &wait->parts[0];

	json_put_str(writer, "kind", kind_names[wait->kind]);
	write_ref(writer, "subject", &part->pane);
	json_put_raw(writer, "spec", part->spec, strlen(part->spec));
	json_put_bool(writer, "once", wait->is_once);
	json_put_int(writer, "deadline_ms", wait->due_ms);
	json_put_int(writer, "matches", wait->matches);
}

static bool write_key(const struct wait *wait, char out[KEY_SIZE])
{
	snprintf(out, KEY_SIZE, "%s%s",
	    wait->kind == WAIT_REQUEST ? NAMED_PREFIX : BACKGROUND_PREFIX, wait->name);
	return wait->name[0] != '\0' && wait->set->parts.queue != NULL;
}

void wait_record_put(const struct wait *wait)
{
	char key[KEY_SIZE];
	struct json_writer writer;
	struct buf value;

	if (!write_key(wait, key))
		return;
	buf_init(&value, STORE_VALUE_MAX);
	json_writer_init(&writer, &value);
	json_object_begin(&writer, NULL);
	write_ref(&writer, "teller", &wait->pane);
	if (wait->kind == WAIT_REQUEST)
		write_named(&writer, wait);
	else
		write_background(&writer, wait);
	json_object_end(&writer);
	if (!writer.is_full)
		store_put(queue_store(wait->set->parts.queue), key, value.data, value.len);
	buf_finish(&value);
}

void wait_record_delete(const struct wait *wait)
{
	char key[KEY_SIZE];

	if (write_key(wait, key))
		store_delete(queue_store(wait->set->parts.queue), key);
}

/* ---- reading ---- */

static int64_t load_int(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	int64_t number = 0;

	return member != NULL && json_int(member, &number) ? number : 0;
}

static bool load_bool(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);

	return member != NULL && member->type == JSON_BOOL && member->boolean;
}

static const char *load_str(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);

	return member != NULL && member->type == JSON_STRING ? member->text : NULL;
}

static void load_ref(const struct json *value, const char *name, struct pane_ref *ref)
{
	const char *text = load_str(value, name);

	pane_ref_clear(ref);
	if (text != NULL && !pane_ref_parse(text, ref))
		pane_ref_clear(ref);
}

/* Takes up one condition, which is not armed. False if it is none. */
static bool load_part(struct wait *wait, const struct json *spec, enum condition_state state,
    const struct json *details)
{
	struct wait_part *part = &wait->parts[wait->count];
	char *text = details != NULL ? wait_json_text(details) : NULL;

	part->condition = condition_restore(spec, state, text);
	mem_free(text);
	if (part->condition == NULL)
		return false;
	part->spec = wait_json_text(spec);
	wait->count++;
	return true;
}

static struct wait *load_named(struct wait_set *set, const struct json *value)
{
	const struct json *list = json_member(value, "conditions");
	struct wait *wait;

	if (list == NULL || list->type != JSON_ARRAY || list->count == 0 ||
	    list->count > WAIT_CONDITIONS_MAX || set->named == WAIT_NAMED_MAX)
		return NULL;
	wait = wait_new(set, WAIT_REQUEST, list->count);
	for (const struct json *at = list->child; at != NULL; at = at->next) {
		const char *state = load_str(at, "state");

		if (state == NULL ||
		    !load_part(wait, json_member(at, "spec"), condition_state_find(state),
			json_member(at, "details"))) {
			wait_drop(wait);
			return NULL;
		}
		load_ref(at, "pane", &wait->parts[wait->count - 1].pane);
	}
	wait->is_all = load_bool(value, "all");
	wait->is_over = load_bool(value, "over");
	wait->is_timed_out = load_bool(value, "timed_out");
	wait_set_due(wait, load_int(value, "due_ms"));
	wait->began_ms = clock_mono_ms() - (clock_real_ms() - load_int(value, "began_ms"));
	wait->over_ms = clock_mono_ms();
	return wait;
}

static struct wait *load_background(struct wait_set *set, const struct json *value)
{
	const char *kind = load_str(value, "kind");
	struct wait *wait;

	if (kind == NULL)
		return NULL;
	wait = wait_new(set, strcmp(kind, kind_names[WAIT_PANE]) == 0 ? WAIT_PANE : WAIT_IDLE, 1);
	if (!load_part(wait, json_member(value, "spec"), CONDITION_PENDING, NULL)) {
		wait_drop(wait);
		return NULL;
	}
	load_ref(value, "subject", &wait->parts[0].pane);
	wait->is_once = load_bool(value, "once");
	wait_set_due(wait, load_int(value, "deadline_ms"));
	wait->matches = (unsigned)load_int(value, "matches");
	return wait;
}

/* Takes up the records of one prefix; a record that cannot be read is reported as lost. */
static void load_prefix(struct wait_set *set, const char *prefix, const char *what,
    struct wait *(*load)(struct wait_set *set, const struct json *value))
{
	struct store *store = queue_store(set->parts.queue);
	struct lost_records lost = {.count = 0};
	const char *key, *value;
	size_t cursor = 0, len;
	struct json_error error;
	bool is_id;

	while (store_next(store, prefix, &cursor, &key, &value, &len)) {
		const char *name = key + strlen(prefix);
		const struct json *record = json_read(set->reader, value, len, &error);
		struct wait *wait =
		    record != NULL && strlen(name) <= WAIT_NAME_MAX ? load(set, record) : NULL;

		if (wait == NULL) {
			lost_record_add(&lost, key, what);
			continue;
		}
		load_ref(record, "teller", &wait->pane);
		is_id = strlen(name) < NOTIFICATION_ID_SIZE;
		if (is_id)
			queue_hold_id(set->parts.queue, name);
		wait_set_name(wait, name, is_id);
	}
	lost_records_tell(&lost, set->parts.queue, SOURCE_CONDITION, what);
}

void wait_record_load(struct wait_set *set)
{
	load_prefix(set, NAMED_PREFIX, "wait", load_named);
	load_prefix(set, BACKGROUND_PREFIX, "pane watch or wait", load_background);
}
