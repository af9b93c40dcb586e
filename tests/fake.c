/* SPDX-License-Identifier: ISC */
/* A scripted tmux: starting it, and giving it its script. */
#include "fake.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void bail_out(const char *what)
{
	(void)printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(99);
}

void fake_start(struct fake *fake)
{
	const char *builddir = getenv("MUXBUS_BUILDDIR");
	int ready[2];
	char byte;
	(void)snprintf(fake->program, sizeof fake->program, "%s/tests/fake_tmux",
	    builddir != NULL ? builddir : ".");
	(void)snprintf(fake->dir, sizeof fake->dir, "/tmp/muxbus-fake.XXXXXX");
	if (mkdtemp(fake->dir) == NULL || pipe(ready) != 0)
		bail_out("fake_start");
	(void)snprintf(fake->socket, sizeof fake->socket, "%s/socket", fake->dir);
	fake->listener = fork();
	if (fake->listener == 0) {
		(void)dup2(ready[1], STDOUT_FILENO);
		close(ready[0]);
		close(ready[1]);
		(void)execl(fake->program, "fake_tmux", "--listen", fake->socket, (char *)NULL);
		_exit(127);
	}
	close(ready[1]);
	if (fake->listener < 0 || read(ready[0], &byte, 1) != 1)
		bail_out(fake->program);
	close(ready[0]);
}

void fake_stop(struct fake *fake)
{
	char path[128];
	(void)kill(fake->listener, SIGKILL);
	(void)waitpid(fake->listener, NULL, 0);
	(void)unlink(fake->socket);
	(void)snprintf(path, sizeof path, "%s/script", fake->dir);
	(void)unlink(path);
	(void)rmdir(fake->dir);
	(void)unsetenv("MUXBUS_FAKE_SCRIPT");
}

void fake_script(struct fake *fake, const char *script)
{
	char path[128];
	FILE *file;
	if (script == NULL) {
		(void)unsetenv("MUXBUS_FAKE_SCRIPT");
		return;
	}
	(void)snprintf(path, sizeof path, "%s/script", fake->dir);
	file = fopen(path, "we");
	if (file == NULL || fputs(script, file) < 0 || fclose(file) != 0)
		bail_out(path);
	(void)setenv("MUXBUS_FAKE_SCRIPT", path, 1);
}

void fake_open(struct fake *fake, struct trial *trial, unsigned timeout_ms)
{
	fake_open_within(fake, trial, timeout_ms, timeout_ms);
}

void fake_open_within(struct fake *fake, struct trial *trial, unsigned greeting_timeout_ms,
    unsigned command_timeout_ms)
{
	const struct muxbus_connection_options options = {
	    .socket_path = fake->socket,
	    .tmux_path = fake->program,
	    .session = MUXBUS_NO_ID,
	    .greeting_timeout_ms = greeting_timeout_ms,
	    .command_timeout_ms = command_timeout_ms,
	};
	trial_open(trial, &options);
}
