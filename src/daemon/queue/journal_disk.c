/* SPDX-License-Identifier: ISC */
/* The disk under a journal: one directory, its descriptor held. */
#include "daemon/queue/journal_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

struct journal_disk_dir {
	int fd;
};

static int dir_open_file(void *data, const char *name, int create)
{
	struct journal_disk_dir *dir = data;
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd = openat(dir->fd, name, create ? flags | O_CREAT | O_TRUNC : flags, 0600);
	struct stat status;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

static ssize_t dir_read(void *data, int file, void *bytes, size_t len, uint64_t offset)
{
	ssize_t got;
	(void)data;
	do
		got = pread(file, bytes, len, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static ssize_t dir_write(void *data, int file, const void *bytes, size_t len, uint64_t offset)
{
	ssize_t put;
	(void)data;
	do
		put = pwrite(file, bytes, len, (off_t)offset);
	while (put < 0 && errno == EINTR);
	return put < 0 ? -errno : put;
}

static int dir_truncate(void *data, int file, uint64_t len)
{
	(void)data;
	return ftruncate(file, (off_t)len) < 0 ? -errno : 0;
}

/*
 * Not posix_fallocate(): that would write where the file system cannot reserve. The file gets that
 * size: a sync of a record need not write a new one.
 */
static int dir_reserve(void *data, int file, uint64_t len)
{
	(void)data;
	return fallocate(file, 0, 0, (off_t)len) < 0 ? -errno : 0;
}

static int64_t dir_size(void *data, int file)
{
	struct stat status;
	(void)data;
	return fstat(file, &status) < 0 ? -errno : (int64_t)status.st_size;
}

static int dir_sync(void *data, int file)
{
	(void)data;
	return fdatasync(file) < 0 ? -errno : 0;
}

static int dir_install(void *data, const char *from, const char *to)
{
	struct journal_disk_dir *dir = data;
	if (renameat(dir->fd, from, dir->fd, to) < 0)
		return -errno;
	return fsync(dir->fd) < 0 ? -errno : 0;
}

static int dir_unlink(void *data, const char *name)
{
	struct journal_disk_dir *dir = data;
	return unlinkat(dir->fd, name, 0) < 0 ? -errno : 0;
}

static void dir_close_file(void *data, int file)
{
	(void)data;
	close(file);
}

const struct journal_disk journal_disk_dir_table = {
    .open = dir_open_file,
    .read = dir_read,
    .write = dir_write,
    .truncate = dir_truncate,
    .reserve = dir_reserve,
    .size = dir_size,
    .sync = dir_sync,
    .install = dir_install,
    .unlink = dir_unlink,
    .close = dir_close_file,
};

struct journal_disk_dir *journal_disk_dir_open(const char *path)
{
	struct journal_disk_dir *dir;
	struct stat status;
	int fd;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return NULL;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) < 0 || status.st_uid != geteuid()) {
		close(fd);
		errno = EPERM;
		return NULL;
	}
	dir = mem_alloc(sizeof *dir);
	if (dir == NULL) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	dir->fd = fd;
	return dir;
}

void journal_disk_dir_close(struct journal_disk_dir *dir)
{
	if (dir == NULL)
		return;
	close(dir->fd);
	mem_free(dir);
}
