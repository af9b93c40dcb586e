/* SPDX-License-Identifier: ISC */
/* Timers of the daemon's loop: their order, their times, and what their callbacks may do. */
#include "io/loop_timer.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "tap.h"

enum { MANY = 1000, BOUND_MS = 5000 };

static struct event_base *base;
static char fired[64];
static unsigned fired_count;

struct note {
	struct loop_timer *timer;
	char name;
	struct note *wakes, *arms, *disarms, *frees; /* timers that its callback changes */
	int64_t fired_us;
	int64_t due_us; /* when it was armed, and when it is due */
	unsigned place; /* in the order of firing, from 1; 0: it has not fired */
};

static void on_note(void *data)
{
	struct note *note = data;
	size_t len = strlen(fired);
	note->fired_us = clock_mono_us();
	note->place = ++fired_count;
	if (note->name != '\0' && len < sizeof fired - 1)
		fired[len] = note->name;
	if (note->wakes != NULL)
		loop_timer_wake(note->wakes->timer);
	if (note->arms != NULL)
		loop_timer_arm(note->arms->timer, 0);
	if (note->disarms != NULL)
		loop_timer_disarm(note->disarms->timer);
	if (note->frees != NULL) {
		loop_timer_free(note->frees->timer);
		note->frees->timer = NULL;
		note->frees = NULL;
	}
}

static void make(struct note *note, char name)
{
	memset(note, 0, sizeof *note);
	note->name = name;
	note->timer = loop_timer_new(base, on_note, note);
}

/* Runs until so many timers fired, within a bound. */
static const char *run(size_t count)
{
	int64_t end_ms = clock_mono_ms() + BOUND_MS;
	while (strlen(fired) < count && clock_mono_ms() < end_ms)
		(void)event_base_loop(base, EVLOOP_ONCE);
	return fired;
}

static void forget(void)
{
	memset(fired, 0, sizeof fired);
}

static void test_order(struct note *a, struct note *b, struct note *c)
{
	int64_t start_us = clock_mono_us();
	forget();
	loop_timer_arm(c->timer, 20);
	loop_timer_arm(a->timer, 5);
	loop_timer_arm(b->timer, 10);
	ok(loop_timer_is_armed(a->timer), "armed");
	is_str(run(3), "abc", "they fire in the order of their times");
	ok(!loop_timer_is_armed(a->timer), "a timer fires once");
	ok(c->fired_us - start_us >= 20000, "not too early");

	forget();
	loop_timer_arm(a->timer, 5);
	loop_timer_arm(b->timer, 10);
	loop_timer_arm(a->timer, 20); /* later than the time that is set */
	is_str(run(2), "ba", "a timer that is armed again has the new time");

	forget();
	loop_timer_arm(a->timer, 10);
	loop_timer_arm(b->timer, 5);
	loop_timer_disarm(b->timer);
	loop_timer_disarm(b->timer);
	ok(!loop_timer_is_armed(b->timer), "disarmed");
	is_str(run(1), "a", "a disarmed timer does not fire");

	forget();
	loop_timer_arm(c->timer, INT64_MAX);
	loop_timer_arm(a->timer, 1);
	is_str(run(1), "a", "a timer may be armed for any time");
	loop_timer_disarm(c->timer);
}

/* The turns of the loop: a callback that wakes, and one that arms for the next turn. */
static void test_turns(struct note *a, struct note *b, struct note *c)
{
	forget();
	a->wakes = b;
	b->arms = c;
	loop_timer_arm(a->timer, 0);
	(void)event_base_loop(base, EVLOOP_ONCE);
	is_str(fired, "ab", "a woken timer fires in the same turn, one without delay does not");
	is_str(run(3), "abc", "it fires in the next turn");
	a->wakes = NULL;
	b->arms = NULL;

	forget();
	a->arms = a;
	loop_timer_arm(a->timer, -1);
	for (int i = 0; i < 3; i++)
		(void)event_base_loop(base, EVLOOP_ONCE);
	is_str(fired, "aaa", "a timer that arms itself fires once a turn");
	a->arms = NULL;
	loop_timer_disarm(a->timer);

	forget();
	loop_timer_arm(a->timer, 5);
	loop_timer_wake(a->timer);
	loop_timer_arm(b->timer, 20);
	is_str(run(2), "ab", "a woken timer does not fire again at its time");
	forget();
	loop_timer_wake(a->timer);
	loop_timer_arm(a->timer, 10);
	loop_timer_arm(b->timer, 1);
	is_str(run(2), "ba", "arming takes a wake back");
}

