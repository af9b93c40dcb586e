/* SPDX-License-Identifier: ISC */
/*
 * A place to try following in: a directory of its own, a feed on one path in it, what was
 * written (the writer's own list) and what was told. The same scenario runs with inotify,
 * by polling, and with the program started again at each turn.
 */
#ifndef TESTS_FOLLOWED_FILE_H
#define TESTS_FOLLOWED_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/file/tail_loop.h"

enum place_mode {
	PLACE_INOTIFY,
	PLACE_POLL,
	PLACE_RESTART, /* inotify, and at each turn killed and started again */
	PLACE_MODE_COUNT_,
};
extern const char *const place_mode_names[];

struct lines {
	char **texts;
	size_t count;
	size_t size;
};

struct place {
	enum place_mode mode;
	struct event_base *base;
	struct event *tick;
	struct tail_loop_set *set;
	struct tail_loop *tail_loop;
	char dir[PATH_MAX];
	char path[PATH_MAX]; /* that is followed: "log" in it, unless set before place_follow() */
	struct lines written;
	struct lines told;
	size_t changes[TAIL_CHANGE_COUNT_];
	size_t cut; /* lines that were told as such */
	size_t partial;
	bool is_late; /* at a turn something was not told in time */
	size_t shown; /* partial ones that were shown in time */
};

void place_open(struct place *place, enum place_mode mode);
void place_close(struct place *place);

/* Begins to follow. */
void place_follow(struct place *place);
/* The program ends at once and comes again. */
void place_restart(struct place *place);

/* "dir/name", lent until the eighth call from now. */
const char *place_at(const struct place *place, const char *name);

/* Makes a file with a line that is not to be told; and begins to follow it, if it is "log". */
void place_add_old(struct place *place, const char *name);
void place_begin(struct place *place);

/* Appends a line to a file, made if need be, or to a descriptor; and to the list. */
void place_add(struct place *place, const char *name, const char *text);
void place_say(struct place *place, int fd, const char *text);
int place_open_file(struct place *place, const char *name, int flags);
/* Writes bytes, and nothing to the list. */
void place_put(int fd, const void *bytes, size_t len);
/* Only to the list. */
void place_expect(struct place *place, const char *text);
void place_move(const struct place *place, const char *from, const char *to);

/* Runs the loop until all that was written has been told, with a bound. */
bool place_turn(struct place *place);
/* Runs it until a number is at least so much, with a bound. */
bool place_until(struct place *place, const size_t *number, size_t least);
/* Runs it for so long: for seeing that nothing more comes. */
void place_run(struct place *place, int64_t ms);

/* Compares the lists, whatever their order; says what is missing and what was invented. */
bool place_agrees(const struct place *place, size_t *ret_missing, size_t *ret_invented);

struct scenario {
	const char *name;
	void (*run)(struct place *place);
};
/* Runs those whose names contain something in all modes, and checks that the lists agree. */
void place_run_all(const struct scenario *scenarios, size_t count, const char *only);

#endif
