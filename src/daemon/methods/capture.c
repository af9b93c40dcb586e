/* SPDX-License-Identifier: ISC */
/* Methods that read panes: capture_pane, find_text, read_output. */
#include "base/stripper.h"
#include "daemon/core/pattern.h"
#include "daemon/methods/tables.h"
#include "daemon/render/picture.h"
#include "daemon/server/handler.h"
#include "daemon/server/rest.h"
#include "daemon/tmux/flow_wait.h"
#include "daemon/tmux/pane_capture.h"
#include "daemon/tmux/stream.h"

enum {
	LINES_MAX = 1000000,
	HISTORY_MAX = 10000 /* lines; the maximum of muxbus_sync_capture() */,
	CELLS_MAX = 1500000, /* maximum cells with colours, for which tmux takes up to 3 s */
	MATCHES_MAX = 1000
};
#define RESULT_REST_BYTES 4096 /* bytes of a result besides its text */

enum { ENCODING_TEXT, ENCODING_BASE64 };

enum { FORMAT_TEXT, FORMAT_SVG, FORMAT_HTML };

static const char *const formats[] = {
    [FORMAT_TEXT] = "text",
    [FORMAT_SVG] = "svg",
    [FORMAT_HTML] = "html",
    NULL,
};

enum { THEME_DARK, THEME_LIGHT };

static const char *const themes[] = {[THEME_DARK] = "dark", [THEME_LIGHT] = "light", NULL};

static const char *const encodings[] = {
    [ENCODING_TEXT] = "text",
    [ENCODING_BASE64] = "base64",
    NULL,
};

#define ENCODING_FIELD(args_struct)                                                        \
	{                                                                                  \
		FIELD_ROW(CHOICE, struct args_struct, encoding, "encoding"),               \
		    .flags = FIELD_RARE, .choices = encodings, .preset = "\"text\"",       \
		    .help = "base64: the exact bytes, as a member base64 instead of text." \
	}

static size_t room(struct request *request, int encoding)
{
	size_t bytes = (size_t)request_daemon(request)->config->limits.result_bytes;
	bytes = bytes > 2 * RESULT_REST_BYTES ? bytes - RESULT_REST_BYTES : bytes / 2;
	return encoding == ENCODING_BASE64 ? bytes / 4 * 3 : bytes / JSON_GROWTH;
}

static void put_bytes(struct json_writer *writer, int encoding, const void *bytes, size_t len)
{
	if (encoding == ENCODING_BASE64)
		json_put_base64(writer, "base64", bytes, len);
	else if (json_put_text(writer, "text", len > 0 ? bytes : "", len))
		json_put_bool(writer, "lossy", true);
}

struct capture_args {
	const char *pane;
	int64_t lines;
	const struct json *history;
	bool escapes;
	bool join;
	int encoding;
	int format;
	int theme;
	const char *title;
};

static const struct field capture_fields[] = {
    ENCODING_FIELD(capture_args),
    {FIELD_ROW(BOOL, struct capture_args, escapes, "escapes"), .preset = "false",
	.help = "With colours and attributes, as escape sequences."},
    {FIELD_ROW(CHOICE, struct capture_args, format, "format"), .flags = FIELD_RARE,
	.choices = formats, .preset = "\"text\"",
	.help = "svg, html: a picture of the pane with its colours, instead of text."},
    {FIELD_ROW(VALUE, struct capture_args, history, "history"),
	.help = "Lines above the screen too: up to 10,000, or true.",
	.shape = "\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"boolean\"}]"},
    {FIELD_ROW(BOOL, struct capture_args, join, "join"), .flags = FIELD_RARE, .preset = "false",
	.help = "Lines that were wrapped come as one."},
    {FIELD_ROW(INT, struct capture_args, lines, "lines"), .min = 1, .max = LINES_MAX,
	.help = "Only the last so many that are not blank, also from above the screen."},
    PANE_FIELD(capture_args),
    {FIELD_ROW(CHOICE, struct capture_args, theme, "theme"), .flags = FIELD_RARE, .choices = themes,
	.preset = "\"dark\"", .help = "The ground of a picture."},
    {FIELD_ROW(STRING, struct capture_args, title, "title"), .flags = FIELD_RARE, .max = 1024,
	.help = "Puts a bar with this title above a picture."},
    {0},
};

