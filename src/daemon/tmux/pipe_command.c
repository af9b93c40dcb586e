/* SPDX-License-Identifier: ISC */
/* The command that pipes a pane to the daemon, quoted for all its readers. */
#include "daemon/tmux/pipe_command.h"

#include <muxbus.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"

/* A word of sh. '#' and '%' are printed by sh itself: no tmux may find them. */
static void write_word(struct buf *out, const char *word)
{
	buf_append_byte(out, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '#')
			buf_append(out, "'\"$(printf '\\043')\"'", 20);
		else if (*word == '%')
			buf_append(out, "'\"$(printf '\\045')\"'", 20);
		else if (*word == '\'')
			buf_append(out, "'\\''", 4);
		else
			buf_append_byte(out, (uint8_t)*word);
	}
	buf_append_byte(out, '\'');
}

int pipe_command_write_sh(
    struct buf *out, const char *program, const char *socket, const char *nonce)
{
	/* 20 bytes for each at most. */
	if (20 * (strlen(program) + strlen(socket) + strlen(nonce)) > PIPE_COMMAND_MAX)
		return -1;
	buf_append(out, "exec ", 5);
	write_word(out, program);
	buf_append(out, " --hand-over ", 13);
	write_word(out, socket);
	buf_append_byte(out, ' ');
	write_word(out, nonce);
	return 0;
}

/* The command pipe-pane, as a text for if-shell. */
static char *write_pipe(uint32_t pane, const struct buf *sh)
{
	size_t size = MUXBUS_QUOTED_MAX(sh->len) + 64;
	char *text = xalloc(size);
	/* With -I tmux sees at once that the pipe was closed; nothing is ever written to it. */
	int len = snprintf(text, size, "pipe-pane -IO -t %%%u ", pane);
	ssize_t quoted = muxbus_quote(text + len, sh->data, sh->len);
	if (quoted < 0) {
		mem_free(text);
		return NULL;
	}
	text[len + quoted] = '\0';
	return text;
}

struct muxbus_command *pipe_command_new(
    uint32_t pane, const char *program, const char *socket, const char *nonce)
{
	struct muxbus_command *command = NULL;
	struct buf sh;
	char *text = NULL;
	buf_init(&sh, 2 * PIPE_COMMAND_MAX);
	if (pipe_command_write_sh(&sh, program, socket, nonce) == 0)
		text = write_pipe(pane, &sh);
	buf_finish(&sh);
	if (text == NULL || muxbus_command_new(&command) < 0) {
		mem_free(text);
		return NULL;
	}
	muxbus_command_args(command, "display-message", "-p", "-t", NULL);
	muxbus_command_argf(command, "%%%u", pane);
	muxbus_command_args(command, "#{pane_id} #{pane_pipe} #{pane_dead}", NULL);
	muxbus_command_next(command);
	muxbus_command_args(command, "if-shell", "-F", "-t", NULL);
	muxbus_command_argf(command, "%%%u", pane);
	muxbus_command_args(command, "#{||:#{pane_pipe},#{pane_dead}}", "", text, NULL);
	mem_free(text);
	return command;
}
