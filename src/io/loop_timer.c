/* SPDX-License-Identifier: ISC */
/*
 * Each base has one timerfd and a heap of timers. The timers of libevent set a timerfd before each
 * wait, or are late by milliseconds. Our timerfd is set for an earlier timer, after it has fired,
 * or when the timer that it waits for is disarmed. Arming a timer again for a later time costs no
 * system call.
 */
#include "io/loop_timer.h"

#include <event2/event_struct.h>
#include <sys/timerfd.h>

#define HEAP_FIRST 16
#define MS_MAX (INT64_C(1000) * 60 * 60 * 24 * 365 * 100) /* longer times are cut to 100 years */
#define NOT_IN_HEAP SIZE_MAX
#define LATE_US 100000 /* if the first timer is later than this, input is read before it fires */

struct alarm {
	struct list link;
	struct event_base *base;
	size_t users; /* number of timers, and of callbacks that run now */
	int fd;
	int64_t set_us; /* when fd fires; 0 if it is not set */
	bool is_firing;
	struct event on_due; /* fd is readable: timers of the heap are due */
	struct event on_wake;
	struct event on_next;
	struct loop_timer **heap; /* timers that wait for a time; the first is due first */
	size_t count, size;
	struct list awake; /* timers that fire in this turn */
	struct list next; /* timers that fire in the next turn */
};

struct loop_timer {
	struct alarm *alarm;
	struct list link; /* in awake or next, or in the list of timers that are being fired */
	int64_t due_us; /* CLOCK_MONOTONIC */
	size_t place; /* index in the heap, or NOT_IN_HEAP */
	void (*fn)(void *data);
	void *data;
};

static struct list alarms = {&alarms, &alarms};

static void place_at(struct alarm *alarm, size_t place, struct loop_timer *timer)
{
	alarm->heap[place] = timer;
	timer->place = place;
}

