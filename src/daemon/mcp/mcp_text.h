/* SPDX-License-Identifier: ISC */
/*
 * Writes a result as text for models that get no JSON. The first line is the outcome; then the
 * same facts as the result: values, tables, and long texts, each under a line with its number of
 * lines, so that no foreign text can pass for ours; last how to get what was cut.
 */
#ifndef DAEMON_MCP_MCP_TEXT_H
#define DAEMON_MCP_MCP_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "daemon/mcp/mcp_cut.h"
#include "daemon/server/method.h"

/* rest: how to get the cut part, NULL if nothing was cut. False if the room is too small. */
bool mcp_text_write(struct buf *out, const struct method *method, const struct json *result,
    const struct mcp_cut *cut, const char *rest);

#endif
