/* SPDX-License-Identifier: ISC */
/* The queue and its consumers: order, restarts, coalescing, acknowledging, forgetting. */
#include "daemon/queue/queue.h"

#include <muxbus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/event/event_log.h"
#include "daemon/queue/consumer.h"
#include "daemon/queue/journal.h"
#include "daemon/queue/store.h"
#include "tap.h"
#include "torn_disk.h"

/* A daemon's worth of queue on a disk in memory. */
struct world {
	struct torn_disk disk;
	struct event_log *events;
	struct store *store;
	struct queue *queue;
	struct consumer_set *consumers;
};

static const struct consumer_filter any = {.source = -1};

/* Looks, and takes what is there. */
static const struct notification *take(struct consumer *consumer,
    const struct consumer_filter *filter, int64_t now_ms, int64_t *ret_due_ms)
{
	const struct notification *note = consumer_peek(consumer, filter, now_ms, ret_due_ms);
	if (note != NULL)
		consumer_hand_out(consumer, note, now_ms);
	return note;
}

static void world_open(struct world *world)
{
	char reason[128];
	world->events = event_log_new(NULL, 100, 1 << 20, reason, sizeof reason);
	world->store = store_open(&torn_disk_table, &world->disk, false, NULL, NULL);
	if (world->events == NULL || world->store == NULL)
		abort();
	world->queue = queue_new(world->store, world->events);
	world->consumers = consumer_set_new(world->queue);
}

/* Closes in good order, or as kill -9 does. The numbers go on, the events do not. */
static void world_restart(struct world *world, bool is_killed)
{
	struct torn_disk copy;
	torn_disk_copy(&copy, &world->disk);
	consumer_set_free(world->consumers);
	queue_free(world->queue);
	store_close(world->store);
	event_log_free(world->events);
	if (is_killed) {
		torn_disk_finish(&world->disk);
		torn_disk_kill(&copy);
		world->disk = copy;
	} else {
		torn_disk_finish(&copy);
	}
	world_open(world);
}

static void world_finish(struct world *world)
{
	consumer_set_free(world->consumers);
	queue_free(world->queue);
	store_close(world->store);
	event_log_free(world->events);
	torn_disk_finish(&world->disk);
}

static uint64_t post(struct world *world, const char *text, const char *key)
{
	struct notification_draft draft = {.source = SOURCE_POST, .text = text, .key = key};
	return queue_post(world->queue, &draft);
}

static void test_post(void)
{
	struct world world = {0};
	struct notification_draft draft = {.source = SOURCE_JOB,
	    .id = "A1B2",
	    .text = "ended\nwith \x1b[31mcolour \xff and\ttabs  ",
	    .data = "{\"exit_code\":3}"};
	struct pane_ref pane = {.pane = 3, .pane_pid = 70, .server_pid = 60, .server_start = 5};
	const struct notification *note;
	uint64_t seq;
	torn_disk_init(&world.disk, 1);
	world_open(&world);
	draft.pane = &pane;
	seq = queue_post(world.queue, &draft);
	world_restart(&world, true);
	note = queue_find(world.queue, seq);
	ok(note != NULL, "a posted notification survives kill -9");
	is_str(note->text, "ended with [31mcolour \xef\xbf\xbd and tabs",
	    "its text is one line without control characters");
	is_str(note->data, "{\"exit_code\":3}", "its data is as it was");
	is_str(note->id, "A1B2", "and its id");
	ok(pane_ref_equal(&note->pane, &pane), "and its pane");
	is_int(note->state, NOTE_QUEUED, "it is queued");
	ok(queue_set_state(world.queue, seq, NOTE_DELIVERING, "{\"result\":\"typing\"}"),
	    "a delivery changes its state");
	world_restart(&world, true);
	note = queue_find(world.queue, seq);
	is_int(note->state, NOTE_QUEUED, "killed while it is typed, it is queued again");
	is_str(note->delivery, "{\"result\":\"typing\"}", "but the receipt keeps its progress");
	is_int((long long)queue_undelivered(world.queue), 1, "one is undelivered");
	world_finish(&world);
}

