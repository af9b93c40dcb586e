/* SPDX-License-Identifier: ISC */
/*
 * The whole lines of one pane as plain text, each an event of the kind line. A line is published
 * when its newline has come, so that it is never cut where a piece of output was; the rest of a
 * line when the pane closes. A longer line than LINE_FEED_LINE_MAX comes in parts of that size.
 * Lines beyond LINE_FEED_LINES_MAX of one piece of output are a gap.
 */
#pragma once

#include "base/base.h"

#define LINE_FEED_LINE_MAX (64 * 1024) /* bytes */
#define LINE_FEED_LINES_MAX 16384
#define LINE_FEED_TEXT_MAX (1024 * 1024) /* of a piece; more text is left out */

struct pane_events_sink;
struct token;

/*
 * is_flowing: the output of the pane was wanted already. Else it begins with its first piece or
 * gap, and that gap is before all lines.
 */
struct line_feed *line_feed_new(uint32_t pane, bool is_flowing);
void line_feed_free(struct line_feed *feed);

/* Takes a token of a piece of output. */
void line_feed_token(struct line_feed *feed, const struct token *token);
/* The end of the piece: publishes its lines. offset is behind the piece. */
void line_feed_flush(struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset);
/* The output begins, or a reader counts on it: from here on gaps are published. */
void line_feed_begin(struct line_feed *feed, uint64_t offset);
/* Bytes are missing before offset. */
void line_feed_gap(
    struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset, const char *reason);
/* The output has ended: publishes the rest of a line. */
void line_feed_end(struct line_feed *feed, struct pane_events_sink *sink);
