/* SPDX-License-Identifier: ISC */
/* Conditions on panes: output, screen, quiet_sec, exited, command_finished. */
#include "base/process.h"
#include "daemon/tmux/model_json.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"
#include "daemon/wait/condition_watch.h"
#include "io/loop_timer.h"

enum {
	MATCHED_LINE_MAX = 4096, /* maximum bytes of the line that is reported */
	/* if the output is followed within this time after a request, there is no gap */
	BEGIN_MS = 50,
	SCREEN_WAIT_MS = 50, /* delay from output to a look at the screen */
	EXIT_LOOK_MS = 100,
	/* number of looks; meanwhile the library reports the end, even without a status */
	EXIT_LOOKS = 12,
};

/* The arguments of the kinds in this file; each kind sets those that its fields name. */
struct pane_condition_args {
	const char *pane, *regex;
	double quiet_sec;
};

static const struct field output_fields[] = {
    {FIELD_ROW(STRING, struct pane_condition_args, regex, "output"), .flags = FIELD_REQUIRED,
	.min = 1, .max = PATTERN_BYTES_MAX,
	.help = "A regular expression that a line of output, without escape sequences, matches. A "
		"line is looked at when it ends, and as it stands; only the end of a line beyond "
		"64 KiB."},
    {FIELD_ROW(STRING, struct pane_condition_args, pane, "pane"),
	.help = "The pane; left out: the caller's own."},
    {.name = NULL},
};

static void output_found(struct line_watch *lines, const struct line_found *found)
{
	struct pane_watch *watch = list_entry(lines, struct pane_watch, lines);
	struct json_writer writer;
	if (found->result != PATTERN_MATCH) {
		condition_settle(watch->condition, CONDITION_LIMIT);
		return;
	}
	pane_watch_put(watch->condition, &writer, watch->pane);
	json_put_int(&writer, "offset", (int64_t)found->offset);
	(void)json_put_text(&writer, "line", found->line,
	    found->len < MATCHED_LINE_MAX ? found->len : MATCHED_LINE_MAX);
	condition_put_captures(&writer, found->match, found->line);
	condition_end_details(watch->condition, &writer, CONDITION_MATCHED);
}

static enum muxbus_output flow_of(const struct pane_watch *watch)
{
	return muxbus_sync_output(tmux_sync(watch->condition->parts->tmux), watch->pane);
}

static bool is_late(const struct pane_watch *watch)
{
	return clock_mono_ms() - watch->asked_ms > BEGIN_MS;
}

static void note_begin(struct pane_watch *watch, const struct request *request)
{
	condition_note_past(watch->condition, request);
	watch->is_coming = flow_of(watch) != MUXBUS_OUTPUT_FLOWING;
	watch->condition->has_gap |= is_late(watch);
}

static void note_gap(struct pane_watch *watch)
{
	watch->condition->has_gap |= !watch->is_coming || is_late(watch);
	watch->is_coming = false;
}

static void output_gap(struct line_watch *lines)
{
	note_gap(list_entry(lines, struct pane_watch, lines));
}

static bool output_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct pane_condition_args *args = data;
	struct pane_watch *watch = pane_watch_new(condition, request, args->pane);
	if (watch == NULL || !pane_watch_pattern(watch, request, "output", args->regex))
		return false;
	watch->lines.found = output_found;
	watch->lines.gap = output_gap;
	watch->lines.closed = pane_watch_lines_closed;
	watch->lines.is_staying = condition->is_staying;
	if (stream_watch_add(
		condition->parts->streams, watch->pane, &watch->lines, watch->pattern) < 0)
		return pane_watch_fail(watch, request);
	watch->has_lines = true;
	note_begin(watch, request);
	return true;
}

static const struct field screen_fields[] = {
    {FIELD_ROW(STRING, struct pane_condition_args, regex, "screen"), .flags = FIELD_REQUIRED,
	.min = 1, .max = PATTERN_BYTES_MAX,
	.help = "A regular expression that the screen, as it is shown, matches."},
    {FIELD_ROW(STRING, struct pane_condition_args, pane, "pane"),
	.help = "The pane; left out: the caller's own."},
    {.name = NULL},
};

