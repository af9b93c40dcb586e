/* SPDX-License-Identifier: ISC */
/*
 * A result as text, for models that are shown no JSON: the outcome in the first line, then
 * the same facts as the result has: values, tables, and long texts last, each under a line
 * that says how many lines it has, so that nothing in it can pass for ours.
 */
#ifndef DAEMON_MCP_MCP_TEXT_H
#define DAEMON_MCP_MCP_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "daemon/mcp/mcp_cut.h"
#include "daemon/server/method.h"

/* rest: how to get what was cut, NULL if nothing was. False if there was not enough room. */
bool mcp_text_write(struct buf *out, const struct method *method, const struct json *result,
    const struct mcp_cut *cut, const char *rest);

#endif
