/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/prompt_line.h"

#include "base/stripper.h"
#include "daemon/core/config.h"

enum {
	NAME_CHARACTERS = 40, /* characters of a name, or of the command in its place */
	OUTCOME_CHARACTERS = 120, /* characters of the first notification's outcome */
	FURTHER_CHARACTERS = 60, /* characters of the outcome of each further notification */
	SHOWN_CHARACTERS = 200, /* characters of a text or line of the notification */
	QUOTE_READ = 64 * 1024, /* bytes that are read of a foreign text */
	REST_SIZE = 64, /* bytes of the note on notifications that do not fit */
};

static const char ellipsis[] = "\xe2\x80\xa6";

/* Characters that are dropped: they are invisible or private, or change how others look. */
static const struct {
	uint32_t first, last;
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

/*
 * Replaces a character that may mean more than text to a shell, an interpreter or an agent by its
 * full-width form. # has a meaning only at the start of a word. Gemini CLI takes ? as a request for
 * help until it has drawn the text before. Quotation marks are replaced so that only ours end a
 * quotation.
 */
static uint32_t tame(uint32_t character, bool is_word_start)
{
	static const char wild[] = "`$\\;|&<>(){}[]'\"!?^@";
	if (character == 0xab || character == 0xbb)
		return character == 0xab ? 0x300a : 0x300b;
	if (character >= 0x80 || character == 0)
		return character;
	if (strchr(wild, (int)character) != NULL || (is_word_start && character == '#'))
		return character + 0xfee0;
	return character;
}

/* Strips escape sequences. C1 control characters are replaced by their forms with ESC before. */
static void strip(struct buf *out, const char *text, size_t len)
{
	struct buf escaped = BUF(QUOTE_READ);
	for (size_t at = 0; at < len; at++) {
		bool is_c1 = (uint8_t)text[at] == 0xc2 && at + 1 < len &&
		    (uint8_t)text[at + 1] >= 0x80 && (uint8_t)text[at + 1] < 0xa0;
		if (is_c1)
			(void)buf_append_byte(&escaped, '\033');
		(void)buf_append_byte(
		    &escaped, is_c1 ? (uint8_t)text[++at] - 0x40 : (uint8_t)text[at]);
	}
	(void)stripper_lines(out, escaped.data, escaped.len);
	buf_finish(&escaped);
}

/*
 * Appends harmless text. is_for_people: no character is replaced by its full-width form. Returns
 * the number of characters appended.
 */
static size_t put_tame(struct buf *out, const char *text, size_t len, bool is_for_people)
{
	bool is_lossy = false, was_space = true;
	struct buf lines = BUF(QUOTE_READ + 1), clean = BUF(3 * QUOTE_READ + 1);
	size_t count = 0;
	strip(&lines, text, len < QUOTE_READ ? len : QUOTE_READ);
	(void)utf8_clean(&clean, lines.data, lines.len, &is_lossy);
	for (size_t at = 0; at < clean.len;) {
		uint32_t character;
		char bytes[4];
		int size = utf8_decode(clean.data + at, clean.len - at, &character);
		if (size <= 0)
			break;
		at += (size_t)size;
		if (is_dropped(character) || (is_space(character) && was_space))
			continue;
		if (is_space(character))
			character = ' ';
		if (!is_for_people)
			character = tame(character, was_space);
		if (buf_append(out, bytes, utf8_encode(character, bytes)) != 0)
			break;
		was_space = character == ' ';
		count++;
	}
	if (count > 0 && was_space) {
		out->data[--out->len] = '\0';
		count--;
	}
	buf_finish(&lines);
	buf_finish(&clean);
	return count;
}

static size_t bytes_of(const struct buf *text, size_t count)
{
	size_t at = 0;
	while (at < text->len && count-- > 0)
		do
			at++;
		while (at < text->len && (text->data[at] & 0xc0) == 0x80);
	return at;
}

/* Appends at most max characters; of a longer text the begin, "…" and the last `tail` ones. */
static void put_part(
    struct buf *out, const struct buf *tamed, size_t count, size_t max, size_t tail)
{
	size_t head, rest;
	if (count <= max) {
		(void)buf_append(out, tamed->data, tamed->len);
	} else if (max > tail) {
		head = bytes_of(tamed, max - 1 - tail);
		rest = bytes_of(tamed, count - tail);
		(void)buf_append(out, tamed->data, head);
		(void)buf_append_str(out, ellipsis);
		(void)buf_append(out, tamed->data + rest, tamed->len - rest);
	}
}

static void put_cut(struct buf *out, const char *text, size_t len, size_t max, size_t tail)
{
	struct buf tamed = BUF(4 * QUOTE_READ);
	size_t count = put_tame(&tamed, text, len, false);
	put_part(out, &tamed, count, max, tail);
	buf_finish(&tamed);
}

void prompt_line_quote(struct buf *out, const char *text, size_t len, size_t max)
{
	put_cut(out, text, len, max, max * 2 / 3);
}

static const struct members {
	const char *name; /* member of the data with the name that the requester gave */
	/* member of the data that replaces a missing name; if others may read, only for a job */
	const char *subject;
	/* member that may be quoted; the member `tail` has the end of this text */
	const char *head;
	const char *tail;
	bool has_details; /* the data has more than the line can say */
} members[] = {
    [SOURCE_COMMAND] = {.subject = "command", .has_details = true},
    [SOURCE_CONDITION] = {.has_details = true},
    [SOURCE_JOB] = {"name", "command", "output", "tail", true},
    [SOURCE_POST] = {.has_details = true},
    [SOURCE_PROGRAM] = {.has_details = true},
    [SOURCE_TIMER] = {.has_details = false},
    [SOURCE_TOOL] = {"name", "command", "output", "tail", true},
    [SOURCE_WATCH] = {.head = "line", .has_details = true},
};

/* Appends the outcome. For posts and programs this is foreign text, which fixed words replace. */
static void put_outcome(struct buf *out, const struct notification *note, size_t max)
{
	const char *text = note->text;
	if (note->source == SOURCE_POST)
		text = "a message";
	else if (note->source == SOURCE_PROGRAM)
		text = "a program reports";
	put_cut(out, text, strlen(text), max, max / 2);
}

static size_t count_characters(const struct buf *text, size_t from)
{
	size_t count = 0;
	for (size_t at = from; at < text->len; at++)
		count += (text->data[at] & 0xc0) != 0x80;
	return count;
}

static void write_rest(char out[REST_SIZE], const struct notification *const *notes, size_t count)
{
	uint64_t first = notes[0]->seq;
	for (size_t at = 1; at < count; at++)
		first = notes[at]->seq < first ? notes[at]->seq : first;
	snprintf(out, REST_SIZE, ", the rest: next_notification after=%" PRIu64, first - 1);
}

static void put_further(
    struct buf *out, const struct notification *const *notes, size_t count, size_t room)
{
	char rest[REST_SIZE];
	struct buf further = BUF(PROMPT_LINE_BYTES);
	if (count < 2)
		return;
	(void)buf_printf(out, ". And %zu more:", count - 1);
	room -= sizeof ". And 4294967295 more:" + REST_SIZE;
	for (size_t at = 1; at < count; at++) {
		further.len = 0;
		(void)buf_printf(&further, "%s %s %s ", at > 1 ? "," : "", notes[at]->id,
		    notification_source_names[notes[at]->source]);
		put_outcome(&further, notes[at], FURTHER_CHARACTERS);
		if (count_characters(&further, 0) > room) {
			write_rest(rest, notes + at, count - at);
			(void)buf_append_str(out, at > 1 ? rest : rest + 1);
			break;
		}
		room -= count_characters(&further, 0);
		(void)buf_append(out, further.data, further.len);
	}
	buf_finish(&further);
}

/* Changes the line's end if needed: an agent may take a last word "/quit" as a command. */
static void tame_end(struct buf *out)
{
	size_t at = out->len;
	char *word;
	while (at > 0 && out->data[at - 1] != ' ' && out->data[at - 1] != '/')
		at--;
	if (at < 2 || out->data[at - 1] != '/' || out->data[at - 2] != ' ')
		return;
	word = xstrdup((char *)out->data + at);
	out->len = at - 1;
	(void)buf_printf(out, "\xef\xbc\x8f%s", word);
	mem_free(word);
}

/* Appends the line; name and quote are foreign texts, or NULL. */
static void put_line(struct buf *out, const struct notification *const *notes, size_t count,
    const char *name, const char *quote)
{
	const struct notification *first = notes[0];
	size_t begin = out->len;
	(void)buf_printf(
	    out, "[muxbus %s %s ", first->id, notification_source_names[first->source]);
	if (name != NULL)
		put_cut(out, name, strlen(name), NAME_CHARACTERS, 0);
	if (out->data[out->len - 1] == ' ')
		out->len--;
	(void)buf_append_str(out, "] ");
	put_outcome(out, first, OUTCOME_CHARACTERS);
	if (quote != NULL && quote[0] != '\0') {
		(void)buf_append_str(out, ": untrusted text \xc2\xab");
		prompt_line_quote(out, quote, strlen(quote), PROMPT_LINE_QUOTE_MAX);
		(void)buf_append_str(out, "\xc2\xbb");
	}
	if (members[first->source].has_details)
		(void)buf_printf(out, ". Details: next_notification %s", first->id);
	put_further(out, notes, count, PROMPT_LINE_MAX - count_characters(out, begin));
	tame_end(out);
}

static const char *find_text(const struct json *data, const char *name)
{
	const char *text = name != NULL ? json_get_str(data, name, "") : "";
	return *text != '\0' ? text : NULL;
}

/* Returns the text to quote, if the settings allow it, or NULL. The caller frees it. */
static char *find_quote(
    const struct notification *note, const struct json *data, const struct config_limits *limits)
{
	const struct members *row = &members[note->source];
	const char *head = find_text(data, row->head), *tail = find_text(data, row->tail);
	bool is_match = note->source == SOURCE_WATCH;
	if (limits == NULL || (is_match ? limits->quote_match : limits->quote_output) == 0)
		return NULL;
	if (note->source == SOURCE_POST || note->source == SOURCE_PROGRAM)
		return xstrdup(note->text);
	if (head == NULL || tail == NULL)
		return head != NULL ? xstrdup(head) : NULL;
	return xasprintf("%s%s%s", head, ellipsis, tail);
}

void prompt_line_compose(struct buf *out, const struct notification *const *notes, size_t count,
    const struct config_limits *limits)
{
	const struct notification *first = notes[0];
	const struct members *row = &members[first->source];
	struct json_reader *reader = json_reader_new(NOTIFICATION_DATA_MAX + 1);
	struct json_error error;
	const struct json *data = json_read(reader, first->data, strlen(first->data), &error);
	const char *name = find_text(data, row->name);
	char *quote = find_quote(first, data, limits);
	/* Other users could see a job's command while it ran, so they may see it here. */
	if (name == NULL && (limits != NULL || first->source == SOURCE_JOB))
		name = find_text(data, row->subject);
	put_line(out, notes, count, name, quote);
	mem_free(quote);
	json_reader_free(reader);
}

static void put_shown(struct buf *out, const char *text, size_t max)
{
	struct buf shown = BUF(4 * QUOTE_READ);
	size_t count = put_tame(&shown, text, strlen(text), true);
	put_part(out, &shown, count, max, 0);
	buf_finish(&shown);
}

void prompt_line_show(struct buf *out, const struct notification *note)
{
	const struct members *row = &members[note->source];
	struct json_reader *reader = json_reader_new(NOTIFICATION_DATA_MAX + 1);
	struct json_error error;
	const struct json *data = json_read(reader, note->data, strlen(note->data), &error);
	const char *name = find_text(data, row->name);
	const char *line = note->source == SOURCE_WATCH ? find_text(data, row->head) : NULL;
	if (name == NULL)
		name = find_text(data, row->subject);
	(void)buf_printf(out, "[muxbus %s %s", note->id, notification_source_names[note->source]);
	if (name != NULL) {
		(void)buf_append_byte(out, ' ');
		put_shown(out, name, NAME_CHARACTERS);
	}
	(void)buf_append_str(out, "] ");
	put_shown(out, note->text, SHOWN_CHARACTERS);
	if (line != NULL) {
		(void)buf_append_str(out, ": ");
		put_shown(out, line, SHOWN_CHARACTERS);
	}
	json_reader_free(reader);
}
