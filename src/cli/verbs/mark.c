/* SPDX-License-Identifier: ISC */
/* muxbus mark: reports an agent's state through its terminal, by an escape sequence (OSC 3008). */
#include "cli/verbs/mark.h"

#include "cli/verb.h"

#define MARK_MAX 4096 /* longest mark that the daemon reads, in bytes */

/* Appends a field. Escapes bytes that could end the field or the sequence. */
static void put_field(struct buf *out, const char *key, const char *value)
{
	if (value == NULL || buf_printf(out, ";%s=", key) < 0)
		return;
	for (; *value != '\0'; value++) {
		unsigned char byte = (unsigned char)*value;
		if (byte < 0x20 || byte > 0x7e || byte == ';' || byte == '\\')
			(void)buf_printf(out, "\\x%02x", byte);
		else
			(void)buf_append_byte(out, byte);
	}
}

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
	/* Keep room for the end: a terminal swallows text behind a mark that has no end. */
	out->max += strlen("\033\\");
	(void)buf_append_str(out, "\033\\");
}

bool mark_write(const struct mark *mark)
{
	struct buf out = BUF(MARK_MAX);
	int fd = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
	ssize_t written;
	bool is_written;
	int error;
	if (fd < 0)
		return false;
	mark_format(&out, mark);
	written = write(fd, out.data, out.len);
	error = written < 0 ? errno : EIO;
	(void)close(fd);
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
	if (mark.token == NULL || mark.token[0] == '\0')
		return cli_fail(CLI_NO,
		    "%s is not set: no pane with a token is around this program", MARK_VARIABLE);
	if (!mark_write(&mark))
		return cli_fail(CLI_NO, "/dev/tty: %s", strerror(errno));
	return CLI_DONE;
}
