/* SPDX-License-Identifier: ISC */
/*
 * Publishes the lines of one pane as plain text, each as an event of the kind line. A line is
 * published when its newline has come, so that it is not cut where a piece of output ends; the last
 * line when the pane closes. A line longer than LINE_FEED_LINE_MAX is published in parts of this
 * size. Lines beyond LINE_FEED_LINES_MAX in one piece of output become a gap.
 */
#pragma once

#include "base/base.h"

#define LINE_FEED_LINE_MAX (64 * 1024) /* bytes */
#define LINE_FEED_LINES_MAX 16384
#define LINE_FEED_TEXT_MAX (1024 * 1024) /* bytes of text of a piece; more text is left out */

struct pane_events_sink;
struct token;

/*
 * is_flowing: the output of the pane was wanted before. If not, output begins with the first piece
 * or gap, and this gap is not published, as no line is before it.
 */
struct line_feed *line_feed_new(uint32_t pane, bool is_flowing);
void line_feed_free(struct line_feed *feed);

/* Takes a token of a piece of output. */
void line_feed_token(struct line_feed *feed, const struct token *token);
/* Publishes the lines of a piece of output that has ended at offset. */
void line_feed_flush(struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset);
/* The output begins at offset, or a reader knows that offset: gaps after it are published. */
void line_feed_begin(struct line_feed *feed, uint64_t offset);
/* Bytes are missing before offset. */
void line_feed_gap(
    struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset, const char *reason);
/* The output has ended: publishes the rest of a line. */
void line_feed_end(struct line_feed *feed, struct pane_events_sink *sink);
