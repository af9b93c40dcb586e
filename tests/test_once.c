/* SPDX-License-Identifier: ISC */
/* Requests with a key: kept, found after kill -9, forgotten by time, number and size. */
#include "daemon/queue/once.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/event/event_log.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "tap.h"
#include "torn_disk.h"

static time_t set_by; /* difference of the wall clock from the true time */

/* Instead of the library's. */
int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	int error = (int)syscall(SYS_clock_gettime, clock, ret_time);
	ret_time->tv_sec += clock == CLOCK_REALTIME ? set_by : 0;
	return error;
}

struct world {
	struct torn_disk disk;
	struct event_log *events;
	struct store *store;
	struct queue *queue;
	struct once_set *onces;
};

static void world_open(struct world *world)
{
	char reason[128];
	if (world->events == NULL)
		world->events = event_log_new(NULL, 100, 1 << 20, reason, sizeof reason);
	world->store = store_open(&torn_disk_table, &world->disk, false, NULL, NULL);
	if (world->events == NULL || world->store == NULL)
		abort();
	world->queue = queue_new(world->store, world->events);
	world->onces = once_set_new(world->queue);
}

static void world_close(struct world *world)
{
	once_set_free(world->onces);
	queue_free(world->queue);
	store_close(world->store);
}

static void world_kill(struct world *world)
{
	struct torn_disk copy;
	torn_disk_copy(&copy, &world->disk);
	torn_disk_kill(&copy);
	world_close(world);
	torn_disk_finish(&world->disk);
	world->disk = copy;
	world_open(world);
}

static void world_finish(struct world *world)
{
	world_close(world);
	event_log_free(world->events);
	torn_disk_finish(&world->disk);
}

static struct once once_of(const struct world *world, const char *method, const char *key)
{
	return (struct once){
	    .set = world->onces,
	    .space = "",
	    .method = method,
	    .key = key,
	    .caller = "%3/7/9",
	    .content = UINT64_MAX - 5,
	};
}

/* The id and the result that are known; "" if none is. */
static const char *known(const struct once *once)
{
	static char text[300];
	struct once_earlier earlier;
	text[0] = '\0';
	if (once_find(once, &earlier))
		snprintf(text, sizeof text, "%s %.200s", earlier.id,
		    earlier.result != NULL ? earlier.result : "-");
	once_earlier_finish(&earlier);
	return text;
}

/* A request that is done just now, and fails when it may have had an effect. */
static void test_failing(struct world *world, struct once *once)
{
	char error[2 * ONCE_ERROR_MAX];
	struct once_earlier earlier;
	int runner;
	once_set_runner(once, &runner);
	ok(once_runner(once) == NULL, "a key that is not kept has no runner");
	once_set_error(once, "timeout: too late");
	is_str(known(once), "", "and no error");
	once_keep(once, "");
	once_set_runner(once, &runner);
	ok(once_runner(once) == &runner, "one that is done now has");
	memset(error, 'x', sizeof error);
	memcpy(error + ONCE_ERROR_MAX - 1, "\303\251", 3);
	once_set_error(once, error);
	world_kill(world);
	once->set = world->onces;
	ok(once_runner(once) == NULL, "not after kill -9");
	ok(once_find(once, &earlier) && earlier.result == NULL && earlier.error != NULL &&
		strlen(earlier.error) == ONCE_ERROR_MAX - 1,
	    "its error is kept, cut to %d bytes of whole characters", ONCE_ERROR_MAX);
	once_earlier_finish(&earlier);
	once_forget_begun(once);
	is_str(known(once), "", "before its effect it is forgotten");
	once_keep(once, "A1B2");
	once_forget_begun(once);
	is_str(known(once), "A1B2 -", "not with its effect");
	once_forget(once);
}

static void test_keeping(void)
{
	struct world world = {0};
	struct once once, other;
	struct once_earlier earlier;
	torn_disk_init(&world.disk, 1);
	world_open(&world);
	once = once_of(&world, "sleep", "a key / with \"all\" of it");
	is_str(known(&once), "", "a new key is not known");
	once_set_result(&once, "{}", 2);
	is_str(known(&once), "", "a result alone is none");
	once_keep(NULL, "A1B2");
	once_keep(&once, "A1B2");
	world_kill(&world);
	once.set = world.onces;
	is_str(known(&once), "A1B2 -", "one that is kept survives kill -9");
	ok(once_find(&once, &earlier) && earlier.content == once.content &&
		strcmp(earlier.method, "sleep") == 0 && strcmp(earlier.caller, "%3/7/9") == 0,
	    "with its content, method and caller");
	once_earlier_finish(&earlier);
	once_set_result(&once, "{\"id\":\"A1B2\"}", 13);
	once_set_result(&once, "{\"id\":\"other\"}", 14);
	world_kill(&world);
	once.set = world.onces;
	is_str(known(&once), "A1B2 {\"id\":\"A1B2\"}", "so does its result, which is the first");
	other = once_of(&world, "run", once.key);
	is_str(known(&other), "A1B2 {\"id\":\"A1B2\"}", "another method finds it too");
	other.space = "run";
	is_str(known(&other), "", "one that has keys of its own does not");
	other = once_of(&world, "sleep", once.key);
	other.owner = "%3/7/9";
	is_str(known(&other), "", "nor does one whose keys are its own");
	once_keep(&other, "G7H8");
	world_kill(&world);
	once.set = other.set = world.onces;
	is_str(known(&other), "G7H8 -", "which has this key, after kill -9 too");
	is_str(known(&once), "A1B2 {\"id\":\"A1B2\"}", "and all have theirs");
	once_forget(&other);
	other = once_of(&world, "run", once.key);
	other.space = "run";
	test_failing(&world, &other);
	once.set = world.onces;
	once_forget(&once);
	once_forget(&other);
	is_str(known(&once), "", "one that failed is not known");
	is_int((int)once_count(world.onces), 0, "none is left");
	world_finish(&world);
}

