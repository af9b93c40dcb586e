/* SPDX-License-Identifier: ISC */
/*
 * Parses the bytes of a control-mode stream as they arrive. The parser has three states:
 *
 * - OUTSIDE: at the start of a line, or in a line other than output
 * - OUTPUT: in the data of an %output or %extended-output line, which is delivered in pieces and
 *   not stored; only the start of a split escape is kept for the next piece
 * - BLOCK: from a %begin to the end of its block or, if a nonce is expected, to the sentinel with
 *   the nonce; the segment stores the lines
 *
 * In the state BLOCK, only the expected guard (%end or %error) and the sentinel have a meaning.
 * segment.c explains how the stored lines are divided, and why the result is reliable.
 */
#include "lib/stream/parser.h"

#include "lib/stream/event.h"
#include "lib/stream/segment.h"
#include "lib/unescape.h"

/* The largest piece of output: one that stays in the processor's cache. */
#define PIECE_BYTES (16 * 1024)
/* Limit of the prefix "%extended-output %P AGE ... : " of an output line. */
#define PREFIX_MAX 256
#define KEEP_BYTES (64 * 1024)
#define ESCAPE_LEN 4

enum parser_state { STATE_OUTSIDE, STATE_OUTPUT, STATE_BLOCK };

/* How many of the three lines of a sentinel were read. */
enum sentinel_stage {
	SENTINEL_NONE,
	SENTINEL_BEGIN, /* the last line may be the %begin of a sentinel */
	SENTINEL_NONCE, /* the last line is an expected nonce */
};

struct parser_output {
	uint32_t pane;
	uint64_t age_ms;
};

struct muxbus_parser {
	struct muxbus_parser_handlers handlers;
	void *data;
	enum parser_state state;
	bool has_failed;
	struct muxbus_parser_stats stats;

	struct buf line; /* an incomplete line that is not known to be output */
	bool is_line_cut;
	struct buf event; /* copy of a line, into which an event points */

	struct parser_output output;
	uint8_t carry[ESCAPE_LEN]; /* start of an escape whose rest has not arrived */
	size_t carry_len;

	struct segment segment;
	bool must_rescan; /* nonces were cancelled, so the segment may already be complete */

	struct nonce *nonces;
	size_t nonce_count;
	size_t nonce_room;
	size_t nonces_passed; /* how many nonces of the announced list are no longer expected */
	enum sentinel_stage stage;
	struct guard sentinel; /* the %begin of the sentinel */
	size_t sentinel_index;

	uint8_t piece[PIECE_BYTES + ESCAPE_LEN + UNESCAPE_SLACK];
};

int muxbus_parser_new(
    const struct muxbus_parser_handlers *handlers, void *data, struct muxbus_parser **ret_parser)
{
	struct muxbus_parser *parser = mem_calloc(1, sizeof *parser);
	if (parser == NULL)
		return MUXBUS_ERR_NOMEM;
	parser->nonces = mem_calloc(1, sizeof *parser->nonces);
	if (parser->nonces == NULL) {
		mem_free(parser);
		return MUXBUS_ERR_NOMEM;
	}
	parser->nonce_room = 1; /* muxbus_parser_expect() then needs no memory */
	parser->handlers = *handlers;
	parser->data = data;
	buf_init(&parser->line, (size_t)MUXBUS_LINE_MAX + 1); /* a line and its newline */
	buf_init(&parser->event, 2 * ((size_t)MUXBUS_LINE_MAX + 1));
	segment_init(&parser->segment);
	*ret_parser = parser;
	return 0;
}

void muxbus_parser_free(struct muxbus_parser *parser)
{
	if (parser == NULL)
		return;
	segment_finish(&parser->segment);
	buf_finish(&parser->event);
	buf_finish(&parser->line);
	mem_free(parser->nonces);
	mem_free(parser);
}

void muxbus_parser_stats(const struct muxbus_parser *parser, struct muxbus_parser_stats *ret_stats)
{
	*ret_stats = parser->stats;
}

int parser_expect_list(struct muxbus_parser *parser, const struct nonce *nonces, size_t count)
{
	if (count > parser->nonce_room) {
		struct nonce *grown = mem_calloc(count, sizeof *grown);
		if (grown == NULL)
			return MUXBUS_ERR_NOMEM;
		mem_free(parser->nonces);
		parser->nonces = grown;
		parser->nonce_room = count;
	}
	if (count > 0)
		memcpy(parser->nonces, nonces, count * sizeof *nonces);
	parser->nonce_count = count;
	parser->nonces_passed = 0;
	parser->stage = SENTINEL_NONE;
	parser->must_rescan = count == 0 && parser->state == STATE_BLOCK;
	return 0;
}

