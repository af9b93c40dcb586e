/* SPDX-License-Identifier: ISC */
/* The start of a control client: with which binary, and which words. */
#include "lib/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "lib/locate.h"

enum { ARGUMENTS_MAX = 16, TARGET_SIZE = 16 };

static int start(
    struct process *process, const char *program, const struct muxbus_connection_options *options)
{
	bool has_output = !(options->flags & MUXBUS_CONNECTION_NO_OUTPUT);
	const char *argv[ARGUMENTS_MAX];
	char target[TARGET_SIZE];
	size_t count = 0;

	argv[count++] = "tmux";
	argv[count++] = "-u"; /* without it what is not ASCII comes as '_' */
	argv[count++] = "-N"; /* the server may end meanwhile: do not start another */
	argv[count++] = "-S";
	argv[count++] = options->socket_path;
	argv[count++] = "-C";
	argv[count++] = "attach-session";
	argv[count++] = "-E"; /* the session's environment is not to become ours */
	argv[count++] = "-f";
	argv[count++] = has_output ? "ignore-size" : "ignore-size,no-output";
	if (options->session != MUXBUS_NO_ID) {
		(void)snprintf(target, sizeof target, "$%u", options->session);
		argv[count++] = "-t";
		argv[count++] = target;
	}
	argv[count] = NULL;
	return process_start(process, program, (char *const *)argv);
}

/* The binary that was asked for; else the server's own; else that of the PATH. */
int launch(struct process *process, const struct muxbus_connection_options *options)
{
	const char *name = options->tmux_path;
	char program[PATH_MAX];
	pid_t pid;
	uid_t uid;
	int error = locate_server(options->socket_path, &pid, &uid);

	if (error == MUXBUS_ERR_SYSTEM && errno == EAGAIN)
		return MUXBUS_ERR_TIMEOUT;
	if (error != 0)
		return error;
	if (name == NULL && locate_server_binary(pid, uid, program, sizeof program)) {
		error = start(process, program, options);
		if (error != MUXBUS_ERR_SPAWN)
			return error;
	}
	if (!locate_program(name != NULL ? name : "tmux", program, sizeof program))
		return MUXBUS_ERR_SPAWN;
	return start(process, program, options);
}
