/* SPDX-License-Identifier: ISC */
/* The base of waits: makes a wait, names it, sets its timeout, compares conditions, frees it. */
#include "daemon/queue/queue.h"
#include "daemon/tmux/tmux.h"
#include "daemon/wait/wait_private.h"
#include "io/loop_timer.h"

struct wait *wait_new(struct wait_set *set, enum wait_kind kind, size_t count)
{
	struct wait *wait = xcalloc(1, sizeof *wait);
	wait->set = set;
	wait->kind = kind;
	wait->parts = xcalloc(count, sizeof *wait->parts);
	pane_ref_clear(&wait->pane);
	buf_init(&wait->found, WAIT_FOUND_MAX);
	wait->began_ms = clock_mono_ms();
	strcpy(wait->boot_id, set->parts->clock->boot_id);
	list_append(&set->waits, &wait->link);
	set->backgrounds += kind != WAIT_REQUEST;
	wait->settled = loop_timer_new(set->parts->base, set->settled, wait);
	wait->deadline = loop_timer_new(set->parts->base, set->deadline, wait);
	return wait;
}

void wait_set_name(struct wait *wait, const char *name, bool is_id)
{
	snprintf(wait->name, sizeof wait->name, "%s", name);
	wait->set->named += wait->kind == WAIT_REQUEST;
	wait->holds_id = is_id;
}

int64_t wait_run_ms(const struct wait *wait)
{
	return wait->kind == WAIT_REQUEST ? clock_mono_ms() : clock_boot_ms();
}

void wait_set_due(struct wait *wait, int64_t ms)
{
	wait->due_ms = clock_real_ms() + ms;
	wait->due_run_ms = wait_run_ms(wait) + ms;
}

void wait_align(const struct wait *wait, int64_t *run_ms, int64_t *real_ms)
{
	int64_t ahead_ms = clock_boot_ms() - wait_run_ms(wait);
	*run_ms += ahead_ms;
	boot_clock_align(wait->set->parts->clock, wait->boot_id, run_ms, real_ms);
	*run_ms -= ahead_ms;
}

/* Returns the stored id of the pane or window if the request names it by its id; else NULL. */
static const struct json *find_place(
    const struct json *spec, const struct json *asked, const char *name)
{
	const struct json *member = name != NULL ? json_member(asked, name) : NULL;
	if (member == NULL || member->type != JSON_STRING || strchr("%@", member->text[0]) == NULL)
		return NULL;
	return json_member(spec, name);
}

/* Writes a condition for a comparison, without pane and window that are not named by id. */
static void put_spec(
    struct buf *out, const struct json *spec, const struct json *asked, const char *pane)
{
	const char *const places[] = {pane, "window"};
	struct json_writer writer;
	json_start_object(&writer, out, WAIT_SPEC_MAX);
	json_each_member (member, spec)
		if (strcmp(member->name, "window") != 0 &&
		    (pane == NULL || strcmp(member->name, pane) != 0))
			json_put_value(&writer, member->name, member);
	for (size_t at = 0; at < sizeof places / sizeof *places; at++) {
		const struct json *place = find_place(spec, asked, places[at]);
		if (place != NULL)
			json_put_value(&writer, places[at], place);
	}
	json_object_end(&writer);
}

static bool part_asks(
    const struct wait *wait, const struct wait_part *part, const struct json *asked)
{
	const char *pane = part->condition->kind->pane_member;
	struct json_error error;
	const struct json *spec =
	    json_read(wait->set->reader, part->spec, strlen(part->spec), &error);
	struct buf kept, other;
	bool is_same;
	if (spec == NULL || asked->type != JSON_OBJECT)
		return false;
	put_spec(&kept, spec, asked, pane);
	put_spec(&other, asked, asked, pane);
	is_same = kept.len == other.len && memcmp(kept.data, other.data, kept.len) == 0;
	buf_finish(&kept);
	buf_finish(&other);
	return is_same;
}

bool wait_asks(const struct wait *wait, const struct json *list, bool is_all)
{
	size_t at = 0;
	if (list->type != JSON_ARRAY || list->count != wait->count || wait->is_all != is_all)
		return false;
	json_each (asked, list)
		if (!part_asks(wait, &wait->parts[at++], asked))
			return false;
	return true;
}

void wait_release_id(struct wait *wait)
{
	if (wait->holds_id)
		queue_release_id(wait->set->parts->queue, wait->name);
	wait->holds_id = false;
}

void wait_drop(struct wait *wait)
{
	wait_release_id(wait);
	tmux_followed(wait->set->parts->tmux);
	list_remove(&wait->link);
	wait->set->named -= wait->kind == WAIT_REQUEST && wait->name[0] != '\0';
	wait->set->backgrounds -= wait->kind != WAIT_REQUEST;
	for (size_t at = 0; at < wait->count; at++) {
		condition_free(wait->parts[at].condition);
		mem_free(wait->parts[at].spec);
	}
	mem_free(wait->parts);
	buf_finish(&wait->found);
	loop_timer_free(wait->deadline);
	loop_timer_free(wait->settled);
	mem_free(wait);
}
