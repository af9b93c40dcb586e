/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/osc_report.h"

#include "daemon/queue/notification.h"

/* A part of a string. `at` is NULL after the last part. */
struct osc_part {
	const char *at;
	size_t len;
};

static bool osc_part_next(struct osc_part *rest, char separator, struct osc_part *ret_part)
{
	const char *end;
	if (rest->at == NULL)
		return false;
	end = memchr(rest->at, separator, rest->len);
	*ret_part = (struct osc_part){rest->at, end != NULL ? (size_t)(end - rest->at) : rest->len};
	rest->len -= ret_part->len + (end != NULL);
	rest->at = end != NULL ? end + 1 : NULL;
	return true;
}

static bool osc_part_is(struct osc_part part, const char *word)
{
	return part.len == strlen(word) && memcmp(part.at, word, part.len) == 0;
}

/* Copies bytes to out as one line of valid UTF-8 without control characters, cut to size. */
static void osc_text_copy(char *out, size_t size, const void *bytes, size_t len)
{
	char *clean = notification_clean_text(bytes, len);
	size_t kept = strlen(clean);
	if (kept >= size) {
		kept = size - 1;
		kept -= utf8_incomplete_tail(clean, kept);
	}
	memcpy(out, clean, kept);
	out[kept] = '\0';
	mem_free(clean);
}

#define CONEMU_LAST 12 /* the highest number of a ConEmu command */
#define PAYLOAD_MAX (4 * 1024)

const char *const osc_progress_names[] = {
    [PROGRESS_NONE] = "none",
    [PROGRESS_NORMAL] = "normal",
    [PROGRESS_ERROR] = "error",
    [PROGRESS_INDETERMINATE] = "indeterminate",
    [PROGRESS_PAUSED] = "paused",
};

void osc_reader_init(struct osc_reader *reader)
{
	*reader = (struct osc_reader){0};
	buf_init(&reader->title, OSC_TITLE_MAX);
	buf_init(&reader->text, OSC_TEXT_MAX);
}

void osc_reader_finish(struct osc_reader *reader)
{
	buf_finish(&reader->title);
	buf_finish(&reader->text);
	reader->id[0] = '\0';
}

static int read_number(struct osc_part part)
{
	int number = 0;
	if (part.len == 0 || part.len > 3)
		return -1;
	for (size_t at = 0; at < part.len; at++) {
		if (part.at[at] < '0' || part.at[at] > '9')
			return -1;
		number = 10 * number + (part.at[at] - '0');
	}
	return number;
}

static enum osc_report_kind notice(
    struct osc_report *report, unsigned number, struct osc_part title, struct osc_part text)
{
	osc_text_copy(report->title, sizeof report->title, title.at, title.len);
	osc_text_copy(report->text, sizeof report->text, text.at, text.len);
	report->number = number;
	return report->title[0] != '\0' || report->text[0] != '\0' ? OSC_NOTICE : OSC_NOTHING;
}

/* Reads STATE;PERCENT of "9;4;STATE;PERCENT". */
static enum osc_report_kind read_progress(struct osc_report *report, struct osc_part rest)
{
	struct osc_part part = {"", 0};
	int state, percent;
	if (!osc_part_next(&rest, ';', &part))
		return OSC_NOTHING;
	state = read_number(part);
	part.len = 0;
	(void)osc_part_next(&rest, ';', &part);
	percent = read_number(part);
	if (state < 0 || state >= PROGRESS_COUNT_ || (part.len > 0 && percent < 0))
		return OSC_NOTHING;
	report->progress = (enum osc_progress)state;
	report->percent = percent > 100 ? 100 : percent;
	if (state == PROGRESS_NORMAL && percent < 0)
		report->percent = 0;
	if (state == PROGRESS_NONE || state == PROGRESS_INDETERMINATE)
		report->percent = -1;
	return OSC_PROGRESS;
}

