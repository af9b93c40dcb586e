/* SPDX-License-Identifier: ISC */
/* Shared by the engine of waits (wait.c), its base, the notifications and the records. */
#pragma once

#include "daemon/wait/condition.h"
#include "daemon/wait/wait_parts.h"

enum {
	WAIT_SPEC_MAX = 64 * 1024, /* maximum bytes of one condition as JSON */
	WAIT_FOUND_MAX = 16 * 1024, /* maximum bytes of all details in a notification */
	WAIT_SPECS_MAX = 400 * 1024, /* maximum bytes of all conditions of a named wait as JSON */
};

struct wait_set {
	struct daemon *parts;
	struct json_reader *reader;
	struct list waits;
	size_t named, backgrounds;
	void (*settled)(void *wait); /* callbacks of the timers of each wait */
	void (*deadline)(void *wait);
};

/* Makes a wait without conditions; count: the maximum number that it will have. */
struct wait *wait_new(struct wait_set *set, enum wait_kind kind, size_t count);
/* Frees a wait; its record stays in the store. */
void wait_drop(struct wait *wait);
/* Sets the name. is_id: it is an id that the queue holds for the wait. */
void wait_set_name(struct wait *wait, const char *name, bool is_id);
/* Returns true if the conditions are equal; of panes and windows, only ids in list are compared. */
bool wait_asks(const struct wait *wait, const struct json *list, bool is_all);
void wait_release_id(struct wait *wait);
/* A clock that cannot be set; for a background wait it also runs while the machine sleeps. */
int64_t wait_run_ms(const struct wait *wait);
/* Sets the timeout to ms from now. */
void wait_set_due(struct wait *wait, int64_t ms);
/* Like boot_clock_align(), for a time kept by the clocks of wait_run_ms() and CLOCK_REALTIME. */
void wait_align(const struct wait *wait, int64_t *run_ms, int64_t *real_ms);

/* Notes a match of a background wait that goes on; a notification follows soon. */
void wait_note_match(struct wait *wait);
void wait_post_found(struct wait *wait);
/*
 * Posts the notification of a wait, and returns its number. reason: match, timeout, gone, limit or
 * cancelled. is_end: the wait ends, and its record is deleted.
 */
uint64_t wait_post(struct wait *wait, const char *reason, bool is_end);

/* Stores a wait. Does nothing if it has no name. */
void wait_record_put(const struct wait *wait);
void wait_record_delete(const struct wait *wait);
/* Loads the waits, without arming them. */
void wait_record_load(struct wait_set *set);
