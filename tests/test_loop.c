/* SPDX-License-Identifier: ISC */
/* The loop: descriptors, timers, the effects of callbacks on them, and libevent above it. */
#include <muxbus.h>

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "lib/connection/loop.h"
#include "tap.h"

static struct muxbus_loop *loop;

/* A pipe under watch. */
struct pipe_watch {
	int fds[2];
	struct loop_watch *watch;
	unsigned calls;
	uint32_t events;
	bool is_first; /* its callback was called before any timer */
	struct pipe_watch *victim; /* watch that the callback ends */
	bool is_greedy; /* the callback does not read the bytes */
};

static char called[32]; /* the names of the timers that fired */

static void on_pipe(void *data, uint32_t events)
{
	struct pipe_watch *pipe_watch = data;
	char byte;
	pipe_watch->calls++;
	pipe_watch->events = events;
	pipe_watch->is_first = called[0] == '\0';
	if (!pipe_watch->is_greedy)
		(void)!read(pipe_watch->fds[0], &byte, 1);
	if (pipe_watch->victim != NULL) {
		loop_unwatch(&pipe_watch->victim->watch);
		pipe_watch->victim = NULL;
	}
}

static void open_pipe(struct pipe_watch *pipe_watch)
{
	memset(pipe_watch, 0, sizeof *pipe_watch);
	if (pipe(pipe_watch->fds) != 0 ||
	    loop_watch(
		loop, pipe_watch->fds[0], EPOLLIN, on_pipe, pipe_watch, &pipe_watch->watch) != 0)
		ok(false, "a pipe under watch");
}

static void close_pipe(struct pipe_watch *pipe_watch)
{
	loop_unwatch(&pipe_watch->watch);
	close(pipe_watch->fds[0]);
	close(pipe_watch->fds[1]);
}

static void fill(struct pipe_watch *pipe_watch)
{
	(void)!write(pipe_watch->fds[1], "x", 1);
}

static bool is_loop_readable(int timeout_ms)
{
	struct pollfd pollfd = {.fd = muxbus_loop_fd(loop), .events = POLLIN};
	return poll(&pollfd, 1, timeout_ms) == 1;
}

static void test_watch(void)
{
	struct pipe_watch one;
	open_pipe(&one);
	is_int(muxbus_loop_dispatch(loop, 0), 0, "watch: nothing to do");
	ok(!is_loop_readable(0), "watch: the descriptor says so");
	fill(&one);
	ok(is_loop_readable(0), "watch: something to do");
	is_int(muxbus_loop_dispatch(loop, 0), 1, "watch: one thing was handled");
	is_int(one.calls, 1, "watch: called once");
	is_int(one.events, EPOLLIN, "watch: readable");
	loop_unwatch(&one.watch);
	fill(&one);
	is_int(muxbus_loop_dispatch(loop, 0), 0, "watch: ended");
	loop_unwatch(&one.watch);
	close_pipe(&one);
	is_int(loop_watch(loop, -1, EPOLLIN, on_pipe, NULL, &one.watch), MUXBUS_ERR_SYSTEM,
	    "watch: an invalid descriptor");
	is_int(errno, EBADF, "watch: errno");
}

/* The first callback ends the other, whose event was read already. */
static void test_unwatch_in_turn(void)
{
	struct pipe_watch one;
	struct pipe_watch two;
	open_pipe(&one);
	open_pipe(&two);
	one.victim = &two;
	two.victim = &one;
	fill(&one);
	fill(&two);
	is_int(muxbus_loop_dispatch(loop, 0), 1, "unwatch: one thing was handled");
	is_int(one.calls + two.calls, 1, "unwatch: the other was not called");
	is_int(muxbus_loop_dispatch(loop, 0), 0, "unwatch: nor later");
	close_pipe(&one);
	close_pipe(&two);

	open_pipe(&one);
	one.victim = &one;
	fill(&one);
	fill(&one);
	is_int(muxbus_loop_dispatch(loop, 0), 1, "unwatch: itself");
	is_int(muxbus_loop_dispatch(loop, 0), 0, "unwatch: itself, for good");
	close_pipe(&one);
}