/* Earlier releases took data that is nested deeper: it is read again, also out of an answer. */
static void test_deep(void)
{
	enum { DEPTH = JSON_GIVEN_DEPTH_MAX - 2 }; /* behind "params" and its object */
	struct json_reader *reader = json_reader_new(4096);
	struct world world = {0};
	struct notification_draft draft = {.source = SOURCE_POST, .text = "deep"};
	const struct notification *note;
	struct json_writer writer;
	struct json_error error;
	struct buf data, out;
	uint64_t seq;
	torn_disk_init(&world.disk, 1);
	world_open(&world);
	json_start(&writer, &data, 4096);
	for (unsigned at = 0; at < DEPTH; at++)
		json_object_begin(&writer, at > 0 ? "a" : NULL);
	for (unsigned at = 0; at < DEPTH; at++)
		json_object_end(&writer);
	draft.data = (const char *)data.data;
	seq = queue_post(world.queue, &draft);
	world_restart(&world, true);
	note = queue_find(world.queue, seq);
	is_str(note != NULL ? note->data : NULL, draft.data, "deep data is in the journal");
	json_start_object(&writer, &out, 4096);
	json_object_begin(&writer, "result");
	json_array_begin(&writer, "notifications");
	json_object_begin(&writer, NULL);
	notification_write_members(&writer, note, false);
	json_object_end(&writer);
	json_array_end(&writer);
	json_object_end(&writer);
	json_object_end(&writer);
	ok(json_read(reader, (const char *)out.data, out.len, &error) != NULL,
	    "and can be read in a list");
	json_reader_free(reader);
	buf_finish(&data);
	buf_finish(&out);
	world_finish(&world);
}

static void test_numbers(void)
{
	struct event_scope scope = {.pane = MUXBUS_NO_ID, .window = MUXBUS_NO_ID};
	struct world world = {0};
	uint64_t first, second, event;
	torn_disk_init(&world.disk, 2);
	world_open(&world);
	scope.sessions[0] = MUXBUS_NO_ID;
	first = post(&world, "one", NULL);
	event = event_log_publish(world.events, EVENT_BELL, &scope, "", 0, true);
	queue_begin(world.queue);
	second = post(&world, "two", NULL);
	is_int((long long)post(&world, "three", NULL), (long long)second + 1,
	    "two of one transaction follow each other");
	is_int((long long)event_log_last(world.events), (long long)event,
	    "and are not reported before the commit");
	ok(queue_commit(world.queue) > 0, "the commit has a ticket");
	is_int((long long)event_log_last(world.events), (long long)second + 1,
	    "then they are reported");
	is_int((long long)event, (long long)first + 1, "events share the sequence");
	is_int((long long)queue_after(world.queue, first)->seq, (long long)second,
	    "the queue has no events in it");
	world_finish(&world);
}

static void test_coalescing(void)
{
	struct world world = {0};
	uint64_t first, urgent;
	torn_disk_init(&world.disk, 3);
	world_open(&world);
	first = post(&world, "disk is full", "disk");
	is_int((long long)post(&world, "disk is full", "disk"), (long long)first,
	    "an equal key is the same entry");
	is_int(queue_find(world.queue, first)->count, 2, "which counts");
	ok(post(&world, "other", "other") != first, "another key is another");
	urgent = queue_post(world.queue,
	    &(struct notification_draft){
		.source = SOURCE_POST, .text = "now", .key = "other", .is_urgent = true});
	ok(queue_find(world.queue, urgent)->is_urgent,
	    "what is urgent is not counted into what is not");
	is_int((long long)queue_post(world.queue,
		   &(struct notification_draft){
		       .source = SOURCE_POST, .text = "now", .key = "other", .is_urgent = true}),
	    (long long)urgent, "but into what is");
	(void)queue_set_state(world.queue, first, NOTE_DELIVERED, NULL);
	ok(post(&world, "disk is full", "disk") != first,
	    "a reported notification is not added to");
	world_finish(&world);
}

static unsigned posted_count;

static void note_posted(struct queue_listener *listener, const struct notification *note)
{
	(void)listener;
	posted_count = note->count;
}

