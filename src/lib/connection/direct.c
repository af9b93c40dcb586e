/* SPDX-License-Identifier: ISC */
#include "lib/connection/direct.h"

#include <muxbus.h>

#include <sys/socket.h>

/* Flags of tmux clients: control client, UTF-8 terminal. */
#define FLAG_CONTROL UINT64_C(0x2000)
#define FLAG_UTF8 UINT64_C(0x10000)

/* The terminal that list-clients shows. tmux does not look up that of a control client. */
#define TERM_NAME "muxbus"

enum {
	ARGUMENTS_MAX = 8,
	COMMAND_BYTES_MAX = 256,
	/* Limit of the identification and the command. */
	OUT_BYTES_MAX = 256 * 1024,
	IN_BYTES_MAX = 4 * IMSG_MAX,
	VARIABLE_BYTES = 1024, /* including the name; longer variables are not sent */
	/* Limit of the bytes read at once: tmux sends only a few hundred in total. */
	LOOK_BYTES_MAX = 256 * 1024,
};

/*
 * The variables that tmux's default update-environment copies into a new session. We send no other
 * variables.
 */
static const char *const environment_names[] = {"DISPLAY", "KRB5CCNAME", "SSH_AGENT_PID",
    "SSH_ASKPASS", "SSH_AUTH_SOCK", "SSH_CONNECTION", "WAYLAND_DISPLAY", "WINDOWID", "XAUTHORITY"};

void direct_init(struct direct *direct)
{
	memset(direct, 0, sizeof *direct);
	direct->fd = -1;
	buf_init(&direct->in, IN_BYTES_MAX);
}

int direct_append_string(struct buf *out, enum imsg_form form, uint32_t type, const char *text)
{
	return imsg_append(out, form, type, text, strlen(text) + 1);
}

int direct_append_terminal(struct buf *out, enum imsg_form form)
{
	const int no_features = 0;
	int error = direct_append_string(out, form, IMSG_IDENTIFY_TERM, TERM_NAME);
	if (error == 0)
		error = imsg_append(
		    out, form, IMSG_IDENTIFY_FEATURES, &no_features, sizeof no_features);
	if (error == 0)
		error = direct_append_string(out, form, IMSG_IDENTIFY_TTYNAME, "");
	return error;
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

int direct_append_environment(struct buf *out, enum imsg_form form)
{
	int error = 0;
	for (char **at = environ; error == 0 && at != NULL && *at != NULL; at++)
		if (is_passed(*at))
			error = direct_append_string(out, form, IMSG_IDENTIFY_ENVIRON, *at);
	return error;
}

static int append_command(struct buf *out, enum imsg_form form, const char *const *words, int count)
{
	char bytes[COMMAND_BYTES_MAX];
	size_t len = sizeof count;
	memcpy(bytes, &count, sizeof count);
	for (int i = 0; i < count; i++) {
		size_t size = strlen(words[i]) + 1;
		if (size > sizeof bytes - len)
			return MUXBUS_ERR_LIMIT;
		memcpy(bytes + len, words[i], size);
		len += size;
	}
	return imsg_append(out, form, IMSG_COMMAND, bytes, len);
}

static int append_attach(struct buf *out, enum imsg_form form, uint32_t session, bool has_output)
{
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
	return append_command(out, form, words, count);
}

/* Appends the flags, the end of the identification, and the command. */
static int append_end(struct buf *out, enum imsg_form form, uint32_t session, bool has_output)
{
	const uint64_t long_flags = FLAG_CONTROL | FLAG_UTF8;
	const int flags = (int)long_flags;
	const pid_t pid = getpid();
	int error = imsg_append(out, form, IMSG_IDENTIFY_CLIENTPID, &pid, sizeof pid);
	if (error == 0)
		error = direct_append_environment(out, form);
	if (error == 0)
		error = imsg_append(out, form, IMSG_IDENTIFY_FLAGS, &flags, sizeof flags);
	if (error == 0)
		error =
		    imsg_append(out, form, IMSG_IDENTIFY_LONGFLAGS, &long_flags, sizeof long_flags);
	if (error == 0)
		error = imsg_append(out, form, IMSG_IDENTIFY_DONE, NULL, 0);
	if (error == 0)
		error = append_attach(out, form, session, has_output);
	return error;
}

/* Sends all bytes. The socket is new and empty, so a short write means that it is broken. */
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
	int error;
	direct->fd = fd;
	direct->form = form;
	error = fcntl(fd, F_SETFL, O_NONBLOCK) == 0 ? 0 : MUXBUS_ERR_SYSTEM;
	if (error == 0)
		error = direct_append_terminal(&out, form);
	if (error == 0)
		error = direct_append_string(&out, form, IMSG_IDENTIFY_CWD, "/");
	if (error == 0)
		error = send_all(fd, &out);
	if (error == 0)
		error = pass(fd, form, IMSG_IDENTIFY_STDIN, input);
	if (error == 0)
		error = pass(fd, form, IMSG_IDENTIFY_STDOUT, output);
	buf_clear(&out);
	if (error == 0)
		error = append_end(&out, form, session, has_output);
	if (error == 0)
		error = send_all(fd, &out);
	buf_finish(&out);
	/* The server has already closed the connection, which direct_read() will report. */
	if (error == MUXBUS_ERR_SYSTEM && (errno == EPIPE || errno == ECONNRESET))
		error = 0;
	return error;
}

/* Stores the reason of a message that ends the client: a number and a text, both optional. */
static void note_reason(struct direct *direct, const struct imsg *message)
{
	const char *text = (const char *)message->data + sizeof(int);
	if (message->len > sizeof(int) && direct->reason[0] == '\0')
		(void)snprintf(direct->reason, sizeof direct->reason, "%.*s",
		    (int)strnlen(text, message->len - sizeof(int)), text);
}

/*
 * Answers that the client is exiting, because the server waits for this answer before it closes the
 * connection.
 */
static void answer_end(struct direct *direct)
{
	struct buf out = BUF(IMSG_HEADER_BYTES);
	direct->is_ending = true;
	if (imsg_append(&out, direct->form, IMSG_EXITING, NULL, 0) == 0)
		(void)send_all(direct->fd, &out);
	buf_finish(&out);
}

/* Handles a message. Returns false after the last one. */
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
	case IMSG_READ_OPEN: /* tmux before 3.2 has its client read the standard input */
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
	case IMSG_EXEC: /* of detach-client -E: its command is not run; tmux still reads ours */
		direct->is_suspended = true;
		answer_end(direct);
		return true;
	case IMSG_SUSPEND:
		/*
		 * tmux drops the output for a suspended client, and to resume would need a
		 * terminal, which a control client lacks. So this client ends.
		 */
		direct->is_suspended = true;
		(void)snprintf(direct->reason, sizeof direct->reason, "suspended");
		answer_end(direct);
		return true;
	default: /* flags need no answer; tmux never locks a control client */
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
	if (direct->fd >= 0)
		close(direct->fd);
	direct->fd = -1;
	buf_finish(&direct->in);
}
