/* SPDX-License-Identifier: ISC */
/* The command that pipes a pane: sh reads the words that were written, tmux finds no '#' or '%'. */
#include "daemon/tmux/pane_pipe.h"

#include <muxbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

/* The words that sh reads, beside those that were written. */
static void check(const char *program, const char *socket, const char *name)
{
	struct buf sh;
	char want[512], got[512] = "";
	FILE *file;
	size_t len;
	buf_init(&sh, 3 * PIPE_COMMAND_MAX);
	is_int(pipe_command_write_sh(&sh, program, socket, "0123"), 0, "%s: is written", name);
	buf_append_byte(&sh, '\0');
	ok(strpbrk((const char *)sh.data, "#%") == NULL, "%s: tmux has nothing to expand", name);
	/* A function stands for the program, whatever its name. */
	memmove(sh.data, "show ", 5);
	setenv("SHOWN", (const char *)sh.data, 1);
	file =
	    popen("show() { for word; do printf '<%s>' \"$word\"; done; }; eval \"$SHOWN\"", "r");
	len = file != NULL ? fread(got, 1, sizeof got - 1, file) : 0;
	got[len] = '\0';
	if (file == NULL || pclose(file) != 0)
		diag("sh has failed: %s", (const char *)sh.data);
	snprintf(want, sizeof want, "<%s><--hand-over><%s><0123>", program, socket);
	is_str(got, want, "%s: sh reads the same", name);
	buf_finish(&sh);
}

static void test_bytes(void)
{
	char path[] = "/tmp/a?b/s.pipe";
	unsigned wrong = 0;
	for (int byte = 1; byte < 256; byte++) {
		struct buf sh;
		buf_init(&sh, 3 * PIPE_COMMAND_MAX);
		path[6] = (char)byte;
		wrong += pipe_command_write_sh(&sh, "/bin/x", path, "0") != 0 || sh.len < 30;
		buf_append_byte(&sh, '\0');
		wrong += strpbrk((const char *)sh.data, "#%") != NULL;
		buf_finish(&sh);
	}
	is_int(wrong, 0, "every byte can be in a path");
}

static void test_limits(void)
{
	static char path[PIPE_COMMAND_MAX];
	struct muxbus_command *command;
	struct buf sh;
	memset(path, '#', sizeof path - 1);
	buf_init(&sh, 3 * PIPE_COMMAND_MAX);
	is_int(pipe_command_write_sh(&sh, "/bin/x", path, "0"), -1, "a longer one is not written");
	ok(pipe_command_new(1, "/bin/x", path, "0") == NULL, "nor are the commands of tmux");
	path[300] = '\0';
	is_int(pipe_command_write_sh(&sh, "/bin/x", path, "0"), 0,
	    "300 signs to quote are no trouble");
	command = pipe_command_new(1, "/bin/x", path, "0");
	ok(command != NULL, "also for tmux");
	muxbus_command_free(command);
	buf_finish(&sh);
}

int main(void)
{
	check("/usr/libexec/muxbus-job", "/tmp/tmux-0/default.muxbus.pipe", "plain");
	check("/opt/a b/job", "/tmp/it's #{pane_id} 100%/s", "signs");
	check("/opt/$HOME/`id`/\"x\"\\", "/tmp/##[x]%%H%#(id)'", "more signs");
	check("/opt/a\nb", "/tmp/~;x &|<>*?", "a new line");
	test_bytes();
	test_limits();
	return done_testing();
}
