/* SPDX-License-Identifier: ISC */
/* The end of a process that is watched by a pidfd: not reaped yet, then with its status. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sync/pane_pidfd.h"
#include "tap.h"

#define PANE 7

static bool has_ended;

static void on_ended(void *data, uint32_t pane)
{
	(void)data;
	has_ended = pane == PANE;
}

/* Linux 6.13 shows that a process is not reaped, and 6.15 its exit status, to all. */
static bool kernel_has(unsigned version)
{
	unsigned major = 0, minor = 0;
	FILE *file = fopen("/proc/sys/kernel/osrelease", "r");
	if (file == NULL)
		return false;
	(void)!fscanf(file, "%u.%u", &major, &minor);
	(void)fclose(file);
	return major > 6 || (major == 6 && minor >= version);
}

static void test_end(struct muxbus_loop *loop)
{
	struct pane_pidfd pidfd;
	int pipe_fds[2], status, signal;
	pid_t pid;
	if (pipe(pipe_fds) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		char byte;
		(void)close(pipe_fds[1]);
		_exit(read(pipe_fds[0], &byte, 1) == 0 ? 3 : 4);
	}
	(void)close(pipe_fds[0]);
	pane_pidfd_init(&pidfd, loop, on_ended, NULL);
	pane_pidfd_watch(&pidfd, PANE, pid);
	is_int(pane_pidfd_look(&pidfd, PANE, pid, &status, &signal), PANE_PIDFD_RUNS, "it runs");
	(void)close(pipe_fds[1]);
	for (int i = 0; i < 100 && !has_ended; i++)
		(void)muxbus_loop_dispatch(loop, 100);
	ok(has_ended, "its end is noticed");
	is_int(pane_pidfd_look(&pidfd, PANE, pid, &status, &signal),
	    kernel_has(13) ? PANE_PIDFD_UNREAPED : PANE_PIDFD_ENDED,
	    "its parent has not reaped it");
	is_int(waitpid(pid, &status, 0), pid, "its parent reaps it");
	status = signal = -2;
	is_int(pane_pidfd_look(&pidfd, PANE, pid, &status, &signal),
	    kernel_has(15) ? PANE_PIDFD_STATUS : PANE_PIDFD_ENDED, "its status is known");
	if (kernel_has(15))
		ok(status == 3 && signal == 0, "status %d, signal %d", status, signal);
	pane_pidfd_finish(&pidfd);
}

int main(void)
{
	struct muxbus_loop *loop;
	if (muxbus_loop_new(&loop) != 0)
		return 1;
	test_end(loop);
	muxbus_loop_free(loop);
	return done_testing();
}
