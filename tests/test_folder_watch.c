/* SPDX-License-Identifier: ISC */
/*
 * A watched folder: a file that is being written is reported when it is closed, or a second after
 * its change; a folder that changes all the time is reported too. Reports are judged by their own
 * times, so a slow machine changes no result.
 */
#include "daemon/file/folder_watch.h"

#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/file/inotify_hub.h"
#include "io/loop_timer.h"
#include "tap.h"

/* ROUNDED_MS: times are cut to milliseconds. */
enum { BOUND_MS = 20000, LATEST_MS = 1000, ROUNDED_MS = 2 };

static struct event_base *base;
static struct loop_timer *end;
static int reports;
static int64_t reported_ms;

static void on_changed(void *data UNUSED)
{
	reports++;
	reported_ms = clock_mono_ms();
}

static void on_end(void *data UNUSED)
{
}

/* Runs the loop until a report, at most for ms. */
static bool until_report(int64_t ms)
{
	const int before = reports;
	const int64_t end_ms = clock_mono_ms() + ms;
	int64_t now_ms;
	while (reports == before && (now_ms = clock_mono_ms()) < end_ms) {
		loop_timer_arm(end, end_ms - now_ms);
		(void)event_base_loop(base, EVLOOP_ONCE);
	}
	return reports > before;
}

static int open_empty(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	return fd;
}

static void write_and_close(int fd)
{
	if (write(fd, "text", 4) != 4)
		abort();
	(void)close(fd);
}

static void check_written(const struct folder_watch *watch, const char *path)
{
	int64_t began_ms = clock_mono_ms(), end_ms = began_ms + BOUND_MS;
	bool is_reported;
	int fd;
	(void)chmod(path, 0640);
	fd = open_empty(path);
	is_reported = until_report(LATEST_MS / 2);
	ok(!is_reported || reported_ms - began_ms >= LATEST_MS - ROUNDED_MS,
	    "a file that is being written is not reported before it is closed");
	write_and_close(fd);
	while (folder_watch_is_written(watch) && clock_mono_ms() < end_ms)
		(void)until_report(1);
	ok(!folder_watch_is_written(watch), "then it is not being written any more");
	ok(reported_ms >= began_ms || until_report(BOUND_MS), "and is reported");
	(void)until_report(LATEST_MS / 2);
}

static void check_open(const struct folder_watch *watch, const char *path)
{
	int64_t began_ms = clock_mono_ms();
	int fd = open_empty(path);
	ok(until_report(BOUND_MS) && reported_ms - began_ms >= LATEST_MS - ROUNDED_MS,
	    "a file that is not closed is reported after a second");
	ok(!folder_watch_is_written(watch), "and nothing is to come");
	write_and_close(fd);
	ok(until_report(BOUND_MS), "its end is reported too");
}

/* Another file that is written and closed meanwhile makes no half-written file whole. */
static void check_two(const struct folder_watch *watch, const char *path, const char *other)
{
	int64_t began_ms = clock_mono_ms(), end_ms = began_ms + BOUND_MS;
	int fd = open_empty(path);
	bool is_reported;
	if (write(fd, "te", 2) != 2)
		abort();
	write_and_close(open_empty(other));
	is_reported = until_report(LATEST_MS / 2);
	ok(!is_reported || reported_ms - began_ms >= LATEST_MS - ROUNDED_MS,
	    "a file that is being written is not reported when another is closed");
	ok(is_reported || folder_watch_is_written(watch), "it is still being written");
	(void)unlink(path);
	while (folder_watch_is_written(watch) && clock_mono_ms() < end_ms)
		(void)until_report(1);
	ok(reported_ms >= began_ms || until_report(BOUND_MS), "nor waited for when it is deleted");
	write_and_close(fd);
	(void)until_report(LATEST_MS / 2);
}

/* More files than are known by name. */
static void check_many(const char *path)
{
	enum { FILES = 40 };
	int64_t began_ms = clock_mono_ms();
	int fds[FILES];
	char many[80];
	bool is_reported;
	for (int at = 0; at < FILES; at++) {
		(void)snprintf(many, sizeof many, "%s%d", path, at);
		fds[at] = open_empty(many);
		if (write(fds[at], "te", 2) != 2)
			abort();
	}
	for (int at = 0; at < FILES - 1; at++)
		(void)close(fds[at]);
	is_reported = until_report(LATEST_MS / 2);
	ok(!is_reported || reported_ms - began_ms >= LATEST_MS - ROUNDED_MS,
	    "the last of many files is not reported before it is closed");
	ok(is_reported || until_report(BOUND_MS), "but after a second");
	(void)close(fds[FILES - 1]);
	for (int at = 0; at < FILES; at++) {
		(void)snprintf(many, sizeof many, "%s%d", path, at);
		(void)unlink(many);
	}
	(void)until_report(BOUND_MS);
}

static void check_busy(const char *path)
{
	const int64_t end_ms = clock_mono_ms() + BOUND_MS;
	mode_t mode = 0600;
	bool is_reported = false;
	while (!is_reported && clock_mono_ms() < end_ms) {
		(void)chmod(path, mode ^= 0040);
		is_reported = until_report(20);
	}
	ok(is_reported, "a folder that changes all the time is reported");
}

int main(void)
{
	char dir[] = "/tmp/mbt-XXXXXX", path[64], other[64];
	struct inotify_hub *hub;
	struct folder_watch *watch;
	if (mkdtemp(dir) == NULL)
		abort();
	(void)snprintf(path, sizeof path, "%s/file", dir);
	(void)snprintf(other, sizeof other, "%s/other", dir);
	base = loop_timer_new_base();
	end = loop_timer_new(base, on_end, NULL);
	hub = inotify_hub_new(base, NULL, NULL);
	watch = folder_watch_new(base, hub, dir, on_changed, NULL);
	write_and_close(open_empty(path));
	ok(until_report(BOUND_MS), "a new file is reported");
	check_written(watch, path);
	check_open(watch, path);
	check_two(watch, path, other);
	check_many(path);
	check_busy(other);
	folder_watch_free(watch);
	inotify_hub_free(hub);
	loop_timer_free(end);
	event_base_free(base);
	(void)unlink(other);
	(void)rmdir(dir);
	return done_testing();
}
