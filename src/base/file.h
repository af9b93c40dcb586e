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

/*
 * Makes the missing folders before each '/' of an absolute path, for owner unless NULL. Returns 0,
 * or -1 with errno; the path then ends with the folder that failed.
 */
int file_make_folders(char *path, mode_t mode, const struct stat *owner);

/* Returns true if path is a regular file that we may execute. */
bool file_is_program(const char *path);
/* Finds the program `name` in dirs, a list like PATH or NULL. Skips relative directories. */
bool file_find_program(const char *name, const char *dirs, char *out, size_t size);

/* Returns true for our user, root, and the owner of "/", who owns root's files in a container. */
bool file_owner_is_trusted(uid_t uid);
/* Returns 0, or -1 with a reason if another user can replace the file or the target of a link. */
int file_check_parents(const char *path, const char *what, char *ret_reason, size_t size);
/* Returns true if only trusted owners can change the file, and the folder of a link's target. */
bool file_is_safe(const char *path, const struct stat *status, char *ret_reason, size_t size);
