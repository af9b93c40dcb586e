/* SPDX-License-Identifier: ISC */
#include "base/file.h"

#include "base/str.h"

int file_read_all(int fd, struct buf *out)
{
	static char bytes[16384]; /* not on the stack, which `ulimit -s` may limit to 64 KiB */
	ssize_t n;
	while ((n = read(fd, bytes, sizeof bytes)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (buf_append(out, bytes, (size_t)n) < 0) {
			errno = EFBIG;
			return -1;
		}
	}
	return 0;
}

int file_read(const char *path, int flags, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags), r, saved_errno;
	if (fd < 0)
		return -1;
	r = file_read_all(fd, out);
	saved_errno = errno;
	(void)close(fd);
	errno = saved_errno;
	return r;
}

int file_write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;
	while (len > 0) {
		ssize_t n = write(fd, at, len);
		if (n == 0)
			errno = EIO; /* retrying could loop forever */
		if (n == 0 || (n < 0 && errno != EINTR))
			return -1;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int file_make_folders(char *path, mode_t mode, const struct stat *owner)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, mode) == 0) {
			if (owner != NULL && lchown(path, owner->st_uid, owner->st_gid) < 0)
				return -1;
		} else if (errno != EEXIST) {
			return -1;
		}
		*slash = '/';
	}
	return 0;
}

bool file_is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool file_find_program(const char *name, const char *dirs, char *out, size_t size)
{
	while (dirs != NULL && *dirs != '\0') {
		size_t len = strcspn(dirs, ":");
		if (*dirs == '/' &&
		    (size_t)snprintf(out, size, "%.*s/%s", (int)len, dirs, name) < size &&
		    file_is_program(out))
			return true;
		dirs += len + (dirs[len] == ':');
	}
	return false;
}

/* In a container, the files of root may belong to another user, who then owns "/" too. */
static bool is_trusted(uid_t uid)
{
	struct stat root;
	return uid == geteuid() || uid == 0 || (stat("/", &root) == 0 && uid == root.st_uid);
}

static int check_parents(const char *path, const char *what, char *ret_reason, size_t size)
{
	char part[PATH_MAX];
	struct stat st;
	for (const char *slash = path; (slash = strchr(slash, '/')) != NULL; slash++) {
		int len = slash == path ? 1 : (int)(slash - path);
		if (slash[1] == '\0')
			break; /* a trailing slash */
		(void)snprintf(part, sizeof part, "%.*s", len, path);
		if (lstat(part, &st) < 0)
			return 0;
		if (!is_trusted(st.st_uid))
			return str_refuse(ret_reason, size,
			    "%s belongs to user %u, who could replace %s", part,
			    (unsigned)st.st_uid, what);
		if (S_ISDIR(st.st_mode) && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
			return str_refuse(ret_reason, size,
			    "%s is writable by everyone (mode %04o): run chmod o-w '%s', or others "
			    "could replace %s",
			    part, (unsigned)st.st_mode & 07777, part, what);
	}
	return 0;
}

int file_check_parents(const char *path, const char *what, char *ret_reason, size_t size)
{
	char real[PATH_MAX];
	if (check_parents(path, what, ret_reason, size) < 0)
		return -1;
	return realpath(path, real) != NULL ? check_parents(real, what, ret_reason, size) : 0;
}

/* Returns true if the folder of a symbolic link's target is safe, or path is not a link. */
static bool is_link_safe(const char *path, char *ret_reason, size_t size)
{
	char real[PATH_MAX], *slash;
	struct stat status;
	if (lstat(path, &status) < 0 || !S_ISLNK(status.st_mode) || realpath(path, real) == NULL)
		return true;
	slash = strrchr(real, '/');
	slash[slash == real] = '\0';
	return stat(real, &status) < 0 || file_is_safe(real, &status, ret_reason, size);
}

bool file_is_safe(const char *path, const struct stat *status, char *ret_reason, size_t size)
{
	if (!is_trusted(status->st_uid)) {
		(void)snprintf(ret_reason, size, "%s belongs to user %u, who could change it", path,
		    (unsigned)status->st_uid);
		return false;
	}
	if (status->st_mode & (S_IWGRP | S_IWOTH)) {
		(void)snprintf(ret_reason, size,
		    "%s is writable by others (mode %04o): look at it, then run: chmod go-w '%s'",
		    path, (unsigned)status->st_mode & 07777, path);
		return false;
	}
	return is_link_safe(path, ret_reason, size);
}

int file_read_safe(const char *path, struct buf *out, char *ret_reason, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error = 0, r = -1;
	struct stat status;
	if (fd < 0 || fstat(fd, &status) < 0)
		error = errno;
	else if (!S_ISREG(status.st_mode))
		(void)snprintf(ret_reason, size, "%s: not a regular file", path);
	else if (status.st_size > (off_t)out->max)
		(void)snprintf(ret_reason, size, "%s: longer than %zu bytes", path, out->max);
	else if (file_is_safe(path, &status, ret_reason, size) && (r = file_read_all(fd, out)) < 0)
		error = errno;
	if (fd >= 0)
		(void)close(fd);
	if (error != 0)
		(void)snprintf(ret_reason, size, "%s: %s", path, strerror(error));
	errno = error;
	return r;
}

int file_tmux_socket(char *out, size_t size, const char *name, const char *path)
{
	const char *tmux = getenv("TMUX"), *tmpdir = getenv("TMUX_TMPDIR");
	char dir[PATH_MAX];
	int len;
	if (path != NULL)
		len = snprintf(out, size, "%s", path);
	else if (name == NULL && tmux != NULL && *tmux != '\0' &&
	    *tmux != ',') /* TMUX is "path,pid,session" */
		len = snprintf(out, size, "%.*s", (int)strcspn(tmux, ","), tmux);
	else {
		if ((tmpdir == NULL || *tmpdir == '\0' || realpath(tmpdir, dir) == NULL) &&
		    realpath("/tmp", dir) == NULL)
			strcpy(dir, "/tmp");
		len = snprintf(out, size, "%s/tmux-%ld/%s", dir, (long)getuid(),
		    name != NULL ? name : "default");
	}
	return len >= 0 && (size_t)len < size ? 0 : -1;
}
