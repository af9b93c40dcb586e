/* SPDX-License-Identifier: ISC */
/*
 * Finds where the blocks of a reply begin and end.
 *
 * tmux copies the text of panes, titles and files into a reply unchanged. A program that knows the
 * time and guesses tmux's running number can print a line that looks like the end of the block with
 * its output. But it cannot print the nonce. So the position of the sentinel is certain, and so is
 * the first %begin, which was read outside of any block. The text from this %begin to the sentinel
 * is a segment:
 *
 * segment = block { line | block }
 * block   = %begin T N F, lines of any text, %end T N F or %error T N F
 * line    = other text that tmux writes outside of blocks
 *
 * A segment is the reply of one command, as connections send a sentinel after each command. So a
 * segment is usually one block, which ends with the last line. Therefore a block ends at the LAST
 * line that can end it. If there are more blocks (an alias, if-shell, hooks), these rules decide
 * which lines can end a block:
 *
 * 1. A guard (%begin, %end, %error) counts only if its number and time lie between the first
 * %begin and the sentinel, since tmux numbers its commands in order. Other guards are text.
 * 2. A line can end a block only if the rest of the segment can be divided too, without a
 * spare %end and without a %begin that has no end. This finds a forged end in the text
 * of a LATER block (a hook that prints a title).
 * 3. The last line that can end the block does end it. This finds a forged end in its own text.
 * 4. If rule 2 allows no division, the last line with the three numbers of the %begin ends the
 * block, and the rest is divided in the same way.
 *
 * The limit: if the texts of two blocks in one segment are hostile, a forger who guesses the
 * numbers of both blocks can move the border between them, and so text from one block to the other.
 * The library sends a sentinel after each command of a list, so the later block comes from a hook,
 * an alias or if-shell. Raw text outside of blocks (%message with a newline) can always be forged.
 *
 * This takes one or two walks backwards, so the time for hostile text is linear in its length.
 */
#include "lib/stream/segment.h"

/* Limit of a guard: "%begin", two numbers of at most 20 digits and a flag. */
#define BLOCK_LINE_MAX 64
/* A number with this many digits cannot overflow. */
#define DIGITS_SAFE 19

static const struct {
	const char *word;
	size_t len;
	enum block_line_kind kind;
} block_line_words[] = {
    {"%begin ", 7, BLOCK_BEGIN},
    {"%end ", 5, BLOCK_END},
    {"%error ", 7, BLOCK_ERROR},
};

static bool read_number(const char **text, const char *end, uint64_t *ret_number)
{
	const char *place = *text;
	uint64_t number = 0, exact;
	for (; place < end && (uint8_t)(*place - '0') <= 9; place++)
		number = 10 * number + (uint8_t)(*place - '0');
	if (place == *text || place == end || *place != ' ')
		return false;
	if (place - *text > DIGITS_SAFE) {
		if (!str_parse_u64(*text, (size_t)(place - *text), &exact))
			return false;
		number = exact;
	}
	*text = place + 1;
	*ret_number = number;
	return true;
}

bool block_line_read(const char *line, size_t len, struct guard *ret_guard)
{
	const char *end = line + len;
	struct guard guard;
	if (len < 2 || len > BLOCK_LINE_MAX || line[0] != '%' || (line[1] != 'b' && line[1] != 'e'))
		return false;
	for (size_t i = 0; i < sizeof block_line_words / sizeof block_line_words[0]; i++) {
		const char *text = line + block_line_words[i].len;
		if (len <= block_line_words[i].len ||
		    memcmp(line, block_line_words[i].word, block_line_words[i].len) != 0)
			continue;
		if (!read_number(&text, end, &guard.time) ||
		    !read_number(&text, end, &guard.number) || end - text != 1 ||
		    (*text != '0' && *text != '1'))
			return false;
		guard.kind = block_line_words[i].kind;
		guard.is_ours = *text == '1';
		*ret_guard = guard;
		return true;
	}
	return false;
}

bool block_line_closes(const struct guard *end, const struct guard *begin)
{
	return end->kind != BLOCK_BEGIN && end->time == begin->time &&
	    end->number == begin->number && end->is_ours == begin->is_ours;
}

/* Room behind the cut, for the latest guards. */
#define CUT_ROOM_BYTES 4096
/* Memory that an empty segment keeps. */
#define KEEP_BYTES (256 * 1024)
/* Maximum number of different ends; hostile text may have more. */
#define ENDS_MAX 65536

void segment_init(struct segment *segment)
{
	memset(segment, 0, sizeof *segment);
	buf_init(&segment->text, (size_t)MUXBUS_LINE_MAX + CUT_ROOM_BYTES);
	map_init(&segment->ends);
}

