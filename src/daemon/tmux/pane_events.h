/* SPDX-License-Identifier: ISC */
/*
 * Makes events from the output of one pane: pane_output, bell, command_started, command_finished,
 * program_notified, progress_changed, pane_quiet and gap. The output of one turn of the loop is
 * published at its end at the latest, in events of limited size that end between characters.
 */
#pragma once

#include "base/tokenizer.h"
#include "daemon/event/event_log.h"
#include "daemon/tmux/osc_report.h"
#include "wire/json.h"

#define PANE_EVENTS_TEXT_MAX (32 * 1024) /* maximum bytes of output in one event */
/* maximum marks and notifications of a pane in one turn; more become a gap */
#define PANE_EVENTS_MARKS_MAX 64

struct event_base;

/* The event log, and the buffer and timer that all panes share. */
struct pane_events_sink {
	struct event_log *log;
	struct tmux *tmux;
	struct buf members;
	struct list active; /* panes that had output and are not quiet yet */
	int64_t quiet_ms;
	struct loop_timer *quiet_timer;
};

void pane_event_begin_at(
    struct pane_events_sink *sink, uint32_t pane, uint64_t offset, struct json_writer *ret_writer);
/* Publishes the event that was begun. keep: as in event_log_publish(). */
void pane_event_publish(const struct pane_events_sink *sink, const struct event_scope *scope,
    enum event_kind kind, bool keep);
/* Publishes a gap: bytes, or `count` events, are missing before offset. count 0 is left out. */
void pane_event_gap(struct pane_events_sink *sink, const struct event_scope *scope, uint64_t offset,
    const char *reason, unsigned count);
/* Sets a scope to the window and sessions that have its pane; keeps that of a closed pane. */
void pane_event_place(const struct pane_events_sink *sink, struct event_scope *scope);

struct pane_events {
	uint32_t pane;
	struct event_scope scope; /* the window and sessions that had the pane last */
	bool wants_text;
	bool wants_marks;
	struct buf text;
	uint64_t text_end; /* offset in the output of the end of text */
	bool in_command;
	bool has_starts; /* the shell marks where its commands begin */
	uint64_t command_from;
	int64_t command_start_ms;
	unsigned bells; /* number of bells that are not published yet */
	uint64_t bell_offset;
	struct osc_reader reader;
	enum osc_progress progress, told_progress;
	int percent, told_percent; /* -1: not reported */
	uint64_t progress_offset;
	unsigned marks;
	unsigned marks_dropped;
	struct list active; /* in the list `active` of the sink */
	int64_t output_ms; /* CLOCK_MONOTONIC of the last output */
	uint64_t output_end;
};

/* Initialises a sink, except sink->members, for which the caller calls buf_init(). */
void pane_events_sink_init(struct pane_events_sink *sink, struct event_base *base,
    struct event_log *log, struct tmux *tmux, int64_t quiet_ms);
void pane_events_sink_finish(struct pane_events_sink *sink);

void pane_events_init(struct pane_events *events, uint32_t pane);
void pane_events_finish(struct pane_events *events);

/*
 * Sets which events are wanted. Pending text that is not wanted any more is still published;
 * pending bells and progress are dropped.
 */
void pane_events_want(
    struct pane_events *events, struct pane_events_sink *sink, bool text, bool marks);

struct pane_events_intake {
	struct pane_events *events;
	struct pane_events_sink *sink;
	uint64_t offset; /* offset in the output of bytes[0] */
	const uint8_t *bytes;
	size_t len;
	size_t taken;
};

void pane_events_token(struct pane_events_intake *intake, const struct token *token);
/* Takes the rest of a piece of output, after its tokens. Returns true if events are pending. */
bool pane_events_output(struct pane_events_intake *intake);

/* Call this when output has come, up to end. Without more for quiet_ms, pane_quiet is published. */
void pane_events_note_activity(
    struct pane_events *events, struct pane_events_sink *sink, uint64_t end);

/* For the end of a turn of the loop: publishes all but an incomplete last character. */
void pane_events_flush(struct pane_events *events, struct pane_events_sink *sink);

/* Call this if bytes before offset are missing. */
void pane_events_gap(
    struct pane_events *events, struct pane_events_sink *sink, uint64_t offset, const char *reason);

/* Publishes all that is pending, even an incomplete last character. */
void pane_events_end(struct pane_events *events, struct pane_events_sink *sink);
