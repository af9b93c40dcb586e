/* SPDX-License-Identifier: ISC */
/*
 * The `tmux -C` process.
 *
 * If this program dies without reading output, tmux waits for ever for its client, and so does
 * the program in the pane. tmux continues when the client process has ended. So the kernel
 * kills the client when its parent ends.
 *
 * vfork(), because fork() takes time in proportion to the caller's memory. Until execve() the
 * child runs in the parent's memory, while the parent waits: the child only makes system calls,
 * and writes only child->error.
 */
#include "lib/connection/process.h"

#include <muxbus.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

/*
 * How much tmux may write before it must wait for the reader: 12 ms at 20 MB/s. The kernel
 * limits the pages of all pipes of a user to 64 MiB, so a mebibyte for each of many connections
 * would harm other programs.
 */
enum { OUTPUT_PIPE_BYTES = 256 * 1024, REAP_TIMEOUT_MS = 1000 };

/* The most bytes that may wait, and the memory that is kept when none wait. */
#define OUT_MAX (4 * (size_t)MUXBUS_COMMAND_MAX)
#define OUT_KEEP_BYTES ((size_t)64 * 1024)

/* The parameters of the child. */
struct child {
	const char *path;
	char *const *argv;
	char **environment;
	int fds[3];
	pid_t parent;
	int error; /* errno, if it could not be executed */
};

void process_init(struct process *process)
{
	memset(process, 0, sizeof *process);
	process->handle = -1;
	process->input = -1;
	process->output = -1;
	process->errors = -1;
	process->has_ended = true;
	buf_init(&process->out, OUT_MAX);
}

void process_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void reset_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;
	for (int number = 1; number < NSIG; number++)
		(void)sigaction(
		    number, &action, NULL); /* SIGKILL and SIGSTOP fail, and need no reset */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Moves the three descriptors, all above 2, to 0, 1 and 2, and closes all others. */
static void place_descriptors(const int fds[3])
{
	for (int i = 0; i < 3; i++)
		(void)dup2(fds[i], i);
	if (syscall(SYS_close_range, 3U, ~0U, 0U) != 0) {
		struct rlimit limit = {.rlim_cur = 1024};
		(void)getrlimit(RLIMIT_NOFILE, &limit);
		for (int fd = 3; fd < (int)limit.rlim_cur && fd < 65536; fd++)
			close(fd);
	}
}

static _Noreturn void run_child(struct child *child)
{
	reset_signals();
	(void)setsid();
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != child->parent) /* the parent died before prctl() */
		_exit(1);
	place_descriptors(child->fds);
	(void)execve(child->path, child->argv, child->environment);
	child->error = errno;
	_exit(127);
}

/* The environment without TMUX and TMUX_PANE. */
static char **clean_environment(void)
{
	char **cleaned;
	size_t count = 0;
	size_t kept = 0;
	while (environ != NULL && environ[count] != NULL)
		count++;
	cleaned = mem_calloc(count + 1, sizeof *cleaned);
	for (size_t i = 0; cleaned != NULL && i < count; i++) {
		if (strncmp(environ[i], "TMUX=", 5) != 0 &&
		    strncmp(environ[i], "TMUX_PANE=", 10) != 0)
			cleaned[kept++] = environ[i];
	}
	return cleaned;
}

/* Moves a descriptor above 2, where the child's dup2() cannot hit it. */
static bool move_up(int *fd)
{
	int moved;
	if (*fd > 2)
		return true;
	moved = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (moved < 0)
		return false;
	close(*fd);
	*fd = moved;
	return true;
}

static bool make_pipes(struct process *process, int theirs[3])
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	process->input = pair[0];
	theirs[0] = pair[1];
	if (pipe2(pair, O_CLOEXEC) != 0)
		return false;
	process->output = pair[0];
	theirs[1] = pair[1];
	if (pipe2(pair, O_CLOEXEC) != 0)
		return false;
	process->errors = pair[0];
	theirs[2] = pair[1];
	return move_up(&theirs[0]) && move_up(&theirs[1]) && move_up(&theirs[2]) &&
	    fcntl(process->input, F_SETFL, O_NONBLOCK) == 0 &&
	    fcntl(process->output, F_SETFL, O_NONBLOCK) == 0 &&
	    fcntl(process->errors, F_SETFL, O_NONBLOCK) == 0;
}

