/* SPDX-License-Identifier: ISC */
/* Reads and replaces a configuration file. */
#include "cli/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NEW_MODE 0600 /* of a new file: it may hold secrets one day */
#define NEW_DIR_MODE 0700

static bool fail(char *ret_reason, size_t size, const char *path, const char *what)
{
	(void)snprintf(ret_reason, size, "%s: %s", path, what);
	return false;
}

static bool read_all(struct config_file *file, int fd)
{
	static char bytes[65536];
	ssize_t n;
	while ((n = read(fd, bytes, sizeof bytes)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (buf_append(&file->text, bytes, (size_t)n) < 0) {
			errno = EFBIG;
			return false;
		}
	}
	return true;
}

bool config_file_read(struct config_file *file, const char *path, char *ret_reason, size_t size)
{
	const char *trouble = NULL;
	int fd;
	*file = (struct config_file){0};
	buf_init(&file->text, CONFIG_FILE_MAX);
	if (strlen(path) >= sizeof file->path)
		return fail(ret_reason, size, path, strerror(ENAMETOOLONG));
	(void)snprintf(file->path, sizeof file->path, "%s", path);
	if (realpath(path, file->target) == NULL)
		(void)snprintf(file->target, sizeof file->target, "%s", path);
	fd = open(file->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return errno == ENOENT ? true : fail(ret_reason, size, path, strerror(ENOTDIR));
	if (fd < 0)
		return fail(ret_reason, size, path, strerror(errno));
	if (fstat(fd, &file->stat) < 0)
		trouble = strerror(errno);
	else if (!S_ISREG(file->stat.st_mode))
		trouble = "it is not a regular file";
	else if (!read_all(file, fd))
		trouble = strerror(errno);
	(void)close(fd); /* only read */
	file->is_there = true;
	return trouble != NULL ? fail(ret_reason, size, path, trouble) : true;
}

void config_file_finish(struct config_file *file)
{
	buf_finish(&file->text);
}

/* Makes the parent directories of a path. */
static bool make_dirs(const char *path)
{
	char dir[PATH_MAX];
	(void)snprintf(dir, sizeof dir, "%s", path);
	for (char *slash = strchr(dir + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(dir, NEW_DIR_MODE) < 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return true;
}

static bool write_all(int fd, const struct buf *text)
{
	size_t at = 0;
	while (at < text->len) {
		ssize_t n = write(fd, text->data + at, text->len - at);
		if (n < 0 && errno != EINTR)
			return false;
		at += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Writes a new file with that text, and syncs it. */
static bool write_new(const char *path, const struct buf *text, const struct config_file *like)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, NEW_MODE);
	bool is_done;
	if (fd < 0)
		return false;
	is_done = write_all(fd, text);
	if (is_done && like->is_there) {
		/* chown() to the group may fail: the mode then grants that group nothing. */
		bool has_group = fchown(fd, (uid_t)-1, like->stat.st_gid) == 0;
		mode_t mode = like->stat.st_mode & (has_group ? 0777 : 0707);
		is_done = fchmod(fd, mode) == 0;
	}
	is_done = is_done && fsync(fd) == 0;
	if (close(fd) < 0 || !is_done) {
		int saved_errno = errno;
		(void)unlink(path);
		errno = saved_errno;
		return false;
	}
	return true;
}

/* Whether the file is unchanged since it was read. */
static bool is_unchanged(const struct config_file *file)
{
	struct stat now;
	if (stat(file->target, &now) < 0)
		return !file->is_there && errno == ENOENT;
	return file->is_there && now.st_ino == file->stat.st_ino &&
	    now.st_size == file->stat.st_size && now.st_mtim.tv_sec == file->stat.st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == file->stat.st_mtim.tv_nsec;
}

/* Keeps the old file beside the new one, with the time in its name. */
static bool keep_backup(struct config_file *file)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm utc;
	file->backup[0] = '\0';
	if (!file->is_there)
		return true;
	(void)strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
	for (int n = 1; n < 100; n++) {
		int len = snprintf(file->backup, sizeof file->backup, "%s.%s%s%.0d.bak",
		    file->target, stamp, n > 1 ? "-" : "", n > 1 ? n : 0);
		if (len < 0 || (size_t)len >= sizeof file->backup) {
			errno = ENAMETOOLONG;
			return false;
		}
		if (write_new(file->backup, &file->text, file))
			return true;
		if (errno != EEXIST)
			return false;
	}
	return false;
}

bool config_file_write(
    struct config_file *file, const struct buf *text, char *ret_reason, size_t size)
{
	char path[PATH_MAX + 32];
	const char *trouble = NULL;
	(void)snprintf(path, sizeof path, "%s.new-%ld", file->target, (long)getpid());
	if (!make_dirs(file->target) || !write_new(path, text, file))
		return fail(ret_reason, size, path, strerror(errno));
	if (!keep_backup(file))
		trouble = strerror(errno);
	else if (!is_unchanged(file))
		trouble = "it was changed meanwhile; try again";
	else if (rename(path, file->target) < 0)
		trouble = strerror(errno);
	if (trouble == NULL)
		return true;
	(void)unlink(path);
	return fail(ret_reason, size, file->path, trouble);
}
