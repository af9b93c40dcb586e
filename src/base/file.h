/* SPDX-License-Identifier: ISC */
/* Files as a whole: all bytes of a descriptor; which files are programs, and which are safe. */
#pragma once

#include "base/buf.h"

/* Appends all up to the end. Returns 0, or -1 with errno; EFBIG: the buffer has no room for it. */
int file_read_all(int fd, struct buf *out);

/* Writes all bytes; the descriptor blocks. Returns 0, or -1 with errno. */
int file_write_all(int fd, const void *bytes, size_t len);

/* Whether a path is a regular file that can be executed. */
bool file_is_program(const char *path);
/*
 * The first program of a name in directories, such as those of PATH (NULL: none). A relative one is
 * passed over: it would depend on the current directory.
 */
bool file_find_program(const char *name, const char *dirs, char *out, size_t size);

/*
 * Whether what a user owns can be relied on: we, root, or the owner of "/", who can change all: in a
 * container of another user all that root owns belongs to the latter.
 */
bool file_owner_is_trusted(uid_t uid);
/*
 * Checks the parents of a path that exist, as the path names them and where its links lead: 0, or
 * -1 with the reason, that another user could replace what is below one.
 */
int file_check_parents(const char *path, const char *what, char *ret_reason, size_t size);
/*
 * Whether only this user, root, and the owner of / can change a file or folder; of a symbolic link,
 * also the folder that it leads to. False with a reason that names path.
 */
bool file_is_safe(const char *path, const struct stat *status, char *ret_reason, size_t size);
