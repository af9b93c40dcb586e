/* SPDX-License-Identifier: ISC */
/* Reads, writes and finds files; makes folders; checks who can change a file. */
#pragma once

#include "base/buf.h"

/*
 * Appends all bytes up to the end of the file. Returns 0, or -1 with errno, which is EFBIG if out
 * cannot take the bytes. Neither this function nor file_read() is thread-safe.
 */
int file_read_all(int fd, struct buf *out);
/* As file_read_all(), for the file at a path, opened with more flags of open(2). */
int file_read(const char *path, int flags, struct buf *out);

/* Writes all bytes to a blocking descriptor. Returns 0, or -1 with errno. */
int file_write_all(int fd, const void *bytes, size_t len);

/*
 * Makes the missing folders of an absolute path; a last part without a '/' behind it is no folder.
 * The new folders get the user and group of owner; NULL: ours. Returns 0, or -1 with errno and the
 * path cut to the folder that failed.
 */
int file_make_folders(char *path, mode_t mode, const struct stat *owner);

/* Returns true if path is a regular file that we may execute. */
bool file_is_program(const char *path);
/*
 * Finds the first program `name` in dirs, a list like PATH (or NULL). Skips relative directories.
 * Returns true with the path in out.
 */
bool file_find_program(const char *name, const char *dirs, char *out, size_t size);

/*
 * Checks that others cannot replace a file, unless their group may write to a folder. Each folder
 * above the file, and above its target if links lead to one, must belong to a trusted owner: our
 * user, root or the owner of "/". A folder that everyone can write to must be sticky. The check
 * ends at a folder that is missing or cannot be examined. `what` names the file in the reason.
 * Returns 0, or -1 with the reason.
 */
int file_check_parents(const char *path, const char *what, char *ret_reason, size_t size);
/*
 * Returns true if a file or folder belongs to a trusted owner, and neither its group nor others can
 * write to it. If path is a symbolic link, the folder of its target must be as safe. status is the
 * result of stat(2). Returns false with the reason.
 */
bool file_is_safe(const char *path, const struct stat *status, char *ret_reason, size_t size);
/*
 * Appends all bytes of a regular file that only trusted owners can change. Returns 0, or -1 with
 * the reason, which names the file, and errno; 0 if no system call has failed.
 */
int file_read_safe(const char *path, struct buf *out, char *ret_reason, size_t size);

/*
 * Writes the path of a tmux server's socket, as tmux finds it: path (-S); else the server called
 * name (-L); else the server of $TMUX; else the server "default". name and path may be NULL.
 * Returns 0, or -1 if size is too small.
 */
int file_tmux_socket(char *out, size_t size, const char *name, const char *path);
