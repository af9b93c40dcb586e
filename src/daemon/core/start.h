/* SPDX-License-Identifier: ISC */
/* The start of the process: its lock, its log, and the words that its starter waits for. */
#pragma once

#include <stdbool.h>

#include "daemon/core/lock.h"

struct config;

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
