/* SPDX-License-Identifier: ISC */
/* Starts muxbusd if it does not run. */
#include "cli/launch.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/secret.h"
#include "base/xalloc.h"
#include "cli/program.h"

/*
 * The environment of the daemon: our own without the variables of agents, and without those that
 * look like secrets. The daemon outlives its caller, which may be an agent, serves others, and
 * passes its environment on to jobs. The caller frees the array; the strings stay ours.
 */
static char **make_environment(void)
{
	size_t count = 0, kept = 0;
	char **env;
	while (environ[count] != NULL)
		count++;
	env = xcalloc(count + 1, sizeof *env);
	for (size_t i = 0; i < count; i++) {
		if (!secret_is_variable(environ[i]) && !secret_is_agents(environ[i]))
			env[kept++] = environ[i];
	}
	return env;
}

#define DAEMON "muxbusd"
#define SAID_MAX 8192 /* of its output */

/* Copies the first line of the daemon's output, without the prefix of each line. */
static void tell(const struct buf *said, char *ret_reason, size_t size)
{
	const char *text = buf_text(said);
	const char *prefix = DAEMON ": ";
	int len;
	if (strncmp(text, prefix, strlen(prefix)) == 0)
		text += strlen(prefix);
	len = (int)strcspn(text, "\n");
	(void)snprintf(ret_reason, size, "muxbusd does not start: %.*s", len > 0 ? len : 1024,
	    len > 0 ? text : "no reason given");
}

int launch_daemon(const struct cli *cli, char *ret_reason, size_t size)
{
	char program[PATH_MAX];
	char *const fleet_argv[] = {
	    (char *)DAEMON, (char *)"--fleet", (char *)"-s", (char *)cli->socket, NULL};
	char *const argv[] = {
	    (char *)DAEMON,
	    (char *)"-S",
	    (char *)cli->tmux_socket,
	    (char *)"-s",
	    (char *)cli->socket,
	    NULL,
	};
	char **own_env = environ;
	char **env;
	struct buf said;
	int status;
	if (!program_find(DAEMON, program, sizeof program)) {
		(void)snprintf(
		    ret_reason, size, DAEMON " is not beside muxbus and not in PATH: install it");
		return -1;
	}
	buf_init(&said, SAID_MAX);
	env = make_environment();
	environ = env;
	status = program_run(
	    program, cli->is_fleet ? fleet_argv : argv, PROGRAM_STDERR, LAUNCH_TIMEOUT_MS, &said);
	environ = own_env;
	mem_free(env);
	if (status < 0 && errno == ETIMEDOUT)
		(void)snprintf(
		    ret_reason, size, DAEMON " is not ready after %d s", LAUNCH_TIMEOUT_MS / 1000);
	else if (status < 0)
		(void)snprintf(ret_reason, size, "%s cannot be run: %s", program, strerror(errno));
	else if (status > 0)
		tell(&said, ret_reason, size);
	buf_finish(&said);
	return status == 0 ? 0 : -1;
}