/* A handed-out notification is not added to: its acknowledgement does not cover later ones. */
static void test_coalescing_told(void)
{
	struct queue_listener listener = {.posted = note_posted};
	struct world world = {0};
	struct consumer *reader;
	uint64_t first, second, third;
	int64_t due_ms;
	torn_disk_init(&world.disk, 5);
	world_open(&world);
	reader = consumer_get(world.consumers, "reader");
	first = post(&world, "match", "watch");
	queue_listen(world.queue, &listener);
	is_int((long long)post(&world, "match", "watch"), (long long)first,
	    "an unreported one is added to");
	is_int(posted_count, 2, "and its listener is called");
	list_remove(&listener.link);
	is_int(
	    (long long)take(reader, &any, 1, &due_ms)->seq, (long long)first, "it is handed out");
	second = post(&world, "match", "watch");
	ok(second != first, "a handed-out notification is not added to");
	(void)consumer_acknowledge(reader, first, false);
	is_int((long long)take(reader, &any, 1, &due_ms)->seq, (long long)second,
	    "so acknowledging it loses nothing");
	third = post(&world, "match", "watch");
	queue_note_told(world.queue, third);
	ok(post(&world, "match", "watch") != third, "nor is a listed one");
	world_restart(&world, true);
	first = queue_last(world.queue);
	ok(post(&world, "match", "watch") > first,
	    "nor is one that an earlier daemon may have reported");
	world_finish(&world);
}

/* An acknowledgement out of turn survives a kill; the earlier notifications still come. */
static void test_holes(void)
{
	struct world world = {0};
	struct consumer *reader;
	uint64_t numbers[4];
	int64_t due_ms;
	torn_disk_init(&world.disk, 6);
	world_open(&world);
	reader = consumer_get(world.consumers, "reader");
	for (size_t at = 0; at < 4; at++) {
		numbers[at] = post(&world, "text", NULL);
		(void)take(reader, &any, 1, &due_ms);
	}
	(void)consumer_acknowledge(reader, numbers[1], false);
	(void)consumer_acknowledge(reader, numbers[3], false);
	world_restart(&world, true);
	reader = consumer_find(world.consumers, "reader");
	is_int((long long)take(reader, &any, 1, &due_ms)->seq, (long long)numbers[0],
	    "after a kill the first unacknowledged one comes");
	is_int((long long)take(reader, &any, 1, &due_ms)->seq, (long long)numbers[2],
	    "then the next unacknowledged one");
	ok(take(reader, &any, 1, &due_ms) == NULL, "and none that was acknowledged");
	world_finish(&world);
}

static void test_consumers(void)
{
	struct world world = {0};
	const struct notification *note;
	struct consumer *reader;
	uint64_t first, second;
	int64_t due_ms;
	torn_disk_init(&world.disk, 4);
	world_open(&world);
	first = post(&world, "one", NULL);
	second = post(&world, "two", NULL);
	reader = consumer_get(world.consumers, "reader");
	is_int((long long)take(reader, &any, 1000, &due_ms)->seq, (long long)first,
	    "a consumer sees the oldest first");
	is_int(
	    (long long)take(reader, &any, 1000, &due_ms)->seq, (long long)second, "then the next");
	ok(take(reader, &any, 1000, &due_ms) == NULL, "then nothing");
	is_int(due_ms, 1000 + CONSUMER_ACK_WAIT_MS, "but a later one is announced");
	is_int(consumer_acknowledge(reader, first, false), 1, "one is acknowledged");
	is_int(consumer_acknowledge(reader, first, false), 0, "twice is harmless");
	note = take(reader, &any, due_ms, &due_ms);
	is_int((long long)note->seq, (long long)second, "the other comes again");
	is_int(note->redelivered, 1, "and is marked as repeated");
	world_restart(&world, true);
	reader = consumer_find(world.consumers, "reader");
	is_int((long long)take(reader, &any, 5, &due_ms)->seq, (long long)second,
	    "after kill -9 only unacknowledged ones come");
	is_int(consumer_acknowledge(reader, second, true), 1, "acknowledging all up to one");
	is_int((long long)consumer_floor(reader), (long long)second, "raises the floor");
	is_int(queue_find(world.queue, first)->state, NOTE_ACKNOWLEDGED, "and the state shows");
	ok(strstr(queue_find(world.queue, first)->delivery, "\"consumer\":\"reader\"") != NULL,
	    "and the receipt names the consumer");
	consumer_settle(world.queue, post(&world, "three", NULL), NULL);
	ok(strstr(queue_find(world.queue, queue_last(world.queue))->delivery, "consumer") == NULL,
	    "that of a wait does not");
	reader = consumer_get(world.consumers, "another");
	is_int((long long)take(reader, &any, 9, &due_ms)->seq, (long long)first,
	    "another consumer has its own position");
	ok(!consumer_name_is_valid("a b") && !consumer_name_is_valid("") &&
		consumer_name_is_valid("codex:%3" + 0) == false,
	    "names are checked");
	world_finish(&world);
}

