/* SPDX-License-Identifier: ISC */
/* One daemon for each tmux server: a lock in the state directory, held for life. */
#include "daemon/core/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <muxbus.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process.h"
#include "base/str.h"
#include "daemon/core/state_dir.h"

#define FILE_NAME "lock"
/* Starts that ask for the holder stay in its queue, which it never reads. */
#define HOLDER_BACKLOG 4096
/* How long a start waits for a daemon that ends. */
#define END_TRIES 1000
#define END_TRY_MS 10

/* "PID\nSOCKET\n" */
static void read_holder(int fd, struct lock_holder *ret_holder)
{
	char text[sizeof ret_holder->socket + 32];
	char *newline, *socket;
	uint32_t pid;
	ssize_t len;
	*ret_holder = (struct lock_holder){0};
	len = pread(fd, text, sizeof text - 1, 0);
	if (len <= 0)
		return;
	text[len] = '\0';
	newline = strchr(text, '\n');
	if (newline == NULL || !str_parse_u32(text, (size_t)(newline - text), &pid) ||
	    pid > INT_MAX)
		return;
	ret_holder->pid = (pid_t)pid;
	socket = newline + 1;
	newline = strchr(socket, '\n');
	if (newline != NULL && (size_t)(newline - socket) < sizeof ret_holder->socket)
		memcpy(ret_holder->socket, socket, (size_t)(newline - socket));
}

/* Opens the file, which must be one of our own. Returns -1 with a reason. */
static int open_file(int dir, const char *state_dir, char *ret_reason, size_t size)
{
	int fd = openat(dir, FILE_NAME,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	struct stat st;
	if (fd < 0)
		return str_refuse(ret_reason, size, "%s/" FILE_NAME ": %s", state_dir,
		    errno == ELOOP ? "is a symbolic link; remove it" : strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		return fd;
	(void)close(fd); /* not used */
	return str_refuse(
	    ret_reason, size, "%s/" FILE_NAME ": is no file of ours; remove it", state_dir);
}

/* Waits a moment for a holder that ends. False: it does not, or takes too long. */
static bool await_end(const struct lock_holder *holder, unsigned *tries)
{
	if (strcmp(holder->socket, LOCK_ENDING) != 0 || ++*tries >= END_TRIES)
		return false;
	(void)usleep(END_TRY_MS * 1000);
	return true;
}

enum lock_result lock_take(const char *state_dir, int *ret_fd, struct lock_holder *ret_holder,
    char *ret_reason, size_t reason_size)
{
	enum lock_result result;
	int dir = state_dir_open(state_dir, ret_reason, reason_size);
	unsigned tries = 0, end_tries = 0;
	int fd;
	if (dir < 0)
		return LOCK_ERROR;
	fd = open_file(dir, state_dir, ret_reason, reason_size);
	(void)close(dir); /* a directory, only read */
	if (fd < 0)
		return LOCK_ERROR;
	do {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			*ret_fd = fd;
			return LOCK_OK;
		}
		result = errno == EWOULDBLOCK ? LOCK_HELD : LOCK_ERROR;
		if (result == LOCK_HELD)
			read_holder(fd, ret_holder);
	} while (result == LOCK_HELD &&
	    (process_await_release(ret_holder->pid, &tries) || await_end(ret_holder, &end_tries)));
	if (result == LOCK_ERROR)
		(void)str_refuse(
		    ret_reason, reason_size, "%s/" FILE_NAME ": %s", state_dir, strerror(errno));
	(void)close(fd); /* only read */
	return result;
}

void lock_describe(int fd, const char *socket)
{
	char text[sizeof((struct lock_holder *)NULL)->socket + 32];
	int len = snprintf(text, sizeof text, "%ld\n%s\n", (long)getpid(), socket);
	struct stat st;
	/* For information; the lock holds without it. */
	if (fstat(fd, &st) < 0 || st.st_nlink > 1)
		log_warning("the lock has another name in the file system: it is not written");
	else if (len > 0 && (size_t)len < sizeof text && ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)len, 0);
}

/* Whether an address is taken. The holder's pid is 0 if it does not listen there. */
static enum lock_result find_holder(
    const struct sockaddr_un *address, socklen_t len, struct lock_holder *ret_holder)
{
	struct ucred peer;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	enum lock_result result = LOCK_HELD;
	*ret_holder = (struct lock_holder){.socket = "of another state directory"};
	if (fd < 0)
		return LOCK_ERROR;
	if (connect(fd, (const struct sockaddr *)address, len) == 0) {
		if (process_is_peer(fd, &peer))
			ret_holder->pid = peer.pid;
		else
			result = LOCK_ERROR;
	}
	(void)close(fd); /* nothing was written */
	return result;
}

/* Takes the address. */
static enum lock_result take_address(
    const struct sockaddr_un *address, socklen_t len, int *ret_fd, struct lock_holder *ret_holder)
{
	enum lock_result result;
	unsigned tries = 0;
	do {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return LOCK_ERROR;
		if (bind(fd, (const struct sockaddr *)address, len) == 0 &&
		    listen(fd, HOLDER_BACKLOG) == 0) {
			*ret_fd = fd;
			return LOCK_OK;
		}
		result = errno == EADDRINUSE ? find_holder(address, len, ret_holder) : LOCK_ERROR;
		(void)close(fd); /* not used */
	} while (result == LOCK_HELD && process_await_release(ret_holder->pid, &tries));
	return result;
}

bool lock_server(struct server_lock *lock, const char *tmux_socket, struct lock_holder *ret_holder)
{
	pid_t server;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	unsigned long long start =
	    muxbus_server_pid(tmux_socket, &server) < 0 ? 0 : process_start_ticks(server);
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 1;
	enum lock_result result;
	if (lock->server == server || start == 0)
		return true;
	if (lock->server != 0)
		(void)close(lock->fd); /* of a server that has ended */
	lock->server = 0;
	len += (socklen_t)snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
	    "muxbus/%u/%ld-%llu", (unsigned)geteuid(), (long)server, start);
	result = take_address(&address, len, &lock->fd, ret_holder);
	if (result == LOCK_OK)
		lock->server = server;
	return result != LOCK_HELD;
}
