/* SPDX-License-Identifier: ISC */
/* Shared by the engine, the notifications and the records of waits. */
#pragma once

#include "daemon/wait/condition.h"
#include "daemon/wait/wait_parts.h"

enum {
	WAIT_SPEC_MAX = 64 * 1024, /* bytes of JSON of one condition */
	WAIT_FOUND_MAX = 16 * 1024, /* bytes of all details in a notification */
	WAIT_SPECS_MAX = 400 * 1024, /* bytes of JSON of all conditions of a named wait */
};

struct wait_set {
	struct daemon *parts;
	struct json_reader *reader;
	struct list waits;
	size_t named, backgrounds;
	void (*settled)(void *wait); /* of the timers of each wait */
	void (*deadline)(void *wait);
};

/* The wait has no conditions; count: the most that it will have. */
struct wait *wait_new(struct wait_set *set, enum wait_kind kind, size_t count);
/* The record stays in the store. */
void wait_drop(struct wait *wait);
/* is_id: the queue holds the name as an id of the wait. */
void wait_set_name(struct wait *wait, const char *name, bool is_id);
/* Compares conditions; panes and windows count only if given as ids. */
bool wait_asks(const struct wait *wait, const struct json *list, bool is_all);
void wait_release_id(struct wait *wait);
/* On a clock that cannot be set. For a background wait, the clock runs in suspend too. */
int64_t wait_run_ms(const struct wait *wait);
/* The timeout is ms from now. */
void wait_set_due(struct wait *wait, int64_t ms);
/* As boot_clock_align(), for a time that is kept on wait_run_ms() and on CLOCK_REALTIME. */
void wait_align(const struct wait *wait, int64_t *run_ms, int64_t *real_ms);

/* For a background wait that continues; a notification follows soon. */
void wait_note_match(struct wait *wait);
void wait_post_found(struct wait *wait);
/*
 * Returns the notification's number. reason: match, timeout, gone, limit or cancelled. is_end: the
 * wait ends, and its record is deleted.
 */
uint64_t wait_post(struct wait *wait, const char *reason, bool is_end);

/* Does nothing if the wait has no name. */
void wait_record_put(const struct wait *wait);
void wait_record_delete(const struct wait *wait);
/* None is armed. */
void wait_record_load(struct wait_set *set);
