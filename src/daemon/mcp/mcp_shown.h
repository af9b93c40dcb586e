/* SPDX-License-Identifier: ISC */
/*
 * The shown part of a cut result, as a result of its own: offsets, rows and numbers are those of
 * the part that is shown, so that a reader who goes on from them misses nothing.
 */
#ifndef DAEMON_MCP_MCP_SHOWN_H
#define DAEMON_MCP_MCP_SHOWN_H

#include <stdbool.h>

#include "daemon/mcp/mcp_cut.h"

/*
 * Writes the result as JSON, with "truncated" and "rest": what is not shown, and advice how to
 * get it. False if the room is too small.
 */
bool mcp_shown_write(
    struct buf *out, const struct mcp_cut *cut, const struct json *result, const char *advice);

#endif