static void test_set_while_down(void)
{
	struct world world = {0};
	struct once once;
	char value[200];
	torn_disk_init(&world.disk, 2);
	world_open(&world);
	snprintf(value, sizeof value,
	    "{\"id\":\"C3D4\",\"content\":\"1\",\"time_ms\":%" PRId64 ",\"boot_ms\":%" PRId64 "}",
	    clock_real_ms() - ONCE_KEEP_MS - 1000, clock_boot_ms());
	store_put(world.store, "once/run/set", value, strlen(value));
	world_kill(&world);
	once = once_of(&world, "run", "set");
	is_str(known(&once), "C3D4 -", "a clock that was set by a day forgets no key");
	world_finish(&world);
}

static void test_bounds(void)
{
	static char big[ONCE_RESULT_MAX + 1];
	struct world world = {0};
	char key[32], value[200];
	struct once once;
	torn_disk_init(&world.disk, 2);
	world_open(&world);
	snprintf(value, sizeof value, "{\"id\":\"C3D4\",\"content\":\"1\",\"time_ms\":%" PRId64 "}",
	    clock_real_ms() - ONCE_KEEP_MS - 1000);
	store_put(world.store, "once/run/old", value, strlen(value));
	snprintf(value, sizeof value, "{\"id\":\"C3D4\",\"content\":\"1\",\"time_ms\":%" PRId64 "}",
	    clock_real_ms() - ONCE_KEEP_MS + 600000);
	store_put(world.store, "once/run/older", value, strlen(value));
	world_kill(&world);
	once = once_of(&world, "run", "old");
	is_str(known(&once), "", "after a day a key is forgotten");
	once.key = "older";
	is_str(known(&once), "C3D4 -", "not before");
	once.owner = "%3/7/9";
	is_str(known(&once), "", "an owner has none that 0.2.0 kept");
	for (unsigned at = 0; at <= ONCE_KEEP; at++) {
		snprintf(key, sizeof key, "key %u", at);
		once.key = key;
		once_keep(&once, "E5F6");
	}
	is_int((int)once_count(world.onces), ONCE_KEEP + 1, "the number of theirs is bounded");
	for (unsigned at = 0; at <= ONCE_KEEP; at++) {
		snprintf(key, sizeof key, "key %u", at);
		once_forget(&once);
	}
	once.owner = NULL;
	once.key = "older";
	is_str(known(&once), "C3D4 -", "without those of all");
	for (unsigned at = 0; at < ONCE_KEEP; at++) {
		snprintf(key, sizeof key, "key %u", at);
		once.key = key;
		once_keep(&once, "E5F6");
	}
	is_int((int)once_count(world.onces), ONCE_KEEP, "their number is bounded");
	once.key = "older";
	is_str(known(&once), "", "the oldest is forgotten first");
	memset(big, 'x', sizeof big);
	memcpy(big, "{\"a\":\"", 6);
	memcpy(big + ONCE_RESULT_MAX - 2, "\"}", 2);
	once.key = "key 7";
	once_set_result(&once, big, sizeof big);
	is_str(known(&once), "E5F6 -", "a result that is too long is not kept, but its key is");
	for (unsigned at = 100; at < 100 + ONCE_RESULTS_MAX / ONCE_RESULT_MAX + 5; at++) {
		snprintf(key, sizeof key, "key %u", at);
		once.key = key;
		once_set_result(&once, big, ONCE_RESULT_MAX);
	}
	ok(known(&once)[0] != '\0', "results of the maximum are kept");
	once.key = "key 7";
	is_str(known(&once), "", "for the oldest keys");
	ok(once_count(world.onces) >= ONCE_RESULTS_MAX / ONCE_RESULT_MAX,
	    "as many as there is room for");
	world_finish(&world);
}

static void test_clock_set(void)
{
	struct world world = {0};
	struct once once;
	char key[32];
	torn_disk_init(&world.disk, 3);
	world_open(&world);
	once = once_of(&world, "run", "first");
	once_keep(&once, "C3D4");
	set_by = 100 * 24 * 3600;
	is_str(known(&once), "C3D4 -", "the clock is set forward by days: a key is not forgotten");
	once.key = "later";
	once_keep(&once, "E5F6");
	set_by = -7200;
	for (unsigned at = 0; at < ONCE_KEEP; at++) {
		snprintf(key, sizeof key, "key %u", at);
		once.key = key;
		once_keep(&once, "E5F6");
	}
	is_str(known(&once), "E5F6 -", "the clock is set back: the newest key is known");
	world_kill(&world);
	once.set = world.onces;
	is_str(known(&once), "E5F6 -", "after kill -9 too");
	once.key = "one more";
	once_keep(&once, "G7H8");
	is_str(known(&once), "G7H8 -", "so is one more");
	once.key = "later";
	is_str(known(&once), "", "the oldest is forgotten first");
	set_by = 0;
	world_finish(&world);
}

int main(void)
{
	test_keeping();
	test_clock_set();
	test_set_while_down();
	test_bounds();
	return done_testing();
}
