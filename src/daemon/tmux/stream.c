/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/stream.h"

#include "daemon/core/config.h"
#include "daemon/tmux/line_feed.h"
#include "daemon/tmux/output_source.h"
#include "daemon/tmux/pane_events.h"
#include "daemon/tmux/pane_input.h"
#include "daemon/tmux/pane_lines.h"
#include "daemon/tmux/pane_pipe.h"
#include "daemon/tmux/ring.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

/* maximum bytes of the members of an event; those of lines are the longest */
#define MEMBERS_MAX_BYTES (6 * LINE_FEED_LINE_MAX + 1024)

struct stream {
	struct stream_set *set;
	uint32_t pane;
	/* how often each interest in this pane alone was added */
	uint32_t interests[STREAM_INTEREST_COUNT_];
	bool is_wanted; /* wanted for this pane in particular, not only for all panes */
	struct output_source source;
	uint64_t end; /* offset behind the last output, without the output that was not wanted */
	bool is_told; /* a reader may know an offset of this pane */
	bool has_ring;
	struct ring ring;
	struct loop_timer *lease;
	bool lease_follows; /* the reader needs the daemon to be attached */
	struct pane_events events;
	struct list taps;
	unsigned mark_taps; /* number of taps that take marks or other OSC */
	struct pane_lines *lines; /* NULL: no watch */
	struct line_feed *feed; /* NULL: no line events are wanted */
	struct tokenizer *tokenizer; /* NULL: nothing wants tokens */
	struct pane_input *input;
	struct list behind; /* in the list of the set while watches have lines to look at */
	struct list dirty; /* in the list of the set while events wait to be flushed */
};

struct stream_set {
	struct tmux *tmux;
	struct output_source_set *sources;
	size_t ring_bytes_max;
	struct map map;
	struct map inputs;
	/* how often each interest in all panes was added */
	uint32_t interests[STREAM_INTEREST_COUNT_];
	struct pane_events_sink sink;
	struct list dirty;
	struct list behind;
	struct lines_turn lines_turn;
	struct loop_timer *lines_timer; /* for the next turn in which watches look */
	struct loop_timer *flush;
	struct event_base *base;
	uint64_t bytes;
};

static uint64_t model_offset(const struct stream_set *streams, uint32_t pane)
{
	const struct muxbus_pane *now = muxbus_model_pane(tmux_model(streams->tmux), pane);
	return now != NULL ? now->output_offset : 0;
}

static struct stream *find(const struct stream_set *streams, uint32_t pane)
{
	return map_get(&streams->map, pane);
}

static void on_lease(void *data);

static struct stream *get(struct stream_set *streams, uint32_t pane)
{
	struct stream *stream = find(streams, pane);
	if (stream != NULL || muxbus_model_pane(tmux_model(streams->tmux), pane) == NULL)
		return stream;
	stream = xcalloc(1, sizeof *stream);
	*stream = (struct stream){.set = streams, .pane = pane, .end = model_offset(streams, pane)};
	output_source_init(&stream->source, streams->sources, pane);
	pane_events_init(&stream->events, pane);
	stream->lease = loop_timer_new(streams->base, on_lease, stream);
	list_init(&stream->taps);
	list_init(&stream->dirty);
	list_init(&stream->behind);
	xmap_set(&streams->map, pane, stream);
	return stream;
}

struct pane_input *stream_input(struct stream_set *streams, uint32_t pane)
{
	if (muxbus_model_pane(tmux_model(streams->tmux), pane) == NULL)
		return map_get(&streams->inputs, pane);
	return pane_input_get(&streams->inputs, pane);
}

static bool wants(
    const struct stream_set *streams, const struct stream *stream, enum stream_interest interest)
{
	return streams->interests[interest] > 0 || stream->interests[interest] > 0;
}

static bool is_followed(const struct stream *stream)
{
	for (int i = 0; i < STREAM_INTEREST_COUNT_; i++)
		if (stream->interests[i] > 0)
			return true;
	return stream->lease_follows || !list_is_empty(&stream->taps) || stream->lines != NULL;
}

