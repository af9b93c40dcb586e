/* SPDX-License-Identifier: ISC */
/* Turns the result of tools/call, as an MCP server sends it, into the result of a declared tool. */
#pragma once

#include "wire/json.h"

#define MCP_CONTENT_ERROR_SIZE 4097 /* bytes of the reason of a failure, with the NUL */

/*
 * Writes the members text (all text, with a line for each part that is neither text nor an image),
 * images (mime_type and data of each) and structured (structuredContent). If _meta."muxbus/result"
 * is true and structuredContent is an object, writes only the members of this object. Returns
 * false, with the server's reason in ret_failure, if the result is a failure.
 */
bool mcp_content_write(struct json_writer *writer, const struct json *result,
    char ret_failure[MCP_CONTENT_ERROR_SIZE]);
