/* SPDX-License-Identifier: ISC */
/* The meter: looks and turns that were avoided, since the start and of late. */
#include "daemon/core/meter.h"

#include "tap.h"

static const int64_t day_ms = (int64_t)METER_STEP_SEC * METER_STEPS * 1000;

static void test_waits(void)
{
	static const struct {
		int64_t took_ms;
		long long looks, turns;
	} cases[] = {{0, 1, 0}, {30000, 1, 0}, {30001, 2, 1}, {70000, 3, 2}, {3600000, 120, 119}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct meter meter = {0};
		struct meter_sum sum;
		meter_count_wait(&meter, 1000, cases[i].took_ms);
		sum = meter_sum(&meter, 1000, 0, 0);
		ok(sum.waits == 1 && sum.wakes == 0, "a wait of %lld ms",
		    (long long)cases[i].took_ms);
		is_int((long long)sum.looks, cases[i].looks, "instead of looks");
		is_int((long long)meter_turns(&sum), cases[i].turns, "which spares turns");
	}
}

static void test_wakes(void)
{
	struct meter meter = {0};
	struct meter_sum sum;
	meter_count_wake(&meter, 1000, 3, 61000, false);
	meter_count_wake(&meter, 1000, 3, 0, true);
	meter_count_wake(&meter, 1000, METER_KINDS, 0, false);
	sum = meter_sum(&meter, 1000, 3, 0);
	ok(sum.wakes == 1 && sum.coalesced == 1, "a wake, and a notification that came with it");
	ok(sum.looks == 4 && meter_turns(&sum) == 3, "only the wake costs a turn");
	sum = meter_sum(&meter, 1000, 0, 0);
	is_int((long long)sum.looks, 0, "kinds are apart");
}

static void test_fetches(void)
{
	struct meter meter = {0};
	struct meter_sum sum;
	meter_count_wait(&meter, 1000, 70000);
	meter_count_fetch(&meter, 1000);
	sum = meter_sum(&meter, 1000, 0, 0);
	ok(sum.waits == 1 && sum.fetches == 1 && sum.looks == 3, "a fetch is no look avoided");
	is_int((long long)meter_turns(&sum), 1, "and costs a turn");
	meter_count_fetch(&meter, 1000);
	meter_count_fetch(&meter, 1000);
	sum = meter_sum(&meter, 1000, 0, 0);
	is_int((long long)meter_turns(&sum), 0, "never less than none");
}

static void test_steps(void)
{
	struct meter meter = {0};
	int64_t step_ms = (int64_t)METER_STEP_SEC * 1000;
	for (int i = 0; i < 2 * METER_STEPS; i++)
		meter_count_wait(&meter, i * step_ms, 0);
	is_int((long long)meter_sum(&meter, 2 * day_ms - 1, 0, 0).waits, 2LL * METER_STEPS,
	    "the sum since the start has all");
	is_int((long long)meter_sum(&meter, 2 * day_ms - 1, 0, 1).waits, 1, "one second: one step");
	is_int((long long)meter_sum(&meter, 2 * day_ms - 1, 0, 3600).waits, 7,
	    "an hour: the steps that it touches");
	is_int((long long)meter_sum(&meter, 2 * day_ms - 1, 0, METER_STEP_SEC * METER_STEPS).waits,
	    METER_STEPS, "a day: no step twice");
	is_int((long long)meter_sum(&meter, 9 * day_ms, 0, METER_STEP_SEC * METER_STEPS).waits, 0,
	    "what is older is forgotten");
}

int main(void)
{
	test_waits();
	test_wakes();
	test_fetches();
	test_steps();
	return done_testing();
}
