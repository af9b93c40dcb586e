/* SPDX-License-Identifier: ISC */
/*
 * Preloaded into tmux: as if the machine stopped it for 150 ms at one of N looks at its clock, at
 * random. A process that was stopped can tell by nothing else. LATE_CLOCK names a file with N, of
 * 4 bytes, which may be changed at any time; 0 is never.
 *
 * Preloaded into muxbusd or muxbus: SET_CLOCK names a file with the number of seconds, as text of 16 bytes, by
 * which the wall clock was set; a second number is how far the monotonic clock is ahead.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LATE_NS (150 * 1000 * 1000)
/* Between two looks in a row, as at the begin of a format, hardly any machine stops a process. */
#define MOMENT_NS 300

static const volatile uint32_t *one_of;
static const char *set_by;
static unsigned chance = 1;
static long long late_ns;

static const void *open_number(const char *path, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		abort();
	(void)close(fd);
	return map;
}

__attribute__((constructor)) static void begin(void)
{
	const char *late = getenv("LATE_CLOCK"), *set = getenv("SET_CLOCK");
	if (late != NULL && strncmp(program_invocation_short_name, "tmux", 4) == 0)
		one_of = open_number(late, sizeof *one_of);
	if (set != NULL &&
	    (strcmp(program_invocation_short_name, "muxbusd") == 0 ||
		strcmp(program_invocation_short_name, "muxbus") == 0))
		set_by = open_number(set, 16);
}

/* The library calls this before it can look up the next function of the name. */
int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	static long long before_ns;
	int error = (int)syscall(SYS_clock_gettime, clock, ret_time);
	uint32_t count = one_of != NULL ? *one_of : 0;
	long long ns = ret_time->tv_sec * 1000000000LL + ret_time->tv_nsec;
	if (error == 0 && set_by != NULL) {
		char *next;
		long long set_sec = strtoll(set_by, &next, 10);
		if (clock == CLOCK_REALTIME)
			ret_time->tv_sec += set_sec;
		else if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)
			ret_time->tv_sec += strtoll(next, NULL, 10);
		ns = ret_time->tv_sec * 1000000000LL + ret_time->tv_nsec;
	}
	if (error != 0 || clock != CLOCK_MONOTONIC)
		return error;
	chance = chance * 1103515245 + 12345;
	if (count > 0 && ns - before_ns > MOMENT_NS && (chance >> 16) % count == 0)
		late_ns += LATE_NS;
	before_ns = ns;
	ns += late_ns;
	ret_time->tv_sec = ns / 1000000000;
	ret_time->tv_nsec = ns % 1000000000;
	return error;
}
