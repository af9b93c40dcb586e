/* SPDX-License-Identifier: ISC */
/* Turns the result of tools/call, as an MCP server sends it, into the result of a declared tool. */
#pragma once

#include "wire/json.h"

#define MCP_CONTENT_ERROR_SIZE 4097 /* bytes of the reason of a failure, with the NUL */

/*
 * Writes text (all text, with a line for each other part), images and structuredContent; with
 * _meta."muxbus/result" only the members of structuredContent. Returns false, with the reason in
 * ret_failure, if the server reports a failure.
 */
bool mcp_content_write(struct json_writer *writer, const struct json *result,
    char ret_failure[MCP_CONTENT_ERROR_SIZE]);
