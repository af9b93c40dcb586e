/* SPDX-License-Identifier: ISC */
/*
 * Results of a size that a model can take: a tree of JSON is written, as JSON and as text,
 * with its strings and arrays cut such that both keep within a maximum.
 */
#ifndef DAEMON_MCP_MCP_CUT_H
#define DAEMON_MCP_MCP_CUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "wire/json.h"

/* How much of each string and array is shown. */
struct mcp_cut {
	size_t string_max; /* bytes */
	size_t array_max; /* elements */
	bool keeps_end; /* of strings, as the newest is there */
	bool is_needed; /* something is left out */
};

/* The part of a string that is shown: whole characters, whole lines where that is most of it. */
const char *mcp_cut_string(const struct mcp_cut *cut, const struct json *value, size_t *ret_len);
/* How many elements of an array are shown. */
size_t mcp_cut_count(const struct mcp_cut *cut, const struct json *value);

/* Writes the tree as JSON. */
void mcp_cut_write(const struct mcp_cut *cut, struct json_writer *writer, const char *name,
    const struct json *value);

/* Writes something with a cut into out; false if there was not enough room. */
typedef bool mcp_cut_writer(struct buf *out, const struct mcp_cut *cut, void *data);

/*
 * Finds the cut that shows the most while what write makes fits into max bytes. Strings
 * are cut first, down to a few lines each; then arrays. False if nothing fits.
 */
bool mcp_cut_find(struct mcp_cut *cut, size_t max, mcp_cut_writer *write, void *data);

#endif
