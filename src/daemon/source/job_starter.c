/* SPDX-License-Identifier: ISC */
/* Starting muxbus-job: for a job, or ahead of the next one. */
#include "daemon/source/job_starter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "daemon/core/rlimit.h"
#include "io/loop_timer.h"

enum { NEWS_FD = 3 }; /* of the supervisor: it writes its news there */

struct job_starter {
	const char *program;
	const char *dir;
	struct job_supervisor spare; /* pid 0: none */
	int spare_fd; /* takes the id of its job; the spare ends when it is closed */
	struct loop_timer *idle;
};

/*
 * Starts a supervisor with descriptors of its own: standard input (-1: none) and its end of the pipe
 * for news (-1: none). Returns 0 or an error number.
 */
static int spawn(
    const struct job_starter *starter, const char *id, int input_fd, int news_fd, pid_t *ret_pid)
{
	char *argv[] = {(char *)"muxbus-job", (char *)(uintptr_t)starter->dir,
	    (char *)(uintptr_t)id, news_fd >= 0 ? (char *)"3" : NULL, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int error;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	posix_spawn_file_actions_adddup2(
	    &actions, input_fd >= 0 ? input_fd : STDOUT_FILENO, STDIN_FILENO);
	if (news_fd >= 0)
		posix_spawn_file_actions_adddup2(&actions, news_fd, NEWS_FD);
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(
	    &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
	files_limit_restore();
	error = posix_spawn(ret_pid, starter->program, &actions, &attributes, argv, environ);
	rlimit_raise_files();
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static int start(const struct job_starter *starter, const char *id, int input_fd,
    struct job_supervisor *ret_supervisor)
{
	int fds[2] = {-1, -1}, error;
	if (pipe2(fds, O_CLOEXEC) < 0)
		fds[0] = fds[1] = -1; /* the files have the news, too */
	*ret_supervisor = (struct job_supervisor){.pidfd = -1, .news_fd = fds[0]};
	error = spawn(starter, id, input_fd, fds[1], &ret_supervisor->pid);
	if (fds[1] >= 0)
		close(fds[1]);
	if (error == 0) {
		ret_supervisor->pidfd = (int)syscall(SYS_pidfd_open, ret_supervisor->pid, 0);
		return 0;
	}
	if (fds[0] >= 0)
		close(fds[0]);
	*ret_supervisor = (struct job_supervisor){.pidfd = -1, .news_fd = -1};
	return error;
}

/* Ends the spare. It may have ended: until it is reaped, its number is its own. */
static void end_spare(struct job_starter *starter)
{
	const struct job_supervisor *spare = &starter->spare;
	loop_timer_disarm(starter->idle);
	if (spare->pid == 0)
		return;
	(void)kill(spare->pid, SIGKILL);
	(void)waitpid(spare->pid, NULL, 0);
	close(starter->spare_fd);
	if (spare->pidfd >= 0)
		close(spare->pidfd);
	if (spare->news_fd >= 0)
		close(spare->news_fd);
	starter->spare.pid = 0;
}

static void on_idle(void *data)
{
	end_spare(data);
}

struct job_starter *job_starter_new(struct event_base *base, const char *program, const char *dir)
{
	struct job_starter *starter = xcalloc(1, sizeof *starter);
	starter->program = program;
	starter->dir = dir;
	starter->idle = loop_timer_new(base, on_idle, starter);
	return starter;
}

void job_starter_free(struct job_starter *starter)
{
	end_spare(starter);
	loop_timer_free(starter->idle);
	mem_free(starter);
}

/* Gives a job to the spare. False: there is none, or it was killed. */
static bool give_to_spare(
    struct job_starter *starter, const char *id, struct job_supervisor *ret_supervisor)
{
	ssize_t len = (ssize_t)strlen(id);
	if (starter->spare.pid == 0)
		return false;
	if (send(starter->spare_fd, id, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT) != len) {
		end_spare(starter);
		return false;
	}
	loop_timer_disarm(starter->idle);
	close(starter->spare_fd);
	*ret_supervisor = starter->spare;
	starter->spare.pid = 0;
	return true;
}

int job_starter_start(
    struct job_starter *starter, const char *id, struct job_supervisor *ret_supervisor)
{
	return give_to_spare(starter, id, ret_supervisor) ? 0
							  : start(starter, id, -1, ret_supervisor);
}

void job_starter_prepare(struct job_starter *starter)
{
	int fds[2];
	loop_timer_arm(starter->idle, SPARE_IDLE_MS);
	if (starter->spare.pid != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return;
	starter->spare_fd = fds[0];
	if (start(starter, "-", fds[1], &starter->spare) != 0)
		close(fds[0]);
	close(fds[1]);
}
