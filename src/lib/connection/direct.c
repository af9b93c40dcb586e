/* SPDX-License-Identifier: ISC */
#include "lib/connection/direct.h"

#include <sys/socket.h>

#include "lib/connection/loop.h"

/* Flags of tmux clients: control client, UTF-8 terminal. */
#define FLAG_CONTROL UINT64_C(0x2000)
#define FLAG_UTF8 UINT64_C(0x10000)

/* The terminal that list-clients shows. tmux does not look it up for a control client. */
#define TERM_NAME "muxbus"

enum {
	ARGUMENTS_MAX = 8,
	COMMAND_BYTES_MAX = 256,
	/* Limit of the identification and the command. */
	OUT_BYTES_MAX = 256 * 1024,
	IN_BYTES_MAX = 4 * IMSG_MAX,
	VARIABLE_BYTES = 1024, /* including the name; longer variables are not sent */
	/* Limit of the bytes read at once. tmux sends a few hundred in total. */
	LOOK_BYTES_MAX = 256 * 1024,
};

/* The variables that tmux may copy into a new session by default (update-environment). */
static const char *const environment_names[] = {"DISPLAY", "KRB5CCNAME", "SSH_AGENT_PID",
    "SSH_ASKPASS", "SSH_AUTH_SOCK", "SSH_CONNECTION", "WAYLAND_DISPLAY", "WINDOWID", "XAUTHORITY"};

void direct_init(struct direct *direct)
{
	memset(direct, 0, sizeof *direct);
	direct->fd = -1;
	buf_init(&direct->in, IN_BYTES_MAX);
}

void direct_write_terminal(struct imsg_writer *writer)
{
	const int no_features = 0;
	imsg_write_text(writer, IMSG_IDENTIFY_TERM, TERM_NAME);
	imsg_write(writer, IMSG_IDENTIFY_FEATURES, &no_features, sizeof no_features);
	imsg_write_text(writer, IMSG_IDENTIFY_TTYNAME, "");
}

void direct_write_flags(struct imsg_writer *writer, uint64_t flags)
{
	const int short_flags = (int)flags;
	imsg_write(writer, IMSG_IDENTIFY_FLAGS, &short_flags, sizeof short_flags);
	imsg_write(writer, IMSG_IDENTIFY_LONGFLAGS, &flags, sizeof flags);
}

static bool is_passed(const char *variable)
{
	for (size_t i = 0; i < sizeof environment_names / sizeof environment_names[0]; i++) {
		const char *name = environment_names[i];
		if (name[0] == variable[0] && strncmp(name, variable, strlen(name)) == 0 &&
		    variable[strlen(name)] == '=')
			return strlen(variable) < VARIABLE_BYTES;
	}
	return false;
}

void direct_write_environment(struct imsg_writer *writer)
{
	for (char **at = environ; at != NULL && *at != NULL; at++)
		if (is_passed(*at))
			imsg_write_text(writer, IMSG_IDENTIFY_ENVIRON, *at);
}

static void write_attach(struct imsg_writer *writer, uint32_t session, bool has_output)
{
	struct buf bytes = BUF(COMMAND_BYTES_MAX); /* larger than all words together */
	const char *words[ARGUMENTS_MAX];
	char target[16];
	int count = 0;
	words[count++] = "attach-session";
	words[count++] = "-E"; /* do not change the session's environment */
	words[count++] = "-f";
	words[count++] = has_output ? "ignore-size" : "ignore-size,no-output";
	if (session != MUXBUS_NO_ID) {
		(void)snprintf(target, sizeof target, "$%u", session);
		words[count++] = "-t";
		words[count++] = target;
	}
	if (buf_append(&bytes, &count, sizeof count) != 0)
		writer->error = MUXBUS_ERR_NOMEM;
	for (int i = 0; i < count; i++)
		if (buf_append(&bytes, words[i], strlen(words[i]) + 1) != 0)
			writer->error = MUXBUS_ERR_NOMEM;
	imsg_write(writer, IMSG_COMMAND, bytes.data, bytes.len);
	buf_finish(&bytes);
}

static void write_end(struct imsg_writer *writer, uint32_t session, bool has_output)
{
	const pid_t pid = getpid();
	imsg_write(writer, IMSG_IDENTIFY_CLIENTPID, &pid, sizeof pid);
	direct_write_environment(writer);
	direct_write_flags(writer, FLAG_CONTROL | FLAG_UTF8);
	imsg_write(writer, IMSG_IDENTIFY_DONE, NULL, 0);
	write_attach(writer, session, has_output);
}

/* Sends a few bytes. The socket has room, so a short write means that the socket is broken. */
static int send_all(int fd, struct buf *bytes)
{
	ssize_t sent = send(fd, bytes->data, bytes->len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent == (ssize_t)bytes->len)
		return 0;
	if (sent >= 0)
		errno = EAGAIN;
	return MUXBUS_ERR_SYSTEM;
}