void muxbus_parser_expect(struct muxbus_parser *parser, const char *nonce)
{
	struct nonce one;
	if (nonce == NULL) {
		(void)parser_expect_list(parser, NULL, 0); /* cannot fail: needs no memory */
		return;
	}
	memcpy(one.text, nonce, MUXBUS_NONCE_LEN);
	one.text[MUXBUS_NONCE_LEN] = '\0';
	(void)parser_expect_list(parser, &one, 1); /* cannot fail: one nonce always has room */
}

size_t parser_sentinel_index(const struct muxbus_parser *parser)
{
	return parser->sentinel_index;
}

/* Returns the index of a nonce that is a line, alone or behind the prefix; else nonce_count. */
static size_t find_nonce(const struct muxbus_parser *parser, const char *line, size_t len)
{
	static const size_t prefix_len = sizeof PARSER_SENTINEL_PREFIX - 1;
	size_t i = 0;
	if (len == prefix_len + MUXBUS_NONCE_LEN &&
	    memcmp(line, PARSER_SENTINEL_PREFIX, prefix_len) == 0) {
		line += prefix_len;
		len -= prefix_len;
	}
	if (len != MUXBUS_NONCE_LEN)
		return parser->nonce_count;
	while (i < parser->nonce_count && memcmp(parser->nonces[i].text, line, len) != 0)
		i++;
	return i;
}

enum prefix_kind {
	PREFIX_NONE, /* not a line of output */
	PREFIX_PARTIAL, /* too short to decide */
	PREFIX_OUTPUT,
};

static enum prefix_kind compare_prefix(
    const char *text, size_t len, const char *word, size_t word_len)
{
	if (memcmp(text, word, len < word_len ? len : word_len) != 0)
		return PREFIX_NONE;
	return len < word_len ? PREFIX_PARTIAL : PREFIX_OUTPUT;
}

static enum prefix_kind read_pane(const char **text, const char *end, uint32_t *ret_pane)
{
	const char *place = *text;
	uint64_t pane = 0;
	while (place < end && *place >= '0' && *place <= '9' && pane < MUXBUS_NO_ID)
		pane = 10 * pane + (uint64_t)(*place++ - '0');
	if (place == end)
		return PREFIX_PARTIAL;
	if (*place != ' ' || place == *text || pane >= MUXBUS_NO_ID)
		return PREFIX_NONE;
	*text = place + 1;
	*ret_pane = (uint32_t)pane;
	return PREFIX_OUTPUT;
}

/* Reads "AGE ... : " and skips unknown arguments before the colon. */
static enum prefix_kind read_age(const char **text, const char *end, uint64_t *ret_age_ms)
{
	const char *newline = memchr(*text, '\n', (size_t)(end - *text));
	const char *colon;
	const char *age_end;
	if (newline != NULL) /* ignore the colon of another line */
		end = newline;
	colon = memmem(*text, (size_t)(end - *text), " : ", 3);
	age_end = memchr(*text, ' ', (size_t)(end - *text));
	if (colon == NULL)
		return PREFIX_PARTIAL;
	if (!str_parse_u64(*text, (size_t)(age_end - *text), ret_age_ms))
		return PREFIX_NONE;
	*text = colon + 3;
	return PREFIX_OUTPUT;
}

static enum prefix_kind read_prefix(
    const char *text, size_t len, struct parser_output *ret_output, size_t *ret_len)
{
	static const char plain[] = "%output %";
	static const char extended[] = "%extended-output %";
	const char *end = text + (len < PREFIX_MAX ? len : PREFIX_MAX);
	const char *place = text;
	size_t word_len = sizeof plain - 1;
	bool is_extended = false;
	struct parser_output output = {0, 0};
	enum prefix_kind kind = compare_prefix(text, len, plain, word_len);
	if (kind == PREFIX_NONE) {
		word_len = sizeof extended - 1;
		kind = compare_prefix(text, len, extended, word_len);
		is_extended = true;
	}
	if (kind == PREFIX_OUTPUT) {
		place = text + word_len;
		kind = read_pane(&place, end, &output.pane);
	}
	if (kind == PREFIX_OUTPUT && is_extended)
		kind = read_age(&place, end, &output.age_ms);
	if (kind == PREFIX_OUTPUT) {
		*ret_output = output;
		*ret_len = (size_t)(place - text);
	}
	return kind == PREFIX_PARTIAL && len >= PREFIX_MAX ? PREFIX_NONE : kind;
}

