/* SPDX-License-Identifier: ISC */
/* The server's own binary is /proc/PID/exe. A tmux of another version may crash the server. */
#include "lib/connection/locate.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/file.h"
#include "base/process.h"

enum { CONNECT_TIMEOUT_MS = 100 };

static int fit(int written, size_t size)
{
	return written >= 0 && (size_t)written < size ? 0 : MUXBUS_ERR_LIMIT;
}

int muxbus_socket_path(char *out, size_t size, const char *name, const char *path)
{
	return file_tmux_socket(out, size, name, path) == 0 ? 0 : MUXBUS_ERR_LIMIT;
}

static int connect_to(const char *socket_path, int flags)
{
	struct timeval timeout = {.tv_usec = CONNECT_TIMEOUT_MS * 1000};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const int64_t end_ms = clock_deadline_ms(CONNECT_TIMEOUT_MS);
	int saved;
	int fd;
	if (strlen(socket_path) >= sizeof address.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, socket_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (fd < 0)
		return -1;
	/* connect() would block forever if the server accepts nothing and its queue is full. */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
	do {
		if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
			return fd;
	} while (errno == EINTR && clock_left_ms(end_ms) > 0);
	saved = errno == EAGAIN || errno == EINTR ? ETIMEDOUT : errno;
	close(fd);
	errno = saved;
	return -1;
}

int locate_connect(const char *socket_path)
{
	return connect_to(socket_path, 0);
}

int locate_connect_now(const char *socket_path)
{
	return connect_to(socket_path, SOCK_NONBLOCK);
}

int locate_take(int *spare)
{
	char byte;
	int fd = *spare;
	*spare = -1;
	if (fd < 0 || (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN))
		return fd;
	close(fd);
	return -1;
}

int locate_connect_error(int error_number)
{
	if (error_number == ETIMEDOUT)
		return MUXBUS_ERR_TIMEOUT;
	return error_number == ENOENT || error_number == ECONNREFUSED || error_number == ENOTSOCK ||
		error_number == ENOTDIR
	    ? MUXBUS_ERR_NO_SERVER
	    : MUXBUS_ERR_SYSTEM;
}

int locate_server(const char *socket_path, pid_t *ret_pid, uid_t *ret_uid)
{
	struct ucred peer;
	socklen_t len = sizeof peer;
	int fd = locate_connect(socket_path);
	int error = 0;
	if (fd < 0)
		return locate_connect_error(errno);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		error = MUXBUS_ERR_SYSTEM;
	close(fd);
	if (error != 0)
		return error;
	*ret_pid = peer.pid;
	*ret_uid = peer.uid;
	return 0;
}

int muxbus_server_pid(const char *socket_path, pid_t *ret_pid)
{
	uid_t uid;
	return locate_server(socket_path, ret_pid, &uid);
}

int locate_identity(const char *socket_path, struct identity *ret_identity)
{
	pid_t pid;
	int error = muxbus_server_pid(socket_path, &pid);
	if (error != 0)
		return error;
	ret_identity->pid = pid;
	ret_identity->start_ticks = process_start_ticks(pid);
	return 0;
}

int64_t locate_age_ms(const struct identity *identity)
{
	return identity->start_ticks != 0 ? process_age_ms(identity->start_ticks) : -1;
}

bool locate_is_same(const struct identity *a, const struct identity *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

/* The file name must contain "tmux", since a service manager may listen on the socket for tmux. */
bool locate_server_binary(pid_t pid, uid_t uid, char *out, size_t size)
{
	char target[PATH_MAX];
	const char *name;
	ssize_t len;
	if (pid <= 0 || uid != geteuid() ||
	    fit(snprintf(out, size, "/proc/%ld/exe", (long)pid), size) != 0)
		return false;
	len = readlink(out, target, sizeof target - 1);
	if (len <= 0)
		return false;
	target[len] = '\0';
	name = str_last_part(target);
	return strncmp(name, "ld-", 3) != 0 && strstr(name, "tmux") != NULL &&
	    access(out, X_OK) == 0;
}

bool locate_program(const char *name, char *out, size_t size)
{
	const char *path = getenv("PATH");
	if (strchr(name, '/') != NULL)
		return fit(snprintf(out, size, "%s", name), size) == 0 && file_is_program(out);
	if (file_find_program(
		name, path != NULL ? path : "/usr/local/bin:/usr/bin:/bin", out, size))
		return true;
	errno = ENOENT;
	return false;
}
