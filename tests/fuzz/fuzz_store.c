/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as what an earlier daemon left: a journal's file, or records that are whole but lie
 * ("KEY VALUE" lines). The queue and its timers, consumers and keys are loaded, used and loaded
 * again: the same notifications, each one JSON, and a record that is lost has one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "daemon/core/boot_clock.h"
#include "daemon/event/event_log.h"
#include "daemon/queue/consumer.h"
#include "daemon/queue/once.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/timer/timer.h"
#include "torn_disk.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 65536, JSON_MAX = 4 * 1024 * 1024, RINGS = 4 };

struct world {
	struct torn_disk disk;
	struct event_log *events;
	struct store *store;
	struct queue *queue;
	struct consumer_set *consumers;
	struct once_set *onces;
	struct timer_set *timers;
	struct boot_clock clock;
	int64_t now_ms;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int64_t now_ms(void *data)
{
	return ((struct world *)data)->now_ms;
}

static void arm(void *data, int64_t boot_ms)
{
	(void)data;
	(void)boot_ms;
}

static void load(struct world *world)
{
	char reason[128];
	world->events = event_log_new(NULL, 100, 1 << 20, reason, sizeof reason);
	world->store = store_open(&torn_disk_table, &world->disk, false, NULL, NULL);
	must(world->store != NULL);
	world->queue = queue_new(world->store, world->events);
	queue_note_loss(world->queue);
	world->onces = once_set_new(world->queue);
	world->consumers = consumer_set_new(world->queue);
	world->timers = timer_set_new(world->queue, &world->clock);
}

static void unload(struct world *world)
{
	timer_set_free(world->timers);
	consumer_set_free(world->consumers);
	once_set_free(world->onces);
	queue_free(world->queue);
	store_close(world->store);
	event_log_free(world->events);
}

/* Puts each line's value under its key, as a daemon would have. */
static void write_records(struct world *world, char *text)
{
	struct store *store = store_open(&torn_disk_table, &world->disk, false, NULL, NULL);
	char *line;
	must(store != NULL);
	while ((line = strsep(&text, "\n")) != NULL) {
		char *value = strchr(line, ' ');
		if (value == NULL || value == line || value - line > STORE_KEY_MAX)
			continue;
		*value++ = '\0';
		store_put(store, line, value, strlen(value));
	}
	store_close(store);
}

static void write_journal(struct world *world, const void *bytes, size_t len)
{
	int file = torn_disk_table.open(&world->disk, STORE_FILE, 1);
	must(file >= 0 && torn_disk_table.write(&world->disk, file, bytes, len, 0) == (ssize_t)len);
	torn_disk_table.close(&world->disk, file);
}

/* The numbers and ids of all notifications; each is JSON. */
static void read_queue(const struct world *world, struct buf *out)
{
	static struct json_reader *reader;
	const struct notification *note = NULL;
	struct json_writer writer;
	struct json_error error;
	struct buf text;
	uint64_t last = 0;
	if (reader == NULL)
		reader = json_reader_new(JSON_MAX);
	buf_init(&text, JSON_MAX);
	while ((note = queue_next(world->queue, note)) != NULL) {
		must(note->seq > last && queue_find(world->queue, note->seq) == note);
		last = note->seq;
		buf_clear(&text);
		json_writer_init(&writer, &text);
		json_object_begin(&writer, NULL);
		notification_write_members(&writer, note, false);
		json_object_end(&writer);
		must(json_read(reader, (const char *)text.data, text.len, &error) != NULL);
		(void)buf_printf(out, "%llu %s\n", (unsigned long long)note->seq, note->id);
	}
	must(queue_last(world->queue) >= last);
	buf_finish(&text);
}

/* A reader takes all; then time passes, and timers fire. */
static void use(struct world *world)
{
	const struct timer *timer = NULL;
	struct consumer *consumer = consumer_get(world->consumers, "fuzz");
	struct consumer_filter filter = {0};
	const struct notification *note;
	int64_t due_ms;
	size_t taken = 0;
	while (consumer != NULL && taken++ < 100 &&
	    (note = consumer_peek(consumer, &filter, 1, &due_ms)) != NULL) {
		consumer_hand_out(consumer, note, 1);
		(void)consumer_acknowledge(consumer, note->seq, taken % 2);
	}
	while ((timer = timer_next(world->timers, timer)) != NULL)
		must(timer_find(world->timers, timer->id) == timer && timer->period_ms >= 0);
	for (int ring = 0; ring < RINGS; ring++) {
		world->now_ms += (int64_t)1000 << (ring * 10);
		timer_ring(world->timers);
	}
	must(queue_post(world->queue,
		 &(struct notification_draft){.source = SOURCE_POST, .text = "one more"}) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world world = {.now_ms = 5000};
	struct buf before, after;
	char *text;
	if (size < 1 || size > INPUT_MAX)
		return 0;
	log_open(2, "fuzz", LOG_LEVEL_ERROR); /* warnings are expected */
	torn_disk_init(&world.disk, 7);
	world.clock = (struct boot_clock){.boot_ms = now_ms,
	    .real_ms = now_ms,
	    .arm = arm,
	    .boot_id = "first-start",
	    .data = &world};
	text = xalloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] == 'R')
		write_records(&world, text);
	else
		write_journal(&world, data + 1, size - 1);
	load(&world);
	use(&world);
	buf_init(&before, JSON_MAX);
	buf_init(&after, JSON_MAX);
	read_queue(&world, &before);
	unload(&world);
	load(&world);
	read_queue(&world, &after);
	must(before.len == after.len && memcmp(before.data, after.data, before.len) == 0);
	unload(&world);
	torn_disk_finish(&world.disk);
	buf_finish(&before);
	buf_finish(&after);
	mem_free(text);
	return 0;
}
