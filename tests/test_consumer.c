/* SPDX-License-Identifier: ISC */
/* The memory of a consumer that never acknowledges. tests/test_queue has what consumers promise. */
#include "daemon/queue/consumer.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "daemon/event/event_log.h"
#include "daemon/queue/store.h"
#include "tap.h"

static long live_blocks;

static void *count_alloc(void *data, void *ptr, size_t size)
{
	(void)data;
	live_blocks += ptr == NULL;
	return realloc(ptr, size);
}

static void count_release(void *data, void *ptr)
{
	(void)data;
	live_blocks -= ptr != NULL;
	free(ptr);
}

static void test_deaf(void)
{
	const struct notification_draft draft = {.source = SOURCE_POST, .text = "one"};
	char reason[128];
	struct event_log *events;
	struct store *store = store_open(NULL, NULL, false, NULL, NULL);
	struct queue *queue;
	struct consumer_set *set;
	struct consumer *reader;
	long before = 0;
	events = event_log_new(NULL, 100, 1 << 20, reason, sizeof reason);
	if (events == NULL || store == NULL)
		abort();
	queue = queue_new(store, events);
	set = consumer_set_new(queue);
	reader = consumer_get(set, "deaf");
	for (unsigned at = 0; at < 5 * QUEUE_KEEP; at++) {
		if (at == 3 * QUEUE_KEEP)
			before = live_blocks;
		consumer_hand_out(reader, queue_find(queue, queue_post(queue, &draft)), 1);
	}
	ok(live_blocks - before < QUEUE_KEEP + 100,
	    "entries that the queue has forgotten take no memory: %ld more blocks",
	    live_blocks - before);
	consumer_set_free(set);
	queue_free(queue);
	store_close(store);
	event_log_free(events);
}

int main(void)
{
	mem_set_allocator(count_alloc, count_release, NULL);
	test_deaf();
	is_int(live_blocks, 0, "all memory is freed");
	return done_testing();
}
