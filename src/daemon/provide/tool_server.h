/* SPDX-License-Identifier: ISC */
/*
 * Servers of tools: long-lived MCP servers on stdio, as providers. Each runs under its own process
 * of muxbus-tools, which provides the tools that the server lists. This is what the daemon keeps of
 * each server.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/tool/tool_program.h"
#include "daemon/tool/tool_server_list.h"

struct tool_server {
	char *name;
	struct pane_ref pane; /* the server is for this pane; cleared: for all panes */
	const char **command; /* as declared; NULL: no call has used the server yet */
	uint64_t taken; /* hash of the command that an earlier daemon has started; 0: none */
	char *program, *cwd; /* for the next start */
	const char **session_env, **env; /* for the next start; as in struct job_order */
	bool is_stale; /* its process runs a command that is not declared any more */
	bool is_leaving; /* no more calls are sent until its next start */
	struct tool_server_list list;
};