static void give_output(struct muxbus_parser *parser, size_t len)
{
	if (len == 0)
		return;
	parser->stats.output_bytes += len;
	parser->handlers.output(
	    parser->data, parser->output.pane, parser->piece, len, parser->output.age_ms);
}

/* Writes a split escape to the start of the piece. Returns its length; 0: still incomplete. */
static size_t complete_carry(struct muxbus_parser *parser, const uint8_t **bytes, size_t *len)
{
	while (*len > 0 && parser->carry_len < ESCAPE_LEN) {
		size_t filled = parser->carry_len;
		/* The first digit is at most 3, since an escape is one byte. */
		if (**bytes < '0' || **bytes > (filled == 1 ? '3' : '7')) {
			memcpy(parser->piece, parser->carry, filled);
			parser->carry_len = 0;
			return filled;
		}
		parser->carry[parser->carry_len++] = *(*bytes)++;
		--*len;
	}
	if (parser->carry_len < ESCAPE_LEN)
		return 0;
	parser->carry_len = 0;
	return unescape_naive(parser->piece, parser->carry, ESCAPE_LEN);
}

static void add_output(struct muxbus_parser *parser, const uint8_t *bytes, size_t len)
{
	if (parser->handlers.output == NULL)
		return;
	while (len > 0) {
		size_t filled = 0;
		size_t take;
		size_t tail;
		if (parser->carry_len > 0) {
			filled = complete_carry(parser, &bytes, &len);
			if (parser->carry_len > 0)
				return;
		}
		take = len < PIECE_BYTES ? len : PIECE_BYTES;
		tail = unescape_tail(bytes, take);
		filled += unescape(parser->piece + filled, bytes, take - tail);
		memcpy(parser->carry, bytes + take - tail, tail);
		parser->carry_len = tail;
		bytes += take;
		len -= take;
		give_output(parser, filled);
	}
}

/* Ends an output line. An incomplete escape is delivered as it is. */
static void end_output(struct muxbus_parser *parser)
{
	size_t len = parser->carry_len;
	memcpy(parser->piece, parser->carry, len);
	parser->carry_len = 0;
	if (len > 0)
		give_output(parser, len);
}

static int give_event(struct muxbus_parser *parser, const char *line, size_t len)
{
	struct muxbus_event event;
	char *copy;
	if (buf_reserve(&parser->event, 2 * (len + 1)) != 0)
		return MUXBUS_ERR_NOMEM;
	copy = (char *)parser->event.data;
	memcpy(copy, line, len);
	copy[len] = '\0';
	event_parse(copy, len, copy + len + 1, &event);
	if (event.kind == MUXBUS_EVENT_UNKNOWN)
		parser->stats.unknown_events++;
	if (parser->handlers.event != NULL)
		parser->handlers.event(parser->data, &event);
	buf_shrink(&parser->event, KEEP_BYTES);
	return 0;
}

static int take_outside_line(struct muxbus_parser *parser, const char *line, size_t len)
{
	size_t prefix_len;
	if (read_prefix(line, len, &parser->output, &prefix_len) == PREFIX_OUTPUT) {
		add_output(parser, (const uint8_t *)line + prefix_len, len - prefix_len);
		end_output(parser);
		return 0;
	}
	if (len > 0 && *line == '%')
		return give_event(parser, line, len);
	parser->stats.stray_lines++;
	if (parser->handlers.stray != NULL)
		parser->handlers.stray(parser->data, line, len);
	return 0;
}

static void give_block(struct muxbus_parser *parser, const struct muxbus_block *block)
{
	if (parser->handlers.block != NULL)
		parser->handlers.block(parser->data, block);
}

static int keep_lines(struct muxbus_parser *parser, const char *text, size_t len)
{
	bool was_cut = parser->segment.is_cut;
	int error = segment_add(&parser->segment, text, len);
	if (parser->segment.is_cut && !was_cut)
		parser->stats.cut_lines++;
	return error;
}

