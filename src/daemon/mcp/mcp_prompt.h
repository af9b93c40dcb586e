/* SPDX-License-Identifier: ISC */
/* MCP prompts: named tasks that a person gives to an agent, with arguments to fill in. */
#ifndef DAEMON_MCP_MCP_PROMPT_H
#define DAEMON_MCP_MCP_PROMPT_H

#include <stdbool.h>

#include "daemon/mcp/mcp_exchange.h"

#define MCP_PROMPT_ARGUMENTS 3

enum mcp_completion {
	MCP_COMPLETE_NOTHING,
	MCP_COMPLETE_PANE,
};

struct mcp_prompt_argument {
	const char *name; /* NULL: no more */
	const char *help;
	bool is_required;
	enum mcp_completion completion;
};

struct mcp_prompt {
	const char *name;
	const char *title;
	const char *help;
	const char *method; /* that it asks for: who may not call it is not offered the prompt */
	struct mcp_prompt_argument arguments[MCP_PROMPT_ARGUMENTS + 1];
	const char *text; /* {name} stands for an argument */
};

/* NULL if no prompt has this name that the role of the exchange may use. */
const struct mcp_prompt *mcp_prompt_find(const struct mcp_exchange *exchange, const char *name);

#endif
