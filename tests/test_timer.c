/* SPDX-License-Identifier: ISC */
/* Timers on a clock that the test sets: sleeps, restarts, suspends, clock jumps. */
#include "daemon/timer/timer.h"

#include <muxbus.h>

#include <stdlib.h>
#include <string.h>

#include "daemon/event/event_log.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "tap.h"
#include "torn_disk.h"

struct world {
	struct torn_disk disk;
	struct event_log *events;
	struct store *store;
	struct queue *queue;
	struct timer_set *timers;
	struct boot_clock clock;
	char boot_id[BOOT_ID_SIZE];
	int64_t boot_ms;
	int64_t real_ms;
	int64_t alarm_ms;
};

static int64_t world_boot_ms(void *data)
{
	return ((struct world *)data)->boot_ms;
}

static int64_t world_real_ms(void *data)
{
	return ((struct world *)data)->real_ms;
}

static void world_arm(void *data, int64_t boot_ms)
{
	((struct world *)data)->alarm_ms = boot_ms;
}

static void world_load(struct world *world)
{
	world->store = store_open(&torn_disk_table, &world->disk, false, NULL, NULL);
	if (world->store == NULL)
		abort();
	world->queue = queue_new(world->store, world->events);
	world->timers = timer_set_new(world->queue, &world->clock);
}

static void world_unload(struct world *world)
{
	timer_set_free(world->timers);
	queue_free(world->queue);
	store_close(world->store);
}

static void world_open(struct world *world)
{
	char reason[128];
	memset(world, 0, sizeof *world);
	torn_disk_init(&world->disk, 11);
	strcpy(world->boot_id, "first-start");
	world->boot_ms = 5000;
	world->real_ms = 1800000000000;
	world->clock = (struct boot_clock){
	    .boot_ms = world_boot_ms,
	    .real_ms = world_real_ms,
	    .arm = world_arm,
	    .boot_id = world->boot_id,
	    .data = world,
	};
	world->events = event_log_new(NULL, 100, 1 << 20, reason, sizeof reason);
	world_load(world);
}

static void world_finish(struct world *world)
{
	world_unload(world);
	event_log_free(world->events);
	torn_disk_finish(&world->disk);
}

/* Time passes; the alarm fires as often as it is due. */
static void world_pass(struct world *world, int64_t ms)
{
	int64_t end_ms = world->boot_ms + ms;
	while (world->alarm_ms >= 0 && world->alarm_ms <= end_ms) {
		int64_t step_ms =
		    world->alarm_ms > world->boot_ms ? world->alarm_ms - world->boot_ms : 0;
		world->boot_ms += step_ms;
		world->real_ms += step_ms;
		timer_ring(world->timers);
	}
	world->real_ms += end_ms - world->boot_ms;
	world->boot_ms = end_ms;
}

static unsigned count_state(const struct world *world, enum notification_state state)
{
	const struct notification *note = NULL;
	unsigned count = 0;
	while ((note = queue_next(world->queue, note)) != NULL)
		count += note->state == state;
	return count;
}

static const struct notification *newest(const struct world *world)
{
	return queue_find(world->queue, queue_last(world->queue));
}

static const struct pane_ref pane = {
    .pane = 3, .pane_pid = 70, .server_pid = 60, .server_start = 9};
static const struct pane_ref other = {
    .pane = 4, .pane_pid = 71, .server_pid = 60, .server_start = 9};

