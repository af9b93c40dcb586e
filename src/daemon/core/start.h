/* SPDX-License-Identifier: ISC */
/* The start of the process: its lock, its log, and its report of readiness to the starter. */
#pragma once

#include "base/base.h"

struct config;

/*
 * Two locks, held until the end of the process, allow one daemon for each tmux server: a lock file
 * in the state directory, and a socket name made from the tmux server's process, which daemons with
 * other state directories find too.
 */

/* written in place of the socket while the holder is ending: a starting daemon waits for that */
#define LOCK_ENDING "ending"

/* The holder of a lock, as written in the lock file. */
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
 * Opens the state directory (state_dir.h) and takes the lock in it, which is held while *ret_fd is
 * open. A symbolic link is not followed. LOCK_HELD sets *ret_holder, LOCK_ERROR a reason.
 */
enum lock_result lock_take(const char *state_dir, int *ret_fd, struct lock_holder *ret_holder,
    char *ret_reason, size_t reason_size);

/*
 * Writes our pid and the socket into the lock file, unless the file has several hard links. fd is
 * that of lock_take().
 */
void lock_describe(int fd, const char *socket);

/* The lock of a tmux server. Initialise it with zeroes. */
struct server_lock {
	int fd;
	pid_t server; /* 0: none */
	unsigned long long start; /* of the server, in clock ticks since boot */
};

/*
 * Takes the lock of the tmux server that runs at the socket, and releases that of an earlier
 * server. The lock is an abstract socket named after the server's process and its start; the kernel
 * frees it when its holder ends. Returns false and sets *ret_holder if another daemon holds the
 * lock; true also if no lock can be taken, because no server runs or another user has the address.
 */
bool lock_server(struct server_lock *lock, const char *tmux_socket, struct lock_holder *ret_holder);

struct start {
	int lock_fd;
	struct server_lock server_lock;
	pid_t server; /* the tmux server that runs, or that has started us; -1: ended; 0: none */
};

enum start_result {
	START_OK,
	START_RUNNING, /* another daemon runs, which was printed for the starter */
	START_FAILED,
};

/* Prints an error to standard error, for the starter of the daemon. Returns -1. */
int start_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Checks the output to standard output: prints the error if it failed, unless it is EPIPE. Returns
 * the exit status of the process.
 */
int start_printed(bool is_written);
/* Writes the line "ready" to fd, for the starter, and closes fd. Does nothing if fd is negative. */
void start_write_ready(int fd);

/*
 * Takes the socket that a service manager has passed, if any; the daemon must then stay in the
 * foreground (-f). Returns 0, or -1 after printing an error.
 */
int start_take_service(struct config *config);
/*
 * Takes the locks (a fleet only that of the state directory), opens the log, unsets the variables
 * of a pane, and raises the limit of open files.
 */
enum start_result start_take(struct start *start, const struct config *config);
/*
 * Makes the directory of the daemon's socket, if it is a fleet's or tmux's own; both are usually
 * lost at a reboot. Only this user may access it. Returns 0, or -1 with a reason.
 */
int start_make_dir(const struct config *config, char *ret_reason, size_t size);

/*
 * Leaves the terminal. Returns 0 in the child, which leads a new session in the root directory and
 * has closed all inherited descriptors but the standard streams and keep_fd (-1: none). The parent
 * never returns: it exits when the child calls daemonize_ready() or ends. Returns -1 with errno if
 * it cannot fork.
 */
int daemonize_enter(int keep_fd);

/*
 * Call this in the child when the daemon is ready: the parent exits with 0, and the standard
 * streams become /dev/null.
 */
void daemonize_ready(void);

/*
 * Service managers: the protocols of sd_listen_fds(3) and sd_notify(3), which need only a few
 * environment variables and so no library.
 */

/* Reports to the service manager, if any: "READY=1", "STATUS=…", "STOPPING=1". */
void sd_notify_tell(const char *state);
