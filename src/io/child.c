/* SPDX-License-Identifier: ISC */
/*
 * Starting a program. vfork() copies nothing, and this thread goes on when the child has become the
 * program, or has failed. Until then the child runs in our memory: it makes only system calls, and
 * writes only its error. All signals are blocked meanwhile, so that no handler of ours runs in it.
 */
#include "io/child.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { STATUS_FAILED = 127 };

struct child_start {
	const struct child_options *options;
	int from[CHILD_STREAMS]; /* descriptors that become the streams; -1: /dev/null */
	pid_t parent;
	volatile enum child_step failed; /* written by the child */
	volatile int error;
};

static _Noreturn void fail(struct child_start *start, enum child_step step)
{
	start->error = errno;
	start->failed = step;
	_exit(STATUS_FAILED);
}

static bool is_default(const int defaults[CHILD_DEFAULTS], int number)
{
	for (int at = 0; at < CHILD_DEFAULTS && defaults[at] != 0; at++)
		if (defaults[at] == number)
			return true;
	return defaults[0] == 0;
}

/* No handler is left when the signals are let in. */
static void reset_signals(const int defaults[CHILD_DEFAULTS])
{
	const struct sigaction fresh = {.sa_handler = SIG_DFL};
	struct sigaction ours;
	sigset_t none;
	for (int number = 1; number < NSIG; number++)
		if (is_default(defaults, number) ||
		    (sigaction(number, NULL, &ours) == 0 && ours.sa_handler != SIG_IGN))
			(void)sigaction(number, &fresh, NULL); /* SIGKILL needs it not */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Puts the descriptors in their places, after all of them have left these places. */
static bool place_streams(const struct child_start *start)
{
	const struct child_stream *streams = start->options->streams;
	int from[CHILD_STREAMS], null = -1;
	for (int at = 0; at < CHILD_STREAMS; at++) {
		from[at] = start->from[at];
		if (streams[at].kind == CHILD_INHERIT)
			continue;
		if (from[at] < 0 && null < 0)
			null = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (from[at] < 0)
			from[at] = null;
		if (from[at] >= 0 && from[at] < CHILD_STREAMS)
			from[at] = fcntl(from[at], F_DUPFD_CLOEXEC, CHILD_STREAMS);
		if (from[at] < 0)
			return false;
	}
	for (int at = 0; at < CHILD_STREAMS; at++)
		if (streams[at].kind != CHILD_INHERIT && dup2(from[at], at) < 0)
			return false;
	return true;
}

static _Noreturn void become(struct child_start *start)
{
	const struct child_options *options = start->options;
	char *const *env = options->env != NULL ? options->env : environ;
	reset_signals(options->defaults);
	if (options->group == CHILD_NEW_GROUP)
		(void)setpgid(0, 0); /* of a new process neither can fail */
	if (options->group == CHILD_NEW_SESSION)
		(void)setsid();
	if (options->death_signal != 0) {
		(void)prctl(PR_SET_PDEATHSIG, options->death_signal);
		if (getppid() != start->parent)
			_exit(STATUS_FAILED); /* nothing waits for a reason */
	}
	if (!place_streams(start))
		fail(start, CHILD_FORK);
	if (options->dir != NULL && chdir(options->dir) < 0)
		fail(start, CHILD_DIR);
	if (options->files != NULL)
		(void)setrlimit(RLIMIT_NOFILE, options->files); /* lowering is always allowed */
	if (options->path != NULL) {
		(void)execve(options->path, options->argv, env);
		fail(start, CHILD_EXEC);
	}
	environ = (char **)(uintptr_t)env; /* for the search; spawn() takes it back */
	(void)execvp(options->argv[0], options->argv);
	fail(start, CHILD_EXEC);
}

/* A function of its own, so that no variable of a caller is in a register. */
__attribute__((noinline)) static pid_t split(struct child_start *start)
{
	pid_t pid = vfork();
	if (pid == 0)
		become(start);
	return pid;
}

/* Starts the child. Returns 0 or an error number; a child that failed is reaped. */
static int spawn(struct child_start *start, struct child *child)
{
	char **ours = environ;
	sigset_t all, before;
	pid_t pid;
	int error;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	pid = split(start);
	error = pid < 0 ? errno : start->error;
	if (environ != ours)
		environ = ours;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (error == 0) {
		child->pid = pid;
	} else if (pid > 0) {
		child->tried = pid;
		(void)child_reap(pid);
	}
	return error;
}

/* Makes the pipes and collects the descriptors. Returns 0 or an error number. */
static int open_streams(struct child_start *start, int ends[CHILD_STREAMS])
{
	for (int at = 0; at < CHILD_STREAMS; at++) {
		const struct child_stream *stream = &start->options->streams[at];
		int fds[2], theirs = stream->kind == CHILD_PIPE_OUT;
		start->from[at] = stream->kind == CHILD_FD ? stream->fd : -1;
		if (stream->kind != CHILD_PIPE_IN && stream->kind != CHILD_PIPE_OUT)
			continue;
		if (pipe2(fds, O_CLOEXEC) < 0)
			return errno;
		start->from[at] = fds[theirs];
		ends[at] = fds[!theirs];
	}
	return 0;
}

int child_start(const struct child_options *options, struct child *ret_child)
{
	struct child_start start = {
	    .options = options, .from = {-1, -1, -1, -1}, .parent = getpid(), .error = 0};
	int error;
	*ret_child = (struct child){.pidfd = -1, .ends = {-1, -1, -1, -1}};
	start.failed = CHILD_FORK;
	error = open_streams(&start, ret_child->ends);
	if (error == 0)
		error = spawn(&start, ret_child);
	for (int at = 0; at < CHILD_STREAMS; at++) {
		if (ret_child->ends[at] < 0)
			continue;
		close(start.from[at]);
		if (error == 0)
			continue;
		close(ret_child->ends[at]);
		ret_child->ends[at] = -1;
	}
	ret_child->failed = error == 0 ? CHILD_STARTED : start.failed;
	if (error == 0 && options->wants_pidfd)
		ret_child->pidfd = (int)syscall(SYS_pidfd_open, ret_child->pid, 0);
	return error;
}

int child_reap(pid_t pid)
{
	int status = -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

void sibling_find(const char *name, char *out, size_t size)
{
	static const char *const ways[] = {"", "../"};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;
	self[len > 0 ? len : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t at = 0; slash != NULL && at < sizeof ways / sizeof *ways; at++) {
		if ((size_t)snprintf(
			out, size, "%.*s/%s%s", (int)(slash - self), self, ways[at], name) < size &&
		    access(out, X_OK) == 0)
			return;
	}
	(void)snprintf(out, size, "%s/%s", MUXBUS_LIBEXECDIR, name);
}
