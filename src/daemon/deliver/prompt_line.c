/* SPDX-License-Identifier: ISC */
/* The line that is typed at a prompt. */
#include "daemon/deliver/prompt_line.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "wire/json.h"

enum { NAMED_MAX = 3 }; /* further notes that are named one by one */

/* Ranges of characters that are not shown, or change how others are: dropped. */
static const struct {
	uint32_t first;
	uint32_t last;
} dropped[] = {
    {0x00ad, 0x00ad}, /* soft hyphen */
    {0x0600, 0x0605}, {0x061c, 0x061c}, {0x06dd, 0x06dd}, {0x070f, 0x070f}, {0x0890, 0x0891},
    {0x08e2, 0x08e2}, {0x115f, 0x1160}, /* fillers */
    {0x180b, 0x180f}, {0x200b, 0x200f}, /* zero width, marks of direction */
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xe000, 0xf8ff}, /* private use */
    {0xfe00, 0xfe0f}, /* variation selectors */
    {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x110bd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0x10ffff}, /* tags, more selectors, private planes */
};

static bool is_dropped(uint32_t character)
{
	size_t low = 0, high = sizeof dropped / sizeof *dropped;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (character > dropped[middle].last)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sizeof dropped / sizeof *dropped && character >= dropped[low].first;
}

static bool is_space(uint32_t character)
{
	return character <= ' ' || (character >= 0x7f && character <= 0xa0) ||
	    character == 0x1680 || (character >= 0x2000 && character <= 0x200a) ||
	    character == 0x202f || character == 0x205f || character == 0x3000;
}

/* The full-width twin of an ASCII character that could mean more than itself; else itself. */
static uint32_t tame(uint32_t character)
{
	static const char wild[] = "`$\\;|&<>(){}[]'\"!#*?~^%@=/";
	if (character < 0x80 && strchr(wild, (int)character) != NULL)
		return character + 0xfee0;
	return character;
}

static int put_character(struct buf *out, uint32_t character)
{
	uint8_t bytes[4];
	size_t len;
	if (character < 0x80) {
		bytes[0] = (uint8_t)character;
		len = 1;
	} else if (character < 0x800) {
		bytes[0] = (uint8_t)(0xc0 | character >> 6);
		bytes[1] = (uint8_t)(0x80 | (character & 0x3f));
		len = 2;
	} else if (character < 0x10000) {
		bytes[0] = (uint8_t)(0xe0 | character >> 12);
		bytes[1] = (uint8_t)(0x80 | (character >> 6 & 0x3f));
		bytes[2] = (uint8_t)(0x80 | (character & 0x3f));
		len = 3;
	} else {
		bytes[0] = (uint8_t)(0xf0 | character >> 18);
		bytes[1] = (uint8_t)(0x80 | (character >> 12 & 0x3f));
		bytes[2] = (uint8_t)(0x80 | (character >> 6 & 0x3f));
		bytes[3] = (uint8_t)(0x80 | (character & 0x3f));
		len = 4;
	}
	return buf_append(out, bytes, len);
}

