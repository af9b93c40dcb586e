/* SPDX-License-Identifier: ISC */
/* Shows a text in the user's pager. */
#include "cli/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 16, COMMAND_SIZE = 1024, STATUS_NOT_RUN = 127 };

static bool fits(const char *text, size_t len)
{
	struct winsize size;
	size_t rows = 1; /* the prompt */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return true;
	for (size_t i = 0; i < len; i++)
		rows += text[i] == '\n';
	return rows <= size.ws_row;
}

/* In the child: a program and its options, without a shell. Never returns. */
static _Noreturn void become_pager(
    const char *pager, int fd, void (*interrupt)(int), void (*quit)(int))
{
	char words[COMMAND_SIZE];
	char *argv[WORDS_MAX + 1], *next;
	size_t count = 0;
	(void)snprintf(words, sizeof words, "%s", pager);
	for (char *word = strtok_r(words, " ", &next); word != NULL && count < WORDS_MAX;
	     word = strtok_r(NULL, " ", &next))
		argv[count++] = word;
	argv[count] = NULL;
	(void)setenv("LESS", "FRX", 0);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGINT, interrupt);
	(void)signal(SIGQUIT, quit);
	if (count > 0 && dup2(fd, STDIN_FILENO) >= 0)
		(void)execvp(argv[0], argv);
	_exit(STATUS_NOT_RUN);
}

bool pager_show(const char *text, size_t len)
{
	const char *pager = getenv("PAGER");
	void (*interrupt)(int), (*quit)(int);
	int fds[2], status = 0;
	pid_t pid;
	if (pager == NULL)
		pager = "less";
	if (*pager == '\0' || strcmp(pager, "cat") == 0 || fits(text, len) || pipe(fds) < 0)
		return false;
	/* ^C and ^\ are for the pager. It would lose the terminal if this program ended first. */
	interrupt = signal(SIGINT, SIG_IGN);
	quit = signal(SIGQUIT, SIG_IGN);
	pid = fork();
	if (pid == 0) {
		(void)close(fds[1]);
		become_pager(pager, fds[0], interrupt, quit);
	}
	(void)close(fds[0]);
	/* A user who leaves the pager early ends the writing: SIGPIPE is ignored. */
	while (pid > 0 && len > 0) {
		ssize_t n = write(fds[1], text, len);
		if (n < 0 && errno != EINTR)
			break;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	(void)close(fds[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	(void)signal(SIGINT, interrupt);
	(void)signal(SIGQUIT, quit);
	return pid > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_RUN);
}