static void test_passing(void)
{
	struct world world = {0};
	struct consumer *copier;
	uint64_t first, second;
	torn_disk_init(&world.disk, 4);
	world_open(&world);
	first = post(&world, "one", NULL);
	second = post(&world, "two", NULL);
	copier = consumer_get(world.consumers, "copier");
	is_int(consumer_pass(copier, second, true), 2, "a consumer that copies passes two");
	is_int((long long)consumer_floor(copier), (long long)second, "its place is behind both");
	is_int(queue_find(world.queue, first)->state, NOTE_QUEUED, "which are queued as before");
	is_int(consumer_pass(copier, second, true), 0, "twice is harmless");
	world_restart(&world, true);
	copier = consumer_find(world.consumers, "copier");
	is_int((long long)consumer_floor(copier), (long long)second, "the place outlives kill -9");
	is_int(queue_find(world.queue, second)->state, NOTE_QUEUED, "and so do the entries");
	world_finish(&world);
}

static void test_parking(void)
{
	struct world world = {0};
	struct consumer *reader;
	int64_t now_ms = 1, due_ms;
	unsigned times = 0;
	torn_disk_init(&world.disk, 5);
	world_open(&world);
	(void)post(&world, "never acknowledged", NULL);
	reader = consumer_get(world.consumers, "deaf");
	while (take(reader, &any, now_ms, &due_ms) != NULL && times < 100) {
		times++;
		now_ms += CONSUMER_ACK_WAIT_MS;
	}
	is_int(times, CONSUMER_DELIVER_MAX, "an entry is handed out a bounded number of times");
	is_int((long long)consumer_set_parked(world.consumers), 1, "and then parked");
	is_int((long long)consumer_parked(reader, true), 1, "it is taken back");
	is_int((long long)consumer_parked(reader, false), 0, "and not parked any more");
	ok(take(reader, &any, now_ms, &due_ms) != NULL, "it comes again");
	is_int(queue_find(world.queue, queue_last(world.queue))->redelivered, CONSUMER_DELIVER_MAX,
	    "and says how often it came again");
	while (take(reader, &any, now_ms += CONSUMER_ACK_WAIT_MS, &due_ms) != NULL)
		;
	is_int((long long)consumer_parked(reader, false), 1, "it is parked again");
	(void)queue_set_state(world.queue, queue_last(world.queue), NOTE_CANCELLED, NULL);
	is_int((long long)consumer_parked(reader, false), 0, "not if it is cancelled");
	world_finish(&world);
}

/* Names of consumers do not run out. */
static void test_many_consumers(void)
{
	struct world world = {0};
	const struct notification *note;
	struct consumer *held, *waiting;
	char name[16];
	torn_disk_init(&world.disk, 6);
	world_open(&world);
	note = queue_find(world.queue, post(&world, "one", NULL));
	for (unsigned at = 0; at < CONSUMERS_MAX; at++) {
		(void)snprintf(name, sizeof name, "c%u", at);
		(void)consumer_get(world.consumers, name);
	}
	(void)consumer_get(world.consumers, "c0");
	held = consumer_find(world.consumers, "c1");
	consumer_hand_out(held, note, clock_mono_ms());
	waiting = consumer_find(world.consumers, "c2");
	consumer_begin_wait(waiting);
	ok(consumer_get(world.consumers, "new") != NULL, "one more name is taken");
	ok(consumer_find(world.consumers, "c0") != NULL, "one that was used is kept");
	ok(consumer_find(world.consumers, "c1") == held, "and one that has an entry in hand");
	ok(consumer_find(world.consumers, "c2") == waiting, "and one that waits");
	ok(consumer_find(world.consumers, "c3") == NULL, "the one used longest ago gives way");
	consumer_end_wait(waiting);
	(void)consumer_acknowledge(held, note->seq, false);
	ok(consumer_get(world.consumers, "newer") != NULL &&
		consumer_find(world.consumers, "c1") == NULL,
	    "what is acknowledged holds a consumer no more");
	ok(consumer_get(world.consumers, "newest") != NULL &&
		consumer_find(world.consumers, "c2") == waiting,
	    "the end of a wait is a use");
	world_restart(&world, true);
	is_int(
	    (long long)consumer_set_count(world.consumers), CONSUMERS_MAX, "a restart has as many");
	ok(consumer_find(world.consumers, "newest") != NULL &&
		consumer_find(world.consumers, "c1") == NULL,
	    "the same ones");
	for (unsigned at = 0; at < CONSUMERS_MAX + 10; at++) {
		(void)snprintf(name, sizeof name, "h%u", at);
		held = consumer_get(world.consumers, name);
		if (held != NULL)
			consumer_hand_out(held, queue_next(world.queue, NULL), clock_mono_ms());
	}
	ok(held == NULL, "if all have an entry in hand, a new name is refused");
	world_finish(&world);
}

