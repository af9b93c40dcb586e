/* SPDX-License-Identifier: ISC */
/* The method meter: turns and looks that agents did not need. */
#include "daemon/methods/meter.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/core/meter.h"
#include "daemon/methods/daemon_parts.h"
#include "daemon/methods/tables.h"
#include "daemon/queue/queue.h"
#include "daemon/server/request.h"

#define TOGETHER_MS 100 /* notifications of a pane within this time are one wake */
#define REMEMBERED 1024 /* notifications that were counted; a later change is counted again */

struct meter_wakes {
	struct meter *meter;
	struct queue *queue;
	struct queue_listener listener;
	uint64_t counted[REMEMBERED]; /* by their number */
	uint32_t pane; /* of the last wake */
	int64_t last_ms;
};

_Static_assert(SOURCE_COUNT_ + 1 <= METER_KINDS, "each source has a kind");

static void on_posted(struct queue_listener *listener, const struct notification *note)
{
	(void)listener;
	(void)note;
}

/* Handed to an agent: typed, taken by a puller, or by the agent's own command. */
static bool has_woken(const struct notification *note)
{
	bool is_over = note->state == NOTE_DELIVERED || note->state == NOTE_ACKNOWLEDGED;
	return is_over && note->delivery != NULL && strstr(note->delivery, "\"way\":") != NULL &&
	    strstr(note->delivery, "\"way\":\"waited\"") == NULL;
}

/* A job says how long it ran. */
static int64_t took_ms(const struct notification *note)
{
	static const char name[] = "\"duration_ms\":";
	const char *at = note->source == SOURCE_JOB ? strstr(note->data, name) : NULL;
	long long ms = 0;
	return at != NULL && sscanf(at + sizeof name - 1, "%lld", &ms) == 1 ? ms : 0;
}

static void on_changed(struct queue_listener *listener, const struct notification *note)
{
	struct meter_wakes *wakes = (struct meter_wakes *)(void *)((char *)listener -
	    offsetof(struct meter_wakes, listener));
	uint64_t *counted = &wakes->counted[note->seq % REMEMBERED];
	int64_t now_ms = clock_mono_ms();
	bool is_coalesced;
	if (*counted == note->seq || !has_woken(note))
		return;
	*counted = note->seq;
	is_coalesced = wakes->last_ms > 0 && wakes->pane == note->pane.pane &&
	    now_ms - wakes->last_ms < TOGETHER_MS;
	wakes->pane = note->pane.pane;
	wakes->last_ms = now_ms;
	meter_count_wake(
	    wakes->meter, now_ms, 1 + (unsigned)note->source, took_ms(note), is_coalesced);
}

struct meter_wakes *meter_wakes_new(struct meter *meter, struct queue *queue)
{
	struct meter_wakes *wakes = xcalloc(1, sizeof *wakes);
	wakes->meter = meter;
	wakes->queue = queue;
	wakes->listener.posted = on_posted;
	wakes->listener.changed = on_changed;
	queue_listen(queue, &wakes->listener);
	return wakes;
}

void meter_wakes_free(struct meter_wakes *wakes)
{
	if (wakes == NULL)
		return;
	queue_unlisten(wakes->queue, &wakes->listener);
	mem_free(wakes);
}

static void put_sum(struct json_writer *writer, const struct meter_sum *sum)
{
	json_put_int(writer, "waits_answered", (int64_t)sum->waits);
	json_put_int(writer, "polls_avoided", (int64_t)sum->looks);
	json_put_int(writer, "wakes", (int64_t)sum->wakes);
	json_put_int(writer, "wakes_coalesced", (int64_t)sum->coalesced);
	json_put_int(writer, "turns_avoided", (int64_t)sum->turns);
}

void meter_write(struct json_writer *writer, const struct meter *meter, int64_t since_sec)
{
	struct meter_sum sums[SOURCE_COUNT_ + 1], total = {0};
	int64_t now_ms = clock_mono_ms();
	for (unsigned kind = 0; kind <= SOURCE_COUNT_; kind++) {
		sums[kind] = meter_sum(meter, now_ms, kind, since_sec);
		total.waits += sums[kind].waits;
		total.looks += sums[kind].looks;
		total.wakes += sums[kind].wakes;
		total.coalesced += sums[kind].coalesced;
		total.turns += sums[kind].turns;
	}
	put_sum(writer, &total);
	json_object_begin(writer, "by_source");
	for (unsigned kind = 0; kind <= SOURCE_COUNT_; kind++) {
		if (sums[kind].looks == 0)
			continue;
		json_object_begin(writer,
		    kind == 0 ? "wait"
			      : notification_source_name((enum notification_source)(kind - 1)));
		put_sum(writer, &sums[kind]);
		json_object_end(writer);
	}
	json_object_end(writer);
}

struct meter_args {
	int64_t since_sec;
};

static const struct field meter_fields[] = {
    {.name = "since_sec",
	.type = FIELD_INT,
	.offset = offsetof(struct meter_args, since_sec),
	.max = METER_STEPS * METER_STEP_SEC,
	.help = "Only the last so many seconds, in steps of 600; left out, since the start."},
    {0},
};

static const struct field_result meter_results[] = {
    {"waits_answered", "integer", "answers of wait_for and next_notification"},
    {"polls_avoided", "integer",
	"looks that an agent without muxbus would have taken: one every 30 s of a wait or of a "
	"job, at least one for each"},
    {"wakes", "integer", "times that notifications woke an agent in its pane"},
    {"wakes_coalesced", "integer",
	"notifications that came within 100 ms of another of that pane, and so woke no further "
	"time"},
    {"turns_avoided", "integer", "polls_avoided, less one turn for each answer and each wake"},
    {"by_source", "object",
	"the same for each: wait, and the sources of notifications; those without are left out"},
    {0},
};

static void handle_meter(struct request *request, const void *data)
{
	const struct meter_args *args = data;
	meter_write(request_result(request), request_daemon(request)->meter, args->since_sec);
	request_done(request);
}

/* Keep alphabetized. */
const struct method methods_meter[] = {
    {.name = METHOD("meter", METHOD_READS),
	.title = "Turns avoided",
	.summary = "Counts the turns and looks that agents were spared, since the daemon started.",
	.fields = meter_fields,
	.args_size = sizeof(struct meter_args),
	.results = meter_results,
	.flags = METHOD_WITHOUT_TMUX,
	.handle = handle_meter,
	.example = "{\"since_sec\":3600}"},
    {0},
};