static void begin_tokens(struct stream *stream)
{
	if (stream->tokenizer != NULL)
		tokenizer_reset(stream->tokenizer);
}

static void free_tokens(struct stream *stream)
{
	if (stream->tokenizer != NULL)
		tokenizer_finish(stream->tokenizer);
	mem_free(stream->tokenizer);
	stream->tokenizer = NULL;
}

static void want_tokens(struct stream_set *streams, struct stream *stream, bool marks)
{
	bool text = stream->lines != NULL || stream->feed != NULL;
	if (!marks && !text) {
		free_tokens(stream);
	} else if (stream->tokenizer == NULL) {
		stream->tokenizer = xalloc(sizeof *stream->tokenizer);
		tokenizer_init(stream->tokenizer, text);
		stream->input = stream_input(streams, stream->pane);
	} else {
		stream->tokenizer->wants_text = text;
	}
}

static void free_lines(struct stream *stream)
{
	pane_lines_free(stream->lines);
	stream->lines = NULL;
	list_remove(&stream->behind);
}

static void want_feed(struct stream_set *streams, struct stream *stream)
{
	bool is_wanted = wants(streams, stream, STREAM_LINES);
	if (is_wanted && stream->feed == NULL) {
		stream->feed =
		    line_feed_new(stream->pane, stream->is_wanted || stream_wants_all(streams));
	} else if (!is_wanted) {
		line_feed_free(stream->feed);
		stream->feed = NULL;
	}
}

static void settle(struct stream_set *streams, struct stream *stream)
{
	bool ring = wants(streams, stream, STREAM_RING) || loop_timer_is_armed(stream->lease);
	bool text = wants(streams, stream, STREAM_TEXT);
	bool marks = wants(streams, stream, STREAM_MARKS);
	/* Interests in all panes do not count here. */
	bool is_wanted = loop_timer_is_armed(stream->lease) || is_followed(stream);
	if (ring && !stream->has_ring) {
		ring_init(
		    &stream->ring, streams->ring_bytes_max, model_offset(streams, stream->pane));
		stream->has_ring = true;
	} else if (!ring && stream->has_ring) {
		ring_finish(&stream->ring);
		stream->has_ring = false;
	}
	pane_events_want(&stream->events, &streams->sink, text, marks);
	want_feed(streams, stream);
	want_tokens(streams, stream, marks || stream->mark_taps > 0);
	if (!is_wanted && !ring && !text && !marks && stream->feed == NULL)
		stream->is_told = true;
	if (is_wanted != stream->is_wanted)
		tmux_followed(streams->tmux);
	stream->is_wanted = is_wanted;
	output_source_want(&stream->source, is_wanted);
}

bool stream_is_deaf(const struct stream_set *streams, uint32_t pane)
{
	const struct stream *stream = find(streams, pane);
	return stream != NULL && output_source_is_deaf(&stream->source);
}

static void drop(struct stream_set *streams, struct stream *stream)
{
	if (output_source_finish(&stream->source))
		stream_set_gap(streams, stream->source.pane, stream->end, "closed");
	pane_events_end(&stream->events, &streams->sink);
	if (stream->feed != NULL)
		line_feed_end(stream->feed, &streams->sink);
	line_feed_free(stream->feed);
	while (!list_is_empty(&stream->taps)) {
		struct stream_tap *tap = list_entry(stream->taps.next, struct stream_tap, link);
		list_remove(&tap->link);
		tap->closed(tap);
	}
	free_lines(stream);
	list_remove(&stream->dirty);
	if (stream->has_ring)
		ring_finish(&stream->ring);
	pane_events_finish(&stream->events);
	free_tokens(stream);
	loop_timer_free(stream->lease);
	map_remove(&streams->map, stream->pane);
	mem_free(stream);
}

