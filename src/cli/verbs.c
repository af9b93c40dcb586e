/* SPDX-License-Identifier: ISC */
/* The table of verbs: one row each, sorted within their groups. */
#include "cli/verbs.h"

#include <string.h>

const struct verb verbs[] = {
    {"mcp", VERB_AGENT, "[--tools=all|default] [--legacy] [--no-start]",
	"be the MCP server of an agent, on standard input and output",
	"--tools=all --tools=default --legacy --no-start", mcp_run},
    {"start", VERB_CARE, "", "start muxbusd for the tmux server, and wait until it is ready", NULL,
	start_run},
    {NULL, VERB_CARE, NULL, NULL, NULL, NULL},
};

const struct verb *verb_find(const char *name)
{
	for (const struct verb *verb = verbs; verb->name; verb++)
		if (strcmp(verb->name, name) == 0)
			return verb;
	return NULL;
}
