/* SPDX-License-Identifier: ISC */
/*
 * Preloaded into muxbusd: kills it, as by kill -9, at a chosen one of the calls by which it
 * changes files. crash_points.py says which one, and counts them.
 *
 * The environment: CRASH_COUNT names a file of 8 bytes, in which the calls are counted; CRASH_AT
 * is the number of the one that is not done any more; with CRASH_TEAR=1 a write is half done.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic uint64_t *counter;
static uint64_t last; /* 0: it is not killed */
static bool tears;

/* The pointer of the next function of this name. POSIX allows this cast, ISO C does not. */
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (next == NULL)              \
	*(void **)&next = dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CRASH_COUNT"), *at = getenv("CRASH_AT");
	const char *tear = getenv("CRASH_TEAR");
	int fd;
	if (path == NULL || strstr(program_invocation_short_name, "muxbusd") == NULL)
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (counter == MAP_FAILED)
		abort();
	last = at != NULL ? strtoull(at, NULL, 10) : 0;
	tears = tear != NULL && *tear == '1';
}

/* Counts a call. Returns whether it is the last one. */
static bool is_last(void)
{
	return counter != NULL && atomic_fetch_add(counter, 1) + 1 == last;
}

static void die(void)
{
	(void)kill(getpid(), SIGKILL);
	for (;;)
		(void)pause();
}

static bool is_file(int fd)
{
	struct stat st;
	return counter != NULL && fstat(fd, &st) == 0 &&
	    (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

#define CHANGE_BEFORE(is_counted)              \
	do {                                   \
		if ((is_counted) && is_last()) \
			die();                 \
	} while (0)

ssize_t write(int fd, const void *bytes, size_t len)
{
	NEXT(write);
	if (is_file(fd) && is_last()) {
		if (tears)
			(void)!next(fd, bytes, len / 2);
		die();
	}
	return next(fd, bytes, len);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
	NEXT(pwrite);
	if (is_file(fd) && is_last()) {
		if (tears)
			(void)!next(fd, bytes, len / 2, offset);
		die();
	}
	return next(fd, bytes, len, offset);
}

int ftruncate(int fd, off_t size)
{
	NEXT(ftruncate);
	CHANGE_BEFORE(is_file(fd));
	return next(fd, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size)
{
	NEXT(fallocate);
	CHANGE_BEFORE(is_file(fd));
	return next(fd, mode, offset, size);
}

int fsync(int fd)
{
	NEXT(fsync);
	CHANGE_BEFORE(is_file(fd));
	return next(fd);
}

int fdatasync(int fd)
{
	NEXT(fdatasync);
	CHANGE_BEFORE(is_file(fd));
	return next(fd);
}

int rename(const char *from, const char *to)
{
	NEXT(rename);
	CHANGE_BEFORE(true);
	return next(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	NEXT(renameat);
	CHANGE_BEFORE(true);
	return next(from_dir, from, to_dir, to);
}

int link(const char *from, const char *to)
{
	NEXT(link);
	CHANGE_BEFORE(true);
	return next(from, to);
}

int unlink(const char *path)
{
	NEXT(unlink);
	CHANGE_BEFORE(true);
	return next(path);
}

int unlinkat(int dir, const char *path, int flags)
{
	NEXT(unlinkat);
	CHANGE_BEFORE(true);
	return next(dir, path, flags);
}

int mkdir(const char *path, mode_t mode)
{
	NEXT(mkdir);
	CHANGE_BEFORE(true);
	return next(path, mode);
}

/* Opening counts where it makes or empties a file. */
static mode_t mode_of(int flags, va_list arguments)
{
	CHANGE_BEFORE((flags & (O_CREAT | O_TRUNC)) != 0 && (flags & O_ACCMODE) != O_RDONLY);
	return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;
	NEXT(open);
	va_start(arguments, flags);
	mode = mode_of(flags, arguments);
	va_end(arguments);
	return next(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;
	NEXT(openat);
	va_start(arguments, flags);
	mode = mode_of(flags, arguments);
	va_end(arguments);
	return next(dir, path, flags, mode);
}