static void note_behind(struct stream_set *streams, struct stream *stream)
{
	if (!pane_lines_is_behind(stream->lines))
		return;
	if (list_is_empty(&stream->behind))
		list_append(&streams->behind, &stream->behind);
	if (!loop_timer_is_armed(streams->lines_timer))
		loop_timer_arm(streams->lines_timer, 0);
}

static void look_at_lines(struct stream_set *streams, struct stream *stream, uint64_t end)
{
	if (stream->lines == NULL)
		return;
	pane_lines_look(stream->lines, end);
	note_behind(streams, stream);
	if (streams->lines_turn.spent_us > 0)
		loop_timer_wake(streams->flush); /* on_flush() will reset the time that was spent */
}

static void on_flush(void *data)
{
	struct stream_set *streams = data;
	while (!list_is_empty(&streams->dirty)) {
		struct stream *stream = list_entry(streams->dirty.next, struct stream, dirty);
		list_remove(&stream->dirty);
		pane_events_flush(&stream->events, &streams->sink);
	}
	streams->lines_turn.spent_us = 0;
}

/* Lets watches look at lines for which there was no time before. The panes take turns. */
static void on_lines(void *data)
{
	struct stream_set *streams = data;
	while (!list_is_empty(&streams->behind) && streams->lines_turn.spent_us < LINES_TURN_US) {
		struct stream *stream = list_entry(streams->behind.next, struct stream, behind);
		list_remove(&stream->behind);
		pane_lines_continue(stream->lines);
		note_behind(streams, stream);
	}
	if (!list_is_empty(&streams->behind))
		loop_timer_arm(streams->lines_timer, 0);
	loop_timer_wake(streams->flush);
}

static void on_lease(void *data)
{
	struct stream *stream = data;
	stream->lease_follows = false;
	settle(stream->set, stream);
}

struct stream_piece {
	struct stream *stream;
	struct pane_events_intake intake;
};

static void on_token(void *data, const struct token *token)
{
	struct stream_piece *piece = data;
	if (piece->stream->input != NULL)
		piece->stream->tokenizer->wants_text =
		    pane_input_token(piece->stream->input, token) || piece->stream->lines != NULL ||
		    piece->stream->feed != NULL;
	if (piece->stream->lines != NULL)
		pane_lines_token(piece->stream->lines, token);
	if (piece->stream->feed != NULL)
		line_feed_token(piece->stream->feed, token);
	pane_events_token(&piece->intake, token);
	if (piece->stream->mark_taps == 0)
		return;
	list_each (struct stream_tap, tap, &piece->stream->taps, link)
		if (token->kind == TOKEN_MARK && tap->mark != NULL)
			tap->mark(tap, token);
		else if (token->kind == TOKEN_OSC && tap->osc != NULL)
			tap->osc(tap, token);
}

static void split(struct stream_piece *piece)
{
	struct tokenizer *tokenizer = piece->stream->tokenizer;
	const struct pane_events_intake *intake = &piece->intake;
	uint64_t start;
	if (tokenizer == NULL)
		return;
	tokenizer_feed(tokenizer, intake->offset, intake->bytes, intake->len, on_token, piece);
	if (tokenizer_is_open(tokenizer, &start) &&
	    intake->offset + intake->len - start > STREAM_SEQUENCE_MAX)
		begin_tokens(piece->stream);
}

static void take(struct stream_set *streams, struct stream *stream, const uint8_t *bytes,
    size_t len, uint64_t end)
{
	struct stream_piece piece = {.stream = stream};
	streams->bytes += len;
	stream->end = end;
	piece.intake = (struct pane_events_intake){.events = &stream->events,
	    .sink = &streams->sink,
	    .offset = end - len,
	    .bytes = bytes,
	    .len = len};
	if (stream->has_ring)
		ring_write(&stream->ring, bytes, len);
	split(&piece);
	list_each_safe (struct stream_tap, tap, &stream->taps, link)
		if (tap->output != NULL)
			tap->output(tap, end - len, bytes, len);
	if (stream->feed != NULL)
		line_feed_flush(stream->feed, &streams->sink, end);
	look_at_lines(streams, stream, end);
	if (!stream->events.wants_text && !stream->events.wants_marks)
		return;
	if (stream->events.wants_marks)
		pane_events_note_activity(&stream->events, &streams->sink, end);
	if (pane_events_output(&piece.intake) && list_is_empty(&stream->dirty)) {
		list_append(&streams->dirty, &stream->dirty);
		loop_timer_wake(streams->flush);
	}
}

