/* SPDX-License-Identifier: ISC */
/* Waits, as the engine, its notifications and its records share them. */
#pragma once

#include "daemon/wait/condition.h"
#include "daemon/wait/wait_parts.h"

enum {
	WAIT_SPEC_MAX = 64 * 1024, /* bytes of one condition as JSON */
	WAIT_FOUND_MAX = 16 * 1024, /* bytes of the details of a notification's matches */
	WAIT_SPECS_MAX = 400 * 1024, /* bytes of all conditions of a named wait */
};

struct wait_set {
	struct daemon *parts;
	struct json_reader *reader;
	struct list waits;
	size_t named, backgrounds;
	void (*settled)(void *wait); /* handlers of the two timers of each wait */
	void (*deadline)(void *wait);
};

/* Makes a wait without conditions in the set; count: the most conditions that it will have. */
struct wait *wait_new(struct wait_set *set, enum wait_kind kind, size_t count);
/* Frees a wait; its record stays in the store. */
void wait_drop(struct wait *wait);
/* Names a wait. is_id: the name is an id that the queue holds for the wait. */
void wait_set_name(struct wait *wait, const char *name, bool is_id);
/* Returns true if the wait has these conditions. Panes and windows count only if given as ids. */
bool wait_asks(const struct wait *wait, const struct json *list, bool is_all);
/* Releases the id in the queue if the wait's name is one. */
void wait_release_id(struct wait *wait);
/*
 * Returns the time on the clock of the wait, which cannot be set. The clock of a background wait
 * also runs while the machine is suspended.
 */
int64_t wait_run_ms(const struct wait *wait);
/* Sets the timeout of the wait: ms from now. */
void wait_set_due(struct wait *wait, int64_t ms);
/* As boot_clock_align(), for a time that is kept on wait_run_ms() and on CLOCK_REALTIME. */
void wait_align(const struct wait *wait, int64_t *run_ms, int64_t *real_ms);

/* Notes a match of a background wait that continues; a notification follows soon. */
void wait_note_match(struct wait *wait);
/* Posts the noted matches, if any. */
void wait_post_found(struct wait *wait);
/*
 * Posts a notification of the wait and returns its number. reason: match, timeout, gone, limit or
 * cancelled. is_end: the wait ends, and its record is deleted.
 */
uint64_t wait_post(struct wait *wait, const char *reason, bool is_end);

/* Stores the present state of a wait, if it has a name. */
void wait_record_put(const struct wait *wait);
void wait_record_delete(const struct wait *wait);
/* Loads all waits of the store; none is armed. */
void wait_record_load(struct wait_set *set);
