/* SPDX-License-Identifier: ISC */
/* The messages of a direct client: their order, their pieces, and hostile ones. */
#include <muxbus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/connection/direct.h"
#include "lib/connection/imsg.h"
#include "tap.h"

enum { WRITES_MAX = 8, MESSAGES_MAX = 16 };

/* One write of the client: the types of its messages, and whether it passed a descriptor. */
struct written {
	uint32_t types[MESSAGES_MAX];
	size_t count;
	bool passes;
};

static struct written receive(int fd, enum imsg_form form)
{
	static uint8_t bytes[65536];
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec place = {.iov_base = bytes, .iov_len = sizeof bytes};
	struct msghdr message = {.msg_iov = &place,
	    .msg_iovlen = 1,
	    .msg_control = control,
	    .msg_controllen = sizeof control};
	struct written written = {0};
	ssize_t len = recvmsg(fd, &message, MSG_DONTWAIT);
	size_t at = 0;
	size_t used;
	struct imsg read;
	if (len <= 0)
		return written;
	if (CMSG_FIRSTHDR(&message) != NULL) {
		int passed;
		memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof passed);
		written.passes = true;
		close(passed);
	}
	while (at < (size_t)len && written.count < MESSAGES_MAX &&
	    imsg_read(form, bytes + at, (size_t)len - at, &read, &used) == 0 && used > 0) {
		written.types[written.count++] = read.type;
		at += used;
	}
	return written;
}

/* Packets show where one write ends. */
static void test_order(enum imsg_form form, const char *name)
{
	static const uint32_t last[] = {IMSG_IDENTIFY_CLIENTPID, IMSG_IDENTIFY_ENVIRON,
	    IMSG_IDENTIFY_FLAGS, IMSG_IDENTIFY_LONGFLAGS, IMSG_IDENTIFY_DONE, IMSG_COMMAND};
	struct direct direct;
	struct written written;
	bool has_flags = false;
	int pair[2];
	(void)setenv("DISPLAY", ":7", 1);
	is_int(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0, "%s: a server", name);
	direct_init(&direct);
	is_int(direct_attach(&direct, pair[0], form, 0, 1, 3, true), 0, "%s: attached", name);
	written = receive(pair[1], form);
	for (size_t i = 0; i < written.count; i++)
		has_flags |= written.types[i] == IMSG_IDENTIFY_FLAGS ||
		    written.types[i] == IMSG_IDENTIFY_LONGFLAGS;
	ok(written.count == 4 && !has_flags, "%s: no flags come first", name);
	written = receive(pair[1], form);
	ok(written.passes && written.types[0] == IMSG_IDENTIFY_STDIN, "%s: input", name);
	written = receive(pair[1], form);
	ok(written.passes && written.types[0] == IMSG_IDENTIFY_STDOUT, "%s: output", name);
	written = receive(pair[1], form);
	ok(written.count == sizeof last / sizeof last[0] &&
		memcmp(written.types, last, sizeof last) == 0,
	    "%s: the flags come in one write with the end", name);
	direct_finish(&direct);
	close(pair[1]);
}

/* A direct client whose server wrote these bytes, in two pieces. Returns whether it goes on. */
static bool feed(struct direct *direct, const struct buf *bytes, size_t split)
{
	int pair[2];
	bool goes_on;
	(void)socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	direct_init(direct);
	(void)direct_attach(direct, pair[0], IMSG_FORM_LENGTH, 0, 1, MUXBUS_NO_ID, false);
	(void)!write(pair[1], bytes->data, split);
	goes_on = direct_read(direct);
	if (split < bytes->len) {
		(void)!write(pair[1], bytes->data + split, bytes->len - split);
		goes_on = direct_read(direct);
	}
	close(pair[1]);
	return goes_on;
}

