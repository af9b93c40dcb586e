/* SPDX-License-Identifier: ISC */
/*
 * A result that is too large is shown in part. The part is a result itself: its offsets, rows and
 * numbers fit the part, so that a reader can continue from them. At its end are the calls that read
 * the rest: calls of the same tool, or of read_rest.
 */
#pragma once

#include "daemon/mcp/mcp_text.h"

struct mcp_asked {
	const struct method *tool; /* NULL: none, as for a resource */
	/* NULL: none, or they must not be repeated in "rest" */
	const struct json *arguments;
	/* keeps the rest for read_rest; NULL: only the size of the result matters */
	struct rest_set *rests;
};

/*
 * Writes the shown part as JSON, with the member truncated, and with rest: the calls that get the
 * missing part, which asked->rests keeps. Returns false if the room is too small.
 */
bool mcp_shown_write(struct buf *out, const struct mcp_cut *cut, const struct json *result,
    const struct mcp_asked *asked);

/* Appends the calls for the member rest. One call reads all if many members are cut. */
void mcp_shown_put_rest(struct buf *out, const struct mcp_cut *cut, const struct json *result,
    const struct mcp_asked *asked);

/* Finds the number of the last shown entry. Returns false without numbers, or if all are shown. */
bool mcp_shown_last(const struct mcp_cut *cut, const struct json *result, int64_t *ret_last);

/* Appends the call that reads on, if there is more, the tool can, and result has no rest. */
void mcp_shown_put_next(struct buf *out, const struct json *result, const struct mcp_asked *asked);
