/* SPDX-License-Identifier: ISC */
/* Runs another program and reads its output. */
#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define EXIT_NOT_RUN 127

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool program_find_in_path(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");
	if (path == NULL)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (size_t len; *path; path += len + (path[len] == ':')) {
		int n;
		len = strcspn(path, ":");
		/* A relative entry would depend on the current directory: skip it. */
		n = snprintf(out, size, "%.*s/%s", (int)len, path, name);
		if (*path == '/' && n > 0 && (size_t)n < size && is_program(out))
			return true;
	}
	return false;
}

bool program_find(const char *name, char *out, size_t size)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	if (len > 0) {
		const char *slash;
		int n;
		self[len] = '\0';
		slash = strrchr(self, '/');
		n = snprintf(out, size, "%.*s/%s", (int)(slash - self), self, name);
		if (n > 0 && (size_t)n < size && is_program(out))
			return true;
	}
	return program_find_in_path(name, out, size);
}

/* In the child: never returns. */
static _Noreturn void become(
    const char *path, char *const *argv, enum program_stream stream, int pipe_fd)
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	if (null >= 0 && dup2(null, 0) >= 0 &&
	    dup2(stream == PROGRAM_STDOUT ? pipe_fd : null, 1) >= 0 &&
	    dup2(stream == PROGRAM_STDERR ? pipe_fd : null, 2) >= 0)
		(void)execv(path, argv);
	_exit(EXIT_NOT_RUN);
}

/* Reads until the end. Returns false on timeout. */
static bool read_all(int fd, int timeout_ms, struct buf *out)
{
	int64_t deadline = clock_mono_ms() + timeout_ms;
	for (;;) {
		char bytes[4096];
		int64_t left = deadline - clock_mono_ms();
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int r = left > 0 ? poll(&poll_fd, 1, (int)left) : 0;
		ssize_t n;
		if (r == 0)
			return false;
		n = r < 0 ? -1 : read(fd, bytes, sizeof bytes);
		if (n == 0 || (n < 0 && errno != EINTR))
			return true;
		if (n > 0)
			(void)buf_append(out, bytes, (size_t)n); /* the beginning is enough */
	}
}

int program_run(const char *path, char *const *argv, enum program_stream stream, int timeout_ms,
    struct buf *out)
{
	int fds[2];
	int saved_errno;
	int status = 0;
	bool is_timely;
	pid_t pid;
	if (!is_program(path)) {
		errno = ENOENT;
		return -1;
	}
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		become(path, argv, stream, fds[1]);
	saved_errno = errno;
	(void)close(fds[1]); /* the child's */
	is_timely = pid > 0 && read_all(fds[0], timeout_ms, out);
	(void)close(fds[0]);
	if (pid < 0) {
		errno = saved_errno;
		return -1;
	}
	if (!is_timely)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!is_timely) {
		errno = ETIMEDOUT;
		return -1;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
