/* SPDX-License-Identifier: ISC */
/*
 * An epoll descriptor has all watches, and a timerfd serves all timers, so that another event loop
 * watches only one descriptor. A host watches the individual descriptors, which saves a system call
 * a turn. A watch that ends during a turn is freed after the turn, since its event may have been
 * read.
 *
 * A timerfd that fires in more than FAR_US stays set when its timer is stopped, since the next
 * timer is usually due later. So starting and stopping such timers seldom costs a system call. A
 * timer that is due at once uses an eventfd, since setting a timerfd to the past costs much more.
 */
#include "lib/connection/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

enum {
	TURN_EVENTS = 16,
	/* If the timerfd fires only after this time, it may stay set without a timer. */
	FAR_US = 5000,
};

struct loop_watch {
	struct list link; /* in loop->watches, or in loop->dead after loop_unwatch() */
	struct muxbus_loop *loop;
	int fd;
	uint32_t events;
	bool is_dead;
	loop_watch_fn *callback; /* NULL for the timerfd and the eventfd */
	void *data;
	void *host_event;
};

struct muxbus_loop {
	int epoll_fd;
	int timer_fd;
	int bell_fd;
	bool is_rung; /* the eventfd is readable, because a timer is due at once */
	bool is_in_turn;
	struct list watches;
	struct list dead; /* ended watches, to be freed after the turn */
	struct list timers; /* running timers; the first is due first */
	int64_t armed_us; /* when the timerfd fires; 0 if disarmed */
	const struct loop_host *host;
	void *host_data;
	struct nonce_pool nonces;
	uint8_t scratch[LOOP_SCRATCH_BYTES];
};

static int watch_fd(struct loop_watch *watch)
{
	struct muxbus_loop *loop = watch->loop;
	struct epoll_event event = {.events = watch->events, .data.ptr = watch};
	if (loop->host != NULL)
		return loop->host->watch(
		    loop->host_data, watch->fd, watch->events, watch, &watch->host_event);
	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) == 0 ? 0
										: MUXBUS_ERR_SYSTEM;
}

static void unwatch_fd(struct loop_watch *watch)
{
	if (watch->host_event != NULL)
		watch->loop->host->unwatch(watch->host_event);
	else
		(void)epoll_ctl(watch->loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->host_event = NULL;
}

int loop_watch(struct muxbus_loop *loop, int fd, uint32_t events, loop_watch_fn *callback,
    void *data, struct loop_watch **ret_watch)
{
	struct loop_watch *watch = mem_alloc(sizeof *watch);
	int error;
	if (watch == NULL)
		return MUXBUS_ERR_NOMEM;
	*watch = (struct loop_watch){
	    .loop = loop, .fd = fd, .events = events, .callback = callback, .data = data};
	error = watch_fd(watch);
	if (error != 0) {
		mem_free(watch);
		return error;
	}
	list_append(&loop->watches, &watch->link);
	*ret_watch = watch;
	return 0;
}

void loop_unwatch(struct loop_watch **ended)
{
	struct loop_watch *watch = *ended;
	*ended = NULL;
	if (watch == NULL)
		return;
	unwatch_fd(watch);
	list_remove(&watch->link);
	if (!watch->loop->is_in_turn) {
		mem_free(watch);
		return;
	}
	watch->is_dead = true;
	list_append(&watch->loop->dead, &watch->link);
}

void loop_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void loop_close(struct loop_watch **watch, int *fd)
{
	loop_unwatch(watch);
	loop_close_fd(fd);
}

static void free_list(struct list *watches)
{
	list_each_safe (struct loop_watch, loop_watch, watches, link)
		mem_free(loop_watch);
	list_init(watches);
}

static int watch_own(struct muxbus_loop *loop, int fd)
{
	struct loop_watch *watch;
	return fd < 0 ? MUXBUS_ERR_SYSTEM : loop_watch(loop, fd, EPOLLIN, NULL, NULL, &watch);
}

int muxbus_loop_new(struct muxbus_loop **ret_loop)
{
	struct muxbus_loop *loop = mem_calloc(1, sizeof *loop);
	int error;
	if (loop == NULL)
		return MUXBUS_ERR_NOMEM;
	list_init(&loop->watches);
	list_init(&loop->dead);
	list_init(&loop->timers);
	loop->timer_fd = -1;
	loop->bell_fd = -1;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd >= 0)
		loop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (loop->timer_fd >= 0)
		loop->bell_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	error = watch_own(loop, loop->bell_fd);
	if (error == 0)
		error = watch_own(loop, loop->timer_fd);
	if (error != 0) {
		int saved = errno;
		muxbus_loop_free(loop);
		errno = saved;
		return error;
	}
	*ret_loop = loop;
	return 0;
}

static void leave_host(struct muxbus_loop *loop)
{
	if (loop->host == NULL)
		return;
	list_each (struct loop_watch, loop_watch, &loop->watches, link)
		unwatch_fd(loop_watch);
	loop->host->detach(loop->host_data);
}

void muxbus_loop_free(struct muxbus_loop *loop)
{
	if (loop == NULL)
		return;
	leave_host(loop);
	free_list(&loop->dead);
	free_list(&loop->watches);
	loop_close_fd(&loop->bell_fd);
	loop_close_fd(&loop->timer_fd);
	loop_close_fd(&loop->epoll_fd);
	mem_free(loop);
}

int muxbus_loop_fd(const struct muxbus_loop *loop)
{
	return loop->epoll_fd;
}

uint8_t *loop_scratch(struct muxbus_loop *loop)
{
	return loop->scratch;
}

struct nonce_pool *loop_nonces(struct muxbus_loop *loop)
{
	return &loop->nonces;
}