static int end_segment(struct muxbus_parser *parser)
{
	size_t passed = parser->sentinel_index - parser->nonces_passed + 1;
	struct segment_part part;
	int error;
	parser->state = STATE_OUTSIDE;
	parser->stage = SENTINEL_NONE;
	parser->nonce_count -= passed;
	parser->nonces_passed += passed;
	memmove(
	    parser->nonces, parser->nonces + passed, parser->nonce_count * sizeof *parser->nonces);
	error = segment_divide(&parser->segment, &parser->sentinel);
	while (error == 0 && segment_next(&parser->segment, &part))
		if (part.is_block)
			give_block(parser, &part.block);
		else
			error = take_outside_line(parser, part.line, part.line_len);
	if (error == 0 && parser->handlers.sentinel != NULL)
		parser->handlers.sentinel(parser->data);
	return error;
}

/* Follows the three lines of a sentinel. Returns true if this line is the last of them. */
static bool pass_sentinel(
    struct muxbus_parser *parser, const char *line, size_t len, const struct guard *guard)
{
	enum sentinel_stage stage = parser->stage;
	size_t index;
	parser->stage = SENTINEL_NONE;
	if (guard == NULL) {
		index =
		    stage == SENTINEL_BEGIN ? find_nonce(parser, line, len) : parser->nonce_count;
		if (index < parser->nonce_count) {
			parser->stage = SENTINEL_NONCE;
			parser->sentinel_index = parser->nonces_passed + index;
		}
		return false;
	}
	if (guard->kind == BLOCK_BEGIN && guard->is_ours) {
		parser->stage = SENTINEL_BEGIN;
		parser->sentinel = *guard;
		segment_mark(&parser->segment);
	}
	return stage == SENTINEL_NONCE && block_line_closes(guard, &parser->sentinel);
}

static int take_block_line(struct muxbus_parser *parser, const char *line, size_t len)
{
	struct guard found;
	const struct guard *guard = block_line_read(line, len - 1, &found) ? &found : NULL;
	if (parser->nonce_count > 0) {
		if (pass_sentinel(parser, line, len - 1, guard))
			return end_segment(parser);
	} else if (guard != NULL && block_line_closes(guard, &parser->segment.first)) {
		struct muxbus_block block;
		segment_block(&parser->segment, guard, &block);
		parser->state = STATE_OUTSIDE;
		give_block(parser, &block);
		return 0;
	}
	return keep_lines(parser, line, len);
}

static int take_line(struct muxbus_parser *parser, const char *line, size_t len)
{
	struct guard guard;
	parser->stats.lines++;
	if (parser->state == STATE_BLOCK)
		return take_block_line(parser, line, len);
	if (block_line_read(line, len - 1, &guard) && guard.kind == BLOCK_BEGIN) {
		parser->state = STATE_BLOCK;
		parser->stage = SENTINEL_NONE;
		segment_start(&parser->segment, &guard);
		return take_block_line(parser, line, len);
	}
	return take_outside_line(parser, line, len - 1);
}

static size_t feed_output(struct muxbus_parser *parser, const char *bytes, size_t len)
{
	const char *newline = memchr(bytes, '\n', len);
	size_t data_len = newline == NULL ? len : (size_t)(newline - bytes);
	add_output(parser, (const uint8_t *)bytes, data_len);
	if (newline == NULL)
		return len;
	end_output(parser);
	parser->stats.lines++;
	parser->state = STATE_OUTSIDE;
	return data_len + 1;
}

/* Stores the complete lines that can be neither guard nor nonce. *ret_used is their length. */
static int feed_body(struct muxbus_parser *parser, const char *bytes, size_t len, size_t *ret_used)
{
	size_t used = 0;
	while (used < len && bytes[used] != '%') {
		const char *newline = memchr(bytes + used, '\n', len - used);
		if (newline == NULL)
			break;
		used = (size_t)(newline + 1 - bytes);
		parser->stats.lines++;
	}
	*ret_used = used;
	if (used == 0)
		return 0;
	parser->stage = SENTINEL_NONE;
	return keep_lines(parser, bytes, used);
}

static int add_partial(struct muxbus_parser *parser, const char *bytes, size_t len)
{
	size_t room = MUXBUS_LINE_MAX - parser->line.len;
	if (len > room) {
		if (!parser->is_line_cut)
			parser->stats.cut_lines++;
		parser->is_line_cut = true;
		len = room;
	}
	return buf_append(&parser->line, bytes, len) == 0 ? 0 : MUXBUS_ERR_NOMEM;
}

static int end_partial(struct muxbus_parser *parser)
{
	int error;
	if (buf_append_byte(&parser->line, '\n') != 0)
		return MUXBUS_ERR_NOMEM;
	error = take_line(parser, (const char *)parser->line.data, parser->line.len);
	buf_clear(&parser->line);
	buf_shrink(&parser->line, KEEP_BYTES);
	parser->is_line_cut = false;
	return error;
}