static void test_one_sleep(void)
{
	char old[NOTIFICATION_ID_SIZE] = "", first[NOTIFICATION_ID_SIZE];
	const struct timer *timer;
	struct world world;
	world_open(&world);
	is_int(timer_sleep(world.timers, &pane, 60000, false, NULL, &timer, old), TIMER_SET,
	    "a sleep is set");
	strcpy(first, timer->id);
	is_int(timer_sleep(world.timers, &pane, 90000, false, NULL, &timer, old), TIMER_IGNORED,
	    "a later one is ignored");
	is_str(timer->id, first, "and the answer has the existing one");
	is_int(timer_sleep(world.timers, &pane, 10000, false, NULL, &timer, old), TIMER_REPLACED,
	    "an earlier one replaces it");
	is_str(old, first, "and the earlier one is named");
	is_int(count_state(&world, NOTE_CANCELLED), 1, "and has its terminal notification");
	is_int(timer_sleep(world.timers, &other, 70000, false, NULL, &timer, old), TIMER_SET,
	    "another pane has one of its own");
	world_pass(&world, 9999);
	is_int(count_state(&world, NOTE_QUEUED), 0, "before its time nothing fires");
	world_pass(&world, 1);
	is_int(count_state(&world, NOTE_QUEUED), 1, "at its time it does");
	ok(strstr(newest(&world)->data, "\"late_by_sec\":0.000") != NULL, "not late");
	is_int((int)newest(&world)->pane.pane, 3, "for its pane");
	world_pass(&world, 100000);
	is_int(count_state(&world, NOTE_QUEUED), 2, "and the other in its turn");
	is_int((int)timer_count(world.timers), 0, "none is left");
	is_int((int)world.alarm_ms, -1, "and no alarm is set");
	world_finish(&world);
}

static void test_reminders(void)
{
	char old[NOTIFICATION_ID_SIZE] = "";
	const struct timer *timer, *tea;
	struct world world;
	unsigned count = 0;
	world_open(&world);
	tea = timer_remind(world.timers, &pane, 60000, false, "tea", NULL);
	ok(tea != NULL && timer_remind(world.timers, &pane, 50000, false, "water", NULL) != NULL,
	    "a pane has several reminders");
	is_int(timer_sleep(world.timers, &pane, 90000, false, NULL, &timer, old), TIMER_SET,
	    "and its sleep beside them");
	for (timer = NULL; (timer = timer_of_pane(world.timers, &pane, timer)) != NULL;)
		count++;
	is_int(count, 3, "these are the timers of the pane");
	world_pass(&world, 50000);
	is_str(newest(&world)->text, "water", "a reminder notifies of its text");
	world_unload(&world);
	world.boot_ms += 13000;
	world.real_ms += 13000;
	world_load(&world);
	world_pass(&world, 0);
	is_str(newest(&world)->text, "tea (3 s late)", "which survives a restart");
	world_pass(&world, 30000);
	is_str(newest(&world)->text, "the sleep is over", "a sleep has none");
	for (count = 0; timer_remind(world.timers, &pane, 1000, false, "x", NULL) != NULL;)
		count++;
	is_int(count, REMINDERS_MAX, "there is a maximum");
	is_int(timer_sleep(world.timers, &pane, 1000, false, NULL, &timer, old), TIMER_SET,
	    "which leaves room for sleeps");
	world_finish(&world);
}

static void test_restart(void)
{
	char old[NOTIFICATION_ID_SIZE], id[NOTIFICATION_ID_SIZE];
	const struct timer *timer;
	struct world world;
	world_open(&world);
	(void)timer_sleep(world.timers, &pane, 60000, false, NULL, &timer, old);
	strcpy(id, timer->id);
	world_unload(&world);
	world.boot_ms += 20000;
	world.real_ms += 9999999; /* the wall clock was set */
	world_load(&world);
	is_int(timer_next(world.timers, NULL)->real_due_ms - world.real_ms, 40000,
	    "a timer is due by the clock that was set while no daemon ran");
	world_unload(&world);
	strcpy(world.boot_id, "second-start");
	world_load(&world);
	is_int(world.alarm_ms - world.boot_ms, 40000, "also in the next boot");
	world_unload(&world);
	strcpy(world.boot_id, "first-start");
	world_load(&world);
	world.real_ms -= 7200000;
	timer_ring(world.timers);
	is_int(timer_next(world.timers, NULL)->real_due_ms - world.real_ms, 40000,
	    "and by one that is set later");
	is_int((int)timer_count(world.timers), 1, "a restart keeps it");
	is_str(timer_next(world.timers, NULL)->id, id, "with its id");
	world_pass(&world, 39999);
	is_int(count_state(&world, NOTE_QUEUED), 0, "setting the wall clock has no effect");
	world_pass(&world, 1);
	is_int(count_state(&world, NOTE_QUEUED), 1, "it fires when the time has passed");
	world_unload(&world);
	world_load(&world);
	is_int((int)timer_count(world.timers), 0, "once: it does not come back");
	world_finish(&world);
}

