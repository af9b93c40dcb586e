/* SPDX-License-Identifier: ISC */
/* muxbus mark: reports the state of an agent through its terminal. */
#include "cli/verbs/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/option.h"
#include "cli/verbs.h"

#define MARK_MAX 4096 /* the daemon reads no more of one */

/* Appends a field; bytes with a meaning for the sequence are escaped. */
static void put_field(struct buf *out, const char *key, const char *value)
{
	if (value == NULL)
		return;
	(void)buf_printf(out, ";%s=", key);
	for (; *value != '\0'; value++) {
		unsigned char byte = (unsigned char)*value;
		if (byte < 0x20 || byte > 0x7e || byte == ';' || byte == '\\')
			(void)buf_printf(out, "\\x%02x", byte);
		else
			(void)buf_append_byte(out, byte);
	}
}

/* Appends the sequence. */
static void mark_format(struct buf *out, const struct mark *mark)
{
	(void)buf_append_str(out, "\033]3008;start=muxbus;type=app");
	put_field(out, "muxbus", mark->token);
	put_field(out, "agent", mark->agent);
	put_field(out, "session", mark->session);
	put_field(out, "state", mark->state);
	put_field(out, "to", mark->to);
	put_field(out, "question", mark->question);
	put_field(out, "wake", mark->wake);
	(void)buf_append_str(out, "\033\\");
}

bool mark_write(const struct mark *mark)
{
	struct buf out;
	int fd = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
	ssize_t written;
	bool is_written;
	int error;
	if (fd < 0)
		return false;
	buf_init(&out, 16 * MARK_MAX);
	mark_format(&out, mark);
	written = write(fd, out.data, out.len);
	error = written < 0 ? errno : EIO;
	(void)close(fd); /* a terminal keeps nothing back */
	is_written = written == (ssize_t)out.len;
	buf_finish(&out);
	errno = error;
	return is_written;
}

static const struct option_row options[] = {
    {"", 0, OPTION_TEXT, offsetof(struct mark, state), NULL},
    {"agent", 0, OPTION_TEXT, offsetof(struct mark, agent), NULL},
    {"session", 0, OPTION_TEXT, offsetof(struct mark, session), NULL},
    {"question", 'q', OPTION_TEXT, offsetof(struct mark, question), NULL},
    {"wake", 'w', OPTION_TEXT, offsetof(struct mark, wake), NULL},
    {"to", 0, OPTION_TEXT, offsetof(struct mark, to), NULL},
    {0},
};

enum cli_status mark_run(struct cli *cli, int argc, char **argv)
{
	static const char *const states[] = {"asking", "busy", "gone", "idle", "ready", NULL};
	static const char *const targets[] = {"own", "parent", NULL};
	struct mark mark = {.token = getenv(MARK_VARIABLE)};
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &mark, NULL, &status))
		return status;
	if (mark.state == NULL && mark.wake == NULL)
		return cli_usage("mark", "name a state, or a text with --wake");
	if (mark.state != NULL && !str_is_in(mark.state, states))
		return cli_usage(
		    "mark", "a state is asking, busy, gone, idle or ready, not \"%s\"", mark.state);
	if (mark.to != NULL && !str_is_in(mark.to, targets))
		return cli_usage("mark", "--to is own or parent, not \"%s\"", mark.to);
	if (mark.token == NULL || mark.token[0] == '\0') {
		cli_error(
		    "%s is not set: no pane with a token is around this program", MARK_VARIABLE);
		return CLI_NO;
	}
	if (!mark_write(&mark)) {
		cli_error("/dev/tty: %s", strerror(errno));
		return CLI_NO;
	}
	return CLI_DONE;
}