static const struct field_result capture_results[] = {
    {"pane", "string", "the id of the pane"},
    {"text", "string", "its lines, each with its newline; blank ones at the end are left out"},
    {"base64", "string", "the same as bytes, if asked for, instead of text"},
    {"lossy", "boolean", "true if U+FFFD stands for bytes that are no UTF-8"},
    {"format", "string", "svg or html, with a picture"},
    {"picture", "string",
	"the picture, whole and standing for itself, if asked for, instead of text; one over the "
	"limit result_bytes is refused"},
    {"rows", "integer", "the height of its screen"},
    {"columns", "integer", "the width of its screen"},
    {"cursor", "object", "where the cursor is on the screen"},
    {"cursor.row", "integer", "from 0"},
    {"cursor.column", "integer", "from 0"},
    {"cursor.visible", "boolean", "whether it shows"},
    {"first_row", "integer|null",
	"the row of the first line of text: negative above the screen; null if lines were joined"},
    {"history_size", "integer", "how many lines there are above the screen"},
    {"alternate_screen", "boolean", "whether a full-screen program has it"},
    {"truncated", "boolean",
	"whether lines of the screen, or of the history asked for, are not in the text: with "
	"colours the history has up to 1,500,000 cells"},
    {"rest", "string", "if the text was too large: the call that reads the lines before it"},
    {"offset", "integer",
	"place in the pane's output: while it is followed, read_output gives what is behind"},
    {"offset_exact", "boolean",
	"false: the pane wrote meanwhile, so some bytes behind offset may be in the text too"},
    {0},
};

struct capture_call {
	struct request *request;
	struct capture_args args; /* its pointers are valid only while the request is handled */
	uint32_t pane;
	unsigned flags; /* enum muxbus_capture_flag */
	int64_t asked; /* lines above the screen that the request wants */
	int64_t history; /* lines above the screen that are captured */
	char *title; /* text of the bar above a picture; NULL: no bar */
};

static bool read_history(struct request *request, const struct json *value, int64_t *ret_lines)
{
	*ret_lines = 0;
	if (value == NULL)
		return true;
	if (value->type == JSON_BOOL)
		*ret_lines = value->boolean ? LINES_MAX : 0;
	else if (!json_int(value, ret_lines) || *ret_lines < 0 || *ret_lines > LINES_MAX)
		return request_fail_field(
		    request, "history", "must be true, false, or a number of lines");
	return true;
}

static int64_t at_most(int64_t number, int64_t max)
{
	return number < max ? number : max;
}

static size_t choose_start(
    const struct capture_call *capture, const uint8_t *text, size_t len, size_t start)
{
	size_t max = room(capture->request, capture->args.encoding);
	const uint8_t *newline;
	if (len - start <= max)
		return start;
	newline = memchr(text + len - max, '\n', max - 1);
	return newline != NULL ? (size_t)(newline - text) + 1 : len - max;
}

static bool joins_emoji(const struct request *request)
{
	return (tmux_caps(request_daemon(request)->tmux) & MUXBUS_CAP_EMOJI_JOIN) != 0;
}

