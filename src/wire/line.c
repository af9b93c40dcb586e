/* SPDX-License-Identifier: ISC */
#include "wire/line.h"

/* The place of the next byte in the line. NESTED is inside a value that is an array or object. */
enum place {
	BEFORE, /* before the object */
	BEFORE_NAME, /* before a name, or the end of an empty object */
	NAME,
	BEFORE_COLON,
	BEFORE_VALUE,
	STRING, /* in a value that is a string */
	WORD, /* in a number, true, false or null */
	NESTED,
	NESTED_STRING,
	AFTER_VALUE,
	AFTER, /* after the object */
	BROKEN,
};

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static bool is_in_word(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == 'E' ||
	    byte == '.' || byte == '-' || byte == '+';
}

static void keep(struct lost_id *lost, char byte)
{
	if (lost->text_len < LOST_ID_MAX)
		lost->text[lost->text_len] = byte;
	lost->text_len++;
}

static void end_value(struct lost_id *lost)
{
	lost->place = AFTER_VALUE;
	if (!lost->is_id)
		return;
	lost->count++;
	lost->len = lost->text_len <= LOST_ID_MAX ? lost->text_len : 0;
	lost->text[lost->len] = '\0';
}

static void pass_string(struct lost_id *lost, char byte)
{
	static const char id[] = "id";
	if (lost->place == STRING && lost->is_id)
		keep(lost, byte);
	if (lost->place == NAME && (byte != '"' || lost->is_escaped)) {
		lost->is_id &= lost->text_len < 2 && byte == id[lost->text_len];
		lost->text_len++;
		if (byte == '\\')
			lost->count++; /* a name with an escape may be "id", so it counts */
	}
	if (lost->is_escaped || byte == '\\') {
		lost->is_escaped = !lost->is_escaped;
	} else if (byte == '"' && lost->place == NAME) {
		lost->is_id &= lost->text_len == 2;
		lost->place = BEFORE_COLON;
	} else if (byte == '"' && lost->place == STRING) {
		end_value(lost);
	} else if (byte == '"') {
		lost->place = NESTED;
	}
}

static void begin_name(struct lost_id *lost)
{
	lost->place = NAME;
	lost->is_id = true;
	lost->text_len = 0;
}

static void pass_nested(struct lost_id *lost, char byte)
{
	bool is_array = byte == ']';
	if (byte == '"') {
		lost->place = NESTED_STRING;
	} else if (byte == '{' || byte == '[') {
		lost->depth++;
		lost->known += lost->known < 64;
		lost->brackets = lost->brackets << 1 | (byte == '[');
	} else if (byte == '}' || byte == ']') {
		if (lost->known > 0 && (lost->brackets & 1) != is_array)
			lost->place = BROKEN;
		else if (--lost->depth == 0)
			end_value(lost);
		lost->known -= lost->known > 0;
		lost->brackets >>= 1;
	}
}

static void begin_value(struct lost_id *lost, char byte)
{
	lost->text_len = 0;
	if (byte == '{' || byte == '[') {
		lost->place = NESTED;
		pass_nested(lost, byte);
	} else if (byte == '"' || is_in_word(byte)) {
		lost->place = byte == '"' ? STRING : WORD;
		if (lost->is_id)
			keep(lost, byte);
	} else {
		lost->place = BROKEN;
	}
}

static void pass_mark(struct lost_id *lost, char byte)
{
	if (is_space(byte))
		return;
	if (lost->place == BEFORE_COLON && byte == ':')
		lost->place = BEFORE_VALUE;
	else if (lost->place == AFTER_VALUE && byte == ',')
		lost->place = BEFORE_NAME;
	else if (lost->place == AFTER_VALUE && byte == '}')
		lost->place = AFTER;
	else if (lost->place == BEFORE && byte == '{')
		lost->place = BEFORE_NAME;
	else
		lost->place = BROKEN;
}

/* Bytes that are searched at once. With more, text full of backslashes would be read repeatedly. */
#define AHEAD_BYTES ((size_t)128)

/* Returns the number of bytes that need no handling: in a string, or after an error. */
static size_t count_idle(const struct lost_id *lost, const char *bytes, size_t len)
{
	const char *quote, *backslash;
	bool is_in_string = lost->place == NESTED_STRING || (lost->place == STRING && !lost->is_id);
	if (lost->place == BROKEN ? memchr(lost->last, '"', sizeof lost->last) != NULL
				  : !is_in_string || lost->is_escaped)
		return 0;
	len = len < AHEAD_BYTES ? len : AHEAD_BYTES;
	quote = memchr(bytes, '"', len);
	if (quote != NULL)
		len = (size_t)(quote - bytes);
	backslash = is_in_string ? memchr(bytes, '\\', len) : NULL;
	return backslash != NULL ? (size_t)(backslash - bytes) : len;
}

/* Counts each "id" behind an error, since the id of the request is then uncertain. */
static void pass_broken(struct lost_id *lost, char byte)
{
	memmove(lost->last, lost->last + 1, sizeof lost->last - 1);
	lost->last[sizeof lost->last - 1] = byte;
	if (memcmp(lost->last, "\"id\"", sizeof lost->last) == 0)
		lost->count++;
}

