/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/pane_events.h"

#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

#define TEXT_KEEP_BYTES 1024
#define COMMAND_LINE_MAX 1024 /* maximum bytes of a command line; the rest is cut off */

void pane_events_init(struct pane_events *events, uint32_t pane)
{
	*events = (struct pane_events){.pane = pane, .percent = -1, .told_percent = -1};
	osc_reader_init(&events->reader);
	buf_init(&events->text, 2 * PANE_EVENTS_TEXT_MAX);
	events->scope = (struct event_scope){.pane = pane, .window = MUXBUS_NO_ID};
	events->scope.sessions[0] = MUXBUS_NO_ID;
	list_init(&events->active);
}

void pane_events_finish(struct pane_events *events)
{
	buf_finish(&events->text);
	osc_reader_finish(&events->reader);
	list_remove(&events->active);
}

static void begin(struct pane_events_sink *sink, uint32_t pane, struct json_writer *ret_writer)
{
	buf_clear(&sink->members);
	json_writer_init(ret_writer, &sink->members);
	json_put_id(ret_writer, "pane", '%', pane);
}

void pane_event_begin_at(
    struct pane_events_sink *sink, uint32_t pane, uint64_t offset, struct json_writer *ret_writer)
{
	begin(sink, pane, ret_writer);
	json_put_int(ret_writer, "offset", (int64_t)offset);
}

void pane_event_place(const struct pane_events_sink *sink, struct event_scope *scope)
{
	struct event_scope now;
	tmux_scope_pane(sink->tmux, scope->pane, &now);
	if (now.window != MUXBUS_NO_ID)
		*scope = now;
}

void pane_event_publish(const struct pane_events_sink *sink, const struct event_scope *scope,
    enum event_kind kind, bool keep)
{
	event_log_publish(
	    sink->log, kind, scope, (const char *)sink->members.data, sink->members.len, keep);
}

void pane_event_gap(struct pane_events_sink *sink, const struct event_scope *scope, uint64_t offset,
    const char *reason, unsigned count)
{
	struct json_writer writer;
	pane_event_begin_at(sink, scope->pane, offset, &writer);
	json_put_str(&writer, "reason", reason);
	if (count > 0)
		json_put_int(&writer, "count", count);
	pane_event_publish(sink, scope, EVENT_GAP, true);
}

static void publish(
    struct pane_events *events, struct pane_events_sink *sink, enum event_kind kind, bool keep)
{
	pane_event_place(sink, &events->scope);
	pane_event_publish(sink, &events->scope, kind, keep);
}

static void tell_text(struct pane_events *events, struct pane_events_sink *sink, size_t len)
{
	uint64_t offset;
	struct json_writer writer;
	if (len == 0)
		return;
	offset = events->text_end - events->text.len;
	pane_event_begin_at(sink, events->pane, offset, &writer);
	json_put_int(&writer, "to", (int64_t)(offset + len));
	if (json_put_text(&writer, "text", events->text.data, len))
		json_put_bool(&writer, "lossy", true);
	publish(events, sink, EVENT_PANE_OUTPUT, false);
	buf_consume(&events->text, len);
}

/* Publishes the pending text. with_tail: even an incomplete last character. */
static void tell_all_text(struct pane_events *events, struct pane_events_sink *sink, bool with_tail)
{
	size_t tail;
	while (events->text.len > PANE_EVENTS_TEXT_MAX) {
		size_t len = PANE_EVENTS_TEXT_MAX;
		len -= utf8_incomplete_tail(events->text.data, len);
		tell_text(events, sink, len);
	}
	tail = with_tail ? 0 : utf8_incomplete_tail(events->text.data, events->text.len);
	tell_text(events, sink, events->text.len - tail);
}

static void tell_bells(struct pane_events *events, struct pane_events_sink *sink)
{
	struct json_writer writer;
	if (events->bells == 0)
		return;
	pane_event_begin_at(sink, events->pane, events->bell_offset, &writer);
	json_put_int(&writer, "count", events->bells);
	publish(events, sink, EVENT_BELL, true);
	events->bells = 0;
}

static bool has_progress(const struct pane_events *events)
{
	return events->progress != events->told_progress || events->percent != events->told_percent;
}

static void tell_progress(struct pane_events *events, struct pane_events_sink *sink)
{
	struct json_writer writer;
	if (!has_progress(events))
		return;
	pane_event_begin_at(sink, events->pane, events->progress_offset, &writer);
	json_put_str(&writer, "state", osc_progress_names[events->progress]);
	json_put_known_int(&writer, "percent", events->percent >= 0, events->percent);
	publish(events, sink, EVENT_PROGRESS_CHANGED, true);
	events->told_progress = events->progress;
	events->told_percent = events->percent;
}