static void test_forgetting(void)
{
	struct world world = {0};
	const char *reason;
	uint64_t kept, last = 0;
	torn_disk_init(&world.disk, 6);
	world_open(&world);
	kept = post(&world, "undelivered", NULL);
	for (unsigned at = 0; at < QUEUE_KEEP + 50; at++) {
		last = post(&world, "settled", NULL);
		(void)queue_set_state(world.queue, last, NOTE_DELIVERED, NULL);
	}
	ok(queue_find(world.queue, kept) != NULL, "undelivered ones are not forgotten first");
	ok(queue_find(world.queue, last) != NULL, "nor are new ones");
	ok(queue_forgotten(world.queue, &reason) > kept, "the oldest settled ones are");
	is_str(reason, "retention", "with a reason");
	world_restart(&world, false);
	ok(queue_forgotten(world.queue, &reason) > kept, "which a restart remembers");
	world_finish(&world);
}

/* Posts one with so many bytes of data. */
static uint64_t post_bytes(struct world *world, size_t len)
{
	char *data = xasprintf("{\"data\":\"%0*d\"}", (int)len, 7);
	uint64_t seq = queue_post(world->queue,
	    &(struct notification_draft){.source = SOURCE_POST, .text = "big", .data = data});
	mem_free(data);
	return seq;
}

/* The bytes of all are bounded as their count is: settled ones go first, and readers get a gap. */
static void test_forgetting_bytes(void)
{
	enum { MAX = 1024 * 1024, LEN = 60000 };
	struct world world = {0};
	const char *reason;
	uint64_t kept, settled, last = 0;
	torn_disk_init(&world.disk, 7);
	world_open(&world);
	queue_set_bytes(world.queue, MAX);
	kept = post_bytes(&world, LEN);
	settled = post_bytes(&world, LEN);
	(void)queue_set_state(world.queue, settled, NOTE_DELIVERED, "{\"result\":\"shown\"}");
	while (queue_find(world.queue, settled) != NULL)
		last = post_bytes(&world, LEN);
	ok(queue_find(world.queue, kept) != NULL, "of bytes too the settled ones go first");
	ok(queue_bytes(world.queue) <= MAX, "there are no more than the bound");
	ok(queue_bytes(world.queue) > MAX - 2 * LEN, "and not much less");
	last = post_bytes(&world, LEN);
	ok(queue_find(world.queue, kept) == NULL && queue_find(world.queue, last) != NULL,
	    "then the oldest");
	is_int((long long)queue_forgotten(world.queue, &reason), (long long)settled,
	    "up to the newest one that went there is a gap");
	is_str(reason, "retention", "with the reason");
	world_restart(&world, true);
	ok(queue_find(world.queue, kept) == NULL && queue_find(world.queue, last) != NULL,
	    "a restart has the same");
	queue_set_bytes(world.queue, MAX / 4);
	ok(queue_bytes(world.queue) <= MAX / 4, "a lower bound counts at once");
	ok(queue_find(world.queue, last) != NULL, "and the newest stays");
	ok(queue_forgotten(world.queue, &reason) > settled, "with a larger gap");
	queue_set_bytes(world.queue, 1);
	ok(queue_find(world.queue, last) != NULL, "one that is over the bound alone stays too");
	last = queue_bytes(world.queue);
	(void)queue_set_state(world.queue, queue_last(world.queue), NOTE_DELIVERED, "{}");
	is_int((long long)queue_bytes(world.queue), (long long)last + 3, "receipts count");
	world_finish(&world);
}

