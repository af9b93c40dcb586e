/* SPDX-License-Identifier: ISC */
#include "daemon/provide/tool_server.h"

enum { REASON_SIZE = 512 };

void tool_server_free(struct tool_server *server)
{
	if (server == NULL)
		return;
	tool_server_list_finish(&server->list);
	mem_free(server->name);
	mem_free(server->command);
	mem_free(server->program);
	mem_free(server->cwd);
	mem_free(server->session_env);
	mem_free(server->env);
	mem_free(server);
}

bool tool_server_take(
    struct tool_server *server, const struct json *rows, struct tool_failure *ret_failure)
{
	char reason[REASON_SIZE];
	if (tool_server_list_read(&server->list, rows, reason, sizeof reason) < 0)
		return tool_fail(ret_failure, MESSAGE_PARAMS, "%s", reason);
	return true;
}

bool tool_server_fits(const struct tool_server *server, const char *tool, const char *const *gives,
    struct tool_failure *ret_failure)
{
	char reason[REASON_SIZE];
	if (tool_server_list_check(&server->list, tool, gives, reason, sizeof reason) < 0)
		return tool_fail(ret_failure, MESSAGE_TOOL_FAILED,
		    "the server \"%s\" does not fit its declaration: %s", server->name, reason);
	return true;
}