/* A turn is bounded even with much work, and no watch is forgotten. */
static void test_fair(void)
{
	enum { MANY = 100, TURNS = 20 };
	static struct pipe_watch many[MANY];
	bool was_bounded = true;
	unsigned fewest = 1000;

	for (int i = 0; i < MANY; i++) {
		open_pipe(&many[i]);
		many[i].is_greedy = true;
		fill(&many[i]);
	}
	for (int turn = 0; turn < TURNS; turn++)
		was_bounded = muxbus_loop_dispatch(loop, 0) <= 16 && was_bounded;
	for (int i = 0; i < MANY; i++) {
		fewest = many[i].calls < fewest ? many[i].calls : fewest;
		close_pipe(&many[i]);
	}
	ok(was_bounded, "fair: a turn handles a few");
	ok(fewest >= 2, "fair: every descriptor has had a turn");
}

static int in_turn_result;

static void on_dispatch(void *data)
{
	(void)data;
	in_turn_result = muxbus_loop_dispatch(loop, 0);
}

/* Timers. */

struct note {
	struct loop_timeout timer;
	char name;
	struct note *starts; /* the callback starts this timer without delay */
	struct note *stops;
};

static void on_note(void *data)
{
	struct note *note = data;
	size_t len = strlen(called);
	if (len < sizeof called - 1)
		called[len] = note->name;
	if (note->starts != NULL)
		loop_timeout_start(&note->starts->timer, 0);
	if (note->stops != NULL)
		loop_timeout_stop(&note->stops->timer);
}

static void init_note(struct note *note, char name)
{
	memset(note, 0, sizeof *note);
	note->name = name;
	loop_timeout_init(&note->timer, loop, on_note, note);
}

/* Dispatches until nothing happens any more for 50 ms. */
static const char *run_notes(void)
{
	memset(called, 0, sizeof called);
	while (is_loop_readable(50))
		(void)muxbus_loop_dispatch(loop, 0);
	return called;
}

static void test_timers(void)
{
	struct note a;
	struct note b;
	struct note c;
	int64_t since = clock_mono_us();
	init_note(&a, 'a');
	init_note(&b, 'b');
	init_note(&c, 'c');
	loop_timeout_start(&c.timer, 20);
	loop_timeout_start(&a.timer, 5);
	loop_timeout_start(&b.timer, 10);
	ok(loop_timeout_is_running(&a.timer), "timers: running");
	is_str(run_notes(), "abc", "timers: in the order of their times");
	ok(clock_mono_us() - since >= 20000, "timers: not too early");
	ok(!loop_timeout_is_running(&a.timer), "timers: over");

	loop_timeout_start(&a.timer, 10);
	loop_timeout_start(&b.timer, 10);
	loop_timeout_start(&c.timer, 10);
	loop_timeout_stop(&b.timer);
	loop_timeout_stop(&b.timer);
	is_str(run_notes(), "ac", "timers: one that was stopped is not called");

	loop_timeout_start(&a.timer, 5);
	loop_timeout_start(&b.timer, 10);
	loop_timeout_start(&a.timer, 20);
	is_str(run_notes(), "ba", "timers: one that was started again has a new time");

	loop_timeout_start(&a.timer, 0);
	loop_timeout_start(&a.timer, 0);
	loop_timeout_start(&b.timer, 0);
	a.stops = &b;
	is_str(run_notes(), "a", "timers: one that is due can be stopped still");
	a.stops = NULL;

	loop_timeout_start(&c.timer, 5);
	loop_timeout_stop(&c.timer);
	ok(!is_loop_readable(50), "timers: a stopped one causes no wakeup");
	loop_timeout_start(&c.timer, 0);
	ok(is_loop_readable(0), "timers: one that is due at once makes the loop readable at once");
	loop_timeout_stop(&c.timer);
	ok(!is_loop_readable(0), "timers: and not when that timer was stopped");
	loop_timeout_start(&a.timer, 30);
	loop_timeout_start(&b.timer, 0);
	loop_timeout_start(&c.timer, 5);
	is_str(run_notes(), "bca", "timers: those due at once do not hide those due later");
	loop_timeout_start(&c.timer, 60000);
	loop_timeout_stop(&c.timer);
	is_str(run_notes(), "", "timers: stopped long before");
}