void segment_finish(struct segment *segment)
{
	buf_finish(&segment->text);
	map_finish(&segment->ends);
}

void segment_start(struct segment *segment, const struct guard *first)
{
	buf_clear(&segment->text);
	buf_shrink(&segment->text, KEEP_BYTES);
	map_finish(&segment->ends);
	segment->first = *first;
	segment->is_cut = false;
	segment->next = 0;
}

/* Makes room for len bytes behind the cut: if it is full, removes the older half of its guards. */
static void make_cut_room(struct segment *segment, size_t len)
{
	struct buf *text = &segment->text;
	char *kept = (char *)text->data + segment->cut;
	size_t kept_len = text->len - segment->cut;
	const char *newline;
	size_t dropped;
	if (kept_len + len <= CUT_ROOM_BYTES)
		return;
	newline = memchr(kept + kept_len / 2, '\n', kept_len - kept_len / 2);
	dropped = (size_t)(newline + 1 - kept);
	memmove(kept, newline + 1, kept_len - dropped);
	text->len -= dropped;
	text->data[text->len] = '\0';
	segment->mark =
	    segment->mark - segment->cut > dropped ? segment->mark - dropped : segment->cut;
}

static int append(struct segment *segment, const char *text, size_t len)
{
	return buf_append(&segment->text, text, len) == 0 ? 0 : MUXBUS_ERR_NOMEM;
}

/* Adds as much of a line as fits, unless the line may be a guard. Sets the cut at the end. */
static int add_last_line(struct segment *segment, const char *line)
{
	size_t room = MUXBUS_LINE_MAX - segment->text.len;
	int error = 0;
	if (*line != '%' && room > 1) {
		error = append(segment, line, room - 1);
		if (error == 0)
			error = append(segment, "\n", 1);
	}
	segment->is_cut = true;
	segment->cut = segment->text.len;
	return error;
}

static int add_line(struct segment *segment, const char *line, size_t len)
{
	struct guard guard;
	int error = 0;
	if (!segment->is_cut && segment->text.len + len <= MUXBUS_LINE_MAX)
		return append(segment, line, len);
	if (!segment->is_cut)
		error = add_last_line(segment, line);
	if (error == 0 && block_line_read(line, len - 1, &guard)) {
		make_cut_room(segment, len);
		error = append(segment, line, len);
	}
	return error;
}

int segment_add(struct segment *segment, const char *text, size_t len)
{
	const char *end = text + len;
	int error = 0;
	if (!segment->is_cut && segment->text.len + len <= MUXBUS_LINE_MAX)
		return append(segment, text, len);
	while (error == 0 && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		error = add_line(segment, text, (size_t)(newline + 1 - text));
		text = newline + 1;
	}
	return error;
}

void segment_mark(struct segment *segment)
{
	segment->mark = segment->text.len;
}

static void fill_block(struct segment *segment, const struct guard *begin, bool is_error,
    size_t body, size_t body_end, struct muxbus_block *ret_block)
{
	if (segment->is_cut && body <= segment->cut && body_end > segment->cut)
		body_end = segment->cut;
	segment->text.data[body_end] = '\0';
	ret_block->time = begin->time;
	ret_block->number = begin->number;
	ret_block->is_ours = begin->is_ours;
	ret_block->is_error = is_error;
	ret_block->body = segment->text.data + body;
	ret_block->body_len = body_end - body;
}

static size_t next_line(const struct segment *segment, size_t place)
{
	const uint8_t *line = segment->text.data + place;
	const uint8_t *newline = memchr(line, '\n', segment->text.len - place);
	return (size_t)(newline + 1 - segment->text.data);
}

void segment_block(struct segment *segment, const struct guard *end, struct muxbus_block *ret_block)
{
	fill_block(segment, &segment->first, end->kind == BLOCK_ERROR, next_line(segment, 0),
	    segment->text.len, ret_block);
}

/*
 * Reads a guard. Returns false for another line, and for a guard that tmux cannot have printed
 * here. The guards of a block have the same key.
 */
static bool read_own_guard(const struct segment *segment, size_t line, size_t line_end,
    struct guard *ret_guard, uint64_t *ret_key)
{
	const char *text = (const char *)segment->text.data;
	uint32_t number;
	uint64_t time;
	if (line == 0)
		*ret_guard = segment->first;
	else if (!block_line_read(text + line, line_end - line, ret_guard))
		return false;
	number = (uint32_t)(ret_guard->number - segment->first.number);
	time = ret_guard->time - segment->time_first;
	if (number >= segment->number_span || time > segment->time_span)
		return false;
	*ret_key = (uint64_t)number << 32 | time << 1 | (ret_guard->is_ours ? 1 : 0);
	return true;
}

