/* SPDX-License-Identifier: ISC */
/* Starts the supervisors of jobs, one of them ahead of its job. */
#include "daemon/job/job.h"

#include <sys/socket.h>

#include "base/process.h"
#include "daemon/core/rlimit.h"
#include "io/loop_timer.h"

enum { NEWS_FD = 3 }; /* descriptor of the supervisor for its reports */

struct job_starter {
	const char *program;
	const char *dir;
	struct job_supervisor spare; /* the supervisor that was started ahead; pid 0: none */
	int spare_fd; /* a socket that takes the id of the spare's job; closing it ends the spare */
	struct loop_timer *idle;
};

/* Starts a supervisor. input_fd: its standard input; -1: none. Returns 0 or an error number. */
static int start(const struct job_starter *starter, const char *id, int input_fd,
    struct job_supervisor *ret_supervisor)
{
	int fds[2], error;
	const char *argv[] = {"muxbus-job", starter->dir, id, "3", NULL};
	struct child_options options = {
	    .path = starter->program,
	    .argv = (char *const *)argv,
	    .streams = {{CHILD_FD, input_fd}, {CHILD_NULL, 0}, {CHILD_NULL, 0}},
	    .group = CHILD_NEW_SESSION,
	    .files = rlimit_given_files(),
	    .wants_pidfd = true,
	};
	struct child child;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	options.streams[NEWS_FD] = (struct child_stream){CHILD_FD, fds[1]};
	error = child_start(&options, &child);
	close(fds[1]);
	if (error != 0)
		close(fds[0]);
	*ret_supervisor =
	    (struct job_supervisor){.pid = child.pid, .pidfd = child.pidfd, .news_fd = fds[0]};
	return error;
}

/* Ends the spare. kill() is safe, as the pid is not used again before the spare is reaped. */
static void end_spare(void *data)
{
	struct job_starter *starter = data;
	const struct job_supervisor *spare = &starter->spare;
	loop_timer_disarm(starter->idle);
	if (spare->pid == 0)
		return;
	(void)kill(spare->pid, SIGKILL);
	(void)child_reap(spare->pid);
	close(starter->spare_fd);
	if (spare->pidfd >= 0)
		close(spare->pidfd);
	if (spare->news_fd >= 0)
		close(spare->news_fd);
	starter->spare.pid = 0;
}

struct job_starter *job_starter_new(struct event_base *base, const char *program, const char *dir)
{
	struct job_starter *starter = xcalloc(1, sizeof *starter);
	starter->program = program;
	starter->dir = dir;
	starter->idle = loop_timer_new(base, end_spare, starter);
	return starter;
}

void job_starter_free(struct job_starter *starter)
{
	end_spare(starter);
	loop_timer_free(starter->idle);
	mem_free(starter);
}

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
