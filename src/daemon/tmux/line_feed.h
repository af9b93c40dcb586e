/* SPDX-License-Identifier: ISC */
/*
 * Publishes the lines of one pane as plain text, as events of the kind line: when a newline has
 * come, before a gap, and when the output ends. A line longer than LINE_FEED_LINE_MAX is published
 * in parts. Lines beyond LINE_FEED_LINES_MAX in one piece of output become a gap.
 */
#pragma once

#include "base/base.h"

#define LINE_FEED_LINE_MAX (64 * 1024) /* bytes */
#define LINE_FEED_LINES_MAX 16384
/* maximum bytes of pending text; more is left out */
#define LINE_FEED_TEXT_MAX (1024 * 1024)

struct pane_events_sink;
struct token;

/*
 * is_flowing: the output was followed before. If false, a gap before the first output is not
 * published.
 */
struct line_feed *line_feed_new(uint32_t pane, bool is_flowing);
void line_feed_free(struct line_feed *feed);

void line_feed_token(struct line_feed *feed, const struct token *token);
/* Publishes the whole lines, and a long part of the last one, of output that ends at offset. */
void line_feed_flush(struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset);
/*
 * Call this when the output is followed from offset on, or a reader knows that offset: gaps after
 * it are published.
 */
void line_feed_begin(struct line_feed *feed, uint64_t offset);
/* Call this if bytes before offset are missing: publishes the last line and, if flowing, a gap. */
void line_feed_gap(
    struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset, const char *reason);
/* Publishes the last line: the pane has closed, or the server is lost. */
void line_feed_end(struct line_feed *feed, struct pane_events_sink *sink);
