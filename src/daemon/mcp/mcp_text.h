/* SPDX-License-Identifier: ISC */
/*
 * Cuts results, and writes them as text, for models that get no JSON, or as images. The first line
 * of the text is the outcome, if there is one. Then come values, tables, and long texts. A line
 * before each long text has its number of lines, so that foreign text cannot imitate ours. If a
 * part was cut, the last line says how to get it.
 */
#pragma once

#include "daemon/server/method.h"

struct rest_set;

/* A cut: how much of each string and array is shown at most. */
struct mcp_cut {
	size_t string_max; /* bytes */
	size_t array_max; /* elements */
	bool keeps_end; /* of strings the end is kept, which is newest */
	bool is_needed; /* something must be left out */
};

/* Returns the part that is kept: whole characters, or whole lines if this loses little. */
const char *mcp_cut_string(const struct mcp_cut *cut, const struct json *value, size_t *ret_len);
/* Returns how many elements of an array are kept. */
size_t mcp_cut_count(const struct mcp_cut *cut, const struct json *value);

/* Writes a value with all its strings and arrays cut. */
void mcp_cut_write(const struct mcp_cut *cut, struct json_writer *writer, const char *name,
    const struct json *value);

/* Writes something with a cut. Returns false if the room is too small. */
typedef bool mcp_cut_writer(struct buf *out, const struct mcp_cut *cut, void *data);

/*
 * Finds a cut with which write() writes at most max bytes, and that leaves out little. Long strings
 * are cut first, then arrays. Returns false if nothing fits.
 */
bool mcp_cut_find(
    struct mcp_cut *cut, const struct json *value, size_t max, mcp_cut_writer *write, void *data);
/* Sets a cut that cuts nothing. */
void mcp_cut_nothing(struct mcp_cut *cut);

/* Writes a result as text. rest: how to get what was cut, or NULL. Returns false if out is full. */
bool mcp_text_write(struct buf *out, const struct method *method, const struct json *result,
    const struct mcp_cut *cut, const char *rest);

/* Returns true if a result has an image: members mime_type and data, or images. */
bool mcp_image_is_in(const struct json *result);

/* Returns true if structured only repeats the member text, as its JSON or its only member. */
bool mcp_text_is_repeated(const struct json *result);

/*
 * Writes the member content: at most text_max bytes of the text, then each image. The text ends
 * with the calls that read its rest and the member structured.
 */
void mcp_image_write(
    struct json_writer *writer, const struct json *result, size_t text_max, struct rest_set *rests);
