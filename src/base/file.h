/* SPDX-License-Identifier: ISC */
/* Reads and writes whole files; checks which files are programs, and which are safe to trust. */
#pragma once

#include "base/buf.h"

/* Appends all bytes up to the end of file. Returns 0, or -1 with errno; EFBIG: out is full. */
int file_read_all(int fd, struct buf *out);
/* As file_read_all(), for the file at a path, opened with more flags of open(2). */
int file_read(const char *path, int flags, struct buf *out);

/* Writes all bytes to a blocking descriptor. Returns 0, or -1 with errno. */
int file_write_all(int fd, const void *bytes, size_t len);

/* Returns true if path is a regular file that we may execute. */
bool file_is_program(const char *path);
/*
 * Finds the first program called name in dirs, a list like PATH, or NULL. Skips relative
 * directories, which depend on the current directory. Returns true with the path in out.
 */
bool file_find_program(const char *name, const char *dirs, char *out, size_t size);

/*
 * Returns true if files of uid can be trusted: uid is our user, root, or the owner of "/".
 * (In a container of another user, the owner of "/" owns the files of root.)
 */
bool file_owner_is_trusted(uid_t uid);
/*
 * Checks that no other user can replace the file at a path: looks at all existing folders above the
 * file, and above the file that links lead to. `what` names the file in the reason. Returns 0, or
 * -1 with the reason.
 */
int file_check_parents(const char *path, const char *what, char *ret_reason, size_t size);
/*
 * Returns true if only this user, root, and the owner of "/" can change a file or folder, and, for
 * a symbolic link, the folder that it leads to. Otherwise writes a reason that names path.
 */
bool file_is_safe(const char *path, const struct stat *status, char *ret_reason, size_t size);