static enum osc_report_kind read_9(
    struct osc_reader *reader UNUSED, struct osc_part rest, struct osc_report *report)
{
	struct osc_part all = rest, part;
	int number;
	if (!osc_part_next(&rest, ';', &part))
		return OSC_NOTHING;
	number = read_number(part);
	if (number == 4)
		return read_progress(report, rest);
	if (number >= 1 && number <= CONEMU_LAST)
		return OSC_NOTHING;
	return notice(report, 9, (struct osc_part){"", 0}, all);
}

static enum osc_report_kind read_777(
    struct osc_reader *reader UNUSED, struct osc_part rest, struct osc_report *report)
{
	struct osc_part word, title = {"", 0};
	if (!osc_part_next(&rest, ';', &word) || !osc_part_is(word, "notify") ||
	    !osc_part_next(&rest, ';', &title))
		return OSC_NOTHING;
	return notice(report, 777, title, rest.at != NULL ? rest : (struct osc_part){"", 0});
}

struct osc_chunk {
	struct osc_part id;
	struct osc_part type;
	bool is_base64;
	bool is_done;
};

static void read_metadata(struct osc_part metadata, struct osc_chunk *ret_chunk)
{
	struct osc_part pair;
	*ret_chunk = (struct osc_chunk){.id = {"", 0}, .type = {"title", 5}, .is_done = true};
	while (osc_part_next(&metadata, ':', &pair)) {
		struct osc_part value = {pair.at + 2, pair.len - 2};
		if (pair.len < 2 || pair.at[1] != '=')
			continue;
		if (pair.at[0] == 'i')
			ret_chunk->id = value;
		else if (pair.at[0] == 'p')
			ret_chunk->type = value;
		else if (pair.at[0] == 'e')
			ret_chunk->is_base64 = osc_part_is(value, "1");
		else if (pair.at[0] == 'd')
			ret_chunk->is_done = !osc_part_is(value, "0");
	}
}

static void append_cut(struct buf *out, const void *bytes, size_t len)
{
	size_t room = out->max - out->len;
	(void)buf_append(out, bytes, len < room ? len : room);
}

/* Appends decoded base64, with or without padding; of a cut payload, the whole bytes. */
static void append_base64(struct buf *out, struct osc_part payload)
{
	struct buf padded = BUF(PAYLOAD_MAX + 4), bytes = BUF(PAYLOAD_MAX);
	while (payload.len > 0 && payload.at[payload.len - 1] == '=')
		payload.len--;
	payload.len -= payload.len % 4 == 1;
	(void)buf_append(&padded, payload.at, payload.len);
	while (padded.len % 4 != 0)
		(void)buf_append_byte(&padded, '=');
	if (base64_decode(&bytes, (const char *)padded.data, padded.len) == 0)
		append_cut(out, bytes.data, bytes.len);
	buf_finish(&padded);
	buf_finish(&bytes);
}

static bool is_same_id(const struct osc_reader *reader, struct osc_part id)
{
	return strlen(reader->id) == id.len && memcmp(reader->id, id.at, id.len) == 0;
}

static enum osc_report_kind read_99(
    struct osc_reader *reader, struct osc_part rest, struct osc_report *report)
{
	enum osc_report_kind kind;
	struct osc_part metadata;
	struct osc_chunk chunk;
	struct buf *target;
	if (!osc_part_next(&rest, ';', &metadata))
		return OSC_NOTHING;
	read_metadata(metadata, &chunk);
	if (chunk.id.len > OSC_ID_MAX || memchr(chunk.id.at, '\0', chunk.id.len) != NULL)
		return OSC_NOTHING;
	if (!is_same_id(reader, chunk.id)) {
		osc_reader_finish(reader);
		memcpy(reader->id, chunk.id.at, chunk.id.len);
		reader->id[chunk.id.len] = '\0';
	}
	target = osc_part_is(chunk.type, "title") ? &reader->title
	    : osc_part_is(chunk.type, "body")     ? &reader->text
						  : NULL;
	if (target != NULL && rest.at != NULL && chunk.is_base64)
		append_base64(target, rest);
	else if (target != NULL && rest.at != NULL)
		append_cut(target, rest.at, rest.len);
	if (!chunk.is_done)
		return OSC_NOTHING;
	kind = notice(report, 99,
	    (struct osc_part){(const char *)reader->title.data, reader->title.len},
	    (struct osc_part){(const char *)reader->text.data, reader->text.len});
	osc_reader_finish(reader);
	return kind;
}

