/* SPDX-License-Identifier: ISC */
/* The clock for long timers: CLOCK_BOOTTIME, which runs while the machine sleeps, and an alarm. */
#pragma once

#include "base/base.h"

#define BOOT_ID_SIZE 40
#define BOOT_CLOCK_STEP_MS 1000 /* boot_clock_align() ignores smaller differences */

struct boot_clock {
	int64_t (*boot_ms)(void *data); /* since the machine started */
	int64_t (*real_ms)(void *data); /* since 1970 */
	/* Sets the time (of the function boot_ms) at which the alarm rings once; -1: never. */
	void (*arm)(void *data, int64_t boot_ms);
	const char *boot_id; /* changes when the machine boots; "": unknown */
	void *data;
};

/*
 * Makes the two times of one deadline agree. If boot_id is "" or that of an earlier boot, sets
 * *boot_due_ms from *real_due_ms. Otherwise sets *real_due_ms from *boot_due_ms if they differ by
 * BOOT_CLOCK_STEP_MS or more.
 */
void boot_clock_align(const struct boot_clock *clock, const char *boot_id, int64_t *boot_due_ms,
    int64_t *real_due_ms);

struct event_base;

/*
 * Makes an alarm, which calls ring when it is due, and when the wall clock was set. Returns NULL on
 * failure, for example without a free descriptor.
 */
struct boot_alarm *boot_alarm_new(struct event_base *base, void (*ring)(void *data), void *data);
void boot_alarm_free(struct boot_alarm *alarm);
/* Returns the clock that arms this alarm, valid as long as the alarm. */
const struct boot_clock *boot_alarm_clock(struct boot_alarm *alarm);
