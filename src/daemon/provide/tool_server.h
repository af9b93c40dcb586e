/* SPDX-License-Identifier: ISC */
/*
 * Servers of tools: long-lived MCP servers on stdio, as providers. Each runs under a muxbus-tools of
 * its own, which provides the tools that the server lists. The daemon knows this of each.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/tool/tool_program.h"
#include "daemon/tool/tool_server_list.h"

struct tool_server {
	char *name;
	struct pane_ref pane; /* not set: of the daemon */
	const char **command; /* as declared; NULL: there was no call yet */
	uint64_t taken; /* a hash of the command of an earlier daemon's, which goes on */
	char *program, *cwd; /* of the next start */
	const char **session_env, **env; /* the same, as in struct job_order */
	bool is_stale; /* another command runs */
	bool is_leaving; /* it takes no more calls until its next start */
	struct tool_server_list list;
};

/* NULL is accepted. */
void tool_server_free(struct tool_server *server);

/* Takes the list of its tools, as rows. False with a failure. */
bool tool_server_take(
    struct tool_server *server, const struct json *rows, struct tool_failure *ret_failure);

/* Whether a call fits the list: a tool of the server, and arguments that it can have. */
bool tool_server_fits(const struct tool_server *server, const char *tool, const char *const *gives,
    struct tool_failure *ret_failure);
