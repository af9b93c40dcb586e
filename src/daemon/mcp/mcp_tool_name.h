/* SPDX-License-Identifier: ISC */
/* Names of tools as agents spell them: with the prefixes that clients put before a name. */
#ifndef DAEMON_MCP_MCP_TOOL_NAME_H
#define DAEMON_MCP_MCP_TOOL_NAME_H

#include "daemon/server/method.h"

/*
 * The method that a name can only mean, or NULL: its name, with any prefix that ends with
 * "muxbus" and separators, as in mcp__muxbus__list_panes or muxbus.list_panes; "-" and "." are
 * read as "_".
 */
const struct method *mcp_tool_named(const char *name);

/* The name that was probably meant, or NULL: behind the prefix of another server too. */
const char *mcp_tool_nearest(const char *name);

#endif
