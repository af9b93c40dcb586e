/* SPDX-License-Identifier: ISC */
/* Shows a text in the user's pager. */
#include "cli/help/help_page.h"

#include <sys/ioctl.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/process.h"
#include "cli/screen_text.h"

enum { WORDS_MAX = 16, COMMAND_SIZE = 1024, STATUS_NOT_RUN = 127 };

static bool fits(const char *text, size_t len)
{
	struct winsize size;
	size_t rows = 1; /* a row for the prompt of the shell */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return true;
	if (size.ws_col < screen_columns(STDOUT_FILENO)) /* too narrow: lines go on in more rows */
		return false;
	for (size_t i = 0; i < len; i++)
		rows += text[i] == '\n';
	return rows <= size.ws_row;
}

static void split(char *command, char *ret_words[WORDS_MAX + 1])
{
	size_t count = 0;
	for (char *next, *word = strtok_r(command, " ", &next); word != NULL && count < WORDS_MAX;
	     word = strtok_r(NULL, " ", &next))
		ret_words[count++] = word;
	ret_words[count] = NULL;
}

bool pager_show(const char *text, size_t len)
{
	const char *pager = getenv("PAGER");
	char command[COMMAND_SIZE], *words[WORDS_MAX + 1];
	struct child_options options = {.argv = words, .streams = {{CHILD_PIPE_IN, 0}}};
	void (*interrupt)(int), (*quit)(int);
	int status = W_EXITCODE(STATUS_NOT_RUN, 0);
	struct child child;
	if (pager == NULL)
		pager = "less";
	if (*pager == '\0' || strcmp(pager, "cat") == 0 || !screen_has_cursor(STDOUT_FILENO) ||
	    fits(text, len))
		return false;
	(void)snprintf(command, sizeof command, "%s", pager);
	split(command, words);
	(void)setenv("LESS", "FRX", 0);
	/* The pager handles ^C and ^\, but would lose the terminal if this program ended first. */
	interrupt = signal(SIGINT, SIG_IGN);
	quit = signal(SIGQUIT, SIG_IGN);
	options.defaults[0] = SIGPIPE;
	options.defaults[1] = interrupt != SIG_IGN ? SIGINT : SIGPIPE;
	options.defaults[2] = quit != SIG_IGN ? SIGQUIT : SIGPIPE;
	options.defaults[3] = SIGXFSZ;
	if (words[0] != NULL && child_start(&options, &child) == 0) {
		/* If the user quits the pager early, the write fails with EPIPE. */
		(void)file_write_all(child.ends[STDIN_FILENO], text, len);
		(void)close(child.ends[STDIN_FILENO]);
		status = child_reap(child.pid);
	}
	(void)signal(SIGINT, interrupt);
	(void)signal(SIGQUIT, quit);
	return !(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_RUN);
}
