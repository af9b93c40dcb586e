/* SPDX-License-Identifier: ISC */
#include "base/clock.h"

#include <sys/random.h>
#include <time.h>

/* Reading these clocks cannot fail on Linux. */
static struct timespec clock_read(clockid_t id)
{
	struct timespec ts = {0};
	(void)clock_gettime(id, &ts);
	return ts;
}

int64_t clock_mono_us(void)
{
	struct timespec ts = clock_read(CLOCK_MONOTONIC);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_mono_ms(void)
{
	return clock_mono_us() / 1000;
}

int64_t clock_deadline_ms(int64_t timeout_ms)
{
	return timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
}

int64_t clock_left_ms(int64_t deadline_ms)
{
	int64_t left = deadline_ms - clock_mono_ms();
	return deadline_ms < 0 ? -1 : left > 0 ? left : 0;
}

static int64_t read_ms(clockid_t id)
{
	struct timespec ts = clock_read(id);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t clock_boot_ms(void)
{
	return read_ms(CLOCK_BOOTTIME);
}

int64_t clock_real_ms(void)
{
	return read_ms(CLOCK_REALTIME);
}

int64_t clock_since_ms(int64_t real_ms)
{
	int64_t since_ms = clock_real_ms() - real_ms;
	return since_ms > 0 ? since_ms : 0;
}

int64_t clock_seconds_to_ms(double seconds)
{
	int64_t ms = (int64_t)(seconds * 1000);
	return (double)ms < seconds * 1000 ? ms + 1 : ms;
}

static void put_digits(char *end, int number)
{
	for (; number > 0; number /= 10)
		*--end = (char)('0' + number % 10);
}

void clock_format(int64_t real_ms, char out[CLOCK_TEXT_SIZE])
{
	static const int64_t min_ms = -62167219200000; /* 0000-01-01T00:00:00.000Z */
	static const int64_t max_ms = 253402300799999; /* 9999-12-31T23:59:59.999Z */
	struct tm tm;
	time_t seconds;
	int64_t ms;
	if (real_ms < min_ms)
		real_ms = min_ms;
	if (real_ms > max_ms)
		real_ms = max_ms;

	/* Round towards the past, so that the milliseconds are never negative. */
	ms = real_ms % 1000;
	if (ms < 0)
		ms += 1000;
	seconds = (time_t)((real_ms - ms) / 1000);

	(void)gmtime_r(&seconds, &tm);
	strcpy(out, "0000-00-00T00:00:00.000Z");
	put_digits(out + 4, tm.tm_year + 1900);
	put_digits(out + 7, tm.tm_mon + 1);
	put_digits(out + 10, tm.tm_mday);
	put_digits(out + 13, tm.tm_hour);
	put_digits(out + 16, tm.tm_min);
	put_digits(out + 19, tm.tm_sec);
	put_digits(out + 23, (int)ms);
}

int64_t clock_parse(const char *text)
{
	struct tm utc = {0};
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &utc);
	int64_t ms = 0, unit = 100;
	if (rest == NULL)
		return 0;
	if (*rest == '.')
		for (rest++; *rest >= '0' && *rest <= '9'; rest++, unit /= 10)
			ms += (*rest - '0') * unit;
	return strcmp(rest, "Z") == 0 ? (int64_t)timegm(&utc) * 1000 + ms : 0;
}

unsigned backoff_next_ms(unsigned *delay_ms)
{
	unsigned delay = *delay_ms < BACKOFF_MIN_MS ? BACKOFF_MIN_MS : *delay_ms;
	uint16_t chance = 0;
	if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) != (ssize_t)sizeof chance)
		chance = 0;
	*delay_ms = delay * 2 > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : delay * 2;
	return delay + delay / 4 * chance / UINT16_MAX;
}