static void test_callbacks(struct note *a, struct note *b, struct note *c)
{
	struct note other;
	forget();
	a->disarms = b;
	loop_timer_arm(a->timer, 1);
	loop_timer_arm(b->timer, 1);
	loop_timer_arm(c->timer, 2);
	is_str(run(2), "ac", "a timer that is due may be disarmed still");
	a->disarms = NULL;

	forget();
	make(&other, 'o');
	a->frees = &other;
	loop_timer_arm(a->timer, 0);
	loop_timer_arm(other.timer, 0);
	loop_timer_arm(b->timer, 1);
	is_str(run(2), "ab", "a timer that is due may be freed");

	forget();
	make(&other, 'o');
	other.frees = &other;
	loop_timer_arm(other.timer, 1);
	is_str(run(1), "o", "a timer may free itself");
}

/* Arms a timer. Returns how many microseconds this took, which is the uncertainty of its time. */
static int64_t arm_one(struct note *note, int ms)
{
	int64_t begun_us = clock_mono_us();
	loop_timer_arm(note->timer, ms);
	note->due_us = clock_mono_us() + (int64_t)ms * 1000;
	return note->due_us - (int64_t)ms * 1000 - begun_us;
}

static int by_place(const void *one, const void *other)
{
	const struct note *a = one, *b = other;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* None fires before one that was due more than a tick earlier, however late both are. */
static void on_pipe(evutil_socket_t fd, short what, void *data)
{
	char byte;
	(void)what;
	(void)data;
	if (read(fd, &byte, 1) == 1)
		strcat(fired, "p");
}

/* The process was stopped: what came meanwhile may be what a timer waits for. */
static void test_late(struct note *a)
{
	struct event *readable;
	int ends[2];
	if (pipe(ends) < 0)
		return;
	readable = event_new(base, ends[0], EV_READ | EV_PERSIST, on_pipe, NULL);
	(void)event_add(readable, NULL);
	forget();
	loop_timer_arm(a->timer, 20);
	usleep(300000);
	(void)!write(ends[1], "x", 1);
	is_str(run(2), "pa", "input goes before a timer that is late");
	event_free(readable);
	close(ends[0]);
	close(ends[1]);
}

static void test_many(void)
{
	static struct note notes[MANY];
	static struct note end;
	bool is_sorted = true, is_whole = true;
	int64_t took_us = 0, latest_us = 0;
	forget();
	make(&end, 'e');
	for (int i = 0; i < MANY; i++) {
		make(&notes[i], '\0');
		took_us += arm_one(&notes[i], 1 + i * 7919 % 97);
	}
	for (int i = 0; i < MANY; i += 3)
		loop_timer_disarm(notes[i].timer);
	for (int i = 1; i < MANY; i += 3)
		took_us += arm_one(&notes[i], 1 + i * 104729 % 89);
	loop_timer_arm(end.timer, 1000);
	(void)run(1);
	for (int i = 0; i < MANY; i++)
		is_whole = is_whole && (notes[i].place != 0) == (i % 3 != 0);
	qsort(notes, MANY, sizeof notes[0], by_place);
	for (int i = 0; i < MANY; i++) {
		is_sorted = is_sorted &&
		    (notes[i].place == 0 || notes[i].due_us >= latest_us - took_us - 2000);
		if (notes[i].place != 0 && notes[i].due_us > latest_us)
			latest_us = notes[i].due_us;
	}
	ok(is_sorted, "many: in the order of their times");
	ok(is_whole, "many: all that are armed, and no other");
	for (int i = 0; i < MANY; i++)
		loop_timer_free(notes[i].timer);
	loop_timer_free(end.timer);
}

int main(void)
{
	struct note a, b, c;
	base = event_base_new();
	make(&a, 'a');
	make(&b, 'b');
	make(&c, 'c');
	test_order(&a, &b, &c);
	test_turns(&a, &b, &c);
	test_callbacks(&a, &b, &c);
	test_late(&a);
	test_many();
	loop_timer_free(a.timer);
	loop_timer_free(b.timer);
	loop_timer_free(c.timer);
	loop_timer_free(NULL);
	is_int(event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED), 0,
	    "the last timer takes its events off the base");
	event_base_free(base);
	return done_testing();
}
