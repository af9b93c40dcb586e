/* SPDX-License-Identifier: ISC */
/*
 * Preloaded into muxbusd: kills it, as by kill -9, at a chosen one of the calls by which it
 * changes files, or makes that one fail. crash_points.py says which one, and counts them.
 *
 * The environment: CRASH_COUNT names a file of 8 bytes, in which the calls are counted; CRASH_AT
 * is the number of the call; CRASH_HOW is "kill" (before it), "tear" (a write is half done),
 * "fail" (EIO, once) or "full" (ENOSPC, from then on).
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
static enum { KILL, TEAR, FAIL, FULL } how;

/* The pointer of the next function of this name. POSIX allows this cast, ISO C does not. */
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (next == NULL)              \
	*(void **)&next = dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CRASH_COUNT"), *at = getenv("CRASH_AT");
	const char *name = getenv("CRASH_HOW");
	static const char *const names[] = {"kill", "tear", "fail", "full"};
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
	for (how = FULL; name != NULL && how > KILL && strcmp(name, names[how]) != 0; how--)
		;
}

static void die(void)
{
	(void)kill(getpid(), SIGKILL);
	for (;;)
		(void)pause();
}

/* Counts a call. Returns whether something happens to it: it fails, or the caller tears it. */
static bool is_hit(bool grows, bool is_write)
{
	uint64_t number = counter != NULL ? atomic_fetch_add(counter, 1) + 1 : 0;
	if (last == 0 || number < last || (number > last && how != FULL))
		return false;
	if (how == FULL && !grows)
		return false;
	if (how == KILL || (how == TEAR && !is_write))
		die();
	errno = how == FULL ? ENOSPC : EIO;
	return true;
}

static bool is_file(int fd)
{
	struct stat st;
	return counter != NULL && fstat(fd, &st) == 0 &&
	    (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	NEXT(write);
	if (!is_file(fd) || !is_hit(true, true))
		return next(fd, bytes, len);
	if (how != TEAR)
		return -1;
	(void)!next(fd, bytes, len / 2);
	die();
	return -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
	NEXT(pwrite);
	if (!is_file(fd) || !is_hit(true, true))
		return next(fd, bytes, len, offset);
	if (how != TEAR)
		return -1;
	(void)!next(fd, bytes, len / 2, offset);
	die();
	return -1;
}

int ftruncate(int fd, off_t size)
{
	NEXT(ftruncate);
	return is_file(fd) && is_hit(false, false) ? -1 : next(fd, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size)
{
	NEXT(fallocate);
	return is_file(fd) && is_hit(true, false) ? -1 : next(fd, mode, offset, size);
}

int fsync(int fd)
{
	NEXT(fsync);
	return is_file(fd) && is_hit(false, false) ? -1 : next(fd);
}

int fdatasync(int fd)
{
	NEXT(fdatasync);
	return is_file(fd) && is_hit(false, false) ? -1 : next(fd);
}

int rename(const char *from, const char *to)
{
	NEXT(rename);
	return is_hit(false, false) ? -1 : next(from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	NEXT(renameat);
	return is_hit(false, false) ? -1 : next(from_dir, from, to_dir, to);
}

int link(const char *from, const char *to)
{
	NEXT(link);
	return is_hit(true, false) ? -1 : next(from, to);
}

int unlink(const char *path)
{
	NEXT(unlink);
	return is_hit(false, false) ? -1 : next(path);
}

int unlinkat(int dir, const char *path, int flags)
{
	NEXT(unlinkat);
	return is_hit(false, false) ? -1 : next(dir, path, flags);
}

int mkdir(const char *path, mode_t mode)
{
	NEXT(mkdir);
	return is_hit(true, false) ? -1 : next(path, mode);
}

/* Opening counts where it makes or empties a file. Returns whether it fails. */
static bool fails(int dir, const char *path, int flags)
{
	bool is_new = (flags & O_CREAT) != 0 && faccessat(dir, path, F_OK, 0) < 0;
	return (flags & (O_CREAT | O_TRUNC)) != 0 && (flags & O_ACCMODE) != O_RDONLY &&
	    is_hit(is_new, false);
}

/* The mode behind the last named argument. */
#define MODE(flags, ret_mode)                                                      \
	do {                                                                       \
		va_list arguments;                                                 \
		va_start(arguments, flags);                                        \
		ret_mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0; \
		va_end(arguments);                                                 \
	} while (0)

int open(const char *path, int flags, ...)
{
	mode_t mode;
	NEXT(open);
	MODE(flags, mode);
	return fails(AT_FDCWD, path, flags) ? -1 : next(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode;
	NEXT(openat);
	MODE(flags, mode);
	return fails(dir, path, flags) ? -1 : next(dir, path, flags, mode);
}
