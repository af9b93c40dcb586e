/* SPDX-License-Identifier: ISC */
/*
 * Publishes the lines of one pane as plain text, as events of the kind line. A line is published
 * when its newline has come, the last one when the pane closes, and a long one in parts of
 * LINE_FEED_LINE_MAX. Lines beyond LINE_FEED_LINES_MAX in one piece of output become a gap.
 */
#pragma once

#include "base/base.h"

#define LINE_FEED_LINE_MAX (64 * 1024) /* bytes */
#define LINE_FEED_LINES_MAX 16384
#define LINE_FEED_TEXT_MAX (1024 * 1024) /* bytes of text of a piece; more is left out */

struct pane_events_sink;
struct token;

/* is_flowing: output was wanted before. Else a gap before the first piece is not published. */
struct line_feed *line_feed_new(uint32_t pane, bool is_flowing);
void line_feed_free(struct line_feed *feed);

void line_feed_token(struct line_feed *feed, const struct token *token);
/* Publishes the lines of a piece of output that has ended at offset. */
void line_feed_flush(struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset);
/* The output begins at offset, or a reader knows that offset. Gaps after it are published. */
void line_feed_begin(struct line_feed *feed, uint64_t offset);
void line_feed_gap(
    struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset, const char *reason);
void line_feed_end(struct line_feed *feed, struct pane_events_sink *sink);