/* After kill -9 on a full disk readers get a gap, also if the next daemon is killed as well. */
static void test_loss(void)
{
	struct world world = {0};
	const char *reason = "";
	uint64_t kept;
	torn_disk_init(&world.disk, 9);
	world.disk.reserves = true;
	world_open(&world);
	kept = post(&world, "kept", NULL);
	world.disk.room = 0;
	while (queue_find(world.queue, post(&world, "in memory", NULL))->is_durable)
		continue;
	world.disk.room = SIZE_MAX;
	world_restart(&world, true); /* it has reported nothing yet: it is killed before */
	is_str(store_get(world.store, STORE_LOSS_KEY, NULL), "disk_full",
	    "a hole in the journal is known");
	world_restart(&world, true);
	is_str(store_get(world.store, STORE_LOSS_KEY, NULL), "disk_full", "until readers know");
	queue_note_loss(world.queue);
	ok(queue_forgotten(world.queue, &reason) > kept, "they get a gap");
	is_str(reason, "disk_full", "with its reason");
	world_restart(&world, true);
	ok(queue_forgotten(world.queue, &reason) > kept, "also after another kill");
	ok(store_get(world.store, STORE_LOSS_KEY, NULL) == NULL, "and the hole is reported once");
	ok(queue_find(world.queue, kept) != NULL, "what was written is there");
	world_finish(&world);
}

/* The oldest settled one is forgotten first; without settled ones, the oldest of all. */
static void test_forgetting_order(void)
{
	struct world world = {0};
	uint64_t seqs[3], settled;
	torn_disk_init(&world.disk, 8);
	world_open(&world);
	for (int i = 0; i < 3; i++)
		seqs[i] = post(&world, "first", NULL);
	(void)queue_set_state(world.queue, seqs[2], NOTE_DELIVERED, NULL);
	(void)queue_set_state(world.queue, seqs[1], NOTE_ACKNOWLEDGED, NULL);
	for (unsigned at = 3; at < QUEUE_KEEP; at++)
		(void)post(&world, "undelivered", NULL);
	ok(queue_find(world.queue, seqs[1]) != NULL, "nothing is forgotten below the limit");
	(void)post(&world, "one more", NULL);
	ok(queue_find(world.queue, seqs[1]) == NULL && queue_find(world.queue, seqs[2]) != NULL,
	    "the oldest settled one goes first");
	(void)post(&world, "one more", NULL);
	ok(queue_find(world.queue, seqs[2]) == NULL && queue_find(world.queue, seqs[0]) != NULL,
	    "then the next");
	(void)post(&world, "one more", NULL);
	ok(queue_find(world.queue, seqs[0]) == NULL, "then the oldest of all");
	world_restart(&world, false);
	(void)queue_set_state(
	    world.queue, queue_next(world.queue, NULL)->seq, NOTE_DELIVERED, NULL);
	settled = queue_next(world.queue, NULL)->seq;
	(void)post(&world, "one more", NULL);
	ok(queue_find(world.queue, settled) == NULL, "the same after a restart");
	world_finish(&world);
}

/* A record in the journal that cannot be read, as release 0.1 wrote some. */
static void test_damage(void)
{
	static const char *const broken[] = {
	    "", "{", "{\"text\":\"a\",\"data\":{\"previous\":\"}}", "\xff", "[1]", "{}"};
	struct world world = {0};
	const struct notification *note;
	const char *reason;
	uint64_t first, second, lost;
	char key[32];
	torn_disk_init(&world.disk, 11);
	world_open(&world);
	first = post(&world, "first", NULL);
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		lost = post(&world, "to be lost", NULL);
		snprintf(key, sizeof key, "note/%020llu", (unsigned long long)lost);
		store_put(world.store, key, broken[i], strlen(broken[i]));
	}
	second = post(&world, "second", NULL);
	world_restart(&world, true);
	is_int((long long)queue_forgotten(world.queue, &reason), (long long)lost,
	    "entries that cannot be read are a gap");
	is_str(reason, "corruption", "with its reason");
	note = queue_find(world.queue, first);
	is_str(note != NULL ? note->text : "", "first", "those before it are there");
	note = queue_find(world.queue, second);
	is_str(note != NULL ? note->text : "", "second", "and those after it");
	ok(queue_find(world.queue, lost) == NULL, "they are not");
	world_restart(&world, true);
	is_int((long long)queue_forgotten(world.queue, &reason), (long long)lost,
	    "the gap is remembered");
	world_finish(&world);
}

