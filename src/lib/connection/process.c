/* SPDX-License-Identifier: ISC */
/* A tmux client waits forever for a reader of its output, so it must die with this program. */
#include "lib/connection/process.h"

#include <muxbus.h>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/process.h"

enum { REAP_TIMEOUT_MS = 1000 };

void process_init(struct process *process)
{
	memset(process, 0, sizeof *process);
	process->handle = -1;
	process->exit_status = -1;
	process->has_ended = true;
}

static char **clean_environment(void)
{
	char **cleaned;
	size_t count = 0;
	size_t kept = 0;
	while (environ != NULL && environ[count] != NULL)
		count++;
	cleaned = mem_calloc(count + 1, sizeof *cleaned);
	for (size_t i = 0; cleaned != NULL && i < count; i++)
		if (strncmp(environ[i], "TMUX=", 5) != 0 &&
		    strncmp(environ[i], "TMUX_PANE=", 10) != 0)
			cleaned[kept++] = environ[i];
	return cleaned;
}

int process_start(struct process *process, const char *path, char *const argv[], const int fds[3])
{
	struct child_options options = {
	    .path = path,
	    .argv = argv,
	    .env = clean_environment(),
	    .streams = {{CHILD_FD, fds[0]}, {CHILD_FD, fds[1]}, {CHILD_FD, fds[2]}},
	    .group = CHILD_NEW_SESSION,
	    .death_signal = SIGKILL,
	    .is_shut = true,
	    .wants_pidfd = true,
	};
	struct child child;
	int error;
	process_init(process);
	if (options.env == NULL) {
		errno = ENOMEM;
		return MUXBUS_ERR_NOMEM;
	}
	error = child_start(&options, &child);
	mem_free((void *)(uintptr_t)options.env);
	if (error == 0 && child.pidfd < 0) {
		error = errno;
		(void)kill(child.pid, SIGKILL);
		(void)child_reap(child.pid);
	}
	if (error != 0) {
		errno = error;
		return child.failed == CHILD_EXEC ? MUXBUS_ERR_SPAWN : MUXBUS_ERR_SYSTEM;
	}
	process->pid = child.pid;
	process->handle = child.pidfd;
	process->has_ended = false;
	return 0;
}

void process_signal(struct process *process, int signal_number)
{
	/* A pidfd never refers to another process, even if other code reaped ours. */
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
	/* ECHILD: the application reaps all children, or ignores SIGCHLD. */
	process->has_ended = true;
	return true;
}

void process_finish(struct process *process)
{
	if (!process->has_ended) {
		struct pollfd ended = {.fd = process->handle, .events = POLLIN};
		const int64_t end_ms = clock_deadline_ms(REAP_TIMEOUT_MS);
		process_signal(process, SIGKILL);
		while (poll(&ended, 1, (int)clock_left_ms(end_ms)) < 0 && errno == EINTR)
			;
		(void)process_reap(process);
	}
	if (process->handle >= 0)
		close(process->handle);
	process->handle = -1;
}