/* Writes a picture. It is XML with single quotes, of which JSON escapes little. */
static bool put_picture(const struct capture_call *capture, const struct muxbus_capture *screen,
    size_t start, size_t len, struct json_writer *writer)
{
	struct request *request = capture->request;
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(request_daemon(request)->tmux), capture->pane);
	int64_t above = at_most(capture->history, screen->history_size);
	int64_t first = text_count_lines(screen->text, start);
	struct picture picture = {
	    .text = screen->text,
	    .len = len,
	    .first = (unsigned)first,
	    .rows = (unsigned)text_count_lines(screen->text + start, len - start),
	    .columns = screen->columns,
	    .cursor_row = screen->cursor_visible ? above + screen->cursor_row - first : -1,
	    .cursor_column = screen->cursor_column,
	    .title = capture->title != NULL ? capture->title
		: pane != NULL              ? pane->title
					    : "",
	    .is_light = capture->args.theme == THEME_LIGHT,
	    .has_frame = capture->title != NULL,
	    .joins_emoji = joins_emoji(request),
	};
	struct buf out;
	int error;
	buf_init(&out, room(request, ENCODING_TEXT) * (JSON_GROWTH / 2));
	error = capture->args.format == FORMAT_SVG ? picture_svg(&out, &picture)
						   : picture_html(&out, &picture);
	if (error == 0) {
		json_put_str(writer, "format", formats[capture->args.format]);
		json_put_text(writer, "picture", out.data, out.len);
	} else {
		request_fail(request, MESSAGE_LIMIT,
		    "the picture takes more than %zu bytes; ask for fewer lines with \"lines\", or "
		    "start muxbusd with a higher -o result_bytes",
		    out.max);
	}
	buf_finish(&out);
	return error == 0;
}

static bool put_capture(
    const struct capture_call *capture, const struct muxbus_capture *picture, bool is_exact)
{
	const uint8_t *text = picture->text;
	bool is_text = capture->args.format == FORMAT_TEXT;
	int64_t lines = capture->args.lines;
	/* A picture of the whole pane keeps the blank lines at its end. */
	bool is_trimmed = is_text || lines > 0;
	size_t len = is_trimmed ? text_trimmed_len(text, picture->text_len) : picture->text_len;
	size_t asked = lines > 0 ? text_last_lines(text, len, lines) : 0;
	size_t start = choose_start(capture, text, len, asked);
	int64_t above = at_most(capture->history, picture->history_size);
	int64_t first_row = text_count_lines(text, start) - above;
	struct json_writer *writer = request_result(capture->request);
	json_put_id(writer, "pane", '%', picture->pane);
	if (is_text)
		put_bytes(writer, capture->args.encoding, text + start, len - start);
	else if (!put_picture(capture, picture, start, len, writer))
		return false;
	json_put_int(writer, "rows", picture->rows);
	json_put_int(writer, "columns", picture->columns);
	json_object_begin(writer, "cursor");
	json_put_int(writer, "row", picture->cursor_row);
	json_put_int(writer, "column", picture->cursor_column);
	json_put_bool(writer, "visible", picture->cursor_visible);
	json_object_end(writer);
	json_put_known_int(writer, "first_row", !capture->args.join, first_row);
	json_put_int(writer, "history_size", picture->history_size);
	json_put_bool(writer, "alternate_screen", picture->alternate_screen);
	json_put_bool(writer, "truncated",
	    start > asked || first_row > -at_most(capture->asked, picture->history_size) ||
		(text_count_lines(text, len) < lines && above < picture->history_size));
	if (is_text && start > asked)
		rest_write(writer, rest_set_of(capture->request), text + asked, start - asked, 0,
		    "the lines before these");
	json_put_int(writer, "offset", (int64_t)picture->offset);
	json_put_bool(writer, "offset_exact", is_exact);
	return true;
}

static void on_captured(void *data, int error, const struct muxbus_capture *picture, bool is_exact)
{
	struct capture_call *capture = data;
	if (error < 0) {
		tmux_call_fail(capture->request, error, NULL);
	} else if (put_capture(capture, picture, is_exact)) {
		stream_tell(request_daemon(capture->request)->streams, capture->pane);
		request_done(capture->request);
	}
	mem_free(capture->title);
	mem_free(capture);
}

