/* SPDX-License-Identifier: ISC */
/*
 * Measures the pauses of the daemon's loop from inside: preloaded, it times each turn from the
 * return of one epoll_wait(2) that blocked or took events to the call of the next. A loop that is
 * never idle does not block: it looks at its peers with a timeout of 0. A record of each turn, in
 * microseconds, goes to $MUXBUS_TURNS at the end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bench/turns.h"

enum { TURNS_MAX = 1 << 20 }; /* more are not recorded */

static struct turn turns[TURNS_MAX];
static size_t count;
static struct turn began;
static bool is_in_turn;
static int (*next_epoll_wait)(int, struct epoll_event *, int, int);

/* How long this thread has waited for a processor until now: the second number of schedstat. */
static double queued_us(void)
{
	static int fd = -1;
	char text[128];
	const char *second;
	ssize_t len;
	if (fd < 0)
		fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	len = pread(fd, text, sizeof text - 1, 0);
	text[len > 0 ? len : 0] = '\0';
	second = strchr(text, ' ');
	return second == NULL ? 0 : strtod(second, NULL) / 1e3;
}

static double now_us(clockid_t clock)
{
	struct timespec now;
	(void)clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Instead of the C library's. */
__attribute__((visibility("default"))) int epoll_wait(
    int fd, struct epoll_event *events, int max, int timeout)
{
	int ready;
	struct turn ended = {now_us(CLOCK_MONOTONIC), queued_us(), now_us(CLOCK_THREAD_CPUTIME_ID)};
	if (next_epoll_wait == NULL)
		next_epoll_wait =
		    (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
	ready = next_epoll_wait(fd, events, max, timeout);
	if (timeout == 0 && ready == 0) /* a look in the middle of a turn */
		return ready;
	if (is_in_turn && count < TURNS_MAX)
		turns[count++] = (struct turn){ended.wall_us - began.wall_us,
		    ended.queued_us - began.queued_us, ended.cpu_us - began.cpu_us};
	began =
	    (struct turn){now_us(CLOCK_MONOTONIC), queued_us(), now_us(CLOCK_THREAD_CPUTIME_ID)};
	is_in_turn = true;
	return ready;
}

static void __attribute__((destructor)) write_turns(void)
{
	const char *path = getenv("MUXBUS_TURNS");
	char name[32] = "";
	int fd = open("/proc/self/comm", O_RDONLY);
	if (fd >= 0) {
		(void)!read(fd, name, sizeof name - 1);
		(void)close(fd); /* only read */
	}
	if (path == NULL || strncmp(name, "muxbusd\n", 8) != 0)
		return; /* tmux -C and jobs have inherited the preload */
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return;
	(void)!write(fd, turns, count * sizeof *turns);
	(void)close(fd); /* the reader of the file sees that records are missing */
}

/* $MUXBUS_BALLAST_MIB: memory that the daemon has from the start, for the cost of its size. */
static void __attribute__((constructor)) take_ballast(void)
{
	const char *mib = getenv("MUXBUS_BALLAST_MIB");
	size_t size = mib == NULL ? 0 : (size_t)strtoul(mib, NULL, 10) << 20;
	if (size == 0 || strstr(program_invocation_short_name, "muxbusd") == NULL)
		return; /* the shell of a libtool script comes first */
	(void)mmap(
	    NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	(void)unsetenv("MUXBUS_BALLAST_MIB"); /* jobs inherit the preload */
}
