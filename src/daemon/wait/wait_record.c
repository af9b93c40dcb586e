/* SPDX-License-Identifier: ISC */
/* Records of waits in the store. */
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/wait/wait_private.h"

enum { DETAILS_KEPT = 8 * 1024 }; /* bytes */

_Static_assert(WAIT_SPECS_MAX + WAIT_CONDITIONS_MAX * (DETAILS_KEPT + 256) < STORE_VALUE_MAX,
    "every wait can be kept");

/* A stored condition. A background wait has one, which is stored among its own members. */
struct kept_part {
	char *spec;
	struct pane_ref pane;
	enum condition_state state;
	char *details; /* NULL: none */
};

struct kept_wait {
	struct wait wait; /* only the members that have a row below */
	int64_t began_ms; /* CLOCK_REALTIME */
	struct kept_part parts[WAIT_CONDITIONS_MAX];
	size_t count;
};

static const char *const kind_names[] = {
    [WAIT_REQUEST] = "request", [WAIT_IDLE] = "idle", [WAIT_PANE] = "pane"};

static const struct record_field part_fields[] = {
    {RECORD_ROW(JSON, struct kept_part, spec, "spec")},
    {RECORD_ROW(PANE, struct kept_part, pane, "pane"), .is_optional = true},
    {RECORD_ROW(NAME, struct kept_part, state, "state"), .names = condition_state_names,
	.values = CONDITION_STATE_COUNT_},
    {RECORD_ROW(JSON, struct kept_part, details, "details"), .is_optional = true},
};

static const struct record_field named_fields[] = {
    {RECORD_ROW(PANE, struct kept_wait, wait.pane, "teller"), .is_optional = true},
    {RECORD_ROW(THREAD, struct kept_wait, wait.pane, "thread"), .is_optional = true},
    {RECORD_ROW(BOOL, struct kept_wait, wait.is_all, "all")},
    {RECORD_ROW(BOOL, struct kept_wait, wait.is_over, "over")},
    {RECORD_ROW(BOOL, struct kept_wait, wait.is_timed_out, "timed_out")},
    {RECORD_ROW(INT, struct kept_wait, began_ms, "began_ms")},
    {RECORD_ROW(INT, struct kept_wait, wait.due_ms, "due_ms")},
    {RECORD_ROW(INT, struct kept_wait, wait.began_ms, "began_run_ms"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_wait, wait.due_run_ms, "due_run_ms"), .is_optional = true},
    {RECORD_ROW(WORD, struct kept_wait, wait.boot_id, "boot"), .is_optional = true},
    {RECORD_ROW(LIST, struct kept_wait, parts, "conditions"),
	.count_offset = offsetof(struct kept_wait, count), .values = WAIT_CONDITIONS_MAX,
	.rows = RECORD_ROWS(part_fields, NULL)},
};

static const struct record_kind named_kind = {.prefix = "wait/",
    .noun = "a wait",
    .rows = RECORD_ROWS(named_fields, NULL),
    .source = SOURCE_CONDITION,
    .naming = RECORD_BY_EITHER};

static const struct record_field background_fields[] = {
    {RECORD_ROW(NAME, struct kept_wait, wait.kind, "kind"), .names = kind_names,
	.values = WAIT_KIND_COUNT_},
    {RECORD_ROW(PANE, struct kept_wait, wait.pane, "teller"), .is_optional = true},
    {RECORD_ROW(THREAD, struct kept_wait, wait.pane, "thread"), .is_optional = true},
    {RECORD_ROW(PANE, struct kept_wait, parts[0].pane, "subject"), .is_optional = true},
    {RECORD_ROW(JSON, struct kept_wait, parts[0].spec, "spec")},
    {RECORD_ROW(BOOL, struct kept_wait, wait.is_once, "once")},
    {RECORD_ROW(INT, struct kept_wait, wait.due_ms, "deadline_ms")},
    {RECORD_ROW(INT, struct kept_wait, wait.due_run_ms, "due_run_ms"), .is_optional = true},
    {RECORD_ROW(WORD, struct kept_wait, wait.boot_id, "boot"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_wait, wait.matches, "matches")},
};

static const struct record_kind background_kind = {.prefix = "errand/",
    .noun = "a pane watch or wait",
    .rows = RECORD_ROWS(background_fields, NULL),
    .source = SOURCE_CONDITION,
    .naming = RECORD_BY_ID};

