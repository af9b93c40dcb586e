/* SPDX-License-Identifier: ISC */
/* Starting muxbusd where none runs. */
#include "cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"

#define DAEMON "muxbusd"
#define SAID_MAX 4096 /* of what it says */

/* ---- the program ------------------------------------------------------------------------- */

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool launch_find(char *out, size_t size)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len > 0) {
		self[len] = '\0';
		int dir_len = (int)(strrchr(self, '/') - self);
		int n = snprintf(out, size, "%.*s/" DAEMON, dir_len, self);
		if (n > 0 && (size_t)n < size && is_program(out))
			return true;
	}
	const char *path = getenv("PATH");
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (size_t entry; *path; path += entry + (path[entry] == ':')) {
		entry = strcspn(path, ":");
		/* An entry that is not absolute would be the current directory's: never. */
		int n = snprintf(out, size, "%.*s/" DAEMON, (int)entry, path);
		if (*path == '/' && n > 0 && (size_t)n < size && is_program(out))
			return true;
	}
	return false;
}

/* ---- running it --------------------------------------------------------------------------- */

/* In the child: never returns. */
static _Noreturn void become(const char *program, const struct cli *cli, int said_fd)
{
	char *const argv[] = {
	    (char *)DAEMON,
	    (char *)"-S",
	    (char *)cli->tmux_socket,
	    (char *)"-s",
	    (char *)cli->socket,
	    NULL,
	};
	sigset_t none;
	int null = open("/dev/null", O_RDWR);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	if (null >= 0 && dup2(null, 0) >= 0 && dup2(null, 1) >= 0 && dup2(said_fd, 2) >= 0)
		(void)execv(program, argv);
	(void)dprintf(said_fd, DAEMON ": %s: %s\n", program, strerror(errno));
	_exit(127);
}

/* Reads what it says until it ends, or the time is up. False: the time is up. */
static bool listen_to(int fd, struct buf *said)
{
	int64_t deadline = clock_mono_ms() + LAUNCH_TIMEOUT_MS;
	for (;;) {
		char bytes[512];
		int64_t left = deadline - clock_mono_ms();
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int r = left > 0 ? poll(&poll_fd, 1, (int)left) : 0;
		if (r == 0)
			return false;
		ssize_t n = r < 0 ? -1 : read(fd, bytes, sizeof(bytes));
		if (n == 0)
			return true;
		if (n < 0 && errno != EINTR)
			return true;
		if (n > 0)
			(void)buf_append(said, bytes, (size_t)n); /* the first are enough */
	}
}

/* The first line of what it said, without the name that every line begins with. */
static void tell(const struct buf *said, char *ret_reason, size_t size)
{
	const char *text = said->len > 0 ? (const char *)said->data : "";
	const char *prefix = DAEMON ": ";
	if (strncmp(text, prefix, strlen(prefix)) == 0)
		text += strlen(prefix);
	int len = (int)strcspn(text, "\n");
	(void)snprintf(ret_reason, size, "muxbusd does not start: %.*s", len ? len : 16,
	    len ? text : "it does not say why");
}

int launch_daemon(const struct cli *cli, char *ret_reason, size_t size)
{
	char program[PATH_MAX];
	struct buf said;
	int fds[2];
	int status = 0;
	if (!launch_find(program, sizeof(program))) {
		(void)snprintf(
		    ret_reason, size, DAEMON " is neither beside muxbus nor in PATH: install it");
		return -1;
	}
	pid_t pid = pipe2(fds, O_CLOEXEC) == 0 ? fork() : -1;
	if (pid < 0) {
		(void)snprintf(ret_reason, size, DAEMON " cannot be run: %s", strerror(errno));
		return -1;
	}
	if (pid == 0)
		become(program, cli, fds[1]);
	(void)close(fds[1]); /* the child's */
	buf_init(&said, SAID_MAX);
	bool is_timely = listen_to(fds[0], &said);
	(void)close(fds[0]);
	if (!is_timely)
		(void)kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	bool is_ready = is_timely && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (!is_timely)
		(void)snprintf(
		    ret_reason, size, DAEMON " is not ready after %d s", LAUNCH_TIMEOUT_MS / 1000);
	else if (!is_ready)
		tell(&said, ret_reason, size);
	buf_finish(&said);
	return is_ready ? 0 : -1;
}
