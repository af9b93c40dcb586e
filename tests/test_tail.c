/* SPDX-License-Identifier: ISC */
/*
 * Following files where the machine matters: limits of inotify, mounts, other users, logrotate
 * itself.
 */
#include "daemon/file/tail_loop.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "followed_file.h"
#include "io/loop_timer.h"
#include "tap.h"

static void permissions(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	if (geteuid() == 0) {
		/* Root may read everything: become another user. */
		if (chown(place->dir, 65534, 65534) < 0 || chown(place->path, 65534, 65534) < 0 ||
		    seteuid(65534) < 0)
			abort();
	}
	place_move(place, "log", "log.1");
	place_add(place, "log", "hidden at first");
	chmod(place->path, 0);
	tail_loop_set_look(place->set);
	place_run(place, 50);
	ok(tail_state(tail_loop_tail(place->tail_loop)) == TAIL_UNREADABLE,
	    "an unreadable file is called unreadable");
	chmod(place->path, 0600);
	place_until(place, &place->told.count, place->written.count);
	if (seteuid(getuid()) < 0)
		abort();
}

static void overflow(struct place *place)
{
	FILE *limit = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
	int count = 0;
	place_begin(place);
	place_turn(place);
	if (limit == NULL || fscanf(limit, "%d", &count) != 1 || count > 100000)
		count = 20000;
	if (limit != NULL)
		fclose(limit);
	place_add(place, "log", "one");
	for (int i = 0; i < count + 1000; i++) {
		char name[32];
		snprintf(name, sizeof name, "other%d", i);
		close(place_open_file(place, name, 0));
		unlink(place_at(place, name));
	}
	place_move(place, "log", "log.1");
	place_add(place, "log", "two");
	place_move(place, "log", "log.2");
	place_add(place, "log", "three");
}

static void mounted_over(struct place *place)
{
	mkdir(place_at(place, "dir"), 0755);
	snprintf(place->path, sizeof place->path, "%s", place_at(place, "dir/log"));
	place_follow(place);
	place_add(place, "dir/log", "below");
	place_turn(place);
	if (mount("none", place_at(place, "dir"), "tmpfs", 0, "size=1m") < 0) {
		diag("no mounts here: %s", strerror(errno));
		return;
	}
	place_add(place, "dir/log", "above");
	place_turn(place);
	if (umount(place_at(place, "dir")) < 0)
		(void)umount2(place_at(place, "dir"), MNT_DETACH);
	place_add(place, "dir/log", "below again");
}

static void overlay_below(struct place *place)
{
	char options[4 * PATH_MAX];
	static const char *const dirs[] = {"lower", "upper", "work", "all"};
	int fd;
	for (size_t i = 0; i < 4; i++)
		mkdir(place_at(place, dirs[i]), 0755);
	fd = place_open_file(place, "lower/log", O_APPEND);
	place_put(fd, "old\n", 4);
	snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s",
	    place_at(place, "lower"), place_at(place, "upper"), place_at(place, "work"));
	snprintf(place->path, sizeof place->path, "%s", place_at(place, "all/log"));
	if (mount("overlay", place_at(place, "all"), "overlay", 0, options) < 0) {
		diag("no overlays here: %s", strerror(errno));
		close(fd);
		place_follow(place);
		return;
	}
	place_follow(place);
	place_say(place, fd, "written below");
	place_turn(place);
	ok(tail_loop_poll_reason(place->tail_loop) != NULL, "polling of an overlay is reported");
	place_say(place, fd, "again");
	close(fd);
	place_turn(place);
	tail_loop_free(place->tail_loop);
	place->tail_loop = NULL;
	(void)umount2(place_at(place, "all"), MNT_DETACH);
}

static void logrotate(struct place *place, const char *how)
{
	char command[5 * PATH_MAX];
	FILE *config;
	place_begin(place);
	config = fopen(place_at(place, "conf"), "we");
	fprintf(config, "%s {\n size 1\n rotate 3\n missingok\n %s\n}\n", place->path, how);
	fclose(config);
	chmod(place_at(place, "conf"), 0600);
	for (int i = 0; i < 6; i++) {
		char text[64];
		snprintf(text, sizeof text, "round %d, which is long enough", i);
		place_add(place, "log", text);
		/* A file that was deleted or compressed before a look cannot be read. */
		if (strcmp(how, "create") != 0 || i % 2)
			place_turn(place);
		snprintf(command, sizeof command,
		    "PATH=$PATH:/usr/sbin logrotate -f -s %s %s >/dev/null 2>&1",
		    place_at(place, "state"), place_at(place, "conf"));
		if (system(command) != 0)
			diag("logrotate failed");
	}
	place_add(place, "log", "after all");
}

static void logrotate_create(struct place *place)
{
	logrotate(place, "create");
}

static void logrotate_copytruncate(struct place *place)
{
	logrotate(place, "copytruncate");
}

