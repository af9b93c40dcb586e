/* SPDX-License-Identifier: ISC */
/*
 * Files and folders that are followed while no inotify instance is left: they are looked at at
 * intervals, and watched as soon as there is an instance again.
 */
#include "daemon/file/inotify_hub.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/file/folder_watch.h"
#include "daemon/file/tail_loop.h"
#include "io/loop_timer.h"
#include "tap.h"

enum { BOUND_MS = 20000 };

static struct event_base *base;
static struct loop_timer *end;
static size_t reports, blocks, told;
static char dir[] = "/tmp/mbt-XXXXXX";

static void nothing(void *data UNUSED)
{
}

static void on_folder(void *data UNUSED)
{
	reports++;
}

static bool on_block(void *data UNUSED, const struct tail_block *block UNUSED)
{
	blocks++;
	return true;
}

static void on_changed(void *data UNUSED, enum tail_change change UNUSED)
{
}

static void on_partial(void *data UNUSED, const struct tail_block *block UNUSED)
{
}

static void on_told(struct inotify_watch *watch UNUSED, const struct inotify_event *event)
{
	told += (event->mask & IN_Q_OVERFLOW) != 0;
}

/* Takes all descriptors, as a user does who has used up the instances, or gives them back. */
static void take_descriptors(bool is_taken)
{
	static struct rlimit before;
	struct rlimit limit;
	int fd;
	if (!is_taken) {
		(void)setrlimit(RLIMIT_NOFILE, &before);
		return;
	}
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &before) < 0)
		abort();
	(void)close(fd);
	limit = before;
	limit.rlim_cur = (rlim_t)fd;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		abort();
}

static void turn(int64_t ms)
{
	loop_timer_arm(end, ms);
	(void)event_base_loop(base, EVLOOP_ONCE);
}

/* Runs the loop until a number is at least so much, with a bound. */
static bool until(const size_t *number, size_t least)
{
	const int64_t end_ms = clock_mono_ms() + BOUND_MS;
	while (*number < least && clock_mono_ms() < end_ms)
		turn(end_ms - clock_mono_ms());
	return *number >= least;
}

static void append(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "line\n", 5) != 5)
		abort();
	(void)close(fd);
}

static void check_folder(const char *path)
{
	struct inotify_hub *hub;
	struct folder_watch *watch;
	size_t before;
	take_descriptors(true);
	hub = inotify_hub_new(base, NULL, NULL);
	watch = hub != NULL ? folder_watch_new(base, hub, dir, on_folder, NULL) : NULL;
	take_descriptors(false);
	ok(watch != NULL, "a folder can be watched later");
	if (watch == NULL)
		return;
	append(path);
	ok(until(&reports, 1), "it is looked at when there is an instance");
	turn(1000);
	before = reports;
	append(path);
	ok(until(&reports, before + 1), "and then a change is seen");
	folder_watch_free(watch);
	inotify_hub_free(hub);
}

static void check_file(const char *path)
{
	static const struct tail_loop_handlers handlers = {
	    .block = on_block, .changed = on_changed, .partial = on_partial, .looked = nothing};
	const int64_t end_ms = clock_mono_ms() + BOUND_MS;
	struct tail_loop_set *set;
	struct tail_loop *loop;
	take_descriptors(true);
	set = tail_loop_set_new(base, NULL);
	loop = tail_loop_new(set, path, NULL, 0, &handlers, NULL);
	take_descriptors(false);
	ok(tail_loop_poll_reason(loop) != NULL &&
		strstr(tail_loop_poll_reason(loop), "inotify is not available") != NULL,
	    "without an instance a file is polled");
	while (tail_loop_poll_reason(loop) != NULL && clock_mono_ms() < end_ms)
		turn(end_ms - clock_mono_ms());
	ok(tail_loop_poll_reason(loop) == NULL, "with an instance it is watched");
	append(path);
	ok(until(&blocks, 1), "and its line is reported");
	tail_loop_free(loop);
	tail_loop_set_free(set);
}

/* Each listener hears of the instance once; one that was removed does not. */
static void check_waiting(void)
{
	struct inotify_watch watches[3];
	struct inotify_hub *hub;
	take_descriptors(true);
	hub = inotify_hub_new(base, NULL, NULL);
	for (size_t at = 0; at < 3; at++) {
		inotify_watch_init(&watches[at], on_told);
		(void)inotify_hub_add(hub, &watches[at], dir, IN_CREATE);
	}
	is_int(inotify_hub_add(hub, &watches[0], dir, IN_CREATE), -EMFILE, "it says why");
	inotify_hub_remove(hub, &watches[1]);
	take_descriptors(false);
	ok(until(&told, 2), "listeners that wait are told to look");
	turn(100);
	is_int((int)told, 2, "once, and those that were removed are not");
	is_int(inotify_hub_add(hub, &watches[0], dir, IN_CREATE), 0, "then they can watch");
	inotify_hub_free(hub);
}

int main(void)
{
	char path[64], later[64];
	if (mkdtemp(dir) == NULL)
		abort();
	(void)snprintf(path, sizeof path, "%s/file", dir);
	(void)snprintf(later, sizeof later, "%s/later", dir);
	base = loop_timer_new_base();
	end = loop_timer_new(base, nothing, NULL);
	check_folder(path);
	check_file(later);
	check_waiting();
	loop_timer_free(end);
	event_base_free(base);
	(void)unlink(path);
	(void)unlink(later);
	(void)rmdir(dir);
	return done_testing();
}