static int feed_partial(
    struct muxbus_parser *parser, const char *bytes, size_t len, size_t *ret_used)
{
	bool may_be_output = parser->state == STATE_OUTSIDE && parser->line.len < PREFIX_MAX;
	const char *newline;
	size_t prefix_len;
	int error;
	if (may_be_output && len > PREFIX_MAX - parser->line.len)
		len = PREFIX_MAX - parser->line.len;
	newline = memchr(bytes, '\n', len);
	if (newline != NULL)
		len = (size_t)(newline - bytes);
	error = add_partial(parser, bytes, len);
	if (error != 0)
		return error;
	*ret_used = len;
	if (newline != NULL) {
		*ret_used = len + 1;
		return end_partial(parser);
	}
	if (may_be_output &&
	    read_prefix((const char *)parser->line.data, parser->line.len, &parser->output,
		&prefix_len) == PREFIX_OUTPUT) {
		parser->state = STATE_OUTPUT;
		add_output(parser, parser->line.data + prefix_len, parser->line.len - prefix_len);
		buf_clear(&parser->line);
	}
	return 0;
}

static int feed_outside(
    struct muxbus_parser *parser, const char *bytes, size_t len, size_t *ret_used)
{
	const char *newline;
	if (read_prefix(bytes, len, &parser->output, ret_used) == PREFIX_OUTPUT) {
		parser->state = STATE_OUTPUT;
		return 0;
	}
	newline = memchr(bytes, '\n', len);
	if (newline == NULL || newline - bytes > MUXBUS_LINE_MAX) {
		*ret_used = newline == NULL ? len : (size_t)(newline - bytes);
		return add_partial(parser, bytes, *ret_used);
	}
	*ret_used = (size_t)(newline + 1 - bytes);
	return take_line(parser, bytes, *ret_used);
}

static int feed_block(struct muxbus_parser *parser, const char *bytes, size_t len, size_t *ret_used)
{
	const char *newline;
	if (*bytes != '%' && parser->stage != SENTINEL_BEGIN) {
		int error = feed_body(parser, bytes, len, ret_used);
		if (error != 0 || *ret_used > 0)
			return error;
	}
	newline = memchr(bytes, '\n', len);
	if (newline == NULL) {
		*ret_used = len;
		return add_partial(parser, bytes, len);
	}
	*ret_used = (size_t)(newline + 1 - bytes);
	return take_line(parser, bytes, *ret_used);
}

static int feed_bytes(struct muxbus_parser *parser, const char *bytes, size_t len)
{
	int error = 0;
	while (error == 0 && len > 0) {
		size_t used = 0;
		if (parser->state == STATE_OUTPUT)
			used = feed_output(parser, bytes, len);
		else if (parser->line.len > 0)
			error = feed_partial(parser, bytes, len, &used);
		else if (parser->state == STATE_OUTSIDE)
			error = feed_outside(parser, bytes, len, &used);
		else
			error = feed_block(parser, bytes, len, &used);
		bytes += used;
		len -= used;
	}
	return error;
}

/* Reads the stored lines of a block again, after its nonces were cancelled. */
static int rescan(struct muxbus_parser *parser)
{
	struct buf text = parser->segment.text;
	struct buf line = parser->line;
	uint64_t lines = parser->stats.lines;
	int error;
	parser->must_rescan = false;
	buf_init(&parser->segment.text, text.max);
	buf_init(&parser->line, line.max);
	parser->is_line_cut = false;
	parser->state = STATE_OUTSIDE;
	error = feed_bytes(parser, (const char *)text.data, text.len);
	parser->stats.lines = lines;
	if (error == 0)
		error = feed_bytes(parser, (const char *)line.data, line.len);
	buf_finish(&text);
	buf_finish(&line);
	return error;
}

int muxbus_parser_feed(struct muxbus_parser *parser, const void *bytes, size_t len)
{
	int error = 0;
	if (parser->has_failed)
		return MUXBUS_ERR_NOMEM;
	parser->stats.bytes += len;
	if (parser->must_rescan && parser->nonce_count == 0 && parser->state == STATE_BLOCK)
		error = rescan(parser);
	if (error == 0)
		error = feed_bytes(parser, bytes, len);
	parser->has_failed = error != 0;
	return error;
}