static size_t written_len(const struct muxbus_reply *reply)
{
	size_t len = reply->body_len;
	while (len > 0 && (reply->body[len - 1] == '\n' || reply->body[len - 1] == ' '))
		len--;
	return len;
}

static void screen_read(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct pane_watch *watch = data;
	enum pattern_result result;
	struct pattern_match match;
	struct json_writer writer;
	watch->is_asking = false;
	if (watch->is_gone) {
		mem_free(watch);
		return;
	}
	if (error != 0 || count < 1 || watch->condition->state != CONDITION_PENDING)
		return; /* if the pane has closed, the tap reports it */
	watch->condition->at_entry = watch->looks++ == 0;
	result = pattern_find(watch->pattern, replies[0].body, written_len(&replies[0]), 0, &match);
	if (result == PATTERN_LIMIT)
		condition_settle(watch->condition, CONDITION_LIMIT);
	if (result != PATTERN_MATCH)
		return;
	pane_watch_put(watch->condition, &writer, watch->pane);
	(void)json_put_text(&writer, "text", replies[0].body + match.spans[0].from,
	    match.spans[0].to - match.spans[0].from);
	condition_end_details(watch->condition, &writer, CONDITION_MATCHED);
}

static void screen_look(void *data)
{
	struct pane_watch *watch = data;
	struct muxbus_command *command;
	if (watch->is_asking) {
		loop_timer_arm(watch->timer, SCREEN_WAIT_MS);
		return;
	}
	command = tmux_command("capture-pane", "-p", "-t", TMUX_ID('%', watch->pane), NULL);
	watch->is_asking = true;
	if (muxbus_sync_run(
		tmux_sync(watch->condition->parts->tmux), command, false, screen_read, watch) < 0)
		watch->is_asking = false;
}

static void screen_bytes(
    struct stream_tap *tap, uint64_t offset UNUSED, const uint8_t *bytes UNUSED, size_t len UNUSED)
{
	struct pane_watch *watch = list_entry(tap, struct pane_watch, tap);
	if (!loop_timer_is_armed(watch->timer))
		loop_timer_arm(watch->timer, SCREEN_WAIT_MS);
}

/* Output was missed, which may have changed the screen. */
static void screen_gap(struct stream_tap *tap, uint64_t offset UNUSED, const char *reason UNUSED)
{
	screen_bytes(tap, 0, NULL, 0);
}

static bool screen_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct pane_condition_args *args = data;
	struct pane_watch *watch = pane_watch_new(condition, request, args->pane);
	if (watch == NULL || !pane_watch_pattern(watch, request, "screen", args->regex))
		return false;
	watch->tap.gap = screen_gap;
	watch->timer = loop_timer_new(condition->parts->base, screen_look, watch);
	if (!pane_watch_tap(watch, request, screen_bytes))
		return false;
	screen_look(watch); /* the screen may match already */
	return true;
}

static const struct field quiet_fields[] = {
    {FIELD_ROW(NUMBER, struct pane_condition_args, quiet_sec, "quiet_sec"), .flags = FIELD_REQUIRED,
	.unit = "s", .min = 0.01, .max = 86400,
	.help = "The pane has written nothing for so long, counted from the request."},
    {FIELD_ROW(STRING, struct pane_condition_args, pane, "pane"),
	.help = "The pane; left out: the caller's own."},
    {.name = NULL},
};

static void quiet_bytes(
    struct stream_tap *tap, uint64_t offset UNUSED, const uint8_t *bytes UNUSED, size_t len UNUSED)
{
	struct pane_watch *watch = list_entry(tap, struct pane_watch, tap);
	watch->last_ms = clock_mono_ms();
}

/* Output was missed, which may have come just now. */
static void quiet_gap(struct stream_tap *tap, uint64_t offset UNUSED, const char *reason UNUSED)
{
	quiet_bytes(tap, 0, NULL, 0);
}

/* Returns true if silence is certain: output would come, or the program or the pane has ended. */
static bool is_heard(const struct pane_watch *watch)
{
	const struct daemon *parts = watch->condition->parts;
	const struct muxbus_pane *pane = muxbus_model_pane(tmux_model(parts->tmux), watch->pane);
	return pane == NULL || pane->is_dead ||
	    (!stream_is_deaf(parts->streams, watch->pane) &&
		flow_of(watch) != MUXBUS_OUTPUT_COMING);
}