void prompt_line_quote(struct buf *out, const char *text, size_t len, size_t max)
{
	bool is_lossy = false, was_space = true;
	size_t begin = out->len, count = 0;
	struct buf clean;
	buf_init(&clean, 16 * PROMPT_LINE_MAX);
	if (len > 4 * PROMPT_LINE_MAX)
		len = 4 * PROMPT_LINE_MAX;
	(void)utf8_clean(&clean, text, len, &is_lossy);
	for (size_t at = 0; at < clean.len && count < max;) {
		uint32_t character;
		int size = utf8_decode(clean.data + at, clean.len - at, &character);
		if (size <= 0)
			break;
		at += (size_t)size;
		if (is_dropped(character))
			continue;
		if (is_space(character)) {
			if (!was_space && buf_append_byte(out, ' ') == 0)
				count++;
			was_space = true;
			continue;
		}
		if (put_character(out, tame(character)) != 0)
			break;
		was_space = false;
		count++;
	}
	if (out->len > begin && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	buf_finish(&clean);
}

/*
 * Keeps of our own words what is safe at every prompt; the rest is a blank. Some shells take
 * parentheses alone for a command, so they get their full-width twins.
 */
static void put_words(struct buf *out, const char *words, size_t max)
{
	for (size_t at = 0; words[at] != '\0' && at < max; at++) {
		char byte = words[at];
		bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
		    (byte >= '0' && byte <= '9') || strchr(" .,:()-_", byte) != NULL;
		(void)put_character(out, is_plain ? tame((unsigned char)byte) : ' ');
	}
}

/* How to fetch the rest, by source. */
static const char *const details[] = {
    [SOURCE_COMMAND] = "next_notification",
    [SOURCE_CONDITION] = "next_notification",
    [SOURCE_JOB] = "next_notification",
    [SOURCE_POST] = "next_notification",
    [SOURCE_PROGRAM] = "next_notification",
    [SOURCE_TIMER] = NULL,
    [SOURCE_WATCH] = "next_notification",
};

/* The words for one: a job's end is our own text; a text of others is not. */
static const char *outcome(const struct notification *note)
{
	switch (note->source) {
	case SOURCE_POST:
		return "somebody left a message";
	case SOURCE_PROGRAM:
		return "a program reports";
	case SOURCE_WATCH:
	case SOURCE_COMMAND:
	case SOURCE_CONDITION:
	case SOURCE_JOB:
	case SOURCE_TIMER:
	case SOURCE_COUNT_:
		break;
	}
	return note->text;
}

/* Puts a quotation last, as long as the notice has room for it: used bytes stand before it. */
static void put_quote(struct buf *out, const char *quote, size_t used)
{
	static const char begin[] = ". Untrusted text: \xc2\xab", end[] = "\xc2\xbb";
	size_t taken = used + sizeof begin + sizeof end;
	size_t room = taken < PROMPT_LINE_MAX ? PROMPT_LINE_MAX - taken : 0;
	if (room == 0)
		return;
	(void)buf_append_str(out, begin);
	prompt_line_quote(
	    out, quote, strlen(quote), room < PROMPT_LINE_QUOTE_MAX ? room : PROMPT_LINE_QUOTE_MAX);
	(void)buf_append_str(out, end);
}

void prompt_line_write(
    struct buf *out, const struct notification *const *notes, size_t count, const char *quote)
{
	const struct notification *first = notes[0];
	const char *how = details[first->source];
	size_t begin = out->len;
	(void)buf_printf(
	    out, "[muxbus %s %s] ", first->id, notification_source_name(first->source));
	put_words(out, outcome(first), PROMPT_LINE_QUOTE_MAX);
	if (how != NULL)
		(void)buf_printf(out, ". Details: %s %s", how, first->id);
	if (count > 1)
		(void)buf_printf(out, ". And %zu more:", count - 1);
	for (size_t at = 1; at < count && at <= NAMED_MAX; at++)
		(void)buf_printf(out, "%s %s %s", at > 1 ? "," : "", notes[at]->id,
		    notification_source_name(notes[at]->source));
	if (count > NAMED_MAX + 1)
		(void)buf_append_str(out, ", see list_notifications");
	if (quote != NULL && quote[0] != '\0')
		put_quote(out, quote, out->len - begin);
}

/* A text among the data of a notification, NULL if there is none; the caller frees. */
static char *find_text(const struct notification *note, const char *name)
{
	struct json_reader *reader = json_reader_new(NOTIFICATION_DATA_MAX + 1);
	struct json_error error;
	const struct json *value = json_read(reader, note->data, strlen(note->data), &error);
	const struct json *member = json_member(value, name);
	char *text = NULL;
	if (member != NULL && member->type == JSON_STRING && member->len > 0)
		text = xstrdup(member->text);
	json_reader_free(reader);
	return text;
}

/* The quotation of a notification; the caller frees. */
static char *find_quote(const struct notification *note, const struct config_limits *limits)
{
	if (note->source == SOURCE_JOB && limits->quote_output != 0)
		return find_text(note, "output");
	if (note->source == SOURCE_WATCH && limits->quote_match != 0)
		return find_text(note, "line");
	if (note->source != SOURCE_POST && note->source != SOURCE_PROGRAM)
		return NULL;
	return limits->quote_output != 0 ? xstrdup(note->text) : NULL;
}

void prompt_line_compose(struct buf *out, const struct notification *const *notes, size_t count,
    const struct config_limits *limits)
{
	char *quote = find_quote(notes[0], limits);
	prompt_line_write(out, notes, count, quote);
	mem_free(quote);
}
