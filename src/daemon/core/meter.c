/* SPDX-License-Identifier: ISC */
#include "daemon/core/meter.h"

#define STEP_MS ((int64_t)METER_STEP_SEC * 1000)
#define LOOK_MS ((int64_t)METER_LOOK_SEC * 1000)

static void add(struct meter_sum *sum, const struct meter_sum *more)
{
	sum->waits += more->waits;
	sum->wakes += more->wakes;
	sum->coalesced += more->coalesced;
	sum->looks += more->looks;
	sum->fetches += more->fetches;
}

static void count(struct meter *meter, int64_t now_ms, unsigned kind, const struct meter_sum *more)
{
	int64_t number = now_ms / STEP_MS;
	struct meter_step *step = &meter->steps[number % METER_STEPS];
	if (step->number != number)
		*step = (struct meter_step){.number = number};
	add(&meter->kinds[kind], more);
	add(&step->kinds[kind], more);
	if (meter->counted != NULL)
		meter->counted(meter->data, kind);
}

/* Returns how many looks a wait of this time replaces, with the look that sees the end. */
static uint64_t looks_in(int64_t took_ms)
{
	return took_ms <= LOOK_MS ? 1 : (uint64_t)((took_ms + LOOK_MS - 1) / LOOK_MS);
}

void meter_count_wait(struct meter *meter, int64_t now_ms, int64_t took_ms)
{
	count(meter, now_ms, 0, &(struct meter_sum){.waits = 1, .looks = looks_in(took_ms)});
}

void meter_count_fetch(struct meter *meter, int64_t now_ms)
{
	count(meter, now_ms, 0, &(struct meter_sum){.fetches = 1});
}

void meter_count_wake(
    struct meter *meter, int64_t now_ms, unsigned kind, int64_t took_ms, bool is_coalesced)
{
	if (kind < METER_KINDS)
		count(meter, now_ms, kind,
		    &(struct meter_sum){.wakes = !is_coalesced,
			.coalesced = is_coalesced,
			.looks = looks_in(took_ms)});
}

uint64_t meter_turns(const struct meter_sum *sum)
{
	uint64_t cost = sum->waits + sum->wakes + sum->fetches;
	return sum->looks > cost ? sum->looks - cost : 0;
}

struct meter_sum meter_sum(
    const struct meter *meter, int64_t now_ms, unsigned kind, int64_t since_sec)
{
	struct meter_sum sum = {0};
	int64_t first = (now_ms - since_sec * 1000) / STEP_MS;
	if (since_sec <= 0)
		return meter->kinds[kind];
	for (size_t i = 0; i < METER_STEPS; i++)
		if (meter->steps[i].number >= first && meter->steps[i].number <= now_ms / STEP_MS)
			add(&sum, &meter->steps[i].kinds[kind]);
	return sum;
}
