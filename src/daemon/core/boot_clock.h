/* SPDX-License-Identifier: ISC */
/* The clock for long timers: CLOCK_BOOTTIME, which runs in suspend, with one alarm. */
#pragma once

#include "base/base.h"

#define BOOT_ID_SIZE 40
#define BOOT_CLOCK_STEP_MS 1000 /* a smaller difference of the clocks is drift */

struct boot_clock {
	int64_t (*boot_ms)(void *data); /* since the machine started */
	int64_t (*real_ms)(void *data); /* since 1970 */
	/* Sets the time, of boot_ms(), at which the alarm rings once; -1: never. */
	void (*arm)(void *data, int64_t boot_ms);
	const char *boot_id; /* changes with each boot; "": unknown */
	void *data;
};

/*
 * Makes the two times of one deadline agree: if the machine has booted since boot_id, *boot_due_ms
 * is set from *real_due_ms, else *real_due_ms from *boot_due_ms.
 */
void boot_clock_align(const struct boot_clock *clock, const char *boot_id, int64_t *boot_due_ms,
    int64_t *real_due_ms);

struct event_base;

/*
 * Makes an alarm, which calls ring when it is due, and when the wall clock was set. Returns NULL if
 * the system has no free descriptor.
 */
struct boot_alarm *boot_alarm_new(struct event_base *base, void (*ring)(void *data), void *data);
void boot_alarm_free(struct boot_alarm *alarm);
/* Returns the clock that arms this alarm. It is valid as long as the alarm. */
const struct boot_clock *boot_alarm_clock(struct boot_alarm *alarm);