static void tell_notice(struct pane_events *events, struct pane_events_sink *sink,
    const struct token *token, const struct osc_report *report)
{
	struct json_writer writer;
	pane_event_begin_at(sink, events->pane, token->to, &writer);
	json_put_int(&writer, "osc", report->number);
	json_put_str(&writer, "title", report->title[0] != '\0' ? report->title : NULL);
	json_put_str(&writer, "text", report->text[0] != '\0' ? report->text : NULL);
	publish(events, sink, EVENT_PROGRAM_NOTIFIED, true);
}

static void tell_gap(struct pane_events *events, struct pane_events_sink *sink, uint64_t offset,
    const char *reason, unsigned count)
{
	pane_event_place(sink, &events->scope);
	pane_event_gap(sink, &events->scope, offset, reason, count);
}

/* Writes the command line in a mark, as in ";cmdline_url=make%20all". */
static void put_command_line(struct json_writer *writer, const char *text)
{
	static const char name[] = ";cmdline_url=";
	const char *at = strstr(text, name);
	char line[COMMAND_LINE_MAX];
	size_t len = 0;
	if (at == NULL) {
		json_put_null(writer, "command_line");
		return;
	}
	for (at += sizeof name - 1; *at != '\0' && *at != ';' && len < sizeof line; at++) {
		bool is_code =
		    at[0] == '%' && str_hex_digit(at[1]) >= 0 && str_hex_digit(at[2]) >= 0;
		line[len++] =
		    (char)(is_code ? str_hex_digit(at[1]) << 4 | str_hex_digit(at[2]) : at[0]);
		at += is_code ? 2 : 0;
	}
	len -= len == sizeof line ? utf8_incomplete_tail(line, len) : 0;
	(void)json_put_text(writer, "command_line", line, len);
}

static void tell_started(
    struct pane_events *events, struct pane_events_sink *sink, const struct token *token)
{
	struct json_writer writer;
	events->in_command = events->has_starts = true;
	events->command_from = token->to;
	events->command_start_ms = clock_mono_ms();
	pane_event_begin_at(sink, events->pane, token->to, &writer);
	put_command_line(&writer, token->text);
	publish(events, sink, EVENT_COMMAND_STARTED, true);
}

static void tell_finished(
    struct pane_events *events, struct pane_events_sink *sink, const struct token *token)
{
	struct json_writer writer;
	begin(sink, events->pane, &writer);
	json_put_known_int(&writer, "exit_status", token->status >= 0, token->status);
	if (events->in_command) {
		json_put_int(&writer, "from", (int64_t)events->command_from);
		json_put_int(&writer, "to", (int64_t)token->from);
		json_put_int(&writer, "duration_ms", clock_mono_ms() - events->command_start_ms);
	} else {
		/* the start of the command was not seen */
		json_put_null(&writer, "from");
		json_put_int(&writer, "to", (int64_t)token->from);
		json_put_null(&writer, "duration_ms");
	}
	events->in_command = false;
	publish(events, sink, EVENT_COMMAND_FINISHED, true);
}

static void take_text(struct pane_events_intake *intake, uint64_t to)
{
	struct pane_events *events = intake->events;
	size_t end = (size_t)(to - intake->offset);
	while (events->wants_text && intake->taken < end) {
		size_t len = end - intake->taken;
		if (len > PANE_EVENTS_TEXT_MAX)
			len = PANE_EVENTS_TEXT_MAX;
		buf_append(&events->text, intake->bytes + intake->taken, len);
		intake->taken += len;
		events->text_end = intake->offset + intake->taken;
		if (events->text.len >= PANE_EVENTS_TEXT_MAX)
			tell_all_text(events, intake->sink, false);
	}
}

/* Publishes the output before the event of a mark. Returns false: too many marks in this turn. */
static bool begin_mark(struct pane_events_intake *intake, const struct token *token)
{
	struct pane_events *events = intake->events;
	if (events->marks >= PANE_EVENTS_MARKS_MAX) {
		events->marks_dropped++;
		return false;
	}
	events->marks++;
	take_text(intake, token->to);
	tell_all_text(events, intake->sink, false);
	return true;
}

static void take_mark(struct pane_events_intake *intake, const struct token *token)
{
	struct pane_events *events = intake->events;
	/* If two shell integrations send each mark, only the first of the two counts. */
	bool is_start = token->mark == 'C' && !events->in_command;
	/* A prompt ends a command too, for shells that never send D. */
	bool is_end = (token->mark == 'D' && (events->in_command || !events->has_starts)) ||
	    (token->mark == 'A' && events->in_command);
	if (!is_start && !is_end)
		return;
	if (!begin_mark(intake, token))
		events->in_command = false;
	else if (is_start)
		tell_started(events, intake->sink, token);
	else
		tell_finished(events, intake->sink, token);
}

