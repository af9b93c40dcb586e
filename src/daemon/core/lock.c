/* SPDX-License-Identifier: ISC */
/* One daemon for each tmux server: a lock in the state directory, held for life. */
#include "daemon/core/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

#define FILE_NAME "lock"

/* Creates path and its missing parents, accessible to this user alone. */
static int make_dirs(const char *path, char *ret_reason, size_t size)
{
	char part[PATH_MAX];
	int len = snprintf(part, sizeof part, "%s/", path);
	if (len < 0 || (size_t)len >= sizeof part)
		return str_refuse(ret_reason, size, "%s: the path is too long", path);
	for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return str_refuse(ret_reason, size, "%s: %s", part, strerror(errno));
		*slash = '/';
	}
	return 0;
}

/* Opens the state directory and checks that no other user can write to it. */
static int open_dir(const char *path, char *ret_reason, size_t size)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int r;
	if (fd < 0)
		return str_refuse(ret_reason, size, "%s: %s", path,
		    errno == ELOOP || errno == ENOTDIR ? "not a directory, or a symbolic link"
						       : strerror(errno));
	r = fstat(fd, &st);
	if (r < 0)
		r = str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	else if (st.st_uid != geteuid())
		r = str_refuse(
		    ret_reason, size, "%s: belongs to user %u", path, (unsigned)st.st_uid);
	else if (st.st_mode & (S_IRWXG | S_IRWXO))
		r = fchmod(fd, 0700);
	if (r == 0)
		return fd;
	(void)close(fd); /* a directory, only read */
	return -1;
}

/* "PID\nSOCKET\n" */
static void read_holder(int fd, struct lock_holder *ret_holder)
{
	char text[sizeof ret_holder->socket + 32];
	char *newline, *socket;
	uint32_t pid;
	ssize_t len;
	*ret_holder = (struct lock_holder){0};
	len = pread(fd, text, sizeof text - 1, 0);
	if (len <= 0)
		return;
	text[len] = '\0';
	newline = strchr(text, '\n');
	if (newline == NULL || !str_parse_u32(text, (size_t)(newline - text), &pid) ||
	    pid > INT_MAX)
		return;
	ret_holder->pid = (pid_t)pid;
	socket = newline + 1;
	newline = strchr(socket, '\n');
	if (newline != NULL && (size_t)(newline - socket) < sizeof ret_holder->socket)
		memcpy(ret_holder->socket, socket, (size_t)(newline - socket));
}

enum lock_result lock_take(const char *state_dir, int *ret_fd, struct lock_holder *ret_holder,
    char *ret_reason, size_t reason_size)
{
	enum lock_result result;
	int dir, fd, saved_errno;
	if (make_dirs(state_dir, ret_reason, reason_size) < 0)
		return LOCK_ERROR;
	dir = open_dir(state_dir, ret_reason, reason_size);
	if (dir < 0)
		return LOCK_ERROR;
	fd = openat(dir, FILE_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	saved_errno = errno;
	(void)close(dir); /* a directory, only read */
	if (fd < 0) {
		(void)str_refuse(ret_reason, reason_size, "%s/" FILE_NAME ": %s", state_dir,
		    strerror(saved_errno));
		return LOCK_ERROR;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_fd = fd;
		return LOCK_OK;
	}
	result = errno == EWOULDBLOCK ? LOCK_HELD : LOCK_ERROR;
	if (result == LOCK_HELD)
		read_holder(fd, ret_holder);
	else
		(void)str_refuse(
		    ret_reason, reason_size, "%s/" FILE_NAME ": %s", state_dir, strerror(errno));
	(void)close(fd); /* only read */
	return result;
}

void lock_describe(int fd, const char *socket)
{
	char text[sizeof((struct lock_holder *)NULL)->socket + 32];
	int len = snprintf(text, sizeof text, "%ld\n%s\n", (long)getpid(), socket);
	/* For information; the lock holds without it. */
	if (len > 0 && (size_t)len < sizeof text && ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)len, 0);
}
