/* SPDX-License-Identifier: ISC */
/* Rotated files beside a log. */
#include "daemon/file/rotated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static int64_t born_ns(const struct statx *status)
{
	if (!(status->stx_mask & STATX_BTIME) || status->stx_btime.tv_sec == 0)
		return -1;
	return (int64_t)status->stx_btime.tv_sec * 1000000000 + status->stx_btime.tv_nsec;
}

int64_t sibling_born_ns(int fd)
{
	struct statx status;
	return statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) == 0 ? born_ns(&status) : -1;
}

int64_t sibling_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Suffixes added by rotation: ".1", "-20240501", ".2024-05-01_12:00", ".old". */
static bool is_rotated(const char *suffix)
{
	if (strcmp(suffix, ".old") == 0)
		return true;
	return strchr("._-", suffix[0]) && strpbrk(suffix, "0123456789") &&
	    suffix[strspn(suffix, "0123456789._-:TZ+")] == '\0';
}

static bool read_sibling(int dir, const char *name, struct sibling *ret_sibling)
{
	struct statx status;
	if (strlen(name) >= sizeof ret_sibling->name ||
	    statx(dir, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_INO | STATX_BTIME, &status) <
		0 ||
	    !S_ISREG(status.stx_mode))
		return false;
	strcpy(ret_sibling->name, name);
	ret_sibling->dev = makedev(status.stx_dev_major, status.stx_dev_minor);
	ret_sibling->ino = status.stx_ino;
	ret_sibling->born_ns = born_ns(&status);
	return true;
}

static int by_age(const void *one, const void *other)
{
	const struct sibling *a = one;
	const struct sibling *b = other;
	return a->born_ns < b->born_ns ? -1 : a->born_ns > b->born_ns;
}

size_t sibling_list(const char *path, struct sibling ret_siblings[SIBLINGS_MAX])
{
	char dir_path[PATH_MAX];
	const char *base = strrchr(path, '/') + 1; /* it is absolute */
	size_t base_len = strlen(base);
	size_t count = 0;
	const struct dirent *entry;
	DIR *dir;
	snprintf(dir_path, sizeof dir_path, "%.*s", (int)(base - path), path);
	dir = opendir(dir_path);
	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL && count < SIBLINGS_MAX) {
		if (strncmp(entry->d_name, base, base_len) == 0 &&
		    is_rotated(entry->d_name + base_len))
			count += read_sibling(dirfd(dir), entry->d_name, &ret_siblings[count]);
	}
	(void)closedir(dir); /* only read */
	qsort(ret_siblings, count, sizeof *ret_siblings, by_age);
	return count;
}

size_t sibling_head(int fd, uint8_t ret_head[SIBLING_HEAD])
{
	ssize_t n = pread(fd, ret_head, SIBLING_HEAD, 0);
	return n > 0 ? (size_t)n : 0;
}
