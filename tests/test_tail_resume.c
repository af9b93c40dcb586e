/* SPDX-License-Identifier: ISC */
/*
 * Files that were made and rotated while no program followed them: a program that starts again
 * finds them beside the log. Also a log that cannot be opened at first.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/file/tail_loop.h"
#include "followed_file.h"
#include "io/loop_timer.h"
#include "tap.h"

/* The log has not been there yet. */
static void made_and_rotated(struct place *place)
{
	int64_t made_ns;
	int fd;
	place_add_old(place, "log.7");
	fd = open(place_at(place, "log.7"), O_RDONLY);
	made_ns = sibling_born_ns(fd);
	(void)close(fd);
	while (sibling_now_ns() <= made_ns)
		; /* stamps are ahead of the clock since Linux 6.13 */
	place_follow(place);
	place_turn(place);
	place_add(place, "log", "one");
	place_move(place, "log", "log.1");
	place_add(place, "log", "two");
	place_move(place, "log", "log.2");
	place_add(place, "log", "three");
	place_restart(place);
	place_turn(place);
	place_add(place, "log", "four");
}

static void made_and_moved_away(struct place *place)
{
	place_follow(place);
	place_turn(place);
	place_add(place, "log", "one");
	place_move(place, "log", "log.1");
	place_restart(place);
	place_turn(place);
	place_add(place, "log", "two");
	place_turn(place);
	place_move(place, "log", "log.2");
	place_turn(place);
	place_add(place, "log", "three");
}

/* No file has the name when the program starts again. */
static void rotated_and_none_there(struct place *place)
{
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	place_add(place, "log", "while down");
	place_move(place, "log", "log.1");
	place_add(place, "log", "in the second");
	place_move(place, "log", "log.2");
	place_restart(place);
	place_turn(place);
	place_add(place, "log", "in the third");
}

/* A folder of a year: the newest rotated files count. */
static void many_rotated(struct place *place)
{
	for (int at = 0; at < 365; at++) {
		char name[32];
		snprintf(name, sizeof name, "log.2023%04d", at);
		place_add_old(place, name);
	}
	place_begin(place);
	place_add(place, "log", "one");
	place_turn(place);
	place_add(place, "log", "while down");
	place_move(place, "log", "log.20240101");
	place_add(place, "log", "in the second");
	place_move(place, "log", "log.20240102");
	place_add(place, "log", "in the third");
	place_restart(place);
}

/* Copies of a log that goes on, made while none was followed, bring nothing twice. */
static void copied(struct place *place)
{
	char command[3 * PATH_MAX];
	place_follow(place);
	place_turn(place);
	place_add(place, "log", "one");
	snprintf(command, sizeof command, "cp '%s' '%s.1'", place->path, place->path);
	if (system(command) != 0)
		abort();
	place_add(place, "log", "two");
	place_restart(place);
}

/* A file that can be opened later is read from the end that it had. */
static void not_opened_at_first(struct place *place)
{
	struct rlimit before, limit;
	struct loop_timer *timer = loop_timer_new(place->base, NULL, NULL); /* opens the clock */
	int fd;
	place_add_old(place, "log");
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &before) < 0)
		abort();
	close(fd);
	limit = before;
	limit.rlim_cur = (rlim_t)fd;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	place_follow(place);
	(void)setrlimit(RLIMIT_NOFILE, &before);
	loop_timer_free(timer);
	ok(tail_state(tail_loop_tail(place->tail_loop)) == TAIL_UNREADABLE,
	    "without a descriptor the log is unreadable");
	place_add(place, "log", "one");
	place_turn(place);
	place_add(place, "log", "two");
}

static const struct scenario scenarios[] = {
    {"made and rotated before it was seen", made_and_rotated},
    {"made and moved away before it was seen", made_and_moved_away},
    {"rotated twice, and none is there", rotated_and_none_there},
    {"beside a year of rotated files", many_rotated},
    {"copied before it was seen", copied},
    {"not opened at first", not_opened_at_first},
};

int main(int argc, char **argv)
{
	place_run_all(scenarios, sizeof scenarios / sizeof *scenarios, argc > 1 ? argv[1] : "");
	return done_testing();
}
