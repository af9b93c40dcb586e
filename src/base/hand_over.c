/* SPDX-License-Identifier: ISC */
#include "base/hand_over.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/str.h"

enum { FDS_MAX = 4 }; /* descriptors in one message; the kernel closes further ones */

int hand_over_nonce(char nonce[HAND_OVER_NONCE_LEN + 1])
{
	uint8_t random[HAND_OVER_NONCE_LEN / 2];
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return -errno;
	str_put_hex(nonce, random, sizeof random);
	return 0;
}

static int address_of(const char *path, struct sockaddr_un *ret_address)
{
	size_t len = strlen(path);
	*ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (len == 0 || len >= sizeof ret_address->sun_path)
		return -ENAMETOOLONG;
	memcpy(ret_address->sun_path, path, len);
	return 0;
}

static int send_to(int sock, const struct sockaddr_un *address, const char *nonce, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {(void *)(uintptr_t)nonce, strlen(nonce)};
	struct msghdr message = {.msg_name = (void *)(uintptr_t)address,
	    .msg_namelen = sizeof *address,
	    .msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof control.bytes};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	ssize_t sent;
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	do
		sent = sendmsg(sock, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

int hand_over_send(const char *path, const char *nonce, int fd)
{
	struct timeval wait = {.tv_sec = HAND_OVER_WAIT_SEC};
	struct sockaddr_un address;
	int error = address_of(path, &address), sock;
	if (error < 0)
		return error;
	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return -errno;
	(void)setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
	error = send_to(sock, &address, nonce, fd);
	(void)close(sock);
	return error;
}

static void remove_stale(const char *path)
{
	struct stat st;
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid())
		(void)unlink(path);
}

int hand_over_open(const char *path)
{
	struct sockaddr_un address;
	const int on = 1;
	int error = address_of(path, &address), sock;
	if (error < 0)
		return error;
	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0)
		return -errno;
	remove_stale(path);
	/* bind() gives the file the mode of the descriptor, less the umask. */
	if (fchmod(sock, 0600) == 0 &&
	    setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
	    bind(sock, (struct sockaddr *)&address, sizeof address) == 0)
		return sock;
	error = -errno;
	(void)close(sock);
	return error;
}

struct escort {
	int fds[FDS_MAX];
	size_t count;
	bool is_own_user;
};

static void read_control(struct msghdr *message, struct escort *ret_escort)
{
	struct cmsghdr *header;
	*ret_escort = (struct escort){0};
	for (header = CMSG_FIRSTHDR(message); header != NULL;
	     header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET)
			continue;
		if (header->cmsg_type == SCM_CREDENTIALS &&
		    header->cmsg_len >= CMSG_LEN(sizeof(struct ucred))) {
			struct ucred sender;
			memcpy(&sender, CMSG_DATA(header), sizeof sender);
			ret_escort->is_own_user = sender.uid == geteuid();
		} else if (header->cmsg_type == SCM_RIGHTS) {
			size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			if (count > FDS_MAX - ret_escort->count)
				count = FDS_MAX - ret_escort->count;
			memcpy(ret_escort->fds + ret_escort->count, CMSG_DATA(header),
			    count * sizeof(int));
			ret_escort->count += count;
		}
	}
}

enum hand_over hand_over_receive(int socket, char ret_nonce[HAND_OVER_NONCE_LEN + 1], int *ret_fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control = {0};
	struct iovec part = {ret_nonce, HAND_OVER_NONCE_LEN};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof control.bytes};
	struct escort escort;
	ssize_t len;
	ret_nonce[0] = '\0';
	*ret_fd = -1;
	do
		len = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return HAND_OVER_NONE;
	read_control(&message, &escort);
	if (len == HAND_OVER_NONCE_LEN && escort.count == 1 && escort.is_own_user &&
	    !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		ret_nonce[len] = '\0';
		*ret_fd = escort.fds[0];
		return HAND_OVER_TAKEN;
	}
	ret_nonce[0] = '\0';
	for (size_t i = 0; i < escort.count; i++)
		(void)close(escort.fds[i]);
	return HAND_OVER_REFUSED;
}

pid_t hand_over_maker(int fd)
{
	struct ucred maker = {0};
	struct sockaddr_un peer;
	socklen_t len = sizeof peer;
	int type = 0;
	/* If the peer has an address, SO_PEERCRED would return the process that listens there. */
	if (getpeername(fd, (struct sockaddr *)&peer, &len) < 0 || peer.sun_family != AF_UNIX ||
	    len > sizeof peer.sun_family)
		return 0;
	len = sizeof type;
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || type != SOCK_STREAM)
		return 0;
	len = sizeof maker;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &maker, &len) < 0)
		return 0;
	return maker.pid;
}