void stream_set_output(struct stream_set *streams, uint32_t pane, const uint8_t *bytes, size_t len)
{
	struct stream *stream = find(streams, pane);
	if (stream != NULL)
		take(streams, stream, bytes, len, model_offset(streams, pane));
}

static void on_late(struct output_source *source, const uint8_t *bytes, size_t len)
{
	struct stream *stream = list_entry(source, struct stream, source);
	take(stream->set, stream, bytes, len, stream->end + len);
}

void stream_set_gap(struct stream_set *streams, uint32_t pane, uint64_t offset, const char *reason)
{
	struct stream *stream = find(streams, pane);
	bool is_begin;
	if (stream == NULL)
		return;
	stream->end = offset;
	/* The first "not_watched" of a pane is no gap, unless an offset was reported before. */
	is_begin = !stream->is_told && strcmp(reason, "not_watched") == 0;
	if (is_begin && stream->has_ring && stream->ring.len == 0)
		stream->ring.end = offset;
	if (!is_begin && stream->has_ring)
		ring_gap(&stream->ring, offset, reason);
	begin_tokens(stream);
	if (!is_begin)
		pane_events_gap(&stream->events, &streams->sink, offset, reason);
	if (stream->feed != NULL && is_begin)
		line_feed_begin(stream->feed, offset);
	else if (stream->feed != NULL)
		line_feed_gap(stream->feed, &streams->sink, offset, reason);
	pane_lines_gap(stream->lines);
	list_each_safe (struct stream_tap, tap, &stream->taps, link)
		if (tap->gap != NULL)
			tap->gap(tap, offset, reason);
}

void stream_set_pane_created(struct stream_set *streams, uint32_t pane)
{
	struct stream *stream = stream_wants_all(streams) ? get(streams, pane) : NULL;
	if (stream == NULL)
		return;
	/* An interest in all panes has followed this pane from its first byte. */
	stream->is_told = true;
	settle(streams, stream);
}

void stream_set_pane_exited(struct stream_set *streams, uint32_t pane)
{
	struct stream *stream = find(streams, pane);
	if (stream != NULL)
		(void)output_source_drain(&stream->source, PANE_PIPE_REST_BYTES);
}

bool stream_drain(struct stream_set *streams, uint32_t pane)
{
	struct stream *stream = find(streams, pane);
	return stream != NULL && output_source_drain(&stream->source, PANE_PIPE_TURN_BYTES);
}

static void stream_set_pane_respawned(struct stream_set *streams, uint32_t pane)
{
	struct stream *stream = find(streams, pane);
	if (stream != NULL)
		output_source_respawned(&stream->source);
}

void stream_set_pane_closed(struct stream_set *streams, uint32_t pane)
{
	struct stream *stream = find(streams, pane);
	if (stream != NULL) {
		drop(streams, stream);
		tmux_followed(streams->tmux);
	}
	pane_input_forget(&streams->inputs, pane);
}

void stream_set_server_lost(struct stream_set *streams)
{
	map_each (struct stream, stream, &streams->map)
		drop(streams, stream);
	map_each (struct pane_input, input, &streams->inputs)
		pane_input_forget(&streams->inputs, (uint32_t)map_key(&streams->inputs, input_at));
}

static void count(uint32_t *counter, bool on)
{
	if (on)
		(*counter)++;
	else if (*counter > 0)
		(*counter)--;
}

