/* SPDX-License-Identifier: ISC */
/* Images in the results of declared tools, as image content of MCP. */
#ifndef DAEMON_MCP_MCP_IMAGE_H
#define DAEMON_MCP_MCP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/json.h"

/* Whether a result is an image (mime_type and data), or has some in "images". */
bool mcp_image_is_in(const struct json *result);

/*
 * Writes the member content: the text, then each image. Of a text of more than text_max bytes the
 * first are written, and a line that says so and how to get the rest.
 */
void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, const char *rest);

#endif
