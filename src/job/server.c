/* SPDX-License-Identifier: ISC */
/* Supervises a server of tools: it never outlives the daemon. */
#include "job/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/child.h"
#include "job/tree.h"

enum {
	EXIT_FAILED = 2, /* the server was not started */
	EXIT_NO_PROGRAM = 127,
	LEAVE_MS = 1000, /* from the end of standard input to SIGTERM */
	TERM_MS = 2000, /* from there to SIGKILL */
};

/* Starts the server. Returns 0 or an exit status; the last line of standard error is the reason. */
static int start_server(const char *directory, char *const *command, pid_t *ret_pid)
{
	const struct child_options options = {
	    .argv = command, .dir = directory, .death_signal = SIGKILL};
	struct child child;
	int error = child_start(&options, &child);
	const char *subject = "muxbus-job";
	*ret_pid = child.pid;
	if (error == 0)
		return 0;
	if (child.failed != CHILD_FORK)
		subject = child.failed == CHILD_DIR ? directory : command[0];
	dprintf(STDERR_FILENO, "%s: %s\n", subject, strerror(error));
	return child.failed == CHILD_EXEC ? EXIT_NO_PROGRAM : EXIT_FAILED;
}

/* Reaps orphans as well. Whether the server has ended, and then how. */
static bool reap(pid_t server, int *ret_how)
{
	bool has_ended = false;
	pid_t pid;
	int how;
	while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
		if (pid != server)
			continue;
		has_ended = true;
		*ret_how = how;
	}
	return has_ended;
}

/* Waits for the end of the server. After the pipe has closed, signals follow. */
static int wait_for_end(pid_t server, int life_fd, int signal_fd)
{
	int64_t due_ms = 0;
	int next_signal = SIGTERM;
	int how = 0;
	while (!reap(server, &how)) {
		struct pollfd fds[] = {
		    {.fd = signal_fd, .events = POLLIN},
		    {.fd = due_ms == 0 ? life_fd : -1, .events = POLLIN},
		};
		struct signalfd_siginfo info;
		int64_t left_ms = due_ms == 0 ? -1 : due_ms - clock_mono_ms();
		if (due_ms != 0 && left_ms <= 0) {
			(void)tree_signal(next_signal);
			next_signal = SIGKILL;
			due_ms = clock_mono_ms() + TERM_MS;
			continue;
		}
		if (poll(fds, 2, (int)left_ms) < 0 && errno != EINTR)
			break;
		while (read(signal_fd, &info, sizeof info) == sizeof info)
			continue;
		if (fds[1].revents != 0)
			due_ms = clock_mono_ms() + LEAVE_MS;
	}
	return how;
}

/* Ends as the server has ended. */
static int end_as(int how)
{
	struct rlimit no_core = {0};
	sigset_t none;
	if (!WIFSIGNALED(how))
		return WEXITSTATUS(how);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	sigemptyset(&none);
	signal(WTERMSIG(how), SIG_DFL); /* fails for SIGKILL, which needs it not */
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)raise(WTERMSIG(how));
	return EXIT_FAILED;
}

int server_run(char *const *words)
{
	int life_fd = atoi(words[0]);
	pid_t server;
	sigset_t signals;
	int signal_fd, status, how;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0 || fcntl(life_fd, F_SETFD, FD_CLOEXEC) < 0)
		return EXIT_FAILED;
	signal(SIGTERM, SIG_IGN); /* the pipe says when to end */
	signal(SIGINT, SIG_IGN);
	setsid(); /* fails if we lead a session already, which is fine */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	status = start_server(words[1], words + 2, &server);
	if (status != 0)
		return status;
	/* The daemon sees the ends of streams that only the server has. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	how = wait_for_end(server, life_fd, signal_fd);
	tree_kill();
	return end_as(how);
}
