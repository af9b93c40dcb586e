/* SPDX-License-Identifier: ISC */
/* Results of tools/call, which servers send, as results of declared tools. */
#pragma once

#include "wire/json.h"

#define MCP_CONTENT_ERROR_SIZE 4097 /* of a failure */

/*
 * Writes the members text (all text joined, with a line for each part that is neither text nor an
 * image), images (mime_type and data of each) and structured (structuredContent); or, if
 * _meta."muxbus/result" is true, the members of structuredContent alone. False with the server's
 * words if it says that the call failed.
 */
bool mcp_content_write(struct json_writer *writer, const struct json *result,
    char ret_failure[MCP_CONTENT_ERROR_SIZE]);
