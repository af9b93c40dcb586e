/* SPDX-License-Identifier: ISC */
/*
 * The meter: how many looks and turns of agents were avoided. An agent without muxbus looks every
 * METER_LOOK_SEC, one turn a look, until it sees the end: a wait of 70 s replaces 3 looks, one of
 * 1 s replaces one. A wait that is answered costs one turn, and so does a wake; a notification that
 * comes with the wake of another costs none. All that is more was avoided, less the turns in which an
 * agent fetches what is there already.
 */
#pragma once

#include "base/base.h"

#define METER_LOOK_SEC 30
#define METER_KINDS 9 /* of waits: 0 is a request that waits, the others are the caller's */
#define METER_STEP_SEC 600 /* sums are kept for steps of this length */
#define METER_STEPS 144 /* a day */

struct meter_sum {
	uint64_t waits; /* answered */
	uint64_t wakes;
	uint64_t coalesced; /* notifications that came with the wake of another */
	uint64_t looks; /* avoided */
	uint64_t fetches; /* answered at once: a look of the agent */
};

struct meter_step {
	int64_t number; /* since the start of the clock */
	struct meter_sum kinds[METER_KINDS];
};

/* All zeros is an empty meter. Times are of the monotonic clock. */
struct meter {
	struct meter_sum kinds[METER_KINDS]; /* since the beginning, also of earlier daemons */
	struct meter_step steps[METER_STEPS]; /* of this daemon */
	int64_t since_ms; /* the first count, for the caller; 0: not known */
	void (*counted)(void *data, unsigned kind); /* called after each count; NULL: not */
	void *data;
};

/* A request was answered after so long. */
void meter_count_wait(struct meter *meter, int64_t now_ms, int64_t took_ms);
/* A request that could have waited was answered at once. */
void meter_count_fetch(struct meter *meter, int64_t now_ms);
/* A notification reached its agent; took_ms is how long it had to be waited for, 0: not known. */
void meter_count_wake(
    struct meter *meter, int64_t now_ms, unsigned kind, int64_t took_ms, bool is_coalesced);
/* The turns that were avoided; 0 if there were more fetches than that. */
uint64_t meter_turns(const struct meter_sum *sum);
/* The sum of a kind since the beginning (since_sec 0), or in the steps of the last seconds. */
struct meter_sum meter_sum(
    const struct meter *meter, int64_t now_ms, unsigned kind, int64_t since_sec);