static void take_osc(struct pane_events_intake *intake, const struct token *token)
{
	struct pane_events *events = intake->events;
	struct osc_report report;
	enum osc_report_kind kind =
	    osc_report_read(&events->reader, token->text, token->len, &report);
	if (kind == OSC_PROGRESS) {
		events->progress = report.progress;
		events->percent = report.percent;
		events->progress_offset = token->to;
	} else if (kind == OSC_NOTICE && begin_mark(intake, token)) {
		tell_notice(events, intake->sink, token, &report);
	}
}

void pane_events_token(struct pane_events_intake *intake, const struct token *token)
{
	struct pane_events *events = intake->events;
	if (!events->wants_marks)
		return;
	if (token->kind == TOKEN_BELL) {
		events->bells++;
		events->bell_offset = token->from;
	} else if (token->kind == TOKEN_MARK) {
		take_mark(intake, token);
	} else if (token->kind == TOKEN_OSC) {
		take_osc(intake, token);
	}
}

bool pane_events_output(struct pane_events_intake *intake)
{
	const struct pane_events *events = intake->events;
	take_text(intake, intake->offset + intake->len);
	return events->text.len > 0 || events->bells > 0 || events->marks > 0 ||
	    has_progress(events);
}

void pane_events_flush(struct pane_events *events, struct pane_events_sink *sink)
{
	tell_all_text(events, sink, false);
	tell_bells(events, sink);
	tell_progress(events, sink);
	if (events->marks_dropped > 0)
		tell_gap(events, sink, events->text_end, "too_many_marks", events->marks_dropped);
	events->marks = 0;
	events->marks_dropped = 0;
	if (events->text.len == 0 && events->text.cap > TEXT_KEEP_BYTES)
		buf_finish(&events->text);
}

void pane_events_end(struct pane_events *events, struct pane_events_sink *sink)
{
	tell_all_text(events, sink, true);
	pane_events_flush(events, sink);
}

void pane_events_gap(
    struct pane_events *events, struct pane_events_sink *sink, uint64_t offset, const char *reason)
{
	pane_events_end(events, sink);
	events->in_command = false;
	osc_reader_finish(&events->reader);
	if (events->wants_text)
		tell_gap(events, sink, offset, reason, 0);
}

static void forget_marks(struct pane_events *events)
{
	events->bells = 0;
	events->progress = events->told_progress = PROGRESS_NONE;
	events->percent = events->told_percent = -1;
	osc_reader_finish(&events->reader);
}

void pane_events_want(
    struct pane_events *events, struct pane_events_sink *sink, bool text, bool marks)
{
	pane_event_place(sink, &events->scope);
	if (events->wants_text && !text)
		tell_all_text(events, sink, true);
	events->wants_text = text;
	if (marks && !events->wants_marks)
		events->in_command = events->has_starts = false;
	else if (!marks)
		forget_marks(events);
	if (!marks)
		list_remove(&events->active);
	events->wants_marks = marks;
}

static void tell_quiet(struct pane_events *events, struct pane_events_sink *sink, int64_t for_ms)
{
	struct json_writer writer;
	pane_event_begin_at(sink, events->pane, events->output_end, &writer);
	json_put_int(&writer, "quiet_ms", for_ms);
	publish(events, sink, EVENT_PANE_QUIET, true);
}

/* Publishes pane_quiet. One timer serves all panes. */
static void on_quiet(void *data)
{
	struct pane_events_sink *sink = data;
	int64_t now_ms = clock_mono_ms();
	int64_t next_ms = INT64_MAX;
	list_each_safe (struct pane_events, events, &sink->active, active) {
		int64_t due_ms = events->output_ms + sink->quiet_ms;
		if (due_ms > now_ms) {
			next_ms = due_ms < next_ms ? due_ms : next_ms;
			continue;
		}
		list_remove(&events->active);
		pane_events_flush(events, sink);
		tell_quiet(events, sink, now_ms - events->output_ms);
	}
	if (next_ms != INT64_MAX)
		loop_timer_arm(sink->quiet_timer, next_ms - now_ms);
}

void pane_events_note_activity(
    struct pane_events *events, struct pane_events_sink *sink, uint64_t end)
{
	events->output_ms = clock_mono_ms();
	events->output_end = end;
	if (!list_is_empty(&events->active))
		return;
	list_append(&sink->active, &events->active);
	if (!loop_timer_is_armed(sink->quiet_timer))
		loop_timer_arm(sink->quiet_timer, sink->quiet_ms);
}

void pane_events_sink_init(struct pane_events_sink *sink, struct event_base *base,
    struct event_log *log, struct tmux *tmux, int64_t quiet_ms)
{
	*sink = (struct pane_events_sink){.log = log, .tmux = tmux, .quiet_ms = quiet_ms};
	list_init(&sink->active);
	sink->quiet_timer = loop_timer_new(base, on_quiet, sink);
}

void pane_events_sink_finish(struct pane_events_sink *sink)
{
	loop_timer_free(sink->quiet_timer);
	buf_finish(&sink->members);
}
