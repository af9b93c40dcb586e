/* SPDX-License-Identifier: ISC */
/* The end of a process in the loop. */
#include "io/loop_pidfd.h"

#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "tap.h"

static struct event_base *base;
static struct loop_pidfd *watch;
static int calls;

static void on_end(void *data)
{
	calls++;
	is_str(data, "data", "the data of the watch");
	loop_pidfd_free(watch);
	watch = NULL;
}

static struct child start(void)
{
	char *const argv[] = {(char *)"cat", NULL};
	const struct child_options options = {
	    .argv = argv, .streams = {{CHILD_PIPE_IN, 0}}, .wants_pidfd = true};
	struct child child;
	is_int(child_start(&options, &child), 0, "a child");
	return child;
}

static void test_end(void)
{
	struct child child = start();
	int fd = child.pidfd;
	watch = loop_pidfd_new(base, fd, on_end, (char *)"data");
	is_int(loop_pidfd_fd(watch), fd, "the pidfd is lent");
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	is_int(calls, 0, "the process runs");
	close(child.ends[0]);
	(void)event_base_loop(base, EVLOOP_ONCE);
	is_int(calls, 1, "the process has ended");
	is_int(child_reap(child.pid), 0, "it is left to reap");
	ok(watch == NULL && fcntl(fd, F_GETFD) < 0, "its own callback frees the watch");
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	is_int(calls, 1, "it is called once");
}

static void test_free(void)
{
	struct child child = start();
	watch = loop_pidfd_new(base, child.pidfd, on_end, NULL);
	loop_pidfd_free(watch);
	ok(fcntl(child.pidfd, F_GETFD) < 0, "the pidfd is closed with the watch");
	close(child.ends[0]);
	(void)child_reap(child.pid);
	(void)event_base_loop(base, EVLOOP_NONBLOCK);
	is_int(calls, 1, "a watch that is freed calls no more");
}

static void test_none(void)
{
	ok(loop_pidfd_new(base, -1, on_end, NULL) == NULL, "no pidfd, no watch");
	loop_pidfd_free(NULL);
	is_int(loop_pidfd_fd(NULL), -1, "no watch, no pidfd");
}

int main(void)
{
	base = event_base_new();
	test_end();
	test_free();
	test_none();
	event_base_free(base);
	return done_testing();
}