static void test_reboot(void)
{
	char old[NOTIFICATION_ID_SIZE];
	const struct timer *timer;
	struct world world;
	world_open(&world);
	(void)timer_sleep(world.timers, &pane, 60000, false, NULL, &timer, old);
	world_unload(&world);
	strcpy(world.boot_id, "second-start");
	world.boot_ms = 100;
	world.real_ms += 30000;
	world_load(&world);
	world_pass(&world, 29999);
	is_int(count_state(&world, NOTE_QUEUED), 0, "after a reboot the wall clock counts");
	world_pass(&world, 1);
	is_int(count_state(&world, NOTE_QUEUED), 1, "to the millisecond");
	(void)timer_sleep(world.timers, &pane, 60000, false, NULL, &timer, old);
	world_unload(&world);
	strcpy(world.boot_id, "third-start");
	world.boot_ms = 100;
	world.real_ms += 90500;
	world_load(&world);
	world_pass(&world, 0);
	is_int(count_state(&world, NOTE_QUEUED), 2, "what came due meanwhile fires at once");
	ok(strstr(newest(&world)->data, "\"late_by_sec\":30.500") != NULL, "with its delay: %s",
	    newest(&world)->data);
	world_finish(&world);
}

/* A machine without a battery begins in the past, until the network says the time. */
static void test_late_clock(void)
{
	char old[NOTIFICATION_ID_SIZE];
	const struct timer *timer;
	struct world world;
	world_open(&world);
	(void)timer_sleep(world.timers, &pane, 60000, false, NULL, &timer, old);
	(void)timer_remind(world.timers, &other, 7200000, false, "late", NULL);
	world_unload(&world);
	strcpy(world.boot_id, "second-start");
	world.boot_ms = 100;
	world.real_ms -= 500000000;
	world_load(&world);
	(void)timer_sleep(world.timers, &other, 10000, false, NULL, &timer, old);
	world_pass(&world, 5000);
	is_int(count_state(&world, NOTE_QUEUED), 0, "the clock is wrong after a boot");
	world.real_ms += 500000000 + 3600000;
	timer_ring(world.timers);
	is_int(count_state(&world, NOTE_QUEUED), 1, "the clock is set: a timer of before is due");
	world_pass(&world, 4999);
	is_int(count_state(&world, NOTE_QUEUED), 1, "and one of this boot is not");
	world_pass(&world, 1);
	is_int(count_state(&world, NOTE_QUEUED), 2, "until its time has passed");
	world_unload(&world);
	strcpy(world.boot_id, "third-start");
	world_load(&world);
	world_pass(&world, 3590000 - 100);
	is_int(count_state(&world, NOTE_QUEUED), 2, "the next boot has the clock as it was set");
	world_pass(&world, 100);
	is_int(count_state(&world, NOTE_QUEUED), 3, "and fires the last one");
	world_finish(&world);
}

static void test_suspend(void)
{
	char old[NOTIFICATION_ID_SIZE];
	const struct timer *timer;
	struct world world;
	bool is_durable = false;
	world_open(&world);
	(void)timer_sleep(world.timers, &pane, 3600000, true, NULL, &timer, old);
	world_pass(&world, 3600000);
	is_int(count_state(&world, NOTE_QUEUED), 1, "a recurring one fires");
	is_int((int)timer_count(world.timers), 1, "and continues");
	world.boot_ms += 4 * 3600000 + 600000; /* the lid was closed */
	world.real_ms += 4 * 3600000 + 600000;
	timer_ring(world.timers);
	is_int(
	    count_state(&world, NOTE_QUEUED), 2, "ticks missed in a suspend are reported as one");
	ok(strstr(newest(&world)->data, "\"missed\":3") != NULL, "with their number: %s",
	    newest(&world)->data);
	is_int((int)(world.alarm_ms - world.boot_ms), 3600000 - 600000,
	    "and the schedule has not drifted");
	world.real_ms -= 7200000; /* the wall clock goes back */
	timer_ring(world.timers);
	is_int(count_state(&world, NOTE_QUEUED), 2, "a clock set back fires nothing twice");
	ok(timer_cancel(world.timers, timer_next(world.timers, NULL)->id, &is_durable),
	    "it can be cancelled");
	ok(is_durable, "for good");
	ok(!timer_cancel(world.timers, "Z9Z9", &is_durable), "a missing timer cannot");
	world_finish(&world);
}