static int pass(int fd, enum imsg_form form, uint32_t type, int passed)
{
	uint8_t header[IMSG_HEADER_BYTES];
	char control[CMSG_SPACE(sizeof passed)] __attribute__((aligned(8))) = {0};
	struct iovec bytes = {.iov_base = header, .iov_len = sizeof header};
	struct msghdr message = {
	    .msg_iov = &bytes,
	    .msg_iovlen = 1,
	    .msg_control = control,
	    .msg_controllen = sizeof control,
	};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
	imsg_passing(header, form, type);
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof passed);
	memcpy(CMSG_DATA(rights), &passed, sizeof passed);
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof header
	    ? 0
	    : MUXBUS_ERR_SYSTEM;
}

int direct_attach(struct direct *direct, int fd, enum imsg_form form, int input, int output,
    uint32_t session, bool has_output)
{
	struct buf out = BUF(OUT_BYTES_MAX);
	struct imsg_writer writer = {.out = &out, .form = form};
	int error;
	direct->fd = fd;
	direct->form = form;
	direct_write_terminal(&writer);
	imsg_write_text(&writer, IMSG_IDENTIFY_CWD, "/");
	error = writer.error;
	if (error == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
		error = MUXBUS_ERR_SYSTEM;
	if (error == 0)
		error = send_all(fd, &out);
	if (error == 0)
		error = pass(fd, form, IMSG_IDENTIFY_STDIN, input);
	if (error == 0)
		error = pass(fd, form, IMSG_IDENTIFY_STDOUT, output);
	buf_clear(&out);
	if (error == 0) {
		write_end(&writer, session, has_output);
		error = writer.error != 0 ? writer.error : send_all(fd, &out);
	}
	buf_finish(&out);
	/* The server has already closed the connection, which direct_read() will report. */
	if (error == MUXBUS_ERR_SYSTEM && (errno == EPIPE || errno == ECONNRESET))
		error = 0;
	return error;
}

static void note_reason(struct direct *direct, const struct imsg *message)
{
	const char *text = (const char *)message->data + sizeof(int);
	if (message->len > sizeof(int) && direct->reason[0] == '\0')
		(void)snprintf(direct->reason, sizeof direct->reason, "%.*s",
		    (int)strnlen(text, message->len - sizeof(int)), text);
}

/* tmux waits for this answer before it closes the connection. */
static void answer_end(struct direct *direct)
{
	struct buf out = BUF(IMSG_HEADER_BYTES);
	direct->is_ending = true;
	if (imsg_append(&out, direct->form, IMSG_EXITING, NULL, 0) == 0)
		(void)send_all(direct->fd, &out);
	buf_finish(&out);
}

static bool handle(void *data, const struct imsg *message)
{
	struct direct *direct = data;
	direct->was_heard = true;
	switch (message->type) {
	case IMSG_VERSION:
		direct->is_foreign = true;
		(void)snprintf(direct->reason, sizeof direct->reason,
		    "protocol version mismatch (client %d, server %u)", IMSG_PROTOCOL,
		    (unsigned)(message->protocol & 0xff));
		return false;
	case IMSG_READ_OPEN: /* only tmux before 3.2, an unsupported version, asks this of us */
		direct->is_foreign = true;
		return false;
	case IMSG_EXITED:
		return false;
	case IMSG_EXIT:
	case IMSG_SHUTDOWN:
		note_reason(direct, message);
		answer_end(direct);
		return true;
	case IMSG_DETACH:
	case IMSG_DETACH_KILL:
		answer_end(direct);
		return true;
	case IMSG_EXEC: /* detach-client -E: its command is not run; tmux may still run lists */
		direct->is_suspended = true;
		answer_end(direct);
		return true;
	case IMSG_SUSPEND:
		/* Only a client with a terminal can resume, and tmux now drops our output: end. */
		direct->is_suspended = true;
		(void)snprintf(direct->reason, sizeof direct->reason, "suspended");
		answer_end(direct);
		return true;
	default: /* such as flags, which need no answer */
		return true;
	}
}

bool direct_read(struct direct *direct)
{
	uint8_t bytes[4096];
	size_t total = 0;
	ssize_t got;
	while ((got = recv(direct->fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
		if (buf_append(&direct->in, bytes, (size_t)got) != 0 ||
		    imsg_each(direct->form, &direct->in, handle, direct) != 0)
			return false;
		total += (size_t)got;
		if (total >= LOOK_BYTES_MAX) {
			(void)snprintf(direct->reason, sizeof direct->reason,
			    "the server sends its client more than tmux does");
			return false;
		}
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (!direct->is_ending)
		(void)snprintf(direct->reason, sizeof direct->reason, "server exited unexpectedly");
	return false;
}

void direct_hang_up(struct direct *direct)
{
	if (direct->fd >= 0)
		(void)shutdown(direct->fd, SHUT_RDWR);
}

void direct_finish(struct direct *direct)
{
	loop_close_fd(&direct->fd);
	buf_finish(&direct->in);
}
