/* SPDX-License-Identifier: ISC */
/* Retries: typing again what was not taken. */
#include "daemon/deliver/retry.h"

#include <string.h>

#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"

struct retry {
	struct list link;
	struct retry_set *set;
	struct loop_timer *timer;
	struct pane_ref pane;
	uint64_t seqs[RETRY_NOTES_MAX];
	size_t count;
	uint64_t turns;
	char *line;
	size_t len;
};

struct retry_set {
	struct retry_parts parts;
	retry_fn *again;
	void *data;
	struct list retries; /* oldest first */
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

static void retry_free(struct retry *retry)
{
	list_remove(&retry->link);
	retry->set->count--;
	loop_timer_free(retry->timer);
	mem_free(retry->line);
	mem_free(retry);
}

/* Whether the agent has begun a turn since, or is not there to begin one. */
static bool is_taken(const struct retry *retry)
{
	const struct presence *presence =
	    presence_of_pane(retry->set->parts.presences, &retry->pane);
	return presence != NULL && presence->has_turns && presence->turns > retry->turns;
}

static void on_timer(void *data)
{
	struct retry *retry = data;
	struct queue *queue = retry->set->parts.queue;
	struct retry_line line = {
	    .pane = &retry->pane, .seqs = retry->seqs, .line = retry->line, .len = retry->len};
	for (size_t at = 0; at < retry->count && !is_taken(retry); at++) {
		const struct notification *note = queue_find(queue, retry->seqs[at]);
		/* Acknowledged, cancelled, or retried already: not this one. */
		if (note == NULL || (note->state != NOTE_DELIVERED && note->state != NOTE_FAILED))
			continue;
		queue_count_redelivery(queue, note->seq);
		(void)queue_set_state(queue, note->seq, NOTE_QUEUED, NULL);
		retry->seqs[line.count++] = note->seq;
	}
	if (line.count > 0)
		retry->set->again(retry->set->data, &line);
	retry_free(retry);
}

void retry_add(struct retry_set *set, const struct retry_line *line)
{
	unsigned most = 0;
	struct retry *retry;
	for (size_t at = 0; at < line->count; at++)
		most = times(set, line->seqs[at]) > most ? times(set, line->seqs[at]) : most;
	if (line->count == 0 || line->count > RETRY_NOTES_MAX ||
	    (int64_t)most >= set->parts.config->limits.nudges)
		return;
	if (set->count == RETRIES_MAX)
		retry_free(list_entry(set->retries.next, struct retry, link));
	retry = xcalloc(1, sizeof *retry);
	retry->set = set;
	retry->pane = *line->pane;
	memcpy(retry->seqs, line->seqs, line->count * sizeof *line->seqs);
	retry->count = line->count;
	retry->turns = line->turns;
	retry->line = xcalloc(1, line->len + 1);
	memcpy(retry->line, line->line, line->len);
	retry->len = line->len;
	retry->timer = loop_timer_new(set->parts.base, on_timer, retry);
	list_append(&set->retries, &retry->link);
	set->count++;
	loop_timer_arm(retry->timer, wait_ms(set, most));
}

struct retry_set *retry_set_new(const struct retry_parts *parts, retry_fn *again, void *data)
{
	struct retry_set *set = xcalloc(1, sizeof *set);
	set->parts = *parts;
	set->again = again;
	set->data = data;
	list_init(&set->retries);
	return set;
}

void retry_set_free(struct retry_set *set)
{
	struct list *link, *after;
	if (set == NULL)
		return;
	list_for_each_safe (link, after, &set->retries)
		retry_free(list_entry(link, struct retry, link));
	mem_free(set);
}
