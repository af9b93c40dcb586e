/* SPDX-License-Identifier: ISC */
/*
 * The meter: an estimate of the turns of agents that were avoided. Without muxbus, an agent would
 * look every METER_LOOK_SEC until it sees the end, and each look costs a turn of its language
 * model. With muxbus, an answered wait costs one turn, and so does a wake, or a request that
 * fetches a result that is ready. A notification that comes with the wake of another costs no turn.
 * The avoided turns are the replaced looks minus these costs.
 */
#pragma once

#include "base/base.h"

#define METER_LOOK_SEC 30
#define METER_KINDS 9 /* kind 0 is for requests that wait; the caller assigns the others */
#define METER_STEP_SEC 600 /* sums are kept for steps of this length */
#define METER_STEPS 144 /* number of steps that are kept: one day */

struct meter_sum {
	uint64_t waits; /* answered waits */
	uint64_t wakes;
	uint64_t coalesced; /* notifications that came with the wake of another */
	uint64_t looks; /* looks that agents would have needed instead */
	uint64_t fetches; /* waiting requests that were answered at once */
};

struct meter_step {
	int64_t number; /* time of the monotonic clock divided by METER_STEP_SEC */
	struct meter_sum kinds[METER_KINDS];
};

/* All zeros is an empty meter. now_ms below is a time of the monotonic clock. */
struct meter {
	struct meter_sum kinds[METER_KINDS]; /* since since_ms, also of earlier daemons */
	struct meter_step steps[METER_STEPS]; /* of this daemon; a ring by number */
	int64_t since_ms; /* CLOCK_REALTIME of the first count, set by the caller; 0: unknown */
	void (*counted)(void *data, unsigned kind); /* called after each count; may be NULL */
	void *data;
};

/* Counts a request that was answered after waiting for took_ms. */
void meter_count_wait(struct meter *meter, int64_t now_ms, int64_t took_ms);
/* Counts a request that could have waited, but was answered at once. */
void meter_count_fetch(struct meter *meter, int64_t now_ms);
/* Counts a notification that reached its agent. took_ms: how long it was awaited; 0: unknown. */
void meter_count_wake(
    struct meter *meter, int64_t now_ms, unsigned kind, int64_t took_ms, bool is_coalesced);
/* Returns the avoided turns; 0 if the costs were higher. */
uint64_t meter_turns(const struct meter_sum *sum);
/* Returns the sums of a kind: of all time (since_sec 0), or of the steps in the last since_sec. */
struct meter_sum meter_sum(
    const struct meter *meter, int64_t now_ms, unsigned kind, int64_t since_sec);
