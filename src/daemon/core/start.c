/* SPDX-License-Identifier: ISC */
/* The start of the process. */
#include "daemon/core/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "client/link.h"
#include "daemon/core/config.h"
#include "daemon/core/log_file.h"
#include "daemon/core/rlimit.h"
#include "daemon/core/sd_notify.h"

#define LISTEN_TRIES 50
#define LISTEN_TRY_MS 10

int start_fail(const char *format, ...)
{
	char text[2 * PATH_MAX + 512];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	(void)fprintf(stderr, "muxbusd: %s\n", text);
	return -1;
}

void start_write_ready(int fd)
{
	if (fd < 0)
		return;
	(void)!write(fd, "ready\n", 6); /* a starter that does not read does not need the line */
	(void)close(fd); /* the line is out */
}

int start_printed(bool is_written)
{
	if (is_written && fflush(stdout) == 0)
		return EXIT_SUCCESS;
	(void)start_fail("standard output: %s", strerror(errno));
	return EXIT_FAILURE;
}

int start_take_service(struct config *config)
{
	char reason[512];
	/* No job gets the descriptors of the starter. Before Linux 5.11 only one is known. */
	if (close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) < 0 && config->ready_fd > 2)
		(void)fcntl(config->ready_fd, F_SETFD, FD_CLOEXEC);
	if (sd_notify_take(config->socket, &config->listen_fd, reason, sizeof reason) < 0)
		return start_fail("%s", reason);
	if (config->listen_fd > 0 && !config->is_foreground)
		return start_fail("the socket comes from a service manager: add -f");
	return 0;
}

/*
 * Asks the running daemon by SIGUSR1 to make its socket again, if that was removed. The daemon does
 * nothing if it starts or ends. An older version has no handler: the signal would end it, and is not
 * sent.
 */
static void make_listen(const struct lock_holder *holder, const char *own_socket)
{
	const char *socket = holder->socket[0] == '/' ? holder->socket : own_socket;
	bool is_asked = false;
	for (unsigned tries = 0; tries < LISTEN_TRIES && holder->pid > 1; tries++) {
		int fd = link_connect(socket, 0);
		if (fd >= 0)
			(void)close(fd); /* it listens */
		if (fd >= 0 || (errno != ENOENT && errno != ECONNREFUSED) ||
		    !process_catches(holder->pid, SIGUSR1))
			return;
		if (!is_asked && kill(holder->pid, SIGUSR1) < 0)
			return;
		is_asked = true;
		(void)usleep(LISTEN_TRY_MS * 1000);
	}
}

enum start_result start_take(struct start *start, const struct config *config)
{
	struct lock_holder holder;
	char reason[2 * PATH_MAX + 256];
	enum lock_result result =
	    lock_take(config->state_dir, &start->lock_fd, &holder, reason, sizeof reason);
	if (result == LOCK_OK && !config->is_fleet &&
	    !lock_server(&start->server_lock, config->tmux_socket, &holder))
		result = LOCK_HELD;
	switch (result) {
	case LOCK_OK:
		lock_describe(start->lock_fd, ""); /* until it listens */
		break;
	case LOCK_HELD:
		make_listen(&holder, config->socket);
		(void)fprintf(stderr, "muxbusd: already running for %s: process %ld, socket %s\n",
		    config->is_fleet ? "the fleet" : "this tmux server", (long)holder.pid,
		    holder.socket[0] ? holder.socket : "not open yet");
		if (config->listen_fd > 0) {
			(void)start_fail("stop that daemon or this service: that daemon does not "
					 "listen on the socket of the service");
			return START_FAILED;
		}
		start_write_ready(config->ready_fd);
		return START_RUNNING;
	case LOCK_ERROR:
		(void)start_fail("%s", reason);
		return START_FAILED;
	}
	if (log_file_open(config->log_file, "muxbusd", config->log_level, reason, sizeof reason) <
	    0) {
		(void)start_fail("%s", reason);
		return START_FAILED;
	}
	/* The daemon is in no pane, even if it was started in one. */
	(void)unsetenv("TMUX");
	(void)unsetenv("TMUX_PANE");
	library_log_take();
	(void)mallopt(
	    M_ARENA_MAX, 1); /* one thread allocates much: a second arena costs memory only */
	rlimit_raise_files();
	return START_OK;
}