int loop_set_host(struct muxbus_loop *loop, const struct loop_host *host, void *data)
{
	int error = 0;
	if (loop->host != NULL)
		return MUXBUS_ERR_INVALID;
	loop->host = host;
	loop->host_data = data;
	list_each (struct loop_watch, watch, &loop->watches, link)
		if (error == 0)
			error = watch_fd(watch);
	/* Let the host watch all descriptors or, on an error, none. */
	list_each (struct loop_watch, watch, &loop->watches, link)
		if (error == 0)
			(void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
		else if (watch->host_event != NULL)
			unwatch_fd(watch);
	if (error != 0)
		loop->host = NULL;
	return error;
}

static void ring(struct muxbus_loop *loop)
{
	if (!loop->is_rung)
		loop->is_rung = eventfd_write(loop->bell_fd, 1) == 0;
}

static void unring(struct muxbus_loop *loop)
{
	eventfd_t rings;
	if (loop->is_rung)
		(void)eventfd_read(loop->bell_fd, &rings);
	loop->is_rung = false;
}

/* Sets the timerfd to the first timer, unless it is already set or the next turn checks timers. */
static void arm(struct muxbus_loop *loop)
{
	struct itimerspec spec = {0};
	int64_t due_us = 0;
	if (loop->is_rung)
		return;
	if (!list_is_empty(&loop->timers))
		due_us = list_entry(loop->timers.next, struct loop_timeout, link)->due_us;
	if (due_us == loop->armed_us)
		return;
	if (loop->armed_us != 0 && (due_us == 0 || due_us > loop->armed_us) &&
	    loop->armed_us - clock_mono_us() > FAR_US)
		return;
	loop->armed_us = due_us;
	spec.it_value.tv_sec = due_us / 1000000;
	spec.it_value.tv_nsec = due_us % 1000000 * 1000;
	(void)timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

void loop_timeout_init(
    struct loop_timeout *timer, struct muxbus_loop *loop, void (*callback)(void *data), void *data)
{
	list_init(&timer->link);
	timer->loop = loop;
	timer->due_us = 0;
	timer->callback = callback;
	timer->data = data;
}

void loop_timeout_start(struct loop_timeout *timer, int64_t delay_ms)
{
	struct list *timers = &timer->loop->timers;
	struct list *place = timers->prev;
	list_remove(&timer->link);
	timer->due_us = clock_mono_us() + delay_ms * 1000;
	if (place == &timer->link)
		place = timers->prev;
	while (
	    place != timers && list_entry(place, struct loop_timeout, link)->due_us > timer->due_us)
		place = place->prev;
	list_add_after(place, &timer->link);
	if (delay_ms <= 0)
		ring(timer->loop);
	arm(timer->loop);
}

void loop_timeout_stop(struct loop_timeout *timer)
{
	list_remove(&timer->link);
	if (list_is_empty(&timer->loop->timers))
		unring(timer->loop);
	arm(timer->loop);
}

bool loop_timeout_is_running(const struct loop_timeout *timer)
{
	return !list_is_empty(&timer->link);
}

/* Takes due timers off the list first, so that a timer that restarts waits for the next turn. */
static int fire_timers(struct muxbus_loop *loop)
{
	int64_t now_us = clock_mono_us();
	struct list due;
	uint64_t expirations;
	int fired = 0;
	if (loop->is_rung) {
		unring(loop);
	} else {
		(void)!read(loop->timer_fd, &expirations, sizeof expirations);
		loop->armed_us = 0;
	}
	list_init(&due);
	while (!list_is_empty(&loop->timers)) {
		struct list *link = loop->timers.next;
		if (list_entry(link, struct loop_timeout, link)->due_us > now_us)
			break;
		list_move(&due, link);
	}
	while (!list_is_empty(&due)) {
		struct loop_timeout *timer = list_entry(due.next, struct loop_timeout, link);
		list_remove(&timer->link);
		timer->callback(timer->data);
		fired++;
	}
	arm(loop);
	return fired;
}

/* Handles a ready watch. Returns true if it was the timerfd or eventfd: then timers may be due. */
static bool handle(struct loop_watch *watch, uint32_t events, int *handled)
{
	if (watch->is_dead)
		return false;
	if (watch->callback == NULL)
		return true;
	watch->callback(watch->data, events);
	++*handled;
	return false;
}

int muxbus_loop_dispatch(struct muxbus_loop *loop, int timeout_ms)
{
	struct epoll_event events[TURN_EVENTS];
	bool is_timer_due = false;
	int handled = 0;
	int count;
	if (loop->is_in_turn)
		return MUXBUS_ERR_INVALID;
	count = epoll_wait(loop->epoll_fd, events, TURN_EVENTS, timeout_ms);
	if (count < 0)
		return errno == EINTR ? 0 : MUXBUS_ERR_SYSTEM;
	loop->is_in_turn = true;
	for (int i = 0; i < count; i++)
		is_timer_due |= handle(events[i].data.ptr, events[i].events, &handled);
	/* Timers come last, so that an answer just before its deadline is in time. */
	if (is_timer_due)
		handled += fire_timers(loop);
	loop->is_in_turn = false;
	free_list(&loop->dead);
	return handled;
}

bool loop_ready(struct loop_watch *watch, uint32_t events)
{
	struct muxbus_loop *loop = watch->loop;
	int handled = 0;
	bool is_timer_due;
	loop->is_in_turn = true;
	is_timer_due = handle(watch, events, &handled);
	loop->is_in_turn = false;
	free_list(&loop->dead);
	return is_timer_due;
}

void loop_ready_timers(struct muxbus_loop *loop)
{
	loop->is_in_turn = true;
	(void)fire_timers(loop);
	loop->is_in_turn = false;
	free_list(&loop->dead);
}