static void test_timer_again(void)
{
	struct note a;
	int handled = 0;
	init_note(&a, 'a');
	a.starts = &a;
	loop_timeout_start(&a.timer, 0);
	for (int i = 0; i < 10; i++) {
		ok(is_loop_readable(100), "again: due in the next turn");
		handled += muxbus_loop_dispatch(loop, 0);
	}
	is_int(handled, 10, "again: once a turn, so that other timers have theirs");
	loop_timeout_stop(&a.timer);
}

static void test_waiting(void)
{
	struct note a;
	int64_t since;
	since = clock_mono_ms();
	is_int(muxbus_loop_dispatch(loop, 20), 0, "waiting: nothing came");
	ok(clock_mono_ms() - since >= 19, "waiting: it did wait");
	init_note(&a, 'a');
	loop_timeout_start(&a.timer, 10);
	memset(called, 0, sizeof called);
	while (called[0] == '\0')
		(void)muxbus_loop_dispatch(loop, -1);
	is_str(called, "a", "waiting: for a timer");
	loop_timeout_init(&a.timer, loop, on_dispatch, NULL);
	loop_timeout_start(&a.timer, 0);
	in_turn_result = 0;
	while (in_turn_result == 0)
		(void)muxbus_loop_dispatch(loop, -1);
	is_int(in_turn_result, MUXBUS_ERR_INVALID, "a turn in a turn is refused");
}

/* libevent. */

/* A socket that waits for bytes and for room. */
static void test_both_ways(struct event_base *base)
{
	struct pipe_watch both = {.is_greedy = true};
	int64_t end = clock_mono_ms() + 2000;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, both.fds) != 0 ||
	    loop_watch(loop, both.fds[0], EPOLLIN | EPOLLOUT, on_pipe, &both, &both.watch) != 0)
		ok(false, "attach: a socket under watch");
	while (both.calls == 0 && clock_mono_ms() < end)
		(void)event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
	is_int(both.events, EPOLLOUT, "attach: room to write, while nothing can be read");
	fill(&both);
	both.calls = 0;
	while (both.calls == 0 && clock_mono_ms() < end)
		(void)event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
	is_int(both.events, EPOLLIN | EPOLLOUT, "attach: both");
	close_pipe(&both);
}

static void test_attached(void)
{
	struct event_base *base = event_base_new();
	struct pipe_watch one;
	struct note a;
	int64_t end = clock_mono_ms() + 2000;
	is_int(muxbus_loop_attach(loop, base), 0, "attach");
	is_int(muxbus_loop_attach(loop, base), MUXBUS_ERR_INVALID, "attach: only once");
	open_pipe(&one);
	init_note(&a, 'a');
	fill(&one);
	loop_timeout_start(&a.timer, 10);
	memset(called, 0, sizeof called);
	while ((one.calls == 0 || called[0] == '\0') && clock_mono_ms() < end)
		(void)event_base_loop(base, EVLOOP_ONCE);
	is_int(one.calls, 1, "attach: a descriptor");
	is_str(called, "a", "attach: a timer");
	ok(!is_loop_readable(0), "attach: the loop's own descriptor has no work");
	test_both_ways(base);

	memset(called, 0, sizeof called);
	loop_timeout_start(&a.timer, 1);
	for (int64_t until = clock_mono_ms() + 3; clock_mono_ms() < until;)
		; /* the timer is due, and is the first to become ready */
	fill(&one);
	while ((one.calls == 1 || called[0] == '\0') && clock_mono_ms() < end)
		(void)event_base_loop(base, EVLOOP_ONCE);
	ok(one.is_first, "attach: a timer fires after the descriptors that are ready");

	one.victim = &one;
	fill(&one);
	end = clock_mono_ms() + 2000;
	while (one.calls == 2 && clock_mono_ms() < end)
		(void)event_base_loop(base, EVLOOP_ONCE);
	is_int(one.calls, 3, "attach: a descriptor may end in its callback");
	close_pipe(&one);
	muxbus_loop_free(loop);
	is_int(event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED), 0,
	    "attach: freeing the loop takes it off the base");
	event_base_free(base);
}

int main(void)
{
	is_int(muxbus_loop_new(&loop), 0, "new");
	ok(fcntl(muxbus_loop_fd(loop), F_GETFD) & FD_CLOEXEC, "its descriptor is not inherited");
	test_watch();
	test_unwatch_in_turn();
	test_fair();
	test_timers();
	test_timer_again();
	test_waiting();
	test_attached();
	muxbus_loop_free(NULL);
	return done_testing();
}
