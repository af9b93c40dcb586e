/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/line_feed.h"

#include "base/stripper.h"
#include "daemon/tmux/pane_events.h"
#include "daemon/tmux/tmux.h"

#define TEXT_KEEP 4096 /* bytes of memory that are kept for a pane while it has no text */

struct line_feed {
	bool is_flowing; /* the output is followed, so a gap is published */
	/* offset in the output for the next event: the end of its line or piece */
	uint64_t offset;
	struct event_scope scope; /* the window and sessions that had the pane last */
	struct stripper stripper;
	struct buf text;
	/* for whole lines in text, up to LINE_FEED_LINES_MAX: offset of their end, as uint64_t */
	struct buf ends;
};

struct line_feed *line_feed_new(uint32_t pane, bool is_flowing)
{
	struct line_feed *feed = xcalloc(1, sizeof *feed);
	feed->is_flowing = is_flowing;
	feed->scope = (struct event_scope){.pane = pane, .window = MUXBUS_NO_ID};
	feed->scope.sessions[0] = MUXBUS_NO_ID;
	buf_init(&feed->text, LINE_FEED_TEXT_MAX);
	buf_init(&feed->ends, LINE_FEED_LINES_MAX * sizeof(uint64_t));
	stripper_init(&feed->stripper, &feed->text);
	return feed;
}

void line_feed_free(struct line_feed *feed)
{
	if (feed == NULL)
		return;
	buf_finish(&feed->text);
	buf_finish(&feed->ends);
	mem_free(feed);
}

void line_feed_token(struct line_feed *feed, const struct token *token)
{
	size_t len = feed->text.len;
	stripper_take(&feed->stripper, token);
	if (feed->stripper.line == len + 1) /* the token was a newline, and text had room for it */
		(void)buf_append(&feed->ends, &token->to, sizeof token->to);
}

/* Publishes a line. is_open: more of it may come. */
static void tell_line(const struct line_feed *feed, struct pane_events_sink *sink,
    const uint8_t *text, size_t len, bool is_open)
{
	struct json_writer writer;
	bool is_part;
	do {
		size_t now = len;
		is_part = len > LINE_FEED_LINE_MAX;
		if (is_part) {
			now = LINE_FEED_LINE_MAX;
			now -= utf8_incomplete_tail(text, now);
		}
		pane_event_begin_at(sink, feed->scope.pane, feed->offset, &writer);
		if (json_put_text(&writer, "text", len > 0 ? (const void *)text : "", now))
			json_put_bool(&writer, "lossy", true);
		if (is_part || is_open)
			json_put_bool(&writer, "part", true);
		pane_event_publish(sink, &feed->scope, EVENT_LINE, false);
		text += now;
		len -= now;
	} while (is_part);
}

void line_feed_flush(struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset)
{
	size_t end = feed->stripper.line, at = 0;
	unsigned count = 0;
	feed->is_flowing = true;
	pane_event_place(sink, &feed->scope);
	/* Publish a last line that is too long to wait for its newline. */
	if (feed->text.len - end > LINE_FEED_LINE_MAX)
		end = feed->text.len - utf8_incomplete_tail(feed->text.data, feed->text.len);
	for (; at < end && count < LINE_FEED_LINES_MAX; count++) {
		const uint8_t *line = feed->text.data + at;
		const uint8_t *newline = memchr(line, '\n', end - at);
		size_t len = newline != NULL ? (size_t)(newline - line) : end - at;
		feed->offset = offset;
		if (count < feed->ends.len / sizeof offset)
			memcpy(
			    &feed->offset, feed->ends.data + count * sizeof offset, sizeof offset);
		tell_line(feed, sink, line, len, newline == NULL);
		at += len + (newline != NULL);
	}
	feed->offset = offset;
	buf_clear(&feed->ends);
	buf_shrink(&feed->ends, TEXT_KEEP);
	for (count = at < end && feed->text.data[end - 1] != '\n'; at < end; at++)
		count += feed->text.data[at] == '\n';
	if (count > 0)
		pane_event_gap(sink, &feed->scope, offset, "too_many_lines", count);
	if (end > 0)
		stripper_consume(&feed->stripper, end);
	if (feed->text.len == 0)
		buf_shrink(&feed->text, TEXT_KEEP);
}

void line_feed_end(struct line_feed *feed, struct pane_events_sink *sink)
{
	if (feed->text.len > 0)
		tell_line(feed, sink, feed->text.data, feed->text.len, false);
	stripper_consume(&feed->stripper, feed->text.len);
}

void line_feed_begin(struct line_feed *feed, uint64_t offset)
{
	feed->offset = offset;
	feed->is_flowing = true;
}

void line_feed_gap(
    struct line_feed *feed, struct pane_events_sink *sink, uint64_t offset, const char *reason)
{
	line_feed_end(feed, sink);
	feed->offset = offset;
	if (feed->is_flowing)
		pane_event_gap(sink, &feed->scope, offset, reason, 0);
	line_feed_begin(feed, offset);
}
