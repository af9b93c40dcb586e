/* SPDX-License-Identifier: ISC */
/* The method meter: the turns and looks of agents that were avoided. The sums are stored. */
#include "daemon/deliver/wake_meter.h"

#include "daemon/core/meter.h"
#include "daemon/queue/queue.h"
#include "daemon/server/request.h"
#include "io/loop_timer.h"

/* notifications for one pane that follow each other within this time count as one wake */
#define TOGETHER_MS 100
/* how many counted notifications are remembered; an older one may be counted twice */
#define REMEMBERED 1024
/* delay from a count until the sum is stored; after kill -9, later counts are lost */
#define KEEP_MS 60000

struct meter_wakes {
	struct meter *meter;
	struct queue *queue;
	struct queue_listener listener;
	uint64_t counted[REMEMBERED];
	uint32_t pane; /* pane of the last wake */
	int64_t last_ms;
	struct loop_timer *keep; /* armed while a sum is to be stored */
	unsigned changed; /* a bit for each kind whose sum is to be stored */
};

struct kept_sum {
	struct meter_sum sum;
	int64_t since_ms;
};

static const struct record_field kept_fields[] = {
    {RECORD_ROW(UINT64, struct kept_sum, sum.waits, "waits")},
    {RECORD_ROW(UINT64, struct kept_sum, sum.wakes, "wakes")},
    {RECORD_ROW(UINT64, struct kept_sum, sum.coalesced, "coalesced")},
    {RECORD_ROW(UINT64, struct kept_sum, sum.looks, "looks")},
    {RECORD_ROW(UINT64, struct kept_sum, sum.fetches, "fetches"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_sum, since_ms, "since_ms")},
};

static const struct record_kind kept_kind = {
    .prefix = "meter/",
    .noun = "a sum of the meter",
    .rows = RECORD_ROWS(kept_fields, NULL),
    .source = SOURCE_POST,
};

_Static_assert(SOURCE_COUNT_ + 1 <= METER_KINDS, "each source has a kind");

static const char *kind_name(unsigned kind)
{
	return kind == 0 ? "wait" : notification_source_names[kind - 1];
}

static bool load(void *data, const char *name, const struct json *value)
{
	struct meter_wakes *wakes = data;
	struct kept_sum kept = {0};
	if (!record_read(kept_kind.rows, value, &kept))
		return false;
	if (kept.since_ms > 0 &&
	    (wakes->meter->since_ms == 0 || kept.since_ms < wakes->meter->since_ms))
		wakes->meter->since_ms = kept.since_ms;
	for (unsigned kind = 0; kind <= SOURCE_COUNT_; kind++)
		if (strcmp(kind_name(kind), name) == 0)
			wakes->meter->kinds[kind] = kept.sum;
	return true;
}

static void keep(void *data)
{
	struct meter_wakes *wakes = data;
	queue_begin(wakes->queue);
	for (unsigned kind = 0; kind <= SOURCE_COUNT_; kind++) {
		struct kept_sum kept = {
		    .sum = wakes->meter->kinds[kind], .since_ms = wakes->meter->since_ms};
		if (wakes->changed & 1u << kind)
			record_put(queue_store(wakes->queue), &kept_kind, kind_name(kind), &kept);
	}
	(void)queue_commit(wakes->queue);
	wakes->changed = 0;
}

static void on_counted(void *data, unsigned kind)
{
	struct meter_wakes *wakes = data;
	wakes->changed |= 1u << kind;
	if (wakes->meter->since_ms == 0)
		wakes->meter->since_ms = clock_real_ms();
	if (!loop_timer_is_armed(wakes->keep))
		loop_timer_arm(wakes->keep, KEEP_MS);
}

static bool has_receipt(const struct notification *note, const char *member)
{
	return note->delivery != NULL && strstr(note->delivery, member) != NULL;
}

/* Returns true if a notification has reached an agent that did not wait for it. */
static bool has_woken(const struct notification *note)
{
	return (note->state == NOTE_DELIVERED || note->state == NOTE_ACKNOWLEDGED) &&
	    (has_receipt(note, "\"result\":\"submitted\"") ||
		has_receipt(note, "\"result\":\"handed_over\"")) &&
	    !has_receipt(note, "\"way\":\"waited\"") && !has_receipt(note, "\"way\":\"on_notify\"");
}

static int64_t took_ms(const struct notification *note)
{
	static const char name[] = "\"duration_ms\":";
	bool is_job = note->source == SOURCE_JOB || note->source == SOURCE_TOOL;
	const char *at = is_job ? strstr(note->data, name) : NULL;
	long long ms = 0;
	return at != NULL && sscanf(at + sizeof name - 1, "%lld", &ms) == 1 ? ms : 0;
}

