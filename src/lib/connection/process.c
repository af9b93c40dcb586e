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

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { REAP_TIMEOUT_MS = 1000 };

/* The parameters of the child. */
struct tmux_child {
	const char *path;
	char *const *argv;
	char **environment;
	const int *fds; /* three, all above 2 */
	pid_t parent;
	int error; /* errno, if it could not be executed */
};

void process_init(struct process *process)
{
	memset(process, 0, sizeof *process);
	process->handle = -1;
	process->has_ended = true;
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

static _Noreturn void run_child(struct tmux_child *child)
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

/*
 * The child shares our memory, so no signal handler may run in it: all signals are blocked.
 * No code after vfork() depends on the child's stack.
 */
static pid_t spawn(struct tmux_child *child)
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

static int start_child(struct process *process, struct tmux_child *child)
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

int process_start(struct process *process, const char *path, char *const argv[], const int fds[3])
{
	struct tmux_child child = {.path = path, .argv = argv, .fds = fds, .parent = getpid()};
	int error;
	int saved;
	process_init(process);
	child.environment = clean_environment();
	if (child.environment == NULL) {
		errno = ENOMEM;
		return MUXBUS_ERR_NOMEM;
	}
	error = start_child(process, &child);
	saved = errno;
	mem_free(child.environment);
	if (error != 0)
		process_finish(process);
	errno = saved;
	return error;
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
	if (process->handle >= 0)
		close(process->handle);
	process->handle = -1;
}
