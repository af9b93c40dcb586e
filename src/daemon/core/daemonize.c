/* SPDX-License-Identifier: ISC */
/* Leaving the terminal. */
#include "daemon/core/daemonize.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The write end of the pipe to the waiting parent; -1: there is no parent. */
static int ready_pipe = -1;

/* Waits for the child and exits with its status. The child reports its own errors. */
static void __attribute__((noreturn)) wait_for_child(int fd, pid_t child)
{
	char word;
	ssize_t n;
	int status;
	do
		n = read(fd, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		_exit(EXIT_SUCCESS);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

/* Closes everything but the standard streams and two others. */
static void close_others(int a, int b)
{
	int low = a < b ? a : b;
	int high = a < b ? b : a;
	unsigned from = 3;
	if (low >= 3) {
		if (low > 3)
			(void)close_range(from, (unsigned)low - 1, 0);
		from = (unsigned)low + 1;
	}
	if (high >= 3) {
		if ((unsigned)high > from)
			(void)close_range(from, (unsigned)high - 1, 0);
		from = (unsigned)high + 1;
	}
	(void)close_range(from, UINT_MAX, 0);
}

int daemonize_enter(int keep_fd)
{
	int ends[2];
	pid_t child;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child < 0)
		return -1;
	if (child > 0) {
		(void)close(ends[1]); /* the child's */
		wait_for_child(ends[0], child);
	}
	ready_pipe = ends[1];
	close_others(ready_pipe, keep_fd);
	(void)setsid(); /* cannot fail: a new child leads no group */
	return chdir("/");
}

void daemonize_ready(void)
{
	int null;
	if (ready_pipe < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		(void)dup2(null, fd);
	if (null > 2)
		(void)close(null); /* its copies stay */
	(void)!write(ready_pipe, "", 1);
	(void)close(ready_pipe); /* the parent has read it or has ended */
	ready_pipe = -1;
}
