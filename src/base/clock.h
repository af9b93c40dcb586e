/* SPDX-License-Identifier: ISC */
/* Clocks, and times as text. */
#pragma once

#include "base/std.h"

int64_t clock_mono_us(void); /* CLOCK_MONOTONIC, microseconds */
int64_t clock_mono_ms(void);
/* Returns the clock_mono_ms() at which a timeout ends; negative (no end) if timeout_ms is. */
int64_t clock_deadline_ms(int64_t timeout_ms);
int64_t clock_left_ms(int64_t deadline_ms); /* time left, at least 0; -1 if there is no deadline */
int64_t clock_boot_ms(void); /* CLOCK_BOOTTIME, milliseconds since the boot */
int64_t clock_real_ms(void); /* CLOCK_REALTIME, milliseconds since 1970 */
int64_t clock_since_ms(int64_t real_ms); /* time since real_ms; 0 if it is in the future */

/* Converts seconds to milliseconds, rounded up, so that no timeout is shorter than requested. */
int64_t clock_seconds_to_ms(double seconds);

#define CLOCK_TEXT_SIZE 32

/* Writes RFC 3339 in UTC, "2026-11-21T02:15:00.123Z", for a time in the years 0 to 9999. */
void clock_format(int64_t real_ms, char out[CLOCK_TEXT_SIZE]);

/* Reads a text as of clock_format(), with any decimals. Returns ms since 1970; 0 if invalid. */
int64_t clock_parse(const char *text);

#define BACKOFF_MIN_MS 100
#define BACKOFF_MAX_MS 5000

/*
 * Returns the delay before the next try. The delay doubles from BACKOFF_MIN_MS to BACKOFF_MAX_MS; a
 * random part of at most a quarter is added. *delay_ms keeps the state and must begin as 0.
 */
unsigned backoff_next_ms(unsigned *delay_ms);