static void sift(struct alarm *alarm, size_t place, struct loop_timer *timer)
{
	while (place > 0 && alarm->heap[(place - 1) / 2]->due_us > timer->due_us) {
		place_at(alarm, place, alarm->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (;;) {
		size_t child = 2 * place + 1;
		if (child + 1 < alarm->count &&
		    alarm->heap[child + 1]->due_us < alarm->heap[child]->due_us)
			child++;
		if (child >= alarm->count || alarm->heap[child]->due_us >= timer->due_us)
			break;
		place_at(alarm, place, alarm->heap[child]);
		place = child;
	}
	place_at(alarm, place, timer);
}

static void leave_heap(struct loop_timer *timer)
{
	struct alarm *alarm = timer->alarm;
	struct loop_timer *last;
	if (timer->place == NOT_IN_HEAP)
		return;
	last = alarm->heap[--alarm->count];
	if (last != timer)
		sift(alarm, timer->place, last);
	timer->place = NOT_IN_HEAP;
}

static void enter_heap(struct loop_timer *timer)
{
	struct alarm *alarm = timer->alarm;
	if (alarm->count == alarm->size) {
		alarm->size = alarm->size > 0 ? 2 * alarm->size : HEAP_FIRST;
		alarm->heap = xrealloc(alarm->heap, alarm->size * sizeof(struct loop_timer *));
	}
	alarm->count++;
	sift(alarm, alarm->count - 1, timer);
}

/* Sets fd to fire at a time; 0 disarms it. */
static void set(struct alarm *alarm, int64_t due_us)
{
	struct itimerspec spec = {0};
	alarm->set_us = due_us;
	spec.it_value.tv_sec = due_us / 1000000;
	spec.it_value.tv_nsec = due_us % 1000000 * 1000;
	(void)timerfd_settime(alarm->fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void set_to_first(struct alarm *alarm)
{
	set(alarm, alarm->count > 0 ? alarm->heap[0]->due_us : 0);
}

static void release(struct alarm *alarm)
{
	if (--alarm->users > 0)
		return;
	(void)event_del(&alarm->on_due);
	(void)event_del(&alarm->on_wake);
	(void)event_del(&alarm->on_next);
	(void)close(alarm->fd);
	list_remove(&alarm->link);
	mem_free(alarm->heap);
	mem_free(alarm);
}

/* Calls the timers of a list. A callback may free any timer, and arm or wake timers. */
static void fire(struct list *due)
{
	while (!list_is_empty(due)) {
		struct loop_timer *timer = list_entry(due->next, struct loop_timer, link);
		list_remove(&timer->link);
		leave_heap(timer);
		timer->fn(timer->data);
	}
}

/* Fires the timers of awake or next. Timers that a callback adds to the list stay in it. */
static void fire_all(struct alarm *alarm, struct list *timers)
{
	struct list due;
	list_init(&due);
	list_add_after(timers, &due);
	list_remove(timers); /* the links of timers now belong to the list due */
	alarm->users++;
	fire(&due);
	release(alarm);
}

static void on_due(evutil_socket_t fd UNUSED, short what, void *data)
{
	struct alarm *alarm = data;
	int64_t now_us = clock_mono_us();
	struct list due;
	if (!(what & EV_TIMEOUT) && alarm->count > 0 && now_us - alarm->heap[0]->due_us > LATE_US) {
		event_active(&alarm->on_due, EV_TIMEOUT, 0);
		return;
	}
	list_init(&due);
	while (alarm->count > 0 && alarm->heap[0]->due_us <= now_us) {
		struct loop_timer *timer = alarm->heap[0];
		leave_heap(timer);
		list_move(&due, &timer->link);
	}
	alarm->users++;
	alarm->is_firing = true;
	fire(&due);
	alarm->is_firing = false;
	set_to_first(alarm);
	release(alarm);
}

static void on_wake(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	struct alarm *alarm = data;
	fire_all(alarm, &alarm->awake);
}

static void on_next(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	struct alarm *alarm = data;
	fire_all(alarm, &alarm->next);
}

static _Noreturn void give_up(const char *reason)
{
	log_error("timers: %s", reason);
	exit(EXIT_FAILURE);
}

static struct alarm *alarm_new(struct event_base *base)
{
	struct alarm *alarm = xcalloc(1, sizeof *alarm);
	alarm->base = base;
	list_init(&alarm->awake);
	list_init(&alarm->next);
	alarm->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (alarm->fd < 0 ||
	    event_assign(&alarm->on_due, base, alarm->fd, EV_READ | EV_PERSIST, on_due, alarm) <
		0 ||
	    event_add(&alarm->on_due, NULL) < 0)
		give_up(strerror(errno));
	(void)evtimer_assign(&alarm->on_wake, base, on_wake, alarm);
	(void)evtimer_assign(&alarm->on_next, base, on_next, alarm);
	list_append(&alarms, &alarm->link);
	return alarm;
}

static struct alarm *alarm_of(struct event_base *base)
{
	list_each (struct alarm, alarm, &alarms, link)
		if (alarm->base == base)
			return alarm;
	return alarm_new(base);
}

struct loop_timer *loop_timer_new(struct event_base *base, void (*fn)(void *data), void *data)
{
	struct loop_timer *timer = xcalloc(1, sizeof *timer);
	timer->alarm = alarm_of(base);
	timer->alarm->users++;
	list_init(&timer->link);
	timer->place = NOT_IN_HEAP;
	timer->fn = fn;
	timer->data = data;
	return timer;
}

void loop_timer_free(struct loop_timer *timer)
{
	if (timer == NULL)
		return;
	loop_timer_disarm(timer);
	release(timer->alarm);
	mem_free(timer);
}

void loop_timer_arm(struct loop_timer *timer, int64_t ms)
{
	static const struct timeval at_once;
	struct alarm *alarm = timer->alarm;
	leave_heap(timer);
	list_remove(&timer->link);
	if (ms <= 0) {
		if (list_is_empty(&alarm->next) && event_add(&alarm->on_next, &at_once) < 0)
			give_up("out of memory");
		list_append(&alarm->next, &timer->link);
		return;
	}
	timer->due_us = clock_mono_us() + (ms < MS_MAX ? ms : MS_MAX) * 1000;
	enter_heap(timer);
	if (!alarm->is_firing && (alarm->set_us == 0 || timer->due_us < alarm->set_us))
		set(alarm, timer->due_us);
}

void loop_timer_disarm(struct loop_timer *timer)
{
	struct alarm *alarm = timer->alarm;
	bool was_set = timer->place != NOT_IN_HEAP && timer->due_us == alarm->set_us;
	leave_heap(timer);
	list_remove(&timer->link);
	if (was_set && !alarm->is_firing)
		set_to_first(alarm);
}

bool loop_timer_is_armed(const struct loop_timer *timer)
{
	return timer->place != NOT_IN_HEAP || !list_is_empty(&timer->link);
}

void loop_timer_wake(struct loop_timer *timer)
{
	struct alarm *alarm = timer->alarm;
	list_remove(&timer->link);
	if (list_is_empty(&alarm->awake))
		event_active(&alarm->on_wake, EV_TIMEOUT, 0);
	list_append(&alarm->awake, &timer->link);
}

bool loop_timer_is_any_armed(const struct event_base *base)
{
	list_each (const struct alarm, alarm, &alarms, link)
		if (alarm->base == base)
			return alarm->count > 0 || !list_is_empty(&alarm->awake) ||
			    !list_is_empty(&alarm->next);
	return false;
}

struct event_base *loop_timer_new_base(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base;
	if (config == NULL)
		return NULL;
	/* Not libevent's precise timers, which would set a second timerfd before each wait. */
	(void)event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
	(void)event_config_require_features(config, EV_FEATURE_ET | EV_FEATURE_EARLY_CLOSE);
	base = event_base_new_with_config(config);
	event_config_free(config);
	return base;
}
