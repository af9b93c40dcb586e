/* SPDX-License-Identifier: ISC */
/* muxbus record: records past or live output of a pane for asciinema. */
#include "cli/verb.h"
#include "cli/verbs/cast.h"
#include "cli/verbs/interrupt.h"

enum {
	PENDING_MAX = 16 * 1024 * 1024, /* bytes of lines received before the first screen */
	PIECES_MAX = 4096, /* most reads of remembered output */
	GAPS_MAX = 100, /* most gaps in a row; each needs a new screen */
};

struct record {
	struct cli *cli;
	const char *pane; /* as given; NULL: our own pane */
	const char *path; /* NULL or "-": standard output */
	const char *title; /* NULL: the pane's title */
	bool follows;
	int64_t timeout_ms; /* -1: no timeout */
	struct link *link;
	FILE *file;
	char id[CLI_ID_SIZE];
	struct cast cast;
	struct buf out;
	struct buf pending; /* lines received while is_awaiting */
	struct json_reader *reader;
	bool is_awaiting; /* the screen was requested */
	bool wants_screen; /* output was missed, so capture the screen again */
	bool wants_size;
	bool is_over; /* the program has ended, or the pane or the tmux server has gone */
	int64_t next; /* offset behind the recorded output */
};

static const struct option_row options[] = {
    {"", 0, OPTION_TEXT, offsetof(struct record, pane), NULL},
    {"output", 'o', OPTION_TEXT, offsetof(struct record, path), NULL},
    {"follow", 'f', OPTION_FLAG, offsetof(struct record, follows), NULL},
    {"title", 0, OPTION_TEXT, offsetof(struct record, title), NULL},
    {"timeout", 't', OPTION_DURATION, offsetof(struct record, timeout_ms), NULL},
    {0},
};

static enum cli_status ask(struct record *record, const char *method, struct ask_param more,
    const struct json **ret_result)
{
	const char *pane = record->id[0] ? record->id : record->pane;
	char own[32];
	if (pane == NULL && locate_own_pane(record->cli, own, sizeof own))
		pane = own;
	return ask_method(
	    record->link, method, ASK_PARAMS({"pane", .text = pane}, more), ret_result);
}

static enum cli_status subscribe(struct record *record)
{
	char params[CLI_ID_SIZE + 128];
	const struct json *result;
	enum cli_status status;
	(void)snprintf(params, sizeof params,
	    "{\"kinds\":[\"gap\",\"pane_closed\",\"pane_exited\",\"pane_output\",\"server_lost\"],"
	    "\"output\":true,\"panes\":[\"%s\"]}",
	    record->id);
	status = ask_result(record->link, "subscribe", params, ASK_TIMEOUT_MS, &result);
	/* Subscribe to all layouts, since the pane may move to another window. */
	if (status == CLI_DONE)
		status = ask_result(record->link, "subscribe", "{\"kinds\":[\"layout_changed\"]}",
		    ASK_TIMEOUT_MS, &result);
	return status;
}

static bool flush(struct record *record)
{
	size_t len = record->out.len;
	bool is_written = len == 0 || fwrite(record->out.data, 1, len, record->file) == len;
	is_written = fflush(record->file) == 0 && is_written;
	if (!is_written && errno != EPIPE)
		cli_error("%s: %s", record->path != NULL ? record->path : "standard output",
		    strerror(errno));
	buf_clear(&record->out);
	return is_written;
}

static enum cli_status begin(struct record *record)
{
	const struct json *pane;
	enum cli_status status = ask(record, "get_pane", (struct ask_param){0}, &pane);
	if (status != CLI_DONE)
		return status;
	(void)snprintf(record->id, sizeof record->id, "%s", json_get_str(pane, "pane", ""));
	if (json_get_int(pane, "width", 0) < 1 || json_get_int(pane, "height", 0) < 1)
		return cli_fail(CLI_NO, "muxbusd did not report the size of the pane");
	cast_begin(&record->cast, &record->out, (unsigned)json_get_int(pane, "width", 0),
	    (unsigned)json_get_int(pane, "height", 0), clock_real_ms(),
	    record->title != NULL ? record->title : json_get_str(pane, "title", NULL));
	return CLI_DONE;
}

