/* SPDX-License-Identifier: ISC */
/* Results of tools/call, which servers send, as results of declared tools. */
#ifndef DAEMON_TOOL_TOOL_CONTENT_H
#define DAEMON_TOOL_TOOL_CONTENT_H

#include <stdbool.h>

#include "daemon/tool/tool_failure.h"
#include "wire/json.h"

/*
 * Writes the members text (all text joined), images (mime_type and data of each) and structured
 * (structuredContent). False with a failure if the server says that the call failed.
 */
bool tool_content_write(
    struct json_writer *writer, const struct json *result, struct tool_failure *ret_failure);

#endif