/* Takes the capture. If output is followed, the answer says from where read_output can go on. */
static void take_capture(void *data, bool is_gone)
{
	struct capture_call *capture = data;
	const struct daemon *daemon = request_daemon(capture->request);
	if (is_gone)
		on_captured(capture, MUXBUS_ERR_GONE, NULL, false);
	else
		pane_capture(daemon->tmux, daemon->streams, capture->pane,
		    (uint32_t)capture->history, capture->flags, on_captured, capture);
}

static bool check_format(struct request *request, const struct capture_args *args)
{
	bool is_picture = args->format != FORMAT_TEXT;
	if (is_picture && args->join)
		return request_fail_field(request, "join", "a picture shows lines as they are");
	if (is_picture && args->encoding != ENCODING_TEXT)
		return request_fail_field(request, "encoding", "a picture is always text");
	return true;
}

static void handle_capture(struct request *request, const void *data)
{
	const struct capture_args *args = data;
	const struct daemon *daemon = request_daemon(request);
	const struct muxbus_pane *pane;
	int64_t history;
	struct capture_call *capture;
	if (!check_format(request, args) || !target_pane(request, args->pane, &pane) ||
	    !read_history(request, args->history, &history))
		return;
	capture = xalloc(sizeof *capture);
	/* Lines above the screen are captured too, if the screen may have fewer than wanted. */
	*capture = (struct capture_call){
	    .request = request,
	    .args = *args,
	    .pane = pane->id,
	    .asked = history,
	    .history = at_most(args->lines > history ? args->lines : history, HISTORY_MAX),
	    .title = args->title != NULL ? xstrdup(args->title) : NULL,
	};
	capture->flags =
	    (args->escapes ? MUXBUS_CAPTURE_ESCAPES : 0) | (args->join ? MUXBUS_CAPTURE_JOIN : 0);
	if (args->format != FORMAT_TEXT)
		capture->flags = MUXBUS_CAPTURE_ESCAPES | MUXBUS_CAPTURE_BLANKS;
	if (capture->flags & MUXBUS_CAPTURE_ESCAPES)
		capture->history = at_most(capture->history, CELLS_MAX / pane->width);
	if (!tmux_is_resting(daemon->tmux) && request_role(request) != ROLE_READ_ONLY)
		stream_lease(daemon->streams, pane->id, false);
	flow_wait(daemon->base, daemon->tmux, daemon->streams, pane->id, take_capture, capture);
}

struct find_args {
	const char *pane;
	const char *regex;
	const struct json *history;
	int64_t limit;
	int64_t offset;
};

static const struct field find_fields[] = {
    {FIELD_ROW(VALUE, struct find_args, history, "history"),
	.help = "Look at lines above the screen too: up to 10,000, or true.",
	.shape = "\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"boolean\"}]"},
    {FIELD_ROW(INT, struct find_args, limit, "limit"), .min = 1, .max = MATCHES_MAX,
	.preset = "100", .help = "How many matches at most, the first ones."},
    {FIELD_ROW(INT, struct find_args, offset, "offset"), .max = LINES_MAX, .preset = "0",
	.help = "How many matches to pass over: last, to go on behind those of an answer."},
    PANE_FIELD(find_args),
    {FIELD_ROW(STRING, struct find_args, regex, "regex"), .flags = FIELD_REQUIRED, .min = 1,
	.max = PATTERN_BYTES_MAX,
	.help = "A regular expression (PCRE2); ^ and $ match at the ends of lines."},
    {0},
};

static const struct field_result find_results[] = {
    {"pane", "string", "the id of the pane"},
    {"matches", "array", "what was found, from the top"},
    {"matches[].row", "integer", "its row on the screen, from 0; negative above the screen"},
    {"matches[].column", "integer", "its first column, from 0, in cells"},
    {"matches[].text", "string", "what matched"},
    {"last", "integer", "how many matches stand up to the last of these"},
    {"truncated", "boolean", "whether there are more matches"},
    {0},
};