static const struct {
	const char *number;
	enum osc_report_kind (*read)(
	    struct osc_reader *reader, struct osc_part rest, struct osc_report *report);
} rows[] = {
    {"9", read_9},
    {"99", read_99},
    {"777", read_777},
};

enum osc_report_kind osc_report_read(
    struct osc_reader *reader, const char *string, size_t len, struct osc_report *ret_report)
{
	struct osc_part rest = {string, len}, number;
	*ret_report = (struct osc_report){.percent = -1};
	(void)osc_part_next(&rest, ';', &number);
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++)
		if (osc_part_is(number, rows[at].number))
			ret_report->kind = rows[at].read(reader, rest, ret_report);
	return ret_report->kind;
}

static const char context_prefix[] = "3008;";

static const char word_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";

static const struct row {
	const char *key;
	size_t offset;
	size_t size;
	bool is_text;
} context_rows[] = {
#define ROW(key_, member_, is_text_)                                     \
	{                                                                \
		key_, offsetof(struct osc_context, member_),             \
		    sizeof(((struct osc_context *)0)->member_), is_text_ \
	}
    ROW("agent", agent, false),
    ROW("end", id, false),
    ROW("muxbus", token, false),
    ROW("question", question, true),
    ROW("session", session, false),
    ROW("start", id, false),
    ROW("state", state, false),
    ROW("to", to, false),
    ROW("wake", wake, true),
#undef ROW
};

static void unescape(struct buf *out, struct osc_part value)
{
	for (size_t at = 0; at < value.len; at++) {
		bool is_escape = value.len - at >= 4 && value.at[at] == '\\' &&
		    value.at[at + 1] == 'x' && str_hex_digit(value.at[at + 2]) >= 0 &&
		    str_hex_digit(value.at[at + 3]) >= 0;
		uint8_t byte = (uint8_t)value.at[at];
		if (is_escape) {
			byte = (uint8_t)(16 * str_hex_digit(value.at[at + 2]) +
			    str_hex_digit(value.at[at + 3]));
			at += 3;
		}
		(void)buf_append_byte(out, byte);
	}
}

static void take_value(struct osc_context *context, const struct row *row, struct osc_part value)
{
	char *out = (char *)context + row->offset;
	struct buf plain;
	buf_init(&plain, value.len);
	unescape(&plain, value);
	out[0] = '\0';
	if (row->is_text)
		osc_text_copy(out, row->size, plain.data, plain.len);
	else if (plain.len > 0 && plain.len < row->size &&
	    strspn((const char *)plain.data, word_characters) == plain.len)
		memcpy(out, plain.data, plain.len + 1);
	buf_finish(&plain);
}

static void take_pair(struct osc_context *context, struct osc_part pair)
{
	struct osc_part key;
	if (!osc_part_next(&pair, '=', &key) || pair.at == NULL)
		return;
	for (size_t at = 0; at < sizeof context_rows / sizeof *context_rows; at++)
		if (osc_part_is(key, context_rows[at].key))
			take_value(context, &context_rows[at], pair);
}

bool osc_context_read(const char *string, size_t len, struct osc_context *ret_context)
{
	struct osc_part rest = {string, len}, pair;
	bool is_start;
	*ret_context = (struct osc_context){0};
	if (len < sizeof context_prefix ||
	    memcmp(string, context_prefix, sizeof context_prefix - 1) != 0)
		return false;
	rest.at += sizeof context_prefix - 1;
	rest.len -= sizeof context_prefix - 1;
	is_start = rest.len > 6 && memcmp(rest.at, "start=", 6) == 0;
	ret_context->is_end = rest.len > 4 && memcmp(rest.at, "end=", 4) == 0;
	while ((is_start || ret_context->is_end) && osc_part_next(&rest, ';', &pair))
		take_pair(ret_context, pair);
	return is_start || ret_context->is_end;
}