/* Records the current screen of the pane. Without --follow, all events have time 0. */
static enum cli_status put_screen(struct record *record)
{
	int64_t now_ms = record->follows ? clock_real_ms() : record->cast.start_ms;
	const struct json *result, *text, *cursor;
	struct buf screen = BUF(LINK_LINE_MAX);
	enum cli_status status;
	record->is_awaiting = true;
	status =
	    ask(record, "capture_pane", (struct ask_param){"escapes", .is_true = true}, &result);
	record->is_awaiting = false;
	if (status != CLI_DONE)
		return status;
	text = json_member(result, "text");
	cursor = json_member(result, "cursor");
	cast_screen(&screen,
	    &(struct cast_screen){
		.text = text != NULL && text->type == JSON_STRING ? text->text : "",
		.len = text != NULL && text->type == JSON_STRING ? text->len : 0,
		.cursor_row = (unsigned)json_get_int(cursor, "row", 0),
		.cursor_column = (unsigned)json_get_int(cursor, "column", 0),
		.cursor_visible = json_get_bool(cursor, "visible", true),
		.alternate_screen = json_get_bool(result, "alternate_screen", false),
	    });
	record->next = json_get_int(result, "offset", 0);
	cast_resize(&record->cast, &record->out, now_ms,
	    (unsigned)json_get_int(result, "columns", record->cast.columns),
	    (unsigned)json_get_int(result, "rows", record->cast.rows));
	cast_output(&record->cast, &record->out, now_ms, screen.data, screen.len);
	buf_finish(&screen);
	return CLI_DONE;
}

/* Records the output that the daemon remembers, or the screen. The times of output are unknown. */
static enum cli_status put_remembered(struct record *record)
{
	int64_t after = 0; /* read_output then starts with the oldest output */
	for (unsigned piece = 0; piece < PIECES_MAX; piece++) {
		const struct json *result, *text;
		bool is_empty;
		enum cli_status status = ask(
		    record, "read_output", (struct ask_param){"after", .number = after}, &result);
		if (status != CLI_DONE)
			return status;
		text = json_member(result, "text");
		if (text != NULL && text->type == JSON_STRING)
			cast_output(&record->cast, &record->out, record->cast.start_ms, text->text,
			    text->len);
		after = json_get_int(result, "to", 0);
		is_empty = text == NULL || text->len == 0;
		if (is_empty && piece == 0)
			return put_screen(record);
		if (is_empty || after >= json_get_int(result, "end", 0))
			break;
		if (!flush(record))
			return CLI_NO;
	}
	return CLI_DONE;
}

static void take_output(struct record *record, const struct json *event)
{
	int64_t from = json_get_int(event, "offset", 0), to = json_get_int(event, "to", 0);
	int64_t when = clock_parse(json_get_str(event, "time", ""));
	const struct json *text = json_member(event, "text");
	size_t known;
	if (to <= record->next || text == NULL || text->type != JSON_STRING)
		return; /* already recorded, or without text */
	if (from > record->next) {
		record->wants_screen = true;
		return;
	}
	known = (size_t)(record->next - from);
	/* In lossy text, offsets do not match bytes, so some text may appear twice. */
	if (known > text->len || json_get_bool(event, "lossy", false))
		known = 0;
	cast_output(&record->cast, &record->out, when, text->text + known, text->len - known);
	record->next = to;
}

static void take_event(struct record *record, const struct json *event)
{
	const char *kind = json_get_str(event, "kind", "");
	if (strcmp(kind, "pane_output") == 0)
		take_output(record, event);
	else if (strcmp(kind, "gap") == 0)
		record->wants_screen = true;
	else if (strcmp(kind, "layout_changed") == 0)
		record->wants_size = true;
	else if (strcmp(kind, "pane_closed") == 0 || strcmp(kind, "pane_exited") == 0 ||
	    strcmp(kind, "server_lost") == 0)
		record->is_over = true;
}

static void on_message(void *data, const struct json *message, const char *line, size_t len)
{
	struct record *record = data;
	if (strcmp(json_get_str(message, "method", ""), "event") != 0)
		return;
	if (!record->is_awaiting) {
		take_event(record, json_member(message, "params"));
		return;
	}
	/* A line that does not fit is dropped; take_output() finds the gap by the offsets. */
	if (buf_append(&record->pending, line, len) == 0)
		(void)buf_append_byte(&record->pending, '\n');
}

