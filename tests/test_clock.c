/* SPDX-License-Identifier: ISC */
/* Times as text, and clocks that go forward. */
#include "base/clock.h"
#include "tap.h"

static const struct {
	int64_t ms;
	const char *text;
} texts[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {1, "1970-01-01T00:00:00.001Z"},
    {999, "1970-01-01T00:00:00.999Z"},
    {1000, "1970-01-01T00:00:01.000Z"},
    {-1, "1969-12-31T23:59:59.999Z"},
    {-1000, "1969-12-31T23:59:59.000Z"},
    {951782400000, "2000-02-29T00:00:00.000Z"},
    {1795227300123, "2026-11-21T02:15:00.123Z"},
    {253402300799999, "9999-12-31T23:59:59.999Z"},
    {253402300800000, "9999-12-31T23:59:59.999Z"},
    {INT64_MAX, "9999-12-31T23:59:59.999Z"},
    {-62167219200000, "0000-01-01T00:00:00.000Z"},
    {INT64_MIN, "0000-01-01T00:00:00.000Z"},
};

int main(void)
{
	char text[CLOCK_TEXT_SIZE];
	int64_t us, ms;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		clock_format(texts[i].ms, text);
		is_str(text, texts[i].text, "%lld ms", (long long)texts[i].ms);
	}

	us = clock_mono_us();
	ms = clock_mono_ms();
	ok(us > 0 && ms >= us / 1000 && clock_mono_us() >= us, "the monotonic clock goes forward");
	ok(clock_real_ms() > 1700000000000, "the real clock counts milliseconds since 1970");
	ok(clock_since_ms(clock_real_ms() - 100) >= 100, "since a time");
	is_int(clock_since_ms(clock_real_ms() + 60000), 0,
	    "since one to come, as after the clock was set back");
	return done_testing();
}
