/* SPDX-License-Identifier: ISC */
/*
 * The shown part of a cut result, as a result itself: its offsets, rows and numbers are those of
 * the shown part, so that a reader who continues from them misses nothing. At its end are the calls
 * that get the rest: of the same tool if it can continue there, else of read_rest.
 */
#pragma once

#include "daemon/mcp/mcp_text.h"

struct mcp_asked {
	const struct method *tool;
	const struct json *arguments; /* NULL: there are none, or "rest" must not repeat the call */
	struct rest_set *rests; /* NULL: only the size of the result is needed */
};

/*
 * Writes the shown part as JSON, with "truncated", and with "rest", the calls that get the missing
 * part, which asked->rests keeps. Returns false if the room is too small.
 */
bool mcp_shown_write(struct buf *out, const struct mcp_cut *cut, const struct json *result,
    const struct mcp_asked *asked);

/* If many members are cut, one call reads all. */
void mcp_shown_put_rest(struct buf *out, const struct mcp_cut *cut, const struct json *result,
    const struct mcp_asked *asked);

/* Returns false if entries have no number or all are shown. */
bool mcp_shown_last(const struct mcp_cut *cut, const struct json *result, int64_t *ret_last);

/* Appends the next call if the result is only a part, or if more has come meanwhile. */
void mcp_shown_put_next(struct buf *out, const struct json *result, const struct mcp_asked *asked);