static void on_changed(struct queue_listener *listener, const struct notification *note)
{
	struct meter_wakes *wakes = list_entry(listener, struct meter_wakes, listener);
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

struct meter_wakes *meter_wakes_new(
    struct event_base *base, struct meter *meter, struct queue *queue)
{
	struct meter_wakes *wakes = xcalloc(1, sizeof *wakes);
	wakes->meter = meter;
	wakes->queue = queue;
	wakes->listener.changed = on_changed;
	wakes->keep = loop_timer_new(base, keep, wakes);
	queue_load(queue, &kept_kind, load, wakes);
	queue_listen(queue, &wakes->listener);
	meter->counted = on_counted;
	meter->data = wakes;
	return wakes;
}

void meter_wakes_free(struct meter_wakes *wakes)
{
	if (wakes == NULL)
		return;
	wakes->meter->counted = NULL;
	if (wakes->changed != 0)
		keep(wakes);
	list_remove(&wakes->listener.link);
	loop_timer_free(wakes->keep);
	mem_free(wakes);
}

static void put_sum(struct json_writer *writer, const struct meter_sum *sum)
{
	json_put_int(writer, "waits_answered", (int64_t)sum->waits);
	json_put_int(writer, "polls_avoided", (int64_t)sum->looks);
	json_put_int(writer, "wakes", (int64_t)sum->wakes);
	json_put_int(writer, "wakes_coalesced", (int64_t)sum->coalesced);
	json_put_int(writer, "fetches", (int64_t)sum->fetches);
	json_put_int(writer, "turns_avoided", (int64_t)meter_turns(sum));
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
		total.fetches += sums[kind].fetches;
	}
	if (since_sec <= 0 && meter->since_ms > 0)
		json_put_time(writer, "since", meter->since_ms);
	json_put_int(writer, "look_every_sec", METER_LOOK_SEC);
	put_sum(writer, &total);
	json_object_begin(writer, "by_source");
	for (unsigned kind = 0; kind <= SOURCE_COUNT_; kind++) {
		if (sums[kind].looks + sums[kind].fetches == 0)
			continue;
		json_object_begin(writer, kind_name(kind));
		put_sum(writer, &sums[kind]);
		json_object_end(writer);
	}
	json_object_end(writer);
}

struct meter_args {
	double since_sec;
};

static const struct field meter_fields[] = {
    {FIELD_ROW(NUMBER, struct meter_args, since_sec, "since_sec"), .unit = "s",
	.max = METER_STEPS * METER_STEP_SEC,
	.help = "Only the last so many seconds, in steps of 600, and of this daemon; 0 or left "
		"out, all since the first count."},
    {0},
};

static const struct field_result meter_results[] = {
    {"since", "string", "the time of the first count; not with since_sec"},
    {"look_every_sec", "integer",
	"the assumption: without muxbus an agent looks so often, one turn a look"},
    {"waits_answered", "integer", "answers of wait_for and next_notification"},
    {"polls_avoided", "integer",
	"looks that an agent without muxbus would have taken: one every 30 s of a wait or of a "
	"job, at least one for each"},
    {"wakes", "integer", "times that notifications woke an agent in its pane"},
    {"wakes_coalesced", "integer",
	"notifications that came within 100 ms of another of that pane, and so woke no further "
	"time"},
    {"fetches", "integer", "answers of these that were there at once: a look of the agent"},
    {"turns_avoided", "integer",
	"polls_avoided, less one turn for each answer, each wake and each fetch; at least 0"},
    {"by_source", "object",
	"the same for each: wait, and the sources of notifications; those without are left out"},
    {0},
};

static void handle_meter(struct request *request, const void *data)
{
	const struct meter_args *args = data;
	meter_write(request_result(request), request_daemon(request)->meter,
	    (clock_seconds_to_ms(args->since_sec) + 999) / 1000);
	request_done(request);
}

const struct method methods_meter[] = {
    {.name = METHOD("meter", METHOD_READS),
	.title = "Turns avoided",
	.summary = "Counts the turns and looks that agents were spared.",
	.help = "The counts outlive the daemon; kill -9 loses those of the last minute.",
	METHOD_CALL(handle_meter, meter_args, meter_fields, meter_results),
	.flags = METHOD_WITHOUT_TMUX,
	.example = "{\"since_sec\":3600}"},
    {0},
};
