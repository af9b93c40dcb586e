/* SPDX-License-Identifier: ISC */
/* One daemon for each tmux server: a lock in the state directory, held for life. */
#ifndef DAEMON_CORE_LOCK_H
#define DAEMON_CORE_LOCK_H

#include <stddef.h>
#include <sys/types.h>

/* The holder of a lock, as written in the file. */
struct lock_holder {
	pid_t pid; /* 0: not known */
	char socket[512]; /* "": not known */
};

enum lock_result {
	LOCK_OK,
	LOCK_HELD, /* by another daemon */
	LOCK_ERROR,
};

/*
 * Opens the state directory (state_dir.h) and takes the lock in it, which is held while *ret_fd
 * is open. A symbolic link is not followed.
 */
enum lock_result lock_take(const char *state_dir, int *ret_fd, struct lock_holder *ret_holder,
    char *ret_reason, size_t reason_size);

/* Writes pid and socket of the holder into the file, unless it has several hard links. */
void lock_describe(int fd, const char *socket);

#endif