struct text_search {
	struct request *request;
	struct find_args args; /* its pointers are valid only while the request is handled */
	struct pattern *pattern;
	int64_t history;
};

static void put_match(const struct text_search *search, struct json_writer *writer,
    const struct muxbus_capture *picture, size_t line, const struct pattern_span *span, int64_t row)
{
	const uint8_t *text = picture->text;
	json_object_begin(writer, NULL);
	json_put_int(writer, "row", row);
	json_put_int(writer, "column",
	    picture_width(
		text + line, span->from - line, picture->columns, joins_emoji(search->request)));
	json_put_text(writer, "text", text + span->from, span->to - span->from);
	json_object_end(writer);
}

/* Returns where the next search begins: behind this match, at the start of a character. */
static size_t behind(const struct muxbus_capture *picture, const struct pattern_span *span)
{
	size_t at = span->to > span->from ? span->to : span->to + 1;
	while (at < picture->text_len && (picture->text[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static bool put_matches(const struct text_search *search, struct json_writer *writer,
    const struct muxbus_capture *picture)
{
	const uint8_t *text = picture->text;
	size_t at = 0, line = 0, bytes_left = room(search->request, ENCODING_TEXT);
	int64_t row = -at_most(search->history, picture->history_size);
	int64_t last = 0;
	enum pattern_result result = PATTERN_NONE;
	bool has_more = false;
	struct pattern_match match;
	json_array_begin(writer, "matches");
	pattern_begin();
	while (at < picture->text_len) {
		const uint8_t *newline;
		const struct pattern_span *span = &match.spans[0];
		result = pattern_find_on(search->pattern, text, picture->text_len, at, &match);
		/* An empty match behind the last newline is in no row. */
		if (result != PATTERN_MATCH || span->from == picture->text_len)
			break;
		if (last < search->args.offset) {
			at = behind(picture, span);
			last++;
			continue;
		}
		has_more = last == search->args.offset + search->args.limit ||
		    span->to - span->from + 16 > bytes_left;
		if (has_more)
			break;
		while ((newline = memchr(text + line, '\n', span->from - line)) != NULL) {
			line = (size_t)(newline - text) + 1;
			row++;
		}
		put_match(search, writer, picture, line, span, row);
		bytes_left -= span->to - span->from + 16;
		last++;
		at = behind(picture, span);
	}
	json_array_end(writer);
	json_put_int(writer, "last", last);
	json_put_bool(writer, "truncated", has_more);
	return result != PATTERN_LIMIT;
}

static void on_searched(void *data, int error, const struct muxbus_capture *picture)
{
	struct text_search *search = data;
	if (error < 0) {
		tmux_call_fail(search->request, error, NULL);
	} else {
		struct json_writer *writer = request_result(search->request);
		json_put_id(writer, "pane", '%', picture->pane);
		if (put_matches(search, writer, picture))
			request_done(search->request);
		else
			request_fail(search->request, MESSAGE_LIMIT,
			    "the pattern takes too many steps on this text; make it simpler");
	}
	pattern_free(search->pattern);
	mem_free(search);
}

static void handle_find(struct request *request, const void *data)
{
	const struct find_args *args = data;
	const struct muxbus_pane *pane;
	int64_t history;
	char reason[256];
	struct pattern *pattern;
	struct text_search *search;
	int error;
	if (!target_pane(request, args->pane, &pane) ||
	    !read_history(request, args->history, &history))
		return;
	pattern = pattern_new(args->regex, strlen(args->regex), reason, sizeof reason);
	if (pattern == NULL) {
		request_fail_field(request, "regex", "%s", reason);
		return;
	}
	search = xalloc(sizeof *search);
	*search = (struct text_search){.request = request,
	    .args = *args,
	    .pattern = pattern,
	    .history = at_most(history, HISTORY_MAX)};
	error = muxbus_sync_capture(tmux_sync(request_daemon(request)->tmux), pane->id,
	    (uint32_t)history, 0, on_searched, search);
	if (error < 0)
		on_searched(search, error, NULL);
}

struct output_read_args {
	const char *pane;
	int64_t after;
	bool has_after;
	int64_t max_bytes;
	bool strip;
	int encoding;
};

static const struct field read_fields[] = {
    {FIELD_ROW(INT, struct output_read_args, after, "after"),
	.given_offset = offsetof(struct output_read_args, has_after), .max = JSON_INT_MAX,
	.help = "From this offset on: what \"to\" said last time, or the offset of a capture; left "
		"out, from the oldest byte that is remembered."},
    ENCODING_FIELD(output_read_args),
    {FIELD_ROW(INT, struct output_read_args, max_bytes, "max_bytes"), .unit = "bytes", .min = 16,
	.max = 64 * 1024 * 1024, .preset = "65536", .help = "How much at most."},
    PANE_FIELD(output_read_args),
    {FIELD_ROW(BOOL, struct output_read_args, strip, "strip"), .preset = "false",
	.help = "As lines of text, without escape sequences; of a line that was written over and "
		"over only the last state."},
    {0},
};

static const struct field_result read_results[] = {
    {"pane", "string", "the id of the pane"},
    {"text", "string", "what its program wrote"},
    {"base64", "string", "the same as bytes, if asked for, instead of text"},
    {"lossy", "boolean", "true if U+FFFD stands for bytes that are no UTF-8"},
    {"from", "integer", "the offset of the first byte"},
    {"to", "integer", "the offset behind the last: give it as after to go on"},
    {"end", "integer", "where the pane's output stands now"},
    {"gap", "object|null", "null, or that bytes before \"from\" are missing, and the reason"},
    {"gap.before", "integer", "the offset of the first byte behind them"},
    {"gap.reason", "string", "forgotten, not_watched, reconnect, source_changed, or another word"},
    {0},
};

static void put_gap(struct json_writer *writer, const struct stream_slice *slice)
{
	if (!slice->has_gap) {
		json_put_null(writer, "gap");
		return;
	}
	json_object_begin(writer, "gap");
	json_put_int(writer, "before", (int64_t)slice->from);
	json_put_str(writer, "reason", slice->gap_reason);
	json_object_end(writer);
}

static size_t strip(struct buf *bytes)
{
	struct buf lines;
	size_t used;
	buf_init(&lines, bytes->max);
	used = stripper_lines(&lines, bytes->data, bytes->len);
	buf_finish(bytes);
	*bytes = lines;
	return used;
}

struct output_reading {
	struct request *request;
	struct output_read_args args; /* its pointer is valid only while the request is handled */
	uint32_t pane;
	size_t max;
};

/* Reads output. If there is none, and the output is not followed, reports a gap "not_watched". */
static void read_slice(
    const struct output_reading *reading, struct buf *bytes, struct stream_slice *ret_slice)
{
	const struct daemon *daemon = request_daemon(reading->request);
	uint64_t after = reading->args.has_after ? (uint64_t)reading->args.after
						 : stream_start(daemon->streams, reading->pane);
	stream_read(daemon->streams, reading->pane, after, reading->max, bytes, ret_slice);
	if (ret_slice->has_gap || bytes->len > 0 ||
	    muxbus_sync_output(tmux_sync(daemon->tmux), reading->pane) == MUXBUS_OUTPUT_FLOWING)
		return;
	ret_slice->has_gap = true;
	ret_slice->gap_reason = "not_watched";
}

static void answer_reading(const struct output_reading *reading)
{
	struct json_writer *writer = request_result(reading->request);
	struct stream_slice slice;
	struct buf bytes;
	size_t used;
	buf_init(&bytes, reading->max);
	read_slice(reading, &bytes, &slice);
	/*
	 * An incomplete character at the end is for the next read, unless a gap follows. With
	 * strip, an incomplete escape sequence is too.
	 */
	used = bytes.len;
	if (used > 0 && reading->args.strip)
		used = strip(&bytes);
	else if (used > 0 && reading->args.encoding == ENCODING_TEXT &&
	    (slice.to == slice.end || bytes.len == reading->max))
		used = bytes.len -= utf8_incomplete_tail(bytes.data, bytes.len);
	slice.to = slice.from + used;
	json_put_id(writer, "pane", '%', reading->pane);
	put_bytes(writer, reading->args.encoding, bytes.data, bytes.len);
	json_put_int(writer, "from", (int64_t)slice.from);
	json_put_int(writer, "to", (int64_t)slice.to);
	json_put_int(writer, "end", (int64_t)slice.end);
	put_gap(writer, &slice);
	buf_finish(&bytes);
	request_done(reading->request);
}

static void on_flowing(void *data, bool is_gone)
{
	struct output_reading *reading = data;
	if (is_gone)
		tmux_call_fail(reading->request, MUXBUS_ERR_GONE, NULL);
	else
		answer_reading(reading);
	mem_free(reading);
}

static void handle_read(struct request *request, const void *data)
{
	const struct output_read_args *args = data;
	const struct daemon *daemon = request_daemon(request);
	const struct muxbus_pane *pane;
	size_t max = room(request, args->encoding);
	struct output_reading *reading;
	if (!target_pane(request, args->pane, &pane))
		return;
	reading = xalloc(sizeof *reading);
	*reading = (struct output_reading){.request = request,
	    .args = *args,
	    .pane = pane->id,
	    .max = max < (size_t)args->max_bytes ? max : (size_t)args->max_bytes};
	/* The role read_only must not start to follow output. */
	if (request_role(request) == ROLE_READ_ONLY) {
		on_flowing(reading, false);
		return;
	}
	stream_lease(daemon->streams, pane->id, true);
	flow_wait(daemon->base, daemon->tmux, daemon->streams, pane->id, on_flowing, reading);
}

const struct method methods_capture[] = {
    {.name = METHOD("capture_pane", METHOD_READS | METHOD_SEES),
	.title = "Capture a pane",
	.summary = "Shows a pane's visible text, or its last lines.",
	METHOD_CALL(handle_capture, capture_args, capture_fields, capture_results),
	.flags = METHOD_ONE_PANE | METHOD_NEEDS_TMUX | METHOD_TOOL | METHOD_OPEN_WORLD,
	.example = "{\"pane_id\":\"%3\",\"lines\":20}"},
    {.name = METHOD("find_text", METHOD_READS | METHOD_SEES),
	.title = "Find text",
	.summary = "Finds where on a pane's screen something stands.",
	METHOD_CALL(handle_find, find_args, find_fields, find_results),
	.flags = METHOD_ONE_PANE | METHOD_NEEDS_TMUX | METHOD_OPEN_WORLD,
	.example = "{\"pane\":\"%3\",\"regex\":\"error: .*\"}"},
    {.name = METHOD("read_output", METHOD_READS | METHOD_SEES),
	.title = "Read output",
	.summary = "Reads a pane's output by offset, as far as it is remembered.",
	.help = "Output is remembered from the first call on, and for five minutes after the last. "
		"The first response comes when the output flows, after two seconds at most. "
		"Where bytes are missing, gap says so; not_watched without a byte means that "
		"the output does not come to the daemon. For the role read_only nothing begins.",
	METHOD_CALL(handle_read, output_read_args, read_fields, read_results),
	.flags = METHOD_ONE_PANE | METHOD_BY_OUTPUT | METHOD_NEEDS_TMUX | METHOD_OPEN_WORLD,
	.example = "{\"pane\":\"%3\",\"after\":1024}"},
    {0},
};
