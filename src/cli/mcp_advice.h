/* SPDX-License-Identifier: ISC */
/* What the bridge says of a tool call whose answer was lost with the daemon. */
#ifndef CLI_MCP_ADVICE_H
#define CLI_MCP_ADVICE_H

#include <stdbool.h>

/* Whether a tool only reads, so that the call can be sent again and nobody need know. */
bool mcp_advice_only_reads(const char *tool);

/*
 * What to do before the call is repeated: one sentence. Every tool has one, also one
 * that the table does not know.
 */
const char *mcp_advice(const char *tool);

#endif