static void test_ids(void)
{
	struct world world = {0};
	char ids[2000][NOTIFICATION_ID_SIZE];
	unsigned doubles = 0;
	torn_disk_init(&world.disk, 7);
	world_open(&world);
	for (unsigned at = 0; at < 2000; at++) {
		queue_new_id(world.queue, ids[at]);
		for (unsigned other = 0; other < at; other++)
			doubles += strcmp(ids[at], ids[other]) == 0;
	}
	is_int(doubles, 0, "2000 ids, each another");
	world_finish(&world);
	memset(&world, 0, sizeof world);
	torn_disk_init(&world.disk, 7);
	world_open(&world);
	queue_new_id(world.queue, ids[0]);
	queue_release_id(world.queue, ids[0]);
	for (unsigned at = 0; at < 50000; at++) {
		queue_new_id(world.queue, ids[1]);
		queue_release_id(world.queue, ids[1]);
		doubles += strcmp(ids[0], ids[1]) == 0;
	}
	is_int(doubles, 0, "one that is forgotten is not given again soon");
	world_finish(&world);
}

static uint64_t post_for(struct world *world, const char *id, uint32_t pane, const char *key)
{
	const struct pane_ref ref = {.pane = pane, .pane_pid = 7};
	return queue_post(world->queue,
	    &(struct notification_draft){
		.source = SOURCE_POST, .id = id, .pane = &ref, .text = "t", .key = key});
}

/* Whether the indexes find the same as a walk. */
static bool indexes_agree(const struct world *world, const char *id, uint32_t pane)
{
	const struct pane_ref ref = {.pane = pane, .pane_pid = 7};
	const struct notification *note = NULL, *mine = NULL, *newest = NULL;
	bool is_same = true;
	while ((note = queue_next(world->queue, note)) != NULL) {
		if (strcmp(note->id, id) == 0)
			newest = note;
		if (note->state > NOTE_DELIVERING || note->pane.pane != pane)
			continue;
		mine = queue_next_for(world->queue, &ref, mine);
		is_same &= mine == note;
		if (mine == NULL)
			return false;
	}
	is_same &= queue_next_for(world->queue, &ref, mine) == NULL;
	is_same &= queue_find_id(world->queue, id) == newest;
	while (newest != NULL) {
		const struct notification *older = note_index_older(newest);
		is_same &=
		    older == NULL || (older->seq < newest->seq && strcmp(older->id, id) == 0);
		newest = older;
	}
	return is_same;
}

/* Random posts, states and forgetting: the indexes follow. */
static void test_indexes(void)
{
	static const char *const ids[] = {"A1A1", "B2B2", "C3C3D4"};
	struct world world = {0};
	bool is_same = true;
	uint32_t random = 7;
	torn_disk_init(&world.disk, 1);
	world_open(&world);
	for (unsigned step = 0; step < 3000; step++) {
		const char *id;
		uint32_t pane;
		uint64_t seq;
		random = random * 1664525u + 1013904223u;
		id = ids[(random >> 8) % 3];
		pane = (random >> 16) % 3;
		seq = post_for(&world, id, pane, NULL);
		seq -= (random >> 20) % 50;
		(void)queue_set_state(
		    world.queue, seq, (enum notification_state)((random >> 4) % 6), NULL);
		if (step % 50 == 0)
			is_same &= indexes_agree(&world, id, pane);
	}
	ok(is_same, "ids and panes are found as by a walk");
	ok(queue_find_id(world.queue, "Z9Z9") == NULL, "an unknown id is not");
	world_restart(&world, true);
	ok(indexes_agree(&world, ids[0], 0) && indexes_agree(&world, ids[1], 1),
	    "the same after a restart");
	for (unsigned at = 0; at < QUEUE_KEEP; at++)
		(void)post_for(&world, ids[2], 5, NULL);
	ok(indexes_agree(&world, ids[0], 0) && indexes_agree(&world, ids[2], 5),
	    "and when old ones were forgotten");
	world_finish(&world);
}

