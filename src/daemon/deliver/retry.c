/* SPDX-License-Identifier: ISC */
/* Nudges: typing again what was not taken. */
#include "daemon/deliver/retry.h"

#include <string.h>

#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/core/loop_timer.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"

struct nudge {
	struct list link;
	struct retry_set *set;
	struct loop_timer *timer;
	struct pane_ref pane;
	uint64_t seqs[NUDGE_NOTES_MAX];
	size_t count;
	uint64_t turns;
	char *line;
	size_t len;
};

struct retry_set {
	struct retry_parts parts;
	retry_fn *again;
	void *data;
	struct list nudges; /* oldest first */
	size_t count;
};

/* How often a notification was retried. */
static unsigned times(const struct retry_set *set, uint64_t seq)
{
	const struct notification *note = queue_find(set->parts.queue, seq);
	return note != NULL ? note->redelivered : 0;
}

static int64_t wait_ms(const struct retry_set *set, unsigned times)
{
	static const int factors[] = {1, 5, 15};
	size_t last = sizeof factors / sizeof *factors - 1;
	return set->parts.config->limits.ack_wait_ms * factors[times < last ? times : last];
}

static void retry_free(struct nudge *nudge)
{
	list_remove(&nudge->link);
	nudge->set->count--;
	loop_timer_free(nudge->timer);
	mem_free(nudge->line);
	mem_free(nudge);
}

/* Whether the agent has begun a turn since, or is not there to begin one. */
static bool is_taken(const struct nudge *nudge)
{
	const struct presence *presence =
	    presence_of_pane(nudge->set->parts.presences, &nudge->pane);
	return presence != NULL && presence->has_turns && presence->turns > nudge->turns;
}

static void on_timer(void *data)
{
	struct nudge *nudge = data;
	struct queue *queue = nudge->set->parts.queue;
	struct retry_line line = {
	    .pane = &nudge->pane, .seqs = nudge->seqs, .line = nudge->line, .len = nudge->len};
	for (size_t at = 0; at < nudge->count && !is_taken(nudge); at++) {
		const struct notification *note = queue_find(queue, nudge->seqs[at]);
		/* Acknowledged, cancelled, or retried already: not this one. */
		if (note == NULL || (note->state != NOTE_DELIVERED && note->state != NOTE_FAILED))
			continue;
		queue_count_redelivery(queue, note->seq);
		(void)queue_set_state(queue, note->seq, NOTE_QUEUED, NULL);
		nudge->seqs[line.count++] = note->seq;
	}
	if (line.count > 0)
		nudge->set->again(nudge->set->data, &line);
	retry_free(nudge);
}

void nudge_add(struct retry_set *set, const struct retry_line *line)
{
	unsigned most = 0;
	struct nudge *nudge;
	for (size_t at = 0; at < line->count; at++)
		most = times(set, line->seqs[at]) > most ? times(set, line->seqs[at]) : most;
	if (line->count == 0 || line->count > NUDGE_NOTES_MAX ||
	    (int64_t)most >= set->parts.config->limits.nudges)
		return;
	if (set->count == NUDGES_MAX)
		retry_free(list_entry(set->nudges.next, struct nudge, link));
	nudge = xcalloc(1, sizeof *nudge);
	nudge->set = set;
	nudge->pane = *line->pane;
	memcpy(nudge->seqs, line->seqs, line->count * sizeof *line->seqs);
	nudge->count = line->count;
	nudge->turns = line->turns;
	nudge->line = xcalloc(1, line->len + 1);
	memcpy(nudge->line, line->line, line->len);
	nudge->len = line->len;
	nudge->timer = loop_timer_new(set->parts.base, on_timer, nudge);
	list_append(&set->nudges, &nudge->link);
	set->count++;
	loop_timer_arm(nudge->timer, wait_ms(set, most));
}

struct retry_set *retry_set_new(const struct retry_parts *parts, retry_fn *again, void *data)
{
	struct retry_set *set = xcalloc(1, sizeof *set);
	set->parts = *parts;
	set->again = again;
	set->data = data;
	list_init(&set->nudges);
	return set;
}

void retry_set_free(struct retry_set *set)
{
	struct list *link, *after;
	if (set == NULL)
		return;
	list_for_each_safe (link, after, &set->nudges)
		retry_free(list_entry(link, struct nudge, link));
	mem_free(set);
}