static void take_pending(struct record *record)
{
	struct json_error error;
	const char *at = buf_text(&record->pending);
	size_t left = record->pending.len;
	while (left > 0) {
		const char *newline = memchr(at, '\n', left);
		size_t len = newline != NULL ? (size_t)(newline - at) : left;
		const struct json *message = json_read(record->reader, at, len, &error);
		if (message != NULL)
			take_event(record, json_member(message, "params"));
		at += newline != NULL ? len + 1 : len;
		left -= newline != NULL ? len + 1 : len;
	}
	buf_clear(&record->pending);
}

static enum cli_status catch_up(struct record *record)
{
	enum cli_status status = CLI_DONE;
	for (unsigned tries = 0; tries < GAPS_MAX; tries++) {
		record->wants_screen = false;
		status = put_screen(record);
		if (status != CLI_DONE)
			break;
		take_pending(record);
		if (!record->wants_screen)
			break;
	}
	return record->is_over ? CLI_DONE : status;
}

static enum cli_status take_size(struct record *record)
{
	const struct json *pane;
	enum cli_status status;
	record->wants_size = false;
	status = ask(record, "get_pane", (struct ask_param){0}, &pane);
	if (status == CLI_DONE)
		cast_resize(&record->cast, &record->out, clock_real_ms(),
		    (unsigned)json_get_int(pane, "width", record->cast.columns),
		    (unsigned)json_get_int(pane, "height", record->cast.rows));
	return record->is_over ? CLI_DONE : status;
}

static enum cli_status take_lines(struct record *record)
{
	const struct json *message;
	const char *line;
	size_t len;
	enum link_read read;
	link_receive(record->link);
	while ((read = link_read_message(record->link, 0, &message, &line, &len)) == LINK_LINE)
		on_message(record, message, line, len);
	if (!link_is_lost(read))
		return CLI_DONE;
	return cli_fail(CLI_UNREACHABLE, "muxbusd is gone; the recording ends here");
}

static enum cli_status follow(struct record *record, const struct interrupt *interrupt)
{
	int64_t deadline = clock_deadline_ms(record->timeout_ms);
	enum cli_status status;
	link_set_other(record->link, on_message, record);
	record->is_awaiting = true; /* keep output that arrives before the screen */
	status = subscribe(record);
	if (status == CLI_DONE)
		status = catch_up(record);
	while (status == CLI_DONE && !record->is_over) {
		int signal;
		enum interrupt_wake wake;
		if (!flush(record))
			return CLI_NO;
		wake = interrupt_wait(interrupt, record->link, clock_left_ms(deadline), &signal);
		if (wake != INTERRUPT_LINK)
			break; /* a signal, the timeout, or no reader: the recording is complete */
		status = take_lines(record);
		if (status == CLI_DONE && record->wants_screen)
			status = catch_up(record);
		if (status == CLI_DONE && record->wants_size && !record->is_over)
			status = take_size(record);
	}
	return status;
}

static enum cli_status run(struct record *record)
{
	struct interrupt interrupt = {.fd = -1, .extra_fd = -1};
	enum cli_status status;
	bool is_file;
	if (record->follows && interrupt_open(&interrupt) < 0)
		return CLI_NO;
	status = begin(record);
	is_file = record->path != NULL && strcmp(record->path, "-") != 0;
	if (status != CLI_DONE)
		return status;
	record->file = is_file ? fopen(record->path, "we") : stdout;
	if (record->file == NULL)
		return cli_fail(CLI_NO, "%s: %s", record->path, strerror(errno));
	status = record->follows ? follow(record, &interrupt) : put_remembered(record);
	if (!flush(record))
		status = CLI_NO;
	if (is_file && fclose(record->file) != 0) {
		cli_error("%s: %s", record->path, strerror(errno));
		status = CLI_NO;
	}
	return status;
}

enum cli_status record_run(struct cli *cli, int argc, char **argv)
{
	struct record record = {.cli = cli, .timeout_ms = -1};
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &record, NULL, &status))
		return status;
	if (cli->is_terminal && record.path == NULL)
		return cli_usage(
		    "record", "will not write a recording to a terminal: use -o, or redirect it");
	record.link = ask_connect(cli);
	if (record.link == NULL)
		return CLI_UNREACHABLE;
	buf_init(&record.out, LINK_LINE_MAX);
	buf_init(&record.pending, PENDING_MAX);
	record.reader = json_reader_new(LINK_LINE_MAX);
	status = run(&record);
	json_reader_free(record.reader);
	buf_finish(&record.pending);
	buf_finish(&record.out);
	link_close(record.link);
	return status;
}