static void quiet_due(void *data)
{
	struct pane_watch *watch = data;
	struct json_writer writer;
	int64_t left_ms;
	if (watch->condition->state != CONDITION_PENDING)
		return; /* the condition has ended, and the wait ends soon */
	if (!is_heard(watch))
		watch->last_ms = clock_mono_ms();
	left_ms = watch->last_ms + watch->quiet_ms - clock_mono_ms();
	if (left_ms > 0) {
		loop_timer_arm(watch->timer, left_ms);
		return;
	}
	pane_watch_put(watch->condition, &writer, watch->pane);
	condition_end_details(watch->condition, &writer, CONDITION_MATCHED);
}

static bool quiet_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct pane_condition_args *args = data;
	struct pane_watch *watch = pane_watch_new(condition, request, args->pane);
	if (watch == NULL)
		return false;
	watch->tap.gap = quiet_gap;
	if (!pane_watch_tap(watch, request, quiet_bytes))
		return false;
	watch->quiet_ms = clock_seconds_to_ms(args->quiet_sec);
	watch->timer = loop_timer_new(condition->parts->base, quiet_due, watch);
	loop_timer_arm(watch->timer, watch->quiet_ms);
	return true;
}

static const struct field exited_fields[] = {
    {FIELD_ROW(STRING, struct pane_condition_args, pane, "exited"), .flags = FIELD_REQUIRED,
	.help = "The pane whose program ends."},
    {.name = NULL},
};

static void exited_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct pane_watch *watch = list_entry(listener, struct pane_watch, listener);
	if (watch->condition->state != CONDITION_PENDING)
		return;
	if (event->kind == EVENT_SERVER_LOST)
		pane_watch_gone(watch);
	else if (event->scope.pane == watch->pane &&
	    (event->kind == EVENT_PANE_EXITED || event->kind == EVENT_PANE_CLOSED))
		condition_settle_event(watch->condition, event, CONDITION_MATCHED);
}

static void settle_exited(struct pane_watch *watch, const struct muxbus_pane *pane)
{
	struct json_writer writer;
	pane_watch_put(watch->condition, &writer, watch->pane);
	object_put_exit(&writer, pane->exit_status, pane->exit_signal);
	condition_end_details(watch->condition, &writer, CONDITION_MATCHED);
}

/*
 * Looks whether the program has ended. The event about it may have come before the condition was
 * armed. The process is looked at too, since for tmux a pane lives as long as any process keeps its
 * terminal open.
 */
static void exited_look(void *data)
{
	struct pane_watch *watch = data;
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(watch->condition->parts->tmux), watch->pane);
	bool has_ended, is_known;
	if (pane == NULL || watch->condition->state != CONDITION_PENDING)
		return; /* if the pane has closed, an event reports it */
	has_ended = pane->is_dead || (pane->pid > 0 && process_has_ended(pane->pid));
	is_known = pane->is_dead && (pane->exit_status >= 0 || pane->exit_signal != 0);
	if (is_known || (has_ended && watch->looks == EXIT_LOOKS)) {
		settle_exited(watch, pane);
		return;
	}
	if ((!has_ended && pane->pid > 0) || watch->looks++ == EXIT_LOOKS)
		return;
	if (watch->timer == NULL)
		watch->timer = loop_timer_new(watch->condition->parts->base, exited_look, watch);
	loop_timer_arm(watch->timer, EXIT_LOOK_MS);
}

static bool exited_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct pane_condition_args *args = data;
	struct pane_watch *watch = pane_watch_new(condition, request, args->pane);
	if (watch == NULL)
		return false;
	pane_watch_listen(watch, exited_event);
	exited_look(watch);
	return true;
}

static const struct field finished_fields[] = {
    {FIELD_ROW(STRING, struct pane_condition_args, pane, "command_finished"),
	.flags = FIELD_REQUIRED,
	.help = "The pane in which a command of its shell is done (OSC 133 marks)."},
    {.name = NULL},
};

