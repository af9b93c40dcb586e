/* SPDX-License-Identifier: ISC */
/*
 * One daemon for each tmux server: a lock in the state directory, held for life, and one by the name
 * of the server's process, for daemons with other state directories.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LOCK_ENDING "ending" /* in place of the socket: a start waits for the end */

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

/* The lock of a tmux server, at first zeroed. */
struct server_lock {
	int fd;
	pid_t server; /* 0: none */
};

/*
 * Takes the lock of the tmux server that runs at the socket, and leaves that of an earlier one: an
 * address of the kernel, made from the server's process and its start, which ends with the process
 * that has it. False if another daemon has it: *ret_holder has its process. Where such a lock cannot
 * be had, as when no server runs or another user has the address, there is none.
 */
bool lock_server(struct server_lock *lock, const char *tmux_socket, struct lock_holder *ret_holder);