static void pass(struct lost_id *lost, char byte)
{
	switch ((enum place)lost->place) {
	case NAME:
	case STRING:
	case NESTED_STRING:
		pass_string(lost, byte);
		break;
	case NESTED:
		pass_nested(lost, byte);
		break;
	case BEFORE_NAME:
		if (byte == '"')
			begin_name(lost);
		else if (!is_space(byte))
			lost->place = BROKEN;
		break;
	case BEFORE_VALUE:
		if (!is_space(byte))
			begin_value(lost, byte);
		break;
	case WORD:
		if (!is_in_word(byte)) {
			end_value(lost);
			pass_mark(lost, byte);
		} else if (lost->is_id) {
			keep(lost, byte);
		}
		break;
	case BROKEN:
		break;
	default:
		pass_mark(lost, byte);
	}
	if (lost->place == BROKEN)
		pass_broken(lost, byte);
}

void lost_id_add(struct lost_id *lost, const char *bytes, size_t len)
{
	for (size_t at = 0; at < len; at++) {
		size_t idle = count_idle(lost, bytes + at, len - at);
		if (idle == 0)
			pass(lost, bytes[at]);
		at += idle > 0 ? idle - 1 : 0;
	}
}

const char *lost_id_get(const struct lost_id *lost)
{
	return lost->count == 1 && lost->len > 0 ? lost->text : NULL;
}

/* Memory kept while the input is empty. */
#define KEEP_BYTES 1024

void line_input_init(struct line_input *input, size_t max_bytes)
{
	*input = (struct line_input){.max_bytes = max_bytes};
	buf_init(&input->buf, SIZE_MAX); /* no limit: the caller bounds its input */
}

void line_input_finish(struct line_input *input)
{
	buf_finish(&input->buf);
	mem_free(input->lost);
}

static void compact(struct line_input *input)
{
	if (input->start == 0)
		return;
	buf_consume(&input->buf, input->start);
	input->scanned -= input->start;
	input->start = 0;
	if (input->buf.len == 0)
		buf_shrink(&input->buf, KEEP_BYTES);
}

void line_input_add(struct line_input *input, const void *bytes, size_t len)
{
	compact(input);
	if (buf_append(&input->buf, bytes, len) < 0)
		xalloc_fail();
}

static void skip(struct line_input *input, size_t end)
{
	if (input->wants_id && !input->is_skipping) {
		mem_free(input->lost);
		input->lost = xcalloc(1, sizeof *input->lost);
	}
	if (input->wants_id)
		lost_id_add(
		    input->lost, (const char *)input->buf.data + input->start, end - input->start);
	input->is_skipping = true;
}

static void drop_all(struct line_input *input)
{
	input->start = input->buf.len;
	input->scanned = input->buf.len;
	compact(input);
}

static void take(
    struct line_input *input, size_t end, size_t next, const char **ret_line, size_t *ret_len)
{
	char *line = (char *)input->buf.data + input->start;
	size_t len = end - input->start;
	if (len > 0 && line[len - 1] == '\r')
		len--;
	line[len] = '\0'; /* overwrites the newline, or the NUL behind the last byte */
	*ret_line = line;
	*ret_len = len;
	input->start = next;
	input->scanned = next;
}

/* Returns true if the line from start to end is too long, without a "\r" at its end. */
static bool is_too_long(const struct line_input *input, size_t end)
{
	size_t len = end - input->start;
	if (len == input->max_bytes + 1 && input->buf.data[end - 1] == '\r')
		return false;
	return len > input->max_bytes;
}

enum line_result line_input_next(struct line_input *input, const char **ret_line, size_t *ret_len)
{
	for (;;) {
		size_t left = input->buf.len - input->scanned;
		const uint8_t *newline =
		    left == 0 ? NULL : memchr(input->buf.data + input->scanned, '\n', left);
		size_t end;
		bool was_skipping;
		if (newline == NULL) {
			input->scanned = input->buf.len;
			was_skipping = input->is_skipping;
			if (was_skipping || is_too_long(input, input->buf.len)) {
				skip(input, input->buf.len);
				drop_all(input);
				if (!was_skipping && !input->wants_id)
					return LINE_TOO_LONG;
			}
			compact(input);
			return LINE_NONE;
		}
		end = (size_t)(newline - input->buf.data);
		was_skipping = input->is_skipping;
		if (was_skipping || is_too_long(input, end)) {
			skip(input, end);
			input->is_skipping = false;
			input->start = end + 1;
			input->scanned = end + 1;
			if (was_skipping && !input->wants_id)
				continue; /* the line was reported before */
			return LINE_TOO_LONG;
		}
		take(input, end, end + 1, ret_line, ret_len);
		return LINE_FOUND;
	}
}

enum line_result line_input_end(struct line_input *input, const char **ret_line, size_t *ret_len)
{
	enum line_result result = line_input_next(input, ret_line, ret_len);
	if (result != LINE_NONE || !line_input_is_pending(input))
		return result;
	if (input->is_skipping) {
		input->is_skipping = false;
		return LINE_TOO_LONG;
	}
	take(input, input->buf.len, input->buf.len, ret_line, ret_len);
	return LINE_FOUND;
}

bool line_input_is_pending(const struct line_input *input)
{
	return input->start < input->buf.len || (input->is_skipping && input->wants_id);
}

bool line_input_has_unseen(const struct line_input *input)
{
	return input->scanned < input->buf.len;
}

bool line_is_blank(const char *line, size_t len)
{
	while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	return len == 0;
}