static void finished_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct pane_watch *watch = list_entry(listener, struct pane_watch, listener);
	if (watch->condition->state != CONDITION_PENDING)
		return;
	if (event->kind == EVENT_SERVER_LOST ||
	    (event->kind == EVENT_PANE_CLOSED && event->scope.pane == watch->pane))
		pane_watch_gone(watch);
	else if (event->kind == EVENT_COMMAND_FINISHED && event->scope.pane == watch->pane)
		condition_settle_event(watch->condition, event, CONDITION_MATCHED);
}

static void finished_disarm(struct condition *condition)
{
	const struct pane_watch *watch = condition->watch;
	if (watch != NULL)
		stream_want(condition->parts->streams, watch->pane, STREAM_MARKS, false);
	pane_watch_disarm(condition);
}

static void finished_gap(struct stream_tap *tap, uint64_t offset UNUSED, const char *reason UNUSED)
{
	note_gap(list_entry(tap, struct pane_watch, tap));
}

static bool finished_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct pane_condition_args *args = data;
	struct pane_watch *watch = pane_watch_new(condition, request, args->pane);
	if (watch == NULL)
		return false;
	watch->tap.gap = finished_gap;
	/* the marks come as events, so no function for output is needed */
	if (!pane_watch_tap(watch, request, NULL))
		return false;
	note_begin(watch, request);
	stream_want(condition->parts->streams, watch->pane, STREAM_MARKS, true);
	pane_watch_listen(watch, finished_event);
	return true;
}

const struct condition_kind condition_kinds_pane[] = {
    {.name = "command_finished",
	.help = "A command of the pane's shell is done (OSC 133 marks).",
	.example = "{\"command_finished\":\"%3\"}",
	CONDITION_OF_PANE("command_finished"),
	FIELDS_OF(pane_condition_args, finished_fields),
	.arm = finished_arm,
	.disarm = finished_disarm},
    {.name = "exited",
	.help = "The pane's program has ended.",
	.example = "{\"exited\":\"%3\"}",
	CONDITION_OF_PANE("exited"),
	FIELDS_OF(pane_condition_args, exited_fields),
	.arm = exited_arm,
	.disarm = pane_watch_disarm},
    {.name = "output",
	.help = "A line of output produced after the request matches.",
	.about = "The echo of typed input is no output. Recognised are: what is typed through "
		 "Muxbus and comes back, also wrapped, in parts, as a paste of several lines, or "
		 "drawn again by the line editor; and what anyone types behind a prompt that the "
		 "shell marks (OSC 133 B), up to its mark C, or to the end of the line if it has "
		 "none. Not recognised are: keys of a person in a shell without marks, a text with "
		 "keys that edit it, such as BSpace, Tab or an arrow, one of more than 4096 bytes, "
		 "one typed more than 2 seconds before it comes, unless behind what looks like a "
		 "prompt, and suggestions of the shell. A program that reads keys without the "
		 "terminal's lines, does not echo them, and prints the same text within 2 "
		 "seconds, is taken for an echo once. If a program prints "
		 "the text that it was given, as cat does, that matches.",
	.example = "{\"output\":\"error|failed\",\"pane\":\"%3\"}",
	CONDITION_OF_PANE("pane"),
	FIELDS_OF(pane_condition_args, output_fields),
	.arm = output_arm,
	.disarm = pane_watch_disarm},
    {.name = "quiet_sec",
	.help = "The pane writes nothing for so long.",
	.example = "{\"quiet_sec\":5,\"pane\":\"%3\"}",
	CONDITION_OF_PANE("pane"),
	FIELDS_OF(pane_condition_args, quiet_fields),
	.arm = quiet_arm,
	.disarm = pane_watch_disarm},
    {.name = "screen",
	.help = "The screen of the pane matches.",
	.about = "The text is that of the rows that are shown, without colours, a newline between "
		 "them. Blanks at the end of a row are no part of it, so $ matches before them. "
		 "^ and $ match at each row, and a full stop matches no newline. The last row is "
		 "the last one that is written on: blank rows under it do not count. A line that "
		 "is wrapped is several rows.",
	.example = "{\"screen\":\"^\\\\$$\",\"pane\":\"%3\"}",
	CONDITION_OF_PANE("pane"),
	FIELDS_OF(pane_condition_args, screen_fields),
	.arm = screen_arm,
	.disarm = pane_watch_disarm},
    {.name = NULL},
};
