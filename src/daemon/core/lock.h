/* SPDX-License-Identifier: ISC */
/* One daemon for each tmux server: a lock in the state directory, held for life. */
#ifndef DAEMON_CORE_LOCK_H
#define DAEMON_CORE_LOCK_H

#include <stddef.h>
#include <sys/types.h>

/* Who holds a lock: what it wrote there. */
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
 * Makes the state directory (0700, ours, no symbolic link) with those above it, and takes
 * the lock. *ret_fd is to be kept open as long as it is to be held.
 */
enum lock_result lock_take(const char *state_dir, int *ret_fd, struct lock_holder *ret_holder,
    char *ret_reason, size_t reason_size);

/* Writes who holds it, for others to read. */
void lock_describe(int fd, const char *socket);

#endif
