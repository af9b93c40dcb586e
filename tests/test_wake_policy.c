/* SPDX-License-Identifier: ISC */
/* Wake policies: when a notification wakes, at given times in given time zones. */
#include "daemon/deliver/wake_policy.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "tap.h"

/* Returns when a notification wakes, seen from a given time. */
static int64_t due_at(const struct wake_policy *policy, const char *time, bool is_urgent,
    enum notification_source source, const char *now)
{
	struct notification note = {
	    .time_ms = clock_parse(time), .is_urgent = is_urgent, .source = source};
	return wake_policy_due_ms(policy, &note, clock_parse(now));
}

static int64_t due(const struct wake_policy *policy, const char *time, bool is_urgent,
    enum notification_source source)
{
	return due_at(policy, time, is_urgent, source, time);
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
	(void)setenv("TZ", "UTC0", 1); /* as when the system gets another zone */
	is_int(due(&policy, "2026-01-15T23:00:00Z", false, SOURCE_JOB),
	    clock_parse("2026-01-16T07:00:00Z"), "the zone is changed while the daemon runs");
	policy.wakes[SOURCE_TIMER] = false;
	(void)setenv("TZ", "AEST-10", 1);
	is_int(due_at(&policy, "2026-01-15T23:00:00Z", false, SOURCE_TIMER, "2026-01-16T08:00:00Z"),
	    clock_parse("2026-01-16T21:00:00Z"), "also for a source that does not wake");
}

static void test_set_back(void)
{
	struct wake_policy policy;
	const char *noon = "2026-01-15T12:00:00Z", *three = "2026-01-15T15:00:00Z",
		   *night = "2026-01-15T23:00:00Z", *morning = "2026-01-16T08:00:00Z";
	in_zone("UTC0");
	wake_policy_init(&policy);
	policy.window_ms = 5000;
	policy.wakes[SOURCE_TIMER] = false;
	(void)wake_policy_read_quiet(&policy, "22:00-07:00");
	is_int(due_at(&policy, three, false, SOURCE_JOB, noon), clock_parse(noon),
	    "the clock was set back behind a notification: at once");
	is_int(due_at(&policy, three, true, SOURCE_JOB, noon), clock_parse(noon),
	    "an urgent one, too");
	is_int(due_at(&policy, morning, false, SOURCE_JOB, night),
	    clock_parse("2026-01-16T07:00:00Z"), "set back into quiet hours: at their end");
	is_int(due_at(&policy, morning, true, SOURCE_JOB, night), clock_parse(night),
	    "urgent: at once");
	is_int(due_at(&policy, three, false, SOURCE_TIMER, noon),
	    clock_parse("2026-01-16T07:00:00Z"), "a source that does not wake: at the next end");
	is_int(due_at(&policy, "2036-01-15T15:00:00Z", false, SOURCE_TIMER, noon),
	    clock_parse(noon), "but not in ten years: at once");
	is_int(due_at(&policy, morning, false, SOURCE_TIMER, "2026-01-16T06:00:00Z"),
	    clock_parse("2026-01-16T07:00:00Z"), "set back behind an end: at that end");
	is_int(due_at(&policy, morning, false, SOURCE_TIMER, "2026-01-16T07:00:01Z"),
	    clock_parse("2026-01-16T07:00:00Z"), "and when that end has just come");
	is_int(due_at(&policy, morning, false, SOURCE_TIMER, "2026-01-16T07:05:00Z"),
	    clock_parse("2026-01-17T07:00:00Z"), "not set back behind it: at the next");
	is_int(due_at(&policy, "2036-01-15T15:00:00Z", false, SOURCE_TIMER, night),
	    clock_parse("2026-01-16T07:00:00Z"), "or at the end of these quiet hours");
}

/* One change of the clocks, with quiet hours that begin or end in it. Times are of 2026. */
static const struct {
	const char *zone, *quiet, *time, *end, *what;
} changes[] = {
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
    {BERLIN, "22:00-02:30", "03-28T22:00", "03-29T01:00", "an end in the hour that is skipped"},
    {BERLIN, "02:10-02:40", "03-28T22:00", "03-30T00:40", "all of it in that hour"},
    {BERLIN, "02:10-03:40", "03-28T22:00", "03-29T01:40", "a beginning in that hour"},
    {BERLIN, "22:00-02:30", "10-24T21:00", "10-25T00:30", "an end in the hour that comes twice"},
    {BERLIN, "22:00-02:30", "10-25T00:45", "10-25T01:30", "behind the first of the two"},
    {BERLIN, "22:00-02:30", "10-25T01:10", "10-25T01:30", "in the second of the two"},
    {BERLIN, "22:00-02:30", "10-25T01:30", "10-26T01:30", "behind the second"},
    {BERLIN, "02:10-03:00", "10-25T00:20", "10-25T01:00", "quiet until the first is over"},
    {BERLIN, "22:00-07:00", "10-25T00:30", "10-25T06:00", "an end behind both"},
#define LORD_HOWE "LHST-10:30LHDT-11,M10.1.0,M4.1.0"
    {LORD_HOWE, "22:00-02:15", "10-03T14:00", "10-03T15:30", "half an hour is skipped"},
    {LORD_HOWE, "22:00-01:45", "04-04T13:00", "04-04T14:45", "half an hour comes twice"},
    {LORD_HOWE, "22:00-01:45", "04-04T14:50", "04-04T15:15", "behind the first of the two"},
#define CHATHAM "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45"
    {CHATHAM, "22:00-03:00", "09-26T10:00", "09-26T14:00", "a change at a quarter to three"},
    {CHATHAM, "22:00-03:30", "04-04T13:50", "04-04T14:45", "the same back"},
#define BEIRUT "EET-2EEST,M3.5.0/0,M10.5.0/0"
    {BEIRUT, "21:00-00:30", "03-28T20:00", "03-28T22:00", "midnight is skipped"},
    {BEIRUT, "21:00-23:30", "10-24T19:00", "10-24T20:30", "the hour before it comes twice"},
    {BEIRUT, "21:00-23:30", "10-24T20:50", "10-24T21:30", "behind the first of the two"},
    {BEIRUT, "00:00-07:00", "10-24T20:50", "10-25T05:00", "a beginning at midnight"},
};

static void test_changes(void)
{
	for (size_t at = 0; at < sizeof changes / sizeof *changes; at++) {
		char time[32], end[32], got[CLOCK_TEXT_SIZE];
		struct wake_policy policy;
		wake_policy_init(&policy);
		policy.wakes[SOURCE_TIMER] = false; /* only at an end */
		in_zone(changes[at].zone);
		(void)wake_policy_read_quiet(&policy, changes[at].quiet);
		(void)snprintf(time, sizeof time, "2026-%s:00Z", changes[at].time);
		(void)snprintf(end, sizeof end, "2026-%s:00.000Z", changes[at].end);
		clock_format(due(&policy, time, false, SOURCE_TIMER), got);
		is_str(got, end, "%s, %s at %s: %s", changes[at].zone, changes[at].quiet,
		    changes[at].time, changes[at].what);
	}
}

int main(void)
{
	test_quiet_texts();
	test_due();
	test_zones();
	test_changes();
	test_set_back();
	return done_testing();
}
