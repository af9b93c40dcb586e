/* SPDX-License-Identifier: ISC */
/* Images in the results of declared tools, as image content of MCP. */
#ifndef DAEMON_MCP_MCP_IMAGE_H
#define DAEMON_MCP_MCP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/json.h"

struct rest_set;

/* Whether a result is an image (mime_type and data), or has some in "images". */
bool mcp_image_is_in(const struct json *result);

/*
 * Writes the member content: the text, then each image. Of a text of more than text_max bytes the
 * first are written. The text ends with the calls that get what it does not show: the rest of it,
 * and the structure of a server's answer.
 */
void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, struct rest_set *rests);

#endif