static void logrotate_compress(struct place *place)
{
	logrotate(place, "create\n compress");
}

static const struct scenario scenarios[] = {
    {"permissions lost and regained", permissions},
    {"the queue of events overflows", overflow},
    {"a file system is mounted over the directory", mounted_over},
    {"the lower side of an overlay is written", overlay_below},
};

static const struct scenario logrotate_scenarios[] = {
    {"logrotate: create", logrotate_create},
    {"logrotate: copytruncate", logrotate_copytruncate},
    {"logrotate: create, compress", logrotate_compress},
};

static bool has_logrotate(void)
{
	return system("PATH=$PATH:/usr/sbin command -v logrotate >/dev/null 2>&1") == 0;
}

/* In a namespace with too few inotify watches. Returns the exit status of the process. */
static int follow_without_watches(void)
{
	struct place place;
	size_t missing, invented;
	bool agrees, is_told;
	const char *reason;
	FILE *limit;
	if (unshare(CLONE_NEWUSER) < 0)
		return 77;
	limit = fopen("/proc/sys/user/max_inotify_watches", "we");
	if (limit == NULL || fputs("2", limit) < 0 || fclose(limit) != 0)
		return 77;
	place_open(&place, PLACE_INOTIFY);
	place_begin(&place);
	reason = tail_loop_poll_reason(place.tail_loop);
	is_told = reason != NULL && strstr(reason, "max_user_watches");
	place_add(&place, "log", "one");
	place_turn(&place);
	place_move(&place, "log", "log.1");
	place_add(&place, "log", "two");
	place_turn(&place);
	agrees = place_agrees(&place, &missing, &invented);
	place_close(&place);
	return is_told && agrees ? 0 : 1;
}

static void test_watch_limit(void)
{
	int status = -1;
	pid_t pid;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(follow_without_watches());
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		ok(false, "a process that has few watches ends");
	else if (WEXITSTATUS(status) == 77)
		skip("there are no user namespaces with limits of their own here");
	else
		is_int(WEXITSTATUS(status), 0,
		    "when the user's watches are used up, the limit is reported, and polling finds "
		    "all lines");
}

#define SLOW_FILES 10
#define SLOW_MS 30

static int64_t slept_ms; /* in calls of a slow file system */

/* Instead of the library's, where that is no macro. */
int stat(const char *path, struct stat *ret_status)
{
	if (strstr(path, "-slow") != NULL) {
		usleep(SLOW_MS * 1000);
		slept_ms += SLOW_MS;
	}
	return fstatat(AT_FDCWD, path, ret_status, 0);
}

static bool on_block(void *data, const struct tail_block *block)
{
	(void)data;
	(void)block;
	return true;
}

static void on_change(void *data, enum tail_change change)
{
	(void)data;
	(void)change;
}

static void on_looked(void *data)
{
	(void)data;
}

static void test_slow(void)
{
	static const struct tail_loop_handlers handlers = {
	    .block = on_block, .changed = on_change, .looked = on_looked};
	static const struct tail_loop_options options = {.is_polling = true, .poll_ms = 50};
	struct event_base *base = loop_timer_new_base();
	struct tail_loop_set *set = tail_loop_set_new(base, &options);
	struct tail_loop *loops[SLOW_FILES];
	char path[] = "/tmp/mbt-slowXXXXXX";
	int64_t end_ms, turn_ms, longest_ms = 0;
	(void)close(mkstemp(path));
	for (size_t at = 0; at < SLOW_FILES; at++)
		loops[at] = tail_loop_new(set, path, NULL, 0, &handlers, NULL);
	end_ms = clock_mono_ms() + 3000;
	slept_ms = 0;
	while ((turn_ms = clock_mono_ms()) < end_ms) {
		(void)event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
		turn_ms = clock_mono_ms() - turn_ms;
		longest_ms = turn_ms > longest_ms ? turn_ms : longest_ms;
		usleep(1000);
	}
	ok(slept_ms < 1000, "a slow file system has a part of the time: %d ms of 3 s",
	    (int)slept_ms);
	ok(longest_ms < SLOW_FILES * SLOW_MS / 2, "and not for all files at once: %d ms",
	    (int)longest_ms);
	for (size_t at = 0; at < SLOW_FILES; at++)
		tail_loop_free(loops[at]);
	tail_loop_set_free(set);
	event_base_free(base);
	(void)unlink(path);
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : "";
	bool may_rotate = has_logrotate();
	/* Mounts stay in a namespace of their own, where that is allowed. */
	if (unshare(CLONE_NEWNS) == 0)
		(void)mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	place_run_all(scenarios, sizeof scenarios / sizeof *scenarios, only);
	if (may_rotate)
		place_run_all(logrotate_scenarios,
		    sizeof logrotate_scenarios / sizeof *logrotate_scenarios, only);
	else
		skip("there is no logrotate");
	test_watch_limit();
	test_slow();
	return done_testing();
}
