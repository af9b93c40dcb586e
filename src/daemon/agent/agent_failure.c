/* SPDX-License-Identifier: ISC */
/* Failure of an agent's program. */
#include "daemon/agent/agent_failure.h"

#include <muxbus.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/agent_state.h"
#include "daemon/tmux/tmux.h"

enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

/* Whether a program of the command could be executed from here. */
static bool is_executable(const char *program)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	if (strchr(program, '/') != NULL)
		return access(program, X_OK) == 0;
	while (path != NULL && *path != '\0') {
		size_t len = strcspn(path, ":");
		snprintf(file, sizeof file, "%.*s/%s", (int)len, path, program);
		if (access(file, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

void agent_failure_describe(const struct agent *agent, char *out, size_t size)
{
	const char *program = agent->plan.command[0];
	if (agent->exit_signal > 0)
		snprintf(out, size, "its program was killed by signal %d", agent->exit_signal);
	else if (agent->exit_status == STATUS_NOT_FOUND)
		snprintf(out, size, "its program was not found, exit status 127");
	else if (agent->exit_status == STATUS_NOT_EXECUTABLE)
		snprintf(out, size, "its program cannot be executed, exit status 126");
	else if (agent->exit_status == 1 && !agent->was_ready && agent->plan.command[1] != NULL &&
	    !is_executable(program))
		snprintf(out, size, "its program \"%.60s\" cannot be executed: %s", program,
		    strchr(program, '/') != NULL ? strerror(errno) : "not found in PATH");
	else if (agent->exit_status >= 0)
		snprintf(
		    out, size, "its program has ended with exit status %d", agent->exit_status);
	else
		snprintf(out, size, "its program has ended");
}

void agent_failure_close(struct agent *agent)
{
	struct tmux *tmux = agent->set->parts.tmux;
	struct muxbus_model_counts counts;
	struct muxbus_command *command;
	muxbus_model_counts(tmux_model(tmux), &counts);
	/* tmux may exit with its last pane. */
	if (counts.panes < 2 || muxbus_command_new(&command) < 0)
		return;
	muxbus_command_args(command, "kill-pane", "-t", (char *)NULL);
	muxbus_command_argf(command, "%%%" PRIu32, agent->pane.pane);
	(void)muxbus_sync_run(tmux_sync(tmux), command, false, tmux_ignore_reply, NULL);
	agent_monitor_drop(agent->monitor);
	pane_ref_clear(&agent->pane);
}
