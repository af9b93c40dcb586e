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
#include "job/tree.h"

enum {
	EXIT_FAILED = 2, /* the server was not started */
	EXIT_NO_PROGRAM = 127,
	LEAVE_MS = 1000, /* from the end of standard input to SIGTERM */
	TERM_MS = 2000, /* from there to SIGKILL */
};

/* In the child: becomes the server. The last line of standard error is the reason of a failure. */
_Noreturn static void child_exec(pid_t parent, const char *directory, char *const *command)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	if (chdir(directory) < 0) {
		dprintf(STDERR_FILENO, "%s: %s\n", directory, strerror(errno));
		_exit(EXIT_FAILED);
	}
	execvp(command[0], command);
	dprintf(STDERR_FILENO, "%s: %s\n", command[0], strerror(errno));
	_exit(EXIT_NO_PROGRAM);
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
	pid_t self = getpid(), server;
	sigset_t signals;
	int signal_fd, how;
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
	server = fork();
	if (server < 0) {
		dprintf(STDERR_FILENO, "muxbus-job: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	if (server == 0)
		child_exec(self, words[1], words + 2);
	/* The daemon sees the ends of streams that only the server has. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	how = wait_for_end(server, life_fd, signal_fd);
	tree_kill();
	return end_as(how);
}
