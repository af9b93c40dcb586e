/* SPDX-License-Identifier: ISC */
/*
 * Writes a result as text for models that get no JSON. The first line is the outcome; then the
 * same facts as the result: values, tables, and long texts, each under a line with its number of
 * lines, so that no foreign text can pass for ours; last how to get what was cut.
 */
#pragma once

#include "daemon/server/method.h"

struct rest_set;

/*
 * Cuts results to a size for a model. Writes a tree of JSON, as JSON and as text, with strings
 * and arrays cut so that both keep within a maximum.
 */

/* How much of each string and array is shown. */
struct mcp_cut {
	size_t string_max; /* bytes */
	size_t array_max; /* elements */
	bool keeps_end; /* of strings: shows the newest part */
	bool is_needed; /* something is left out */
};

/* The shown part of a string: whole characters, and whole lines if these are most of it. */
const char *mcp_cut_string(const struct mcp_cut *cut, const struct json *value, size_t *ret_len);
/* The number of shown elements of an array. */
size_t mcp_cut_count(const struct mcp_cut *cut, const struct json *value);

/* Writes the tree as JSON. */
void mcp_cut_write(const struct mcp_cut *cut, struct json_writer *writer, const char *name,
    const struct json *value);

/* Writes a value with a cut into out; false if the room is too small. */
typedef bool mcp_cut_writer(struct buf *out, const struct mcp_cut *cut, void *data);

/*
 * Finds the cut of a value that shows the most while the output of write fits into max bytes. Strings
 * are cut first, down to a few lines each; then arrays. False if nothing fits.
 */
bool mcp_cut_find(
    struct mcp_cut *cut, const struct json *value, size_t max, mcp_cut_writer *write, void *data);
/* The cut that shows everything. */
void mcp_cut_nothing(struct mcp_cut *cut);

/* rest: how to get the cut part, NULL if nothing was cut. False if the room is too small. */
bool mcp_text_write(struct buf *out, const struct method *method, const struct json *result,
    const struct mcp_cut *cut, const char *rest);

/* Whether a result is an image (mime_type and data), or has some in "images". */
bool mcp_image_is_in(const struct json *result);

/* Whether structured only repeats text: text is its JSON, or is its only member, as JSON or not. */
bool mcp_text_is_repeated(const struct json *result);

/*
 * Writes the member content: the text, then each image. Of a text of more than text_max bytes the
 * first are written. The text ends with the calls that get what it does not show: the rest of it,
 * and the structure of a server's answer.
 */
void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, struct rest_set *rests);
