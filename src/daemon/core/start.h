/* SPDX-License-Identifier: ISC */
/* The start of the process: locks, log, background, reports to starter and service manager. */
#pragma once

#include "base/base.h"

struct config;

/*
 * Two locks prevent a second daemon for a tmux server: a lock file in the state directory, and an
 * abstract socket named after the process of the tmux server. Daemons with other state directories
 * find that socket, too.
 */

/* written in place of the socket by a daemon that is ending: a starting daemon waits for its end */
#define LOCK_ENDING "ending"

struct lock_holder {
	pid_t pid; /* 0: not known */
	char socket[512]; /* its path, LOCK_ENDING or words for people; "": not known */
};

enum lock_result {
	LOCK_OK,
	LOCK_HELD, /* by another daemon */
	LOCK_ERROR,
};

/*
 * Opens the state directory (state_dir.h) and takes the lock in it, which is held while *ret_fd is
 * open. Waits for a holder that is ending. The lock file must not be a symbolic link. LOCK_HELD
 * sets *ret_holder, LOCK_ERROR a reason.
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
 * Takes the lock of the tmux server that runs at the socket, and releases the lock of an earlier
 * server. The lock is an abstract socket, which the kernel frees when the holder ends. Returns
 * false and sets *ret_holder if another daemon holds the lock. Returns true also without a lock,
 * for example if no server runs or another user has the address.
 */
bool lock_server(struct server_lock *lock, const char *tmux_socket, struct lock_holder *ret_holder);

struct start {
	int lock_fd;
	struct server_lock server_lock;
	pid_t server; /* the tmux server that runs, or has started us; -1: ended; 0: none */
};

enum start_result {
	START_OK,
	START_RUNNING, /* another daemon runs; this was printed for the starter */
	START_FAILED,
};

/* Prints an error to standard error, for the starter of the daemon. Returns -1. */
int start_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * Flushes standard output. Prints an error if that fails or is_written is false, but not EPIPE.
 * Returns the exit status for the process.
 */
int start_printed(bool is_written);
/* Writes the line "ready" to fd, for the starter, and closes fd. Does nothing if fd is negative. */
void start_write_ready(int fd);

/*
 * Takes the socket that a service manager has passed, if any. With such a socket, the daemon must
 * stay in the foreground (-f). Returns 0, or -1 after printing an error.
 */
int start_take_service(struct config *config);
/*
 * Takes the locks (a fleet takes only the lock file), opens the log, unsets the variables of a
 * pane, and raises the limit of open files. If another daemon runs, makes it listen again instead
 * if its socket was removed.
 */
enum start_result start_take(struct start *start, const struct config *config);
/*
 * Makes the directory of the daemon's socket, with access for this user alone, if it is missing and
 * is that of a fleet or tmux's own. Such directories are usually lost at a reboot. Returns 0, or -1
 * with a reason.
 */
int start_make_dir(const struct config *config, char *ret_reason, size_t size);

/*
 * Forks, and leaves the terminal. Returns 0 in the child: it leads a new session in the root
 * directory, and has closed inherited descriptors except the standard streams and keep_fd (-1:
 * none). The parent exits when the child calls daemonize_ready() or ends. Returns -1 with errno on
 * failure.
 */
int daemonize_enter(int keep_fd);

/*
 * Call this in the child when the daemon is ready: the parent exits with 0, and the standard
 * streams become /dev/null.
 */
void daemonize_ready(void);

/*
 * Service managers: the protocols of sd_listen_fds(3) and sd_notify(3), without their library.
 */

/* Reports to the service manager, if any: "READY=1", "STATUS=…", "STOPPING=1". */
void sd_notify_tell(const char *state);
