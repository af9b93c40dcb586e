/* SPDX-License-Identifier: ISC */
#include "daemon/core/state_dir.h"

#include "base/file.h"

static const char state[] = "the state in it, unless XDG_STATE_HOME names a directory of your own";

/* Makes a directory and its missing parents with the mode 0700. */
static int make_dirs(const char *path, char *ret_reason, size_t size)
{
	char part[PATH_MAX];
	int len = snprintf(part, sizeof part, "%s/", path);
	if (len < 0 || (size_t)len >= sizeof part)
		return str_refuse(ret_reason, size, "%s: the path is too long", path);
	if (file_make_folders(part, 0700, NULL) < 0)
		return str_refuse(ret_reason, size, "%s: %s", part, strerror(errno));
	return 0;
}

/* Checks owner and rights. If others may read the directory but not write, removes their rights. */
static int check_own(int fd, const char *path, char *ret_reason, size_t size)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	if (st.st_uid != geteuid())
		return str_refuse(ret_reason, size,
		    "%s belongs to user %u; remove it, or set XDG_STATE_HOME to a directory of "
		    "your own",
		    path, (unsigned)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return str_refuse(ret_reason, size,
		    "%s is writable by others (mode %04o), so its files may be theirs; look at "
		    "them, then run: chmod 700 '%s'",
		    path, (unsigned)st.st_mode & 07777, path);
	if (st.st_mode & (S_IRWXG | S_IRWXO) && fchmod(fd, 0700) < 0)
		return str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	return 0;
}

int state_dir_open(const char *path, char *ret_reason, size_t size)
{
	int fd;
	if (file_check_parents(path, state, ret_reason, size) < 0 ||
	    make_dirs(path, ret_reason, size) < 0 ||
	    /* Check again: links in the path of a new directory can be resolved only now. */
	    file_check_parents(path, state, ret_reason, size) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		(void)str_refuse(ret_reason, size, "%s: %s", path,
		    errno == ELOOP || errno == ENOTDIR
			? "is not a directory, or a symbolic link; remove it"
			: strerror(errno));
		return -1;
	}
	if (check_own(fd, path, ret_reason, size) == 0)
		return fd;
	(void)close(fd);
	return -1;
}
