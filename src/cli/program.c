/* SPDX-License-Identifier: ISC */
#include "cli/program.h"

#include <poll.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/process.h"

bool program_find_in_path(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");
	return file_find_program(
	    name, path != NULL ? path : "/usr/local/bin:/usr/bin:/bin", out, size);
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
		if (n > 0 && (size_t)n < size && file_is_program(out))
			return true;
	}
	return program_find_in_path(name, out, size);
}

static bool read_all(int fd, int timeout_ms, struct buf *out)
{
	int64_t deadline = clock_deadline_ms(timeout_ms);
	for (;;) {
		char bytes[4096];
		size_t room = out->max - out->len;
		int64_t left = clock_left_ms(deadline);
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		int r = left > 0 ? poll(&poll_fd, 1, (int)left) : 0;
		ssize_t n;
		if (r == 0)
			return false;
		n = r < 0 ? -1 : read(fd, bytes, sizeof bytes);
		if (n == 0 || (n < 0 && errno != EINTR))
			return true;
		if (n > 0)
			(void)buf_append(out, bytes, (size_t)n < room ? (size_t)n : room);
	}
}

int program_run(const char *path, char *const *argv, enum program_stream stream, int timeout_ms,
    struct buf *out)
{
	struct child_options options = {
	    .path = path,
	    .argv = argv,
	    .streams = {{CHILD_NULL, 0}, {CHILD_NULL, 0}, {CHILD_NULL, 0}},
	    .defaults = {SIGPIPE, SIGXFSZ},
	};
	struct child child;
	int error, status;
	bool is_timely;
	options.streams[stream].kind = CHILD_PIPE_OUT;
	error = child_start(&options, &child);
	if (error != 0) {
		errno = error;
		return -1;
	}
	is_timely = read_all(child.ends[stream], timeout_ms, out);
	(void)close(child.ends[stream]);
	if (!is_timely)
		(void)kill(child.pid, SIGKILL);
	status = child_reap(child.pid);
	if (!is_timely) {
		errno = ETIMEDOUT;
		return -1;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
