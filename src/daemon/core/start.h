/* SPDX-License-Identifier: ISC */
/* The start of the process: its lock, its log, and the words that its starter waits for. */
#pragma once

#include "base/base.h"

struct config;

/*
 * One daemon for each tmux server: a lock in the state directory, held for life, and one by the name
 * of the server's process, for daemons with other state directories.
 */

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

struct start {
	int lock_fd;
	struct server_lock server_lock;
};

enum start_result {
	START_OK,
	START_RUNNING, /* another daemon runs, and the starter knows */
	START_FAILED,
};

/* Prints an error for the caller who starts the daemon. Returns -1. */
int start_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The exit status of what was written to standard output; an error is printed. */
int start_printed(bool is_written);
/* Says on the descriptor that the daemon is ready, and closes it; below 0: nothing. */
void start_write_ready(int fd);

/* Takes the socket of a service manager, which expects us in the foreground. 0 or -1. */
int start_take_service(struct config *config);
/* Takes the lock, opens the log, and sets the defaults of signals and of the environment. */
enum start_result start_take(struct start *start, const struct config *config);
/*
 * Makes the directory of the socket, for this user alone, if it is that of the fleet, or that in
 * which tmux has its sockets: it is gone after a reboot, and tmux makes it in the same way. Returns
 * 0, or -1 with a reason.
 */
int start_make_dir(const struct config *config, char *ret_reason, size_t size);

/*
 * Leaving the terminal: the program forks, and the parent waits until the child reports
 * that it is ready or why it failed.
 */

/*
 * Forks. Returns 0 in the child, which leads a new session in the root directory and has closed all
 * inherited descriptors but the standard streams and keep_fd (-1: none). The parent never returns:
 * it exits when the child calls daemonize_ready() or ends. Returns -1 with errno if it cannot fork.
 */
int daemonize_enter(int keep_fd);

/*
 * Reports success: the parent exits with 0, and the standard streams become /dev/null.
 * Without daemonize_enter() it does nothing.
 */
void daemonize_ready(void);

/*
 * The service manager that started us, if any: the socket that it passes to us, and our
 * status reports. This is the protocol of sd_listen_fds(3) and sd_notify(3), which needs
 * only a few environment variables.
 */

/* Reports to the service manager, if any: "READY=1", "STATUS=…", "STOPPING=1". */
void sd_notify_tell(const char *state);
