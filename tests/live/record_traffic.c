/* SPDX-License-Identifier: ISC */
/*
 * Preloaded into muxbusd: writes what its peers send and get into a file of the folder TRAFFIC,
 * for traffic.py. Each record is a line "WHAT FD BYTES", and so many bytes; WHAT is A(ccepted),
 * I(nput), O(utput), E(nd of input), H(ung up) or C(losed). Other programs are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FDS = 70000, PIECES_MAX = 64, HIGH_FD = 700, BYTES_MAX = 400 * 1024 * 1024 };

static pid_t owners[FDS]; /* the process that has accepted it */
static pid_t writer;
static int file = -1;
static int is_daemon;
static size_t written;

/* The pointer of the next function of this name. POSIX allows this cast, ISO C does not. */
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (next == NULL)              \
	*(void **)&next = dlsym(RTLD_NEXT, #name)

/* The descriptors of the daemon have the same numbers as without the recorder. */
static void open_file(void)
{
	char path[4096];
	int low;
	writer = getpid();
	(void)snprintf(path, sizeof path, "%s/%d.traffic", getenv("TRAFFIC"), (int)writer);
	low = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	file = fcntl(low, F_DUPFD_CLOEXEC, HIGH_FD);
	if (file >= 0)
		(void)close(low);
	else
		file = low;
}

static void record(char what, int fd, const struct iovec *iov, size_t count, size_t len)
{
	struct iovec all[PIECES_MAX];
	char head[64];
	int error = errno, n = 1;
	size_t left = len;
	if (writer != getpid())
		open_file();
	if (written > BYTES_MAX)
		return;
	all[0].iov_base = head;
	all[0].iov_len = (size_t)snprintf(head, sizeof head, "%c %d %zu\n", what, fd, len);
	for (size_t at = 0; at < count && left > 0 && n < PIECES_MAX; at++, n++) {
		all[n] = iov[at];
		if (all[n].iov_len > left)
			all[n].iov_len = left;
		left -= all[n].iov_len;
	}
	written += (size_t)writev(file, all, n);
	errno = error;
}

static int is_peer(int fd)
{
	return fd >= 0 && fd < FDS && owners[fd] == getpid();
}

static int has_hung_up(int fd)
{
	struct pollfd ends = {.fd = fd};
	return poll(&ends, 1, 0) > 0 && (ends.revents & (POLLHUP | POLLERR)) != 0;
}

static int is_broken(ssize_t n)
{
	return n < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EINTR;
}

int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict len, int flags)
{
	int peer;
	NEXT(accept4);
	peer = next(fd, address, len, flags);
	if (peer >= 0 && peer < FDS && is_daemon) {
		owners[peer] = getpid();
		record('A', peer, NULL, 0, 0);
	}
	return peer;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t n;
	int error;
	NEXT(recvmsg);
	n = next(fd, message, flags);
	error = errno;
	if (is_peer(fd) && n > 0)
		record('I', fd, message->msg_iov, message->msg_iovlen, (size_t)n);
	else if (is_peer(fd) && (n == 0 || is_broken(n)))
		record(n < 0 || has_hung_up(fd) ? 'H' : 'E', fd, NULL, 0, 0);
	errno = error;
	return n;
}

static ssize_t record_output(int fd, const struct iovec *iov, size_t count, ssize_t n)
{
	if (is_peer(fd) && n > 0)
		record('O', fd, iov, count, (size_t)n);
	else if (is_peer(fd) && is_broken(n))
		record('H', fd, NULL, 0, 0);
	return n;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	NEXT(sendmsg);
	return record_output(fd, message->msg_iov, message->msg_iovlen, next(fd, message, flags));
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	struct iovec iov = {(void *)(uintptr_t)bytes, len};
	NEXT(send);
	return record_output(fd, &iov, 1, next(fd, bytes, len, flags));
}

int close(int fd)
{
	NEXT(close);
	if (is_peer(fd)) {
		if (has_hung_up(fd))
			record('H', fd, NULL, 0, 0);
		record('C', fd, NULL, 0, 0);
		owners[fd] = 0;
	}
	return next(fd);
}

/* Its children, such as tmux and jobs, get nothing of this. */
__attribute__((constructor)) static void begin(void)
{
	is_daemon =
	    strstr(program_invocation_short_name, "muxbusd") != NULL && getenv("TRAFFIC") != NULL;
	if (is_daemon)
		(void)unsetenv("LD_PRELOAD");
}
