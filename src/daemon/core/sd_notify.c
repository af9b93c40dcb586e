/* SPDX-License-Identifier: ISC */
/* The service manager: the socket that it passes to us, and our status reports. */
#include "daemon/core/sd_notify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"

#define FIRST_FD 3 /* defined by the protocol */

/* The address for status reports; length 0: none. */
static struct sockaddr_un notify_address;
static socklen_t notify_len;

/* "/path", or "@name" for an abstract socket. Other forms are ignored. */
static void take_notify_address(void)
{
	const char *name = getenv("NOTIFY_SOCKET");
	size_t len = name != NULL ? strlen(name) : 0;
	if (len >= 2 && len < sizeof notify_address.sun_path && strchr("/@", name[0])) {
		notify_address.sun_family = AF_UNIX;
		memcpy(notify_address.sun_path, name, len + 1);
		if (name[0] == '@')
			notify_address.sun_path[0] = '\0';
		notify_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len +
		    (name[0] == '/')); /* only a path includes the NUL */
	}
	(void)unsetenv("NOTIFY_SOCKET");
}

/* The number of descriptors passed to this process. */
static uint32_t take_fd_count(void)
{
	const char *pid_text = getenv("LISTEN_PID");
	const char *count_text = getenv("LISTEN_FDS");
	uint32_t pid;
	uint32_t count = 0;
	if (pid_text == NULL || !str_parse_u32(pid_text, strlen(pid_text), &pid) ||
	    pid != (uint32_t)getpid() || count_text == NULL ||
	    !str_parse_u32(count_text, strlen(count_text), &count))
		count = 0;
	(void)unsetenv("LISTEN_PID");
	(void)unsetenv("LISTEN_PIDFDID");
	(void)unsetenv("LISTEN_FDS");
	(void)unsetenv("LISTEN_FDNAMES");
	return count;
}

/* Checks that fd is a stream socket listening at path. */
static int check_socket(int fd, const char *path, char *ret_reason, size_t size)
{
	struct sockaddr_un address = {0};
	socklen_t len = sizeof address;
	int type = 0;
	int listens = 0;
	socklen_t int_len = sizeof(int);
	if (getsockname(fd, (struct sockaddr *)&address, &len) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &int_len) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_len) < 0)
		return str_refuse(ret_reason, size,
		    "the service manager passed a descriptor that is not a socket: %s",
		    strerror(errno));
	if (address.sun_family != AF_UNIX || type != SOCK_STREAM || !listens)
		return str_refuse(ret_reason, size,
		    "the service manager's socket is not a listening UNIX stream socket: "
		    "ListenStream= must be %s",
		    path);
	if (strncmp(address.sun_path, path, sizeof address.sun_path) != 0)
		return str_refuse(ret_reason, size,
		    "the service manager's socket is %.*s, but peers look for %s: correct "
		    "ListenStream=, or use -s",
		    (int)sizeof address.sun_path, address.sun_path, path);
	return 0;
}

/* Checks that only this user can connect to the file. */
static int check_file(const char *path, char *ret_reason, size_t size)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return str_refuse(ret_reason, size, "%s: is not a socket of this user", path);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return str_refuse(ret_reason, size,
		    "%s: has the mode %03o, so that other users can connect: set SocketMode=0600",
		    path, (unsigned)st.st_mode & 0777);
	return 0;
}

int sd_notify_take(const char *path, int *ret_fd, char *ret_reason, size_t reason_size)
{
	int flags;
	uint32_t count;
	*ret_fd = 0;
	take_notify_address();
	count = take_fd_count();
	if (count == 0)
		return 0;
	if (count > 1)
		return str_refuse(ret_reason, reason_size,
		    "the service manager hands over %u sockets: one is wanted", count);
	if (check_socket(FIRST_FD, path, ret_reason, reason_size) < 0 ||
	    check_file(path, ret_reason, reason_size) < 0)
		return -1;
	flags = fcntl(FIRST_FD, F_GETFL);
	if (flags < 0 || fcntl(FIRST_FD, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) < 0)
		return str_refuse(ret_reason, reason_size, "%s: %s", path, strerror(errno));
	*ret_fd = FIRST_FD;
	return 0;
}

void sd_notify_tell(const char *state)
{
	int fd;
	if (notify_len == 0)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* A manager that stopped listening does not need the report. */
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL,
	    (const struct sockaddr *)&notify_address, notify_len);
	(void)close(fd); /* a datagram is sent at once */
}