static void test_full(void)
{
	char old[NOTIFICATION_ID_SIZE];
	const struct timer *timer;
	struct world world;
	unsigned set = 0;
	world_open(&world);
	for (uint32_t number = 0; number < TIMERS_MAX + 5; number++) {
		struct pane_ref one = {.pane = number, .pane_pid = 1, .server_pid = 1};
		set += timer_sleep(world.timers, &one, 1000 * (TIMERS_MAX - (int)number % 7), false,
			   NULL, &timer, old) == TIMER_SET;
	}
	is_int(set, TIMERS_MAX, "there is a limit, and it is reported");
	world_pass(&world, 1000 * TIMERS_MAX);
	is_int((int)timer_count(world.timers), 0, "all fire");
	world_finish(&world);
}

/* A timer says that it could not be written, until it is. */
static void test_full_disk(void)
{
	char old[NOTIFICATION_ID_SIZE];
	const struct timer *first, *second;
	struct world world;
	bool is_durable = true;
	world_open(&world);
	(void)timer_sleep(world.timers, &pane, 60000, false, NULL, &first, old);
	world.disk.room = 0;
	(void)timer_sleep(world.timers, &other, 60000, false, NULL, &second, old);
	ok(timer_is_durable(world.timers, first), "a timer that was written is durable");
	ok(!timer_is_durable(world.timers, second), "one that came on a full disk is not");
	ok(timer_cancel(world.timers, first->id, &is_durable), "the first can be cancelled");
	ok(!is_durable, "but that is not durable");
	world_pass(&world, 60000);
	ok(!newest(&world)->is_durable, "nor is what the other posts");
	(void)timer_sleep(world.timers, &pane, 60000, false, NULL, &first, old);
	world.disk.room = SIZE_MAX;
	journal_rewrite(store_journal(world.store));
	ok(timer_is_durable(world.timers, first), "with room again a timer is durable");
	world_finish(&world);
}

/* Timers in random order: each fires at its time, not before another that is due earlier. */
static void test_order(void)
{
	enum { TIMERS = 2000 };
	struct world world = {0};
	const struct timer *timer = NULL, *before = NULL;
	static char ids[TIMERS][NOTIFICATION_ID_SIZE];
	const struct pane_ref none = {.pane = MUXBUS_NO_ID};
	unsigned wrong = 0, count = 0;
	char old[NOTIFICATION_ID_SIZE];
	uint32_t random = 3;
	bool is_durable;
	world_open(&world);
	for (unsigned at = 0; at < TIMERS; at++) {
		random = random * 1664525u + 1013904223u;
		(void)timer_sleep(
		    world.timers, &none, 1 + (random >> 8) % 100000, false, NULL, &timer, old);
		strcpy(ids[at], timer->id);
	}
	for (unsigned at = 0; at < TIMERS; at += 3)
		wrong += !timer_cancel(world.timers, ids[at], &is_durable) ||
		    timer_find(world.timers, ids[at]) != NULL;
	for (timer = NULL; (timer = timer_next(world.timers, timer)) != NULL; before = timer) {
		wrong += before != NULL && before->boot_due_ms > timer->boot_due_ms;
		wrong += timer_find(world.timers, timer->id) != timer;
		count++;
	}
	is_int(wrong, 0, "timers in random order are found, cancelled and walked in order");
	is_int(count, timer_count(world.timers), "all of them");
	while ((timer = timer_next(world.timers, NULL)) != NULL) {
		int64_t due_ms = timer->boot_due_ms;
		count = (unsigned)timer_count(world.timers);
		world_pass(&world, due_ms - world.boot_ms - 1);
		wrong += timer_count(world.timers) != count;
		world_pass(&world, 1);
		wrong += timer_count(world.timers) >= count;
	}
	is_int(wrong, 0, "and fire when they are due, not before");
	world_finish(&world);
}

int main(void)
{
	test_one_sleep();
	test_reminders();
	test_restart();
	test_reboot();
	test_late_clock();
	test_suspend();
	test_full();
	test_full_disk();
	test_order();
	return done_testing();
}