static void want_all(struct stream_set *streams, enum stream_interest interest, bool on)
{
	bool was_wanted = streams->interests[interest] > 0;
	count(&streams->interests[interest], on);
	if (was_wanted == (streams->interests[interest] > 0))
		return;
	output_source_want_all(streams->sources, stream_wants_all(streams));
	next_each (
	    const struct muxbus_pane, pane, muxbus_model_next_pane, tmux_model(streams->tmux)) {
		struct stream *stream = on ? get(streams, pane->id) : find(streams, pane->id);
		if (stream != NULL)
			settle(streams, stream);
	}
}

void stream_want(struct stream_set *streams, uint32_t pane, enum stream_interest interest, bool on)
{
	struct stream *stream;
	if (pane == MUXBUS_NO_ID) {
		want_all(streams, interest, on);
		return;
	}
	stream = get(streams, pane);
	if (stream == NULL)
		return;
	count(&stream->interests[interest], on);
	settle(streams, stream);
}

const struct output_source_set *stream_sources(const struct stream_set *streams)
{
	return streams->sources;
}

bool stream_set_follows(const struct stream_set *streams)
{
	bool follows = stream_wants_all(streams);
	map_each (const struct stream, stream, &streams->map)
		follows = follows || is_followed(stream);
	return follows && output_source_needs_control(streams->sources);
}

void stream_lease(struct stream_set *streams, uint32_t pane, bool follows)
{
	struct stream *stream = get(streams, pane);
	if (stream == NULL)
		return;
	loop_timer_arm(stream->lease, STREAM_LEASE_SEC * 1000);
	stream->lease_follows |= follows;
	settle(streams, stream);
}

void stream_end_leases(struct stream_set *streams)
{
	map_each (struct stream, stream, &streams->map)
		if (loop_timer_is_armed(stream->lease) && !stream->lease_follows) {
			loop_timer_disarm(stream->lease);
			settle(streams, stream);
		}
}

int stream_tap_add(struct stream_set *streams, uint32_t pane, struct stream_tap *tap)
{
	struct stream *stream = get(streams, pane);
	if (stream == NULL)
		return -1;
	list_append(&stream->taps, &tap->link);
	stream->mark_taps += tap->mark != NULL || tap->osc != NULL;
	settle(streams, stream);
	return 0;
}

void stream_tap_remove(struct stream_set *streams, uint32_t pane, struct stream_tap *tap)
{
	struct stream *stream = find(streams, pane);
	if (stream == NULL || list_is_empty(&tap->link))
		return; /* the tap was removed when the pane closed */
	list_remove(&tap->link);
	stream->mark_taps -= tap->mark != NULL || tap->osc != NULL;
	settle(streams, stream);
}

int stream_watch_add(
    struct stream_set *streams, uint32_t pane, struct line_watch *watch, struct pattern *pattern)
{
	struct pane_input *input = stream_input(streams, pane);
	struct stream *stream = get(streams, pane);
	if (stream == NULL)
		return -1;
	if (stream->lines == NULL)
		stream->lines =
		    pane_lines_new(&streams->lines_turn, input != NULL ? &input->echo : NULL);
	pane_lines_add(stream->lines, watch, pattern);
	settle(streams, stream);
	return 0;
}

void stream_watch_remove(struct stream_set *streams, uint32_t pane, struct line_watch *watch)
{
	struct stream *stream = find(streams, pane);
	if (stream == NULL || stream->lines == NULL)
		return;
	pane_lines_remove(stream->lines, watch);
	if (!pane_lines_is_empty(stream->lines))
		return;
	free_lines(stream);
	settle(streams, stream);
}

void stream_new_program(struct stream_set *streams, uint32_t pane)
{
	struct stream *stream = find(streams, pane);
	struct pane_input *input = map_get(&streams->inputs, pane);
	if (stream != NULL)
		begin_tokens(stream);
	if (input != NULL)
		pane_input_clear(input);
}