static const struct record_kind *kind_of(const struct wait *wait)
{
	return wait->kind == WAIT_REQUEST ? &named_kind : &background_kind;
}

void wait_record_put(const struct wait *wait)
{
	struct kept_wait kept;
	if (wait->name[0] == '\0' || wait->set->parts->queue == NULL)
		return;
	kept = (struct kept_wait){.wait = *wait,
	    .began_ms = clock_real_ms() - (clock_mono_ms() - wait->began_ms),
	    .count = wait->count};
	if (wait->request != NULL)
		/* the caller will ask the next daemon for the wait */
		pane_ref_clear(&kept.wait.pane);
	for (size_t at = 0; at < wait->count; at++) {
		const struct condition *condition = wait->parts[at].condition;
		struct kept_part *part = &kept.parts[at];
		part->spec = wait->parts[at].spec;
		part->pane = wait->parts[at].pane;
		part->state = condition->state;
		if (part->state != CONDITION_PENDING && condition->details.len > 0 &&
		    condition->details.len < DETAILS_KEPT)
			part->details = (char *)condition->details.data;
	}
	record_put(queue_store(wait->set->parts->queue), kind_of(wait), wait->name, &kept);
}

void wait_record_delete(const struct wait *wait)
{
	if (wait->name[0] != '\0' && wait->set->parts->queue != NULL)
		record_delete(queue_store(wait->set->parts->queue), kind_of(wait), wait->name);
}

static bool load_parts(struct wait *wait, struct kept_wait *kept, const struct json *value)
{
	const struct json *list = json_member(value, "conditions");
	const struct json *element = list != NULL ? list->child : value;
	for (size_t at = 0; at < kept->count; at++, element = element->next) {
		struct wait_part *part = &wait->parts[at];
		part->condition = condition_restore(
		    json_member(element, "spec"), kept->parts[at].state, kept->parts[at].details);
		if (part->condition == NULL)
			return false;
		part->spec = kept->parts[at].spec;
		part->pane = kept->parts[at].pane;
		kept->parts[at].spec = NULL;
		wait->count++;
	}
	return true;
}

static void load_members(struct wait *wait, const char *name, struct kept_wait *kept)
{
	bool is_id = strlen(name) < NOTIFICATION_ID_SIZE;
	wait->pane = kept->wait.pane;
	wait->is_all = kept->wait.is_all;
	wait->is_once = kept->wait.is_once;
	wait->is_over = kept->wait.is_over;
	wait->is_timed_out = kept->wait.is_timed_out;
	wait->matches = kept->wait.matches;
	strcpy(wait->boot_id, kept->wait.boot_id);
	wait->due_ms = kept->wait.due_ms;
	wait->due_run_ms = kept->wait.due_run_ms;
	wait_align(wait, &kept->wait.began_ms, &kept->began_ms);
	if (wait->kind == WAIT_REQUEST)
		wait->began_ms = kept->wait.began_ms;
	wait->over_ms = clock_mono_ms();
	if (is_id)
		queue_hold_id(wait->set->parts->queue, name);
	wait_set_name(wait, name, is_id);
}

static bool load(struct wait_set *set, const char *name, const struct record_kind *kind,
    struct kept_wait *kept, const struct json *value)
{
	struct wait *wait;
	bool is_loaded;
	if (strlen(name) > WAIT_NAME_MAX || !record_read(kind->rows, value, kept))
		return false;
	wait = wait_new(set, kept->wait.kind, kept->count);
	is_loaded = kept->count > 0 && load_parts(wait, kept, value);
	if (is_loaded)
		load_members(wait, name, kept);
	else
		wait_drop(wait);
	record_finish(kind->rows, kept);
	return is_loaded;
}

static bool load_named(void *data, const char *name, const struct json *value)
{
	struct kept_wait kept = {.wait.kind = WAIT_REQUEST};
	struct wait_set *set = data;
	return set->named < WAIT_NAMED_MAX && load(set, name, &named_kind, &kept, value);
}

static bool load_background(void *data, const char *name, const struct json *value)
{
	struct kept_wait kept = {.count = 1};
	return load(data, name, &background_kind, &kept, value);
}

void wait_record_load(struct wait_set *set)
{
	queue_load(set->parts->queue, &named_kind, load_named, set);
	queue_load(set->parts->queue, &background_kind, load_background, set);
}
