/* SPDX-License-Identifier: ISC */
/* Wake policies: when a notification wakes, at given times in given time zones. */
#include "daemon/deliver/wake_policy.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "tap.h"

static int64_t due(const struct wake_policy *policy, const char *time, bool is_urgent,
    enum notification_source source)
{
	struct notification note = {
	    .time_ms = clock_parse(time), .is_urgent = is_urgent, .source = source};
	return wake_policy_due_ms(policy, &note);
}

static void in_zone(const char *zone)
{
	(void)setenv("TZ", zone, 1);
	tzset();
}

static void test_quiet_texts(void)
{
	static const char *const bad[] = {"", "22:00", "22:00-", "22:00-7:00", "24:00-07:00",
	    "22:60-07:00", "22:00-22:00", "22:00-07:00 ", "-2:00-07:00", "+2:00-07:00",
	    "22:00 07:00", "22:00-07:0x"};
	struct wake_policy policy;
	wake_policy_init(&policy);
	ok(wake_policy_is_default(&policy), "a policy begins as the default");
	for (size_t at = 0; at < sizeof bad / sizeof *bad; at++)
		ok(!wake_policy_read_quiet(&policy, bad[at]), "no hours: \"%s\"", bad[at]);
	ok(wake_policy_read_quiet(&policy, "22:05-07:30"), "hours");
	is_int(policy.quiet_from * 10000 + policy.quiet_to, 13250450, "as minutes");
	ok(!wake_policy_is_default(&policy), "which is no default any more");
}

static void test_due(void)
{
	struct wake_policy policy;
	const char *noon = "2026-01-15T12:00:00Z", *night = "2026-01-15T23:00:00Z",
		   *early = "2026-01-15T03:00:00Z";
	in_zone("UTC0");
	wake_policy_init(&policy);
	is_int(due(&policy, noon, false, SOURCE_JOB), clock_parse(noon), "by default: at once");
	policy.window_ms = 5000;
	is_int(due(&policy, noon, false, SOURCE_JOB), clock_parse("2026-01-15T12:00:05Z"),
	    "after the window");
	is_int(due(&policy, noon, true, SOURCE_JOB), clock_parse(noon), "urgent: at once");
	policy.wakes[SOURCE_TIMER] = false;
	ok(due(&policy, noon, false, SOURCE_TIMER) == INT64_MAX, "a source that does not wake");
	is_int(due(&policy, noon, true, SOURCE_TIMER), clock_parse(noon), "unless it is urgent");

	ok(wake_policy_read_quiet(&policy, "22:00-07:00"), "quiet hours over midnight");
	is_int(due(&policy, noon, false, SOURCE_JOB), clock_parse("2026-01-15T12:00:05Z"),
	    "outside of them: after the window");
	is_int(due(&policy, night, false, SOURCE_JOB), clock_parse("2026-01-16T07:00:00Z"),
	    "before midnight: at their end");
	is_int(due(&policy, early, false, SOURCE_JOB), clock_parse("2026-01-15T07:00:00Z"),
	    "after midnight: at their end");
	is_int(due(&policy, "2026-01-15T21:59:58Z", false, SOURCE_JOB),
	    clock_parse("2026-01-16T07:00:00Z"), "the window reaches into them: at their end");
	is_int(due(&policy, night, true, SOURCE_JOB), clock_parse(night), "urgent: at once");
	is_int(due(&policy, noon, false, SOURCE_TIMER), clock_parse("2026-01-16T07:00:00Z"),
	    "a source that does not wake: at the next end");
	is_int(due(&policy, "2026-01-31T23:00:00Z", false, SOURCE_JOB),
	    clock_parse("2026-02-01T07:00:00Z"), "at the end of a month");
	ok(wake_policy_read_quiet(&policy, "09:00-17:00"), "quiet hours of a day");
	is_int(due(&policy, noon, false, SOURCE_JOB), clock_parse("2026-01-15T17:00:00Z"),
	    "at their end, of the same day");
	is_int(due(&policy, night, false, SOURCE_JOB), clock_parse("2026-01-15T23:00:05Z"),
	    "outside of them: after the window");
}

/* The hours are of local time, also in the nights when clocks are changed. */
static void test_zones(void)
{
	struct wake_policy policy;
	wake_policy_init(&policy);
	ok(wake_policy_read_quiet(&policy, "22:00-07:00"), "quiet hours");
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	is_int(due(&policy, "2026-01-15T21:30:00Z", false, SOURCE_JOB),
	    clock_parse("2026-01-16T06:00:00Z"), "an hour east");
	is_int(due(&policy, "2026-03-28T22:00:00Z", false, SOURCE_JOB),
	    clock_parse("2026-03-29T05:00:00Z"), "the night that lacks an hour");
	is_int(due(&policy, "2026-10-24T21:00:00Z", false, SOURCE_JOB),
	    clock_parse("2026-10-25T06:00:00Z"), "the night with an hour twice");
	in_zone("PST8");
	is_int(due(&policy, "2026-01-15T12:00:00Z", false, SOURCE_JOB),
	    clock_parse("2026-01-15T15:00:00Z"), "eight hours west");
	is_int(due(&policy, "2026-01-15T23:00:00Z", false, SOURCE_JOB),
	    clock_parse("2026-01-15T23:00:00Z"), "where it is day");
}

int main(void)
{
	test_quiet_texts();
	test_due();
	test_zones();
	return done_testing();
}