void stream_read(struct stream_set *streams, uint32_t pane, uint64_t offset, size_t max_bytes,
    struct buf *out, struct stream_slice *ret_slice)
{
	struct stream *stream = get(streams, pane);
	bool has_ring = stream != NULL && stream->has_ring;
	uint64_t end = has_ring ? stream->ring.end : model_offset(streams, pane);
	struct ring_slice slice = {.from = end, .to = end, .has_gap = offset < end};
	stream_tell(streams, pane);
	if (has_ring)
		ring_read(&stream->ring, offset, max_bytes, out, &slice);
	else if (slice.has_gap)
		slice.gap_reason = "not_watched";
	*ret_slice = (struct stream_slice){
	    .from = slice.from,
	    .to = slice.to,
	    .end = end,
	    .has_gap = slice.has_gap,
	    .gap_reason = slice.gap_reason,
	};
}

void stream_tell(struct stream_set *streams, uint32_t pane)
{
	struct stream *stream = get(streams, pane);
	if (stream == NULL)
		return;
	stream->is_told = true;
	if (stream->feed != NULL)
		line_feed_begin(stream->feed, model_offset(streams, pane));
}

uint64_t stream_start(const struct stream_set *streams, uint32_t pane)
{
	const struct stream *stream = find(streams, pane);
	if (stream == NULL || !stream->has_ring)
		return model_offset(streams, pane);
	return ring_start(&stream->ring);
}

bool stream_wants_all(const struct stream_set *streams)
{
	for (int i = 0; i < STREAM_INTEREST_COUNT_; i++)
		if (streams->interests[i] > 0)
			return true;
	return false;
}

static bool stream_has_marks(const struct stream_set *streams, uint32_t pane)
{
	const struct stream *stream = find(streams, pane);
	return stream != NULL && stream->events.wants_marks;
}

void stream_stats(const struct stream_set *streams, struct stream_stats *ret_stats)
{
	*ret_stats = (struct stream_stats){
	    .bytes = streams->bytes, .piped = output_source_piped(streams->sources)};
	map_each (const struct stream, stream, &streams->map) {
		ret_stats->interests += stream->is_wanted || stream->has_ring ||
		    stream->feed != NULL || stream->events.wants_text || stream->events.wants_marks;
		ret_stats->rings += stream->has_ring;
		ret_stats->ring_bytes += stream->has_ring ? stream->ring.cap : 0;
	}
}

static const struct tmux_reader reader = {
    .output = stream_set_output,
    .gap = stream_set_gap,
    .pane_created = stream_set_pane_created,
    .pane_exited = stream_set_pane_exited,
    .pane_respawned = stream_set_pane_respawned,
    .pane_closed = stream_set_pane_closed,
    .server_lost = stream_set_server_lost,
    .has_marks = stream_has_marks,
};

struct stream_set *stream_set_new(struct event_base *base, const struct config *config,
    struct event_log *events, struct tmux *tmux)
{
	struct stream_set *streams = xcalloc(1, sizeof *streams);
	streams->base = base;
	streams->tmux = tmux;
	streams->ring_bytes_max = (size_t)config->limits.ring_bytes;
	pane_events_sink_init(&streams->sink, base, events, tmux, config->limits.quiet_ms);
	buf_init(&streams->sink.members, MEMBERS_MAX_BYTES);
	map_init(&streams->map);
	map_init(&streams->inputs);
	list_init(&streams->dirty);
	list_init(&streams->behind);
	streams->sources = output_source_set_new(base, config, tmux, on_late);
	streams->lines_timer = loop_timer_new(base, on_lines, streams);
	streams->flush = loop_timer_new(base, on_flush, streams);
	if (config->all_output)
		stream_want(streams, MUXBUS_NO_ID, STREAM_RING, true);
	tmux_set_reader(tmux, &reader, streams);
	return streams;
}

void stream_set_free(struct stream_set *streams)
{
	if (streams == NULL)
		return;
	tmux_set_reader(streams->tmux, NULL, NULL);
	stream_set_server_lost(streams);
	output_source_set_free(streams->sources);
	map_finish(&streams->map);
	map_finish(&streams->inputs);
	loop_timer_free(streams->lines_timer);
	loop_timer_free(streams->flush);
	pane_events_sink_finish(&streams->sink);
	mem_free(streams);
}
