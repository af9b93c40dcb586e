/* SPDX-License-Identifier: ISC */
/*
 * Writes a result as text for models that get no JSON. The first line is the outcome. Then come
 * values, tables and long texts, each under a line with its number of lines, so that foreign text
 * cannot imitate ours. The last line says how to get what was cut.
 */
#pragma once

#include "daemon/server/method.h"

struct rest_set;

/* A cut says how much of each string and array is shown, so that JSON and text fit a size. */
struct mcp_cut {
	size_t string_max; /* bytes */
	size_t array_max; /* elements */
	bool keeps_end; /* strings keep their end, the newest part */
	bool is_needed; /* something is left out */
};

/* Whole characters, and whole lines if they have three quarters of the limit. */
const char *mcp_cut_string(const struct mcp_cut *cut, const struct json *value, size_t *ret_len);
size_t mcp_cut_count(const struct mcp_cut *cut, const struct json *value);

void mcp_cut_write(const struct mcp_cut *cut, struct json_writer *writer, const char *name,
    const struct json *value);

/* Returns false if the room is too small. */
typedef bool mcp_cut_writer(struct buf *out, const struct mcp_cut *cut, void *data);

/*
 * Finds the cut with which the output of write shows most in at most max bytes: strings are cut
 * first, down to a few lines each, then arrays. Returns false if nothing fits.
 */
bool mcp_cut_find(
    struct mcp_cut *cut, const struct json *value, size_t max, mcp_cut_writer *write, void *data);
void mcp_cut_nothing(struct mcp_cut *cut);

/* rest: how to get the cut part, or NULL. Returns false if the room is too small. */
bool mcp_text_write(struct buf *out, const struct method *method, const struct json *result,
    const struct mcp_cut *cut, const char *rest);

/* An image has mime_type and data, or is in "images". */
bool mcp_image_is_in(const struct json *result);

/* Returns true if "structured" only repeats "text": as its JSON, or in its only member. */
bool mcp_text_is_repeated(const struct json *result);

/*
 * Writes the member "content": at most text_max bytes of the text, then each image. The text ends
 * with the calls that read its rest and the server's structured content.
 */
void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, struct rest_set *rests);
