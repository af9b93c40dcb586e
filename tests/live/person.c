/* SPDX-License-Identifier: ISC */
/* A tmux client on a pseudo-terminal. */
#include "person.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct person person_attach(const struct live *live, const char *session)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	struct person person;
	person.pid = forkpty(&person.terminal, NULL, NULL, &size);
	if (person.pid == 0) {
		(void)setenv("TERM", "xterm", 1);
		(void)unsetenv("TMUX");
		execl(live->tmux, live->tmux, "-S", live->tmux_socket, "attach-session", "-t",
		    session, (char *)NULL);
		_exit(127);
	}
	if (person.pid < 0) {
		printf("Bail out! no terminal\n");
		exit(1);
	}
	(void)fcntl(person.terminal, F_SETFL, O_NONBLOCK);
	return person;
}

void person_look(struct person *person)
{
	char screen[4096];
	while (read(person->terminal, screen, sizeof screen) > 0)
		continue;
}

void person_leave(struct person *person)
{
	close(person->terminal);
	(void)kill(person->pid, SIGHUP);
	while (waitpid(person->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}
