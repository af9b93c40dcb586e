/* SPDX-License-Identifier: ISC */
/*
 * Writes a result as text for models that get no JSON. The first line is the outcome. Then come
 * values, tables and long texts, each under a line with its number of lines, so that foreign text
 * cannot imitate ours. The last line says how to get what was cut.
 */
#pragma once

#include "daemon/server/method.h"

struct rest_set;

/* Cuts strings and arrays of a result so that both forms, JSON and text, fit a size. */

/* How much of each string and array is shown. */
struct mcp_cut {
	size_t string_max; /* bytes */
	size_t array_max; /* elements */
	bool keeps_end; /* strings keep their end, the newest part */
	bool is_needed; /* something is left out */
};

/*
 * Returns the shown part of a string: whole characters, and whole lines if they have three quarters
 * of the limit.
 */
const char *mcp_cut_string(const struct mcp_cut *cut, const struct json *value, size_t *ret_len);
/* Returns the number of shown elements of an array. */
size_t mcp_cut_count(const struct mcp_cut *cut, const struct json *value);

/* Writes the shown part of a value as JSON. */
void mcp_cut_write(const struct mcp_cut *cut, struct json_writer *writer, const char *name,
    const struct json *value);

/* Writes a value with a cut into out; false if the room is too small. */
typedef bool mcp_cut_writer(struct buf *out, const struct mcp_cut *cut, void *data);

/*
 * Finds the cut with which the output of write shows most in at most max bytes. Strings are cut
 * first, down to a few lines each; then arrays. False if nothing fits.
 */
bool mcp_cut_find(
    struct mcp_cut *cut, const struct json *value, size_t max, mcp_cut_writer *write, void *data);
/* Sets limits with which all is shown. */
void mcp_cut_nothing(struct mcp_cut *cut);

/*
 * Writes a result. rest: how to get the cut part, or NULL. Returns false if the room is too small.
 */
bool mcp_text_write(struct buf *out, const struct method *method, const struct json *result,
    const struct mcp_cut *cut, const char *rest);

/* Returns true if a result is an image (mime_type and data), or has images in "images". */
bool mcp_image_is_in(const struct json *result);

/* Returns true if "structured" only repeats "text": as its JSON, or in its only member. */
bool mcp_text_is_repeated(const struct json *result);

/*
 * Writes the member "content": at most text_max bytes of the text, then each image. At its end, the
 * text has the calls that read its rest and the server's structured content.
 */
void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, struct rest_set *rests);
