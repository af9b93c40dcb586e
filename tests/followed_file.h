/* SPDX-License-Identifier: ISC */
/*
 * A test directory with a followed file: the tail_loop on one path in it, the lines written (the
 * writer's own list) and the lines reported. The same scenario runs with inotify, by polling, and
 * with a restart of the program at each turn.
 */
#pragma once

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
	char path[PATH_MAX]; /* the followed file: "log" in dir, unless set before place_follow() */
	struct lines written;
	struct lines told;
	size_t changes[TAIL_CHANGE_COUNT_];
	size_t cut; /* lines that were reported complete */
	size_t partial;
	bool is_late; /* in some turn a line was not reported in time */
	size_t shown; /* partial lines that were shown in time */
};

void place_open(struct place *place, enum place_mode mode);
void place_close(struct place *place);

/* Begins to follow. */
void place_follow(struct place *place);
/* Restarts the program at once. */
void place_restart(struct place *place);

/* "dir/name", lent until the eighth call from now. */
const char *place_at(const struct place *place, const char *name);

/* Makes a file with a line that must not be reported; and follows the file if it is "log". */
void place_add_old(struct place *place, const char *name);
void place_begin(struct place *place);

/* Appends a line to a file, made if need be, or to a descriptor; and to the list. */
void place_add(struct place *place, const char *name, const char *text);
void place_say(struct place *place, int fd, const char *text);
int place_open_file(struct place *place, const char *name, int flags);
/* Writes bytes, but does not add them to the list. */
void place_put(int fd, const void *bytes, size_t len);
/* Adds a line to the list, but does not write it. */
void place_expect(struct place *place, const char *text);
void place_move(const struct place *place, const char *from, const char *to);

/* Runs the loop until every written line was reported, with a bound. */
bool place_turn(struct place *place);
/* Runs the loop until a number is at least so much, with a bound. */
bool place_until(struct place *place, const size_t *number, size_t least);
/* Runs the loop for ms, to see that no more lines are reported. */
void place_run(struct place *place, int64_t ms);

/* Compares the lists in any order; reports missing and invented lines. */
bool place_agrees(const struct place *place, size_t *ret_missing, size_t *ret_invented);

struct scenario {
	const char *name;
	void (*run)(struct place *place);
};
/* Runs the scenarios whose names contain a text in all modes, and checks that the lists agree. */
void place_run_all(const struct scenario *scenarios, size_t count, const char *only);