static int set_end(struct segment *segment, uint64_t key, size_t line)
{
	return map_set(&segment->ends, key, segment->text.data + line) == 0 ? 0 : MUXBUS_ERR_NOMEM;
}

/*
 * Stores for each key the last line that can end its block. If is_strict, the text behind that line
 * can be divided too. *ret_whole: the whole text can be divided.
 */
static int find_ends(struct segment *segment, bool is_strict, bool *ret_whole)
{
	const char *text = (const char *)segment->text.data;
	bool can_divide = true; /* the text behind line_end can be divided */
	for (size_t line_end = segment->text.len; line_end > 0;) {
		const char *newline = line_end < 2 ? NULL : memrchr(text, '\n', line_end - 1);
		size_t line = newline == NULL ? 0 : (size_t)(newline + 1 - text);
		struct guard guard;
		uint64_t key;
		if (read_own_guard(segment, line, line_end - 1, &guard, &key)) {
			bool has_end = map_get(&segment->ends, key) != NULL;
			if (guard.kind == BLOCK_BEGIN) {
				can_divide = has_end;
			} else {
				if ((can_divide || !is_strict) && !has_end &&
				    segment->ends.count < ENDS_MAX &&
				    set_end(segment, key, line) != 0)
					return MUXBUS_ERR_NOMEM;
				can_divide = false;
			}
		}
		line_end = line;
	}
	*ret_whole = can_divide;
	return 0;
}

/* Returns true if the text is one block, as is usual. *ret_line is where its last line begins. */
static bool is_one_block(const struct segment *segment, size_t *ret_line)
{
	const char *text = (const char *)segment->text.data;
	size_t len = segment->text.len;
	const char *newline = memrchr(text, '\n', len - 1);
	struct guard guard;
	if (newline == NULL)
		return false;
	*ret_line = (size_t)(newline + 1 - text);
	return block_line_read(newline + 1, len - *ret_line - 1, &guard) &&
	    block_line_closes(&guard, &segment->first);
}

/* Sets the range of numbers and times of valid guards: from the first %begin to the sentinel. */
static void set_spans(struct segment *segment, const struct guard *sentinel)
{
	uint64_t early = segment->first.time;
	uint64_t late = sentinel->time;
	uint32_t numbers = (uint32_t)(sentinel->number - segment->first.number);
	if (early > late) { /* the clock was set back */
		early = sentinel->time;
		late = segment->first.time;
	}
	if (late - early > INT32_MAX) {
		early = segment->first.time;
		late = early;
	}
	segment->time_first = early;
	segment->time_span = late - early;
	segment->number_span = numbers == 0 ? 1 : numbers;
}

int segment_divide(struct segment *segment, const struct guard *sentinel)
{
	struct guard first;
	uint64_t key;
	bool is_whole;
	size_t line;
	int error;
	segment->next = 0;
	segment->text.len = segment->mark;
	if (segment->text.len == 0)
		return 0;
	set_spans(segment, sentinel);
	if (is_one_block(segment, &line) &&
	    read_own_guard(segment, 0, next_line(segment, 0) - 1, &first, &key))
		return set_end(segment, key, line);
	error = find_ends(segment, true, &is_whole);
	if (error == 0 && !is_whole) {
		map_finish(&segment->ends);
		error = find_ends(segment, false, &is_whole);
	}
	return error;
}

/* Returns false if no block begins at line. The end of the first block may have been cut off. */
static bool next_block(struct segment *segment, size_t line, struct muxbus_block *ret_block)
{
	const char *text = (const char *)segment->text.data;
	size_t body = next_line(segment, line);
	struct guard begin;
	const uint8_t *found;
	size_t place;
	uint64_t key;
	if (!read_own_guard(segment, line, body - 1, &begin, &key) || begin.kind != BLOCK_BEGIN)
		return false;
	found = map_get(&segment->ends, key);
	place = found == NULL ? 0 : (size_t)(found - segment->text.data);
	if (place > line) {
		segment->next = next_line(segment, place);
		fill_block(
		    segment, &begin, text[place + 2] == 'r', body, place, ret_block); /* %error */
		return true;
	}
	if (line > 0)
		return false;
	segment->next = segment->text.len;
	fill_block(segment, &begin, false, body, segment->text.len, ret_block);
	return true;
}

bool segment_next(struct segment *segment, struct segment_part *ret_part)
{
	size_t line = segment->next;
	if (line >= segment->text.len)
		return false;
	ret_part->is_block = next_block(segment, line, &ret_part->block);
	if (!ret_part->is_block) {
		segment->next = next_line(segment, line);
		ret_part->line = (char *)segment->text.data + line;
		ret_part->line_len = segment->next - 1 - line;
		ret_part->line[ret_part->line_len] = '\0';
	}
	return true;
}
