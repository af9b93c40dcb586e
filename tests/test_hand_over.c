/* SPDX-License-Identifier: ISC */
/*
 * Handing a descriptor over: a message has the nonce, one descriptor, and nothing else; each part of
 * it is refused, and so is more. Whose pair of sockets a descriptor is from.
 */
#include "base/hand_over.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static char dir[] = "/tmp/muxbus-hand-over.XXXXXX";
static char path[64];
static int queue;

static unsigned open_files(void)
{
	unsigned count = 0;
	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) != -1;
	return count;
}

/* Sends a message with copies of a descriptor, as a stranger would. */
static void send_raw(const char *bytes, size_t len, unsigned copies)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(8 * sizeof(int))];
	} control = {0};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct iovec part = {(char *)(uintptr_t)bytes, len};
	struct msghdr message = {
	    .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1};
	int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int fds[8];
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	for (unsigned i = 0; i < copies; i++)
		fds[i] = STDIN_FILENO;
	if (copies > 0) {
		struct cmsghdr *header;
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(copies * sizeof(int));
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(copies * sizeof(int));
		memcpy(CMSG_DATA(header), fds, copies * sizeof(int));
	}
	if (sendmsg(sock, &message, 0) < 0)
		diag("sendmsg: %s", strerror(errno));
	close(sock);
}

static enum hand_over receive(char *ret_nonce)
{
	int fd;
	enum hand_over what = hand_over_receive(queue, ret_nonce, &fd);
	if (what == HAND_OVER_TAKEN)
		close(fd);
	else if (fd != -1)
		diag("a descriptor of no message");
	return what;
}

static void test_message(void)
{
	char nonce[HAND_OVER_NONCE_LEN + 1], other[HAND_OVER_NONCE_LEN + 1];
	char got[HAND_OVER_NONCE_LEN + 1];
	int ends[2], fd;
	char byte = 'x';
	ok(hand_over_nonce(nonce) == 0 && hand_over_nonce(other) == 0 && strcmp(nonce, other) != 0,
	    "each nonce is another");
	is_int((long long)strlen(nonce), HAND_OVER_NONCE_LEN, "and has its length");
	is_int(receive(got), HAND_OVER_NONE, "without a message nothing is received");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		exit(99);
	is_int(hand_over_send(path, nonce, ends[0]), 0, "a descriptor is sent");
	is_int(hand_over_receive(queue, got, &fd), HAND_OVER_TAKEN, "and taken");
	is_str(got, nonce, "with its nonce");
	ok(write(fd, "a", 1) == 1 && read(ends[1], &byte, 1) == 1 && byte == 'a',
	    "it is the same socket");
	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC, "and is not passed on to programs");
	is_int(hand_over_maker(fd), getpid(), "its maker is this process");
	close(fd);
	close(ends[0]);
	is_int(read(ends[1], &byte, 1), 0, "the sender has kept none");
	close(ends[1]);
}

static void test_refused(void)
{
	char nonce[HAND_OVER_NONCE_LEN + 1], got[HAND_OVER_NONCE_LEN + 1];
	unsigned refused = 0, before = open_files();
	hand_over_nonce(nonce);
	for (size_t len = 0; len < HAND_OVER_NONCE_LEN; len++) {
		send_raw(nonce, len, 1);
		send_raw(nonce + len, HAND_OVER_NONCE_LEN - len, len > 0);
		refused += receive(got) == HAND_OVER_REFUSED;
		refused += receive(got) == HAND_OVER_REFUSED;
	}
	/* The whole one of len 0 came without a descriptor. */
	is_int(refused, 2 * HAND_OVER_NONCE_LEN, "split at every byte, each part is refused");
	send_raw("0123456789abcdef0123456789abcdef0", 33, 1);
	is_int(receive(got), HAND_OVER_REFUSED, "a longer one is refused");
	for (unsigned copies = 2; copies <= 8; copies++) {
		send_raw(nonce, HAND_OVER_NONCE_LEN, copies);
		is_int(receive(got), HAND_OVER_REFUSED, "%u descriptors are refused", copies);
		is_str(got, "", "and the nonce is not told");
	}
	is_int(receive(got), HAND_OVER_NONE, "no message is left");
	is_int(open_files(), before, "and no descriptor");
}

/* A pair that a child has made, or a connection to a listener of the child. */
static void test_maker(void)
{
	char got[HAND_OVER_NONCE_LEN + 1];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, listener, pair[2];
	pid_t child = fork();
	if (child == 0) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
			_exit(1);
		_exit(hand_over_send(path, "0123456789abcdef0123456789abcdef", pair[0]) != 0);
	}
	waitpid(child, NULL, 0);
	is_int(hand_over_receive(queue, got, &fd), HAND_OVER_TAKEN, "a child sends its own pair");
	is_int(hand_over_maker(fd), child, "its maker is known after its end");
	close(fd);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof address.sun_path, "%s/listener", dir);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
	    listen(listener, 1) < 0)
		exit(99);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		exit(99);
	is_int(hand_over_maker(fd), 0, "a connection to a listener is no pair");
	close(fd);
	close(listener);
	unlink(address.sun_path);
	is_int(hand_over_maker(STDIN_FILENO), 0, "nor is another file");
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0)
		exit(99);
	is_int(hand_over_maker(pair[0]), 0, "nor a pair for datagrams");
	close(pair[0]);
	close(pair[1]);
}

static void test_path(void)
{
	char longer[200] = "/tmp/";
	struct stat st;
	int again;
	memset(longer + 5, 'x', sizeof longer - 6);
	is_int(hand_over_open(longer), -ENAMETOOLONG, "a path may be too long");
	is_int(hand_over_send(longer, "x", STDIN_FILENO), -ENAMETOOLONG, "also to send");
	ok(lstat(path, &st) == 0 && (st.st_mode & 0777) == 0600, "the socket is for its user");
	close(queue);
	is_int(hand_over_send(path, "x", STDIN_FILENO), -ECONNREFUSED, "no daemon listens");
	again = hand_over_open(path);
	ok(again >= 0, "what an earlier process left is replaced");
	close(again);
	unlink(path);
	is_int(mkdir(path, 0700), 0, "something else is there");
	is_int(hand_over_open(path), -EADDRINUSE, "it is not replaced");
	rmdir(path);
}

int main(void)
{
	int null_fd = open("/dev/null", O_RDONLY);
	if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || mkdtemp(dir) == NULL)
		return 99;
	snprintf(path, sizeof path, "%s/pipe", dir);
	queue = hand_over_open(path);
	ok(queue >= 0, "the socket is made");
	test_message();
	test_refused();
	test_maker();
	test_path();
	rmdir(dir);
	return done_testing();
}
