/* SPDX-License-Identifier: ISC */
/* The floor of waits: making one, its name, its time-out, and its end. */
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
	list_append(&set->waits, &wait->link);
	set->backgrounds += kind != WAIT_REQUEST;
	wait->settled = loop_timer_new(set->parts.base, set->settled, wait);
	wait->deadline = loop_timer_new(set->parts.base, set->deadline, wait);
	return wait;
}

void wait_set_name(struct wait *wait, const char *name, bool is_id)
{
	snprintf(wait->name, sizeof wait->name, "%s", name);
	wait->set->named += wait->kind == WAIT_REQUEST;
	wait->holds_id = is_id;
}

void wait_set_due(struct wait *wait, int64_t due_ms)
{
	wait->due_ms = due_ms;
	wait->due_mono_ms = clock_mono_ms() + due_ms - clock_real_ms();
}

void wait_release_id(struct wait *wait)
{
	if (wait->holds_id)
		queue_release_id(wait->set->parts.queue, wait->name);
	wait->holds_id = false;
}

void wait_drop(struct wait *wait)
{
	wait_release_id(wait);
	tmux_followed(wait->set->parts.tmux);
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
