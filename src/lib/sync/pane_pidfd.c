/* SPDX-License-Identifier: ISC */
#include "lib/sync/pane_pidfd.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* PIDFD_GET_INFO of Linux 6.13, missing in older headers; the exit status exists since 6.15. */
struct pidfd_information {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t pid;
	uint32_t tgid;
	uint32_t ppid;
	uint32_t ids[8]; /* real, effective, saved and file system ids of user and group */
	int32_t exit_code; /* as from waitpid() */
};
#define PIDFD_INFORMATION_EXIT (UINT64_C(1) << 3)
#define PIDFD_GET_INFORMATION _IOWR(0xff, 11, struct pidfd_information)

_Static_assert(sizeof(struct pidfd_information) == 64, "the kernel's first size");

struct pane_pidfd_watch {
	struct pane_pidfd *pidfd;
	struct loop_watch *readable;
	uint32_t pane;
	int fd;
};

void pane_pidfd_init(
    struct pane_pidfd *pidfd, struct muxbus_loop *loop, pane_pidfd_ended_fn *ended, void *data)
{
	struct rlimit limit;
	pidfd->loop = loop;
	pidfd->ended = ended;
	pidfd->data = data;
	pidfd->watches_max = PANE_PIDFD_MAX;
	map_init(&pidfd->watches);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < PANE_PIDFD_MAX)
		pidfd->watches_max = (size_t)limit.rlim_cur / 2;
}

static void watch_free(struct pane_pidfd_watch *watch)
{
	loop_close(&watch->readable, &watch->fd);
	mem_free(watch);
}

void pane_pidfd_finish(struct pane_pidfd *pidfd)
{
	map_each (struct pane_pidfd_watch, watch, &pidfd->watches)
		watch_free(watch);
	map_finish(&pidfd->watches);
}

void pane_pidfd_forget(struct pane_pidfd *pidfd, uint32_t pane)
{
	struct pane_pidfd_watch *watch = map_remove(&pidfd->watches, pane);
	if (watch != NULL)
		watch_free(watch);
}

/* The descriptor stays open for the exit status, but is no longer watched. */
static void on_readable(void *data, uint32_t events UNUSED)
{
	struct pane_pidfd_watch *watch = data;
	loop_unwatch(&watch->readable);
	watch->pidfd->ended(watch->pidfd->data, watch->pane);
}

void pane_pidfd_watch(struct pane_pidfd *pidfd, uint32_t pane, pid_t pid)
{
	struct pane_pidfd_watch *watch;
	int fd;
	pane_pidfd_forget(pidfd, pane);
	if (pid <= 0 || pidfd->watches.count >= pidfd->watches_max)
		return;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0) {
		if (errno == ESRCH)
			pidfd->ended(pidfd->data, pane);
		return;
	}
	watch = mem_calloc(1, sizeof *watch);
	if (watch == NULL) {
		close(fd);
		return;
	}
	watch->pidfd = pidfd;
	watch->pane = pane;
	watch->fd = fd;
	if (loop_watch(pidfd->loop, fd, EPOLLIN, on_readable, watch, &watch->readable) != 0 ||
	    map_set(&pidfd->watches, pane, watch) != 0)
		watch_free(watch);
}

/* Reads the exit status. Fails before Linux 6.15, at the latest after the process was reaped. */
static enum pane_pidfd_verdict read_exit(int fd, int *ret_status, int *ret_signal)
{
	struct pidfd_information information = {.mask = PIDFD_INFORMATION_EXIT};
	if (ioctl(fd, PIDFD_GET_INFORMATION, &information) != 0)
		return PANE_PIDFD_ENDED;
	if ((information.mask & PIDFD_INFORMATION_EXIT) == 0)
		return PANE_PIDFD_UNREAPED;
	*ret_status = -1;
	*ret_signal = 0;
	if (WIFEXITED(information.exit_code))
		*ret_status = WEXITSTATUS(information.exit_code);
	else if (WIFSIGNALED(information.exit_code))
		*ret_signal = WTERMSIG(information.exit_code);
	return PANE_PIDFD_STATUS;
}

enum pane_pidfd_verdict pane_pidfd_look(
    const struct pane_pidfd *pidfd, uint32_t pane, pid_t pid, int *ret_status, int *ret_signal)
{
	const struct pane_pidfd_watch *watch = map_get(&pidfd->watches, pane);
	struct pollfd poll_fd;
	if (watch == NULL)
		return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH ? PANE_PIDFD_ENDED
								      : PANE_PIDFD_RUNS;
	poll_fd = (struct pollfd){.fd = watch->fd, .events = POLLIN};
	if (poll(&poll_fd, 1, 0) <= 0)
		return PANE_PIDFD_RUNS;
	return read_exit(watch->fd, ret_status, ret_signal);
}