/* A notification that was being typed and is queued again is counted into, as before. */
static void test_offered(void)
{
	struct world world = {0};
	uint64_t first, second;
	torn_disk_init(&world.disk, 1);
	world_open(&world);
	first = post_for(&world, NULL, 1, "k");
	(void)queue_set_state(world.queue, first, NOTE_DELIVERING, NULL);
	second = post_for(&world, NULL, 1, "k");
	ok(second != first, "one that is being delivered is not added to");
	is_int((long long)post_for(&world, NULL, 1, "k"), (long long)second, "the next one is");
	(void)queue_set_state(world.queue, first, NOTE_QUEUED, NULL);
	is_int((long long)post_for(&world, NULL, 1, "k"), (long long)first,
	    "queued again, the older one is");
	(void)queue_set_state(world.queue, first, NOTE_DELIVERED, NULL);
	is_int((long long)post_for(&world, NULL, 1, "k"), (long long)second,
	    "delivered, it is not any more");
	(void)queue_set_state(world.queue, second, NOTE_CANCELLED, NULL);
	ok(post_for(&world, NULL, 1, "k") > second, "nor is a cancelled one");
	world_finish(&world);
}

static uint64_t records(const struct world *world)
{
	struct journal_stats stats;
	journal_stats(store_journal(world->store), &stats);
	return stats.ticket;
}

static size_t count_notes(const struct world *world)
{
	size_t count = 0;
	for (const struct notification *note = NULL;
	     (note = queue_next(world->queue, note)) != NULL;)
		count++;
	return count;
}

/* A post and what it forgets are one record. The ones that listeners do not know yet stay. */
static void test_forgetting_records(void)
{
	struct world world = {0};
	const struct notification *oldest;
	const char *reason = "";
	uint64_t before, last, seq;
	torn_disk_init(&world.disk, 10);
	world_open(&world);
	seq = post(&world, "oldest", "key");
	for (unsigned at = 1; at < 20; at++)
		(void)post(&world, "undelivered", NULL);
	queue_set_bytes(world.queue, queue_bytes(world.queue));
	before = records(&world);
	queue_begin(world.queue);
	is_int((long long)post(&world, "again", "key"), (long long)seq, "one more is counted");
	last = post(&world, "one more", NULL);
	(void)queue_commit(world.queue);
	is_int((long long)(records(&world) - before), 2,
	    "what is counted into goes when listeners know");
	ok(queue_find(world.queue, seq) == NULL && queue_find(world.queue, last) != NULL,
	    "and it goes then");
	queue_set_bytes(world.queue, QUEUE_BYTES);
	for (size_t count = count_notes(&world); count < QUEUE_KEEP; count++)
		(void)post(&world, "undelivered", NULL);
	before = records(&world);
	seq = queue_next(world.queue, NULL)->seq;
	last = post(&world, "one more", NULL);
	is_int((long long)(records(&world) - before), 1, "a post in a full queue is one record");
	world_restart(&world, true);
	is_int((long long)count_notes(&world), QUEUE_KEEP, "after a kill as many are there");
	ok(queue_find(world.queue, last) != NULL, "the last one too");
	ok(queue_forgotten(world.queue, &reason) == seq, "and the gap");
	is_str(reason, "retention", "with its reason");
	queue_begin(world.queue);
	for (unsigned at = 0; at < QUEUE_KEEP + 5; at++)
		last = post(&world, "at once", NULL);
	(void)queue_commit(world.queue);
	is_int((long long)event_log_last(world.events), (long long)last, "all have their events");
	oldest = queue_next(world.queue, NULL);
	is_int((long long)count_notes(&world), QUEUE_KEEP, "more than it keeps, in one record");
	is_int((long long)(last - oldest->seq), QUEUE_KEEP - 1, "the last ones stay");
	world_finish(&world);
}

int main(void)
{
	test_post();
	test_deep();
	test_numbers();
	test_coalescing();
	test_coalescing_told();
	test_holes();
	test_consumers();
	test_passing();
	test_parking();
	test_many_consumers();
	test_forgetting();
	test_forgetting_bytes();
	test_forgetting_order();
	test_forgetting_records();
	test_damage();
	test_loss();
	test_ids();
	test_indexes();
	test_offered();
	return done_testing();
}