/*
 * The child shares our memory, so no signal handler may run in it: all signals are blocked.
 * No code after vfork() depends on the child's stack.
 */
static pid_t spawn(struct child *child)
{
	sigset_t all;
	sigset_t before;
	pid_t pid;
	int saved;
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	pid = vfork();
	if (pid == 0)
		run_child(child);
	saved = errno;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return pid;
}

static int start_child(struct process *process, struct child *child)
{
	pid_t pid = spawn(child);
	if (pid < 0)
		return MUXBUS_ERR_SYSTEM;
	process->pid = pid;
	process->has_ended = false;
	process->handle = (int)syscall(SYS_pidfd_open, pid, 0U);
	if (process->handle < 0) {
		int saved = errno;
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
		process->has_ended = true;
		errno = saved;
		return MUXBUS_ERR_SYSTEM;
	}
	if (child->error != 0) {
		errno = child->error;
		return MUXBUS_ERR_SPAWN;
	}
	return 0;
}

int process_start(struct process *process, const char *path, char *const argv[])
{
	struct child child = {.path = path, .argv = argv, .fds = {-1, -1, -1}, .parent = getpid()};
	int error = MUXBUS_ERR_SYSTEM;
	int saved;
	process_init(process);
	child.environment = clean_environment();
	if (child.environment == NULL) {
		errno = ENOMEM;
		return MUXBUS_ERR_NOMEM;
	}
	if (make_pipes(process, child.fds))
		error = start_child(process, &child);
	saved = errno;
	for (int i = 0; i < 3; i++)
		process_close(&child.fds[i]);
	mem_free(child.environment);
	if (error != 0)
		process_finish(process);
	errno = saved;
	return error;
}

void process_widen_output(struct process *process)
{
	(void)fcntl(process->output, F_SETPIPE_SZ, OUTPUT_PIPE_BYTES); /* else the default stays */
}

static void empty_out(struct process *process)
{
	buf_clear(&process->out);
	buf_shrink(&process->out, OUT_KEEP_BYTES);
	process->sent = 0;
}

/* Drops the sent bytes, once they are the larger part. */
static void compact_out(struct process *process)
{
	if (process->sent < OUT_KEEP_BYTES || process->sent < process->out.len / 2)
		return;
	buf_consume(&process->out, process->sent);
	process->sent = 0;
}

enum process_sent process_send(struct process *process)
{
	struct buf *bytes = &process->out;
	while (process->sent < bytes->len) {
		ssize_t sent = send(process->input, bytes->data + process->sent,
		    bytes->len - process->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent >= 0) {
			process->sent += (size_t)sent;
		} else if (errno == EAGAIN || errno == ENOBUFS) {
			compact_out(process);
			return PROCESS_SENT_FULL;
		} else if (errno != EINTR) {
			empty_out(process);
			return PROCESS_SENT_BROKEN;
		}
	}
	if (bytes->len > 0)
		empty_out(process);
	return PROCESS_SENT_ALL;
}

void process_signal(struct process *process, int signal_number)
{
	/* The pidfd cannot mean another process, even if other code reaped ours. */
	if (!process->has_ended)
		(void)syscall(SYS_pidfd_send_signal, process->handle, signal_number, NULL, 0U);
}

bool process_reap(struct process *process)
{
	siginfo_t info = {0};
	if (process->has_ended)
		return true;
	if (waitid((idtype_t)P_PIDFD, (id_t)process->handle, &info, WEXITED | WNOHANG) == 0) {
		if (info.si_pid == 0)
			return false;
		process->exit_status = info.si_code == CLD_EXITED ? info.si_status : -1;
		process->exit_signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
	}
	/* Else ECHILD: the application reaps all children, or ignores SIGCHLD. */
	process->has_ended = true;
	return true;
}

void process_finish(struct process *process)
{
	if (!process->has_ended) {
		struct pollfd ended = {.fd = process->handle, .events = POLLIN};
		process_signal(process, SIGKILL);
		(void)poll(&ended, 1, REAP_TIMEOUT_MS);
		(void)process_reap(process);
	}
	process_close(&process->handle);
	process_close(&process->input);
	process_close(&process->output);
	process_close(&process->errors);
	buf_finish(&process->out);
}
