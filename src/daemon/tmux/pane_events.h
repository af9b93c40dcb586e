/* SPDX-License-Identifier: ISC */
/*
 * Events from the output of one pane: pane_output, bell, command_started, command_finished,
 * program_notified, progress_changed, pane_quiet. Output of one turn is one event, or several of
 * bounded size, cut between characters. A mark is published after the text before it.
 */
#pragma once

#include "base/tokenizer.h"
#include "daemon/event/event_log.h"
#include "daemon/tmux/osc_report.h"
#include "wire/json.h"

#define PANE_EVENTS_TEXT_MAX (32 * 1024) /* bytes of output in one event */
#define PANE_EVENTS_MARKS_MAX 64 /* marks and notices of a pane in one turn; more become a gap */

struct event_base;

/* The event log, and buffers; shared by all panes. */
struct pane_events_sink {
	struct event_log *log;
	struct tmux *tmux;
	struct buf members;
	struct list active; /* panes from their last output until they are quiet */
	int64_t quiet_ms;
	struct loop_timer *quiet_timer;
};

/* Begins an event about a pane, at an offset in its output. */
void pane_event_begin_at(
    struct pane_events_sink *sink, uint32_t pane, uint64_t offset, struct json_writer *ret_writer);
/* keep: as in event_log.h. */
void pane_event_publish(const struct pane_events_sink *sink, const struct event_scope *scope,
    enum event_kind kind, bool keep);
/* Publishes that bytes, or count events, are missing. A count of 0 is not written. */
void pane_event_gap(struct pane_events_sink *sink, const struct event_scope *scope, uint64_t offset,
    const char *reason, unsigned count);
/* Sets a scope to where its pane is. A closed pane keeps its last scope. */
void pane_event_place(const struct pane_events_sink *sink, struct event_scope *scope);

struct pane_events {
	uint32_t pane;
	struct event_scope scope; /* the window and sessions that had the pane last */
	bool wants_text;
	bool wants_marks;
	struct buf text;
	uint64_t text_end; /* offset of the end of text */
	bool in_command;
	bool has_starts; /* the shell also marks where its commands begin */
	uint64_t command_from;
	int64_t command_start_ms;
	unsigned bells; /* not published yet */
	uint64_t bell_offset;
	struct osc_reader reader;
	enum osc_progress progress, told_progress;
	int percent, told_percent; /* -1: not reported */
	uint64_t progress_offset;
	unsigned marks;
	unsigned marks_dropped;
	struct list active; /* in the list of the sink */
	int64_t output_ms; /* time of the last output */
	uint64_t output_end;
};

/* The caller then calls buf_init() for sink->members; pane_events_sink_finish() frees it. */
void pane_events_sink_init(struct pane_events_sink *sink, struct event_base *base,
    struct event_log *log, struct tmux *tmux, int64_t quiet_ms);
void pane_events_sink_finish(struct pane_events_sink *sink);

void pane_events_init(struct pane_events *events, uint32_t pane);
void pane_events_finish(struct pane_events *events);

/* Publishes pending text that is no longer wanted, but drops pending bells and progress. */
void pane_events_want(
    struct pane_events *events, struct pane_events_sink *sink, bool text, bool marks);

struct pane_events_intake {
	struct pane_events *events;
	struct pane_events_sink *sink;
	uint64_t offset; /* of bytes[0] */
	const uint8_t *bytes;
	size_t len;
	size_t taken;
};

void pane_events_token(struct pane_events_intake *intake, const struct token *token);
/* Takes the rest of the piece, after its tokens. Returns true if there is something to flush. */
bool pane_events_output(struct pane_events_intake *intake);

/* Output has come, up to end. After quiet_ms without more, pane_quiet is published. */
void pane_events_note_activity(
    struct pane_events *events, struct pane_events_sink *sink, uint64_t end);

/* At the end of a turn: publishes all output except an incomplete last character. */
void pane_events_flush(struct pane_events *events, struct pane_events_sink *sink);

/* Bytes are missing before offset. */
void pane_events_gap(
    struct pane_events *events, struct pane_events_sink *sink, uint64_t offset, const char *reason);

/* Publishes all output, also an incomplete last character. */
void pane_events_end(struct pane_events *events, struct pane_events_sink *sink);
