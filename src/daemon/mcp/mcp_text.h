/* SPDX-License-Identifier: ISC */
/*
 * Writes a result as text for models that get no JSON. The first line is the outcome; then the
 * same facts as the result: values, tables, and long texts, each under a line with its number of
 * lines, so that no foreign text can pass for ours; last how to get what was cut.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "daemon/mcp/mcp_cut.h"
#include "daemon/server/method.h"
#include "wire/json.h"

struct rest_set;

/* rest: how to get the cut part, NULL if nothing was cut. False if the room is too small. */
bool mcp_text_write(struct buf *out, const struct method *method, const struct json *result,
    const struct mcp_cut *cut, const char *rest);

/* Whether a result is an image (mime_type and data), or has some in "images". */
bool mcp_image_is_in(const struct json *result);

/*
 * Writes the member content: the text, then each image. Of a text of more than text_max bytes the
 * first are written. The text ends with the calls that get what it does not show: the rest of it,
 * and the structure of a server's answer.
 */
void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, struct rest_set *rests);
