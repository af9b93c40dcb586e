/* SPDX-License-Identifier: ISC */
/*
 * The shown part of a cut result, as a result of its own: offsets, rows and numbers are those of
 * the part that is shown, so that a reader who goes on from them misses nothing. It ends with the
 * calls that get the rest: the same tool from there on, where it can do so, else read_rest.
 */
#pragma once

#include "daemon/mcp/mcp_text.h"

/* How a result was asked for. */
struct mcp_asked {
	const struct method *tool;
	const struct json *arguments; /* NULL: none, or the tool is not to be called again */
	struct rest_set *rests; /* NULL: only to see whether the result fits */
};

/*
 * Writes the result as JSON, with "truncated" and "rest": what is not shown, and the calls that
 * get it. False if the room is too small. With rests, what is not shown is kept there.
 */
bool mcp_shown_write(struct buf *out, const struct mcp_cut *cut, const struct json *result,
    const struct mcp_asked *asked);

/* Appends the calls that get what a cut leaves out of a result; several members: of the whole. */
void mcp_shown_put_rest(struct buf *out, const struct mcp_cut *cut, const struct json *result,
    const struct mcp_asked *asked);

/* The number of the last entry that a cut result shows. False: entries have none, or all show. */
bool mcp_shown_last(const struct mcp_cut *cut, const struct json *result, int64_t *ret_last);

/*
 * Appends the call that goes on where a result that is shown whole ends, as its own numbers say: the
 * method showed a part only, or more has come. Appends nothing if there is none.
 */
void mcp_shown_put_next(struct buf *out, const struct json *result, const struct mcp_asked *asked);