static void test_every_byte(void)
{
	static const char exit_data[] = "\1\0\0\0too far behind\0not this";
	struct buf bytes;
	struct direct direct;
	unsigned wrong = 0;
	buf_init(&bytes, 65536);
	(void)imsg_append(&bytes, IMSG_FORM_LENGTH, 218, "\0\0\0\0\0\0\0", 8);
	(void)imsg_append(&bytes, IMSG_FORM_LENGTH, IMSG_EXIT, exit_data, sizeof exit_data);
	for (size_t split = 1; split <= bytes.len; split++) {
		wrong += !feed(&direct, &bytes, split) || !direct.is_ending ||
		    strcmp(direct.reason, "too far behind") != 0;
		wrong += direct_read(&direct);
		direct_finish(&direct);
	}
	is_int(wrong, 0, "an exit message with its reason, split at each of %zu bytes", bytes.len);
	(void)imsg_append(&bytes, IMSG_FORM_LENGTH, IMSG_EXITED, NULL, 0);
	ok(!feed(&direct, &bytes, bytes.len), "the last message ends the client");
	direct_finish(&direct);
	buf_finish(&bytes);
}

static void test_hostile(void)
{
	static const uint32_t lengths[] = {0, 1, 15, 16385, 65535, 0x7fffffff, 0xffffffff};
	struct direct direct;
	struct buf bytes;
	struct imsg message;
	size_t used;
	uint8_t header[IMSG_HEADER_BYTES];
	buf_init(&bytes, 65536);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		imsg_foreign(header);
		memcpy(header + 4, &lengths[i], sizeof lengths[i]);
		is_int(imsg_read(IMSG_FORM_LENGTH, header, sizeof header, &message, &used),
		    MUXBUS_ERR_PROTOCOL, "a length of %u is refused", lengths[i]);
		buf_clear(&bytes);
		(void)buf_append(&bytes, header, sizeof header);
		ok(!feed(&direct, &bytes, bytes.len), "and ends the client");
		direct_finish(&direct);
	}
	buf_clear(&bytes);
	(void)imsg_append(&bytes, IMSG_FORM_LENGTH, IMSG_EXIT, "\1", 1);
	ok(feed(&direct, &bytes, bytes.len) && direct.reason[0] == '\0',
	    "an exit message that is too short has no reason");
	direct_finish(&direct);
	is_int(imsg_append(&bytes, IMSG_FORM_FLAGS, 1, bytes.data, IMSG_MAX), MUXBUS_ERR_LIMIT,
	    "a message that is too long is not made");
	buf_clear(&bytes);
	(void)imsg_append(&bytes, IMSG_FORM_LENGTH, IMSG_VERSION, NULL, 0);
	ok(!feed(&direct, &bytes, bytes.len) && direct.is_foreign,
	    "another protocol version is known");
	direct_finish(&direct);
	buf_finish(&bytes);
}

static void test_suspended(void)
{
	struct direct direct;
	struct buf bytes;
	buf_init(&bytes, 65536);
	(void)imsg_append(&bytes, IMSG_FORM_LENGTH, IMSG_SUSPEND, NULL, 0);
	ok(feed(&direct, &bytes, bytes.len) && direct.is_ending &&
		strcmp(direct.reason, "suspended") == 0,
	    "a suspended client ends");
	direct_finish(&direct);
	buf_finish(&bytes);
}

/* A server that writes valid messages as fast as they are read. */
static void test_flood(void)
{
	struct direct direct;
	struct buf bytes;
	int pair[2];
	pid_t writer;
	buf_init(&bytes, 65536);
	for (int i = 0; i < 1000; i++)
		(void)imsg_append(&bytes, IMSG_FORM_LENGTH, 218, NULL, 0);
	(void)socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	writer = fork();
	if (writer == 0) {
		close(pair[0]);
		while (send(pair[1], bytes.data, bytes.len, MSG_NOSIGNAL) > 0)
			;
		_exit(0);
	}
	close(pair[1]);
	direct_init(&direct);
	(void)direct_attach(&direct, pair[0], IMSG_FORM_LENGTH, 0, 1, MUXBUS_NO_ID, false);
	(void)alarm(60);
	while (direct_read(&direct))
		;
	(void)alarm(0);
	is_str(direct.reason, "the server sends its client more than tmux does", "a flood ends");
	direct_finish(&direct);
	(void)waitpid(writer, NULL, 0);
	buf_finish(&bytes);
}

int main(void)
{
	test_order(IMSG_FORM_FLAGS, "header with flags");
	test_order(IMSG_FORM_LENGTH, "header with length");
	test_every_byte();
	test_hostile();
	test_suspended();
	test_flood();
	return done_testing();
}
