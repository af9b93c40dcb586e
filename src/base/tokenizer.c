/* SPDX-License-Identifier: ISC */
#include "base/tokenizer.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/str.h"

enum token_state {
	STATE_GROUND,
	STATE_ESCAPE,
	STATE_INTERMEDIATE, /* after ESC and bytes 0x20 to 0x2f */
	STATE_CSI,
	STATE_OSC,
	STATE_OSC_ESCAPE,
	STATE_STRING, /* in DCS, APC, PM, SOS or ESC k */
	STATE_STRING_ESCAPE,
};

#define STRING_KEEP_BYTES 128

#define BEL 0x07
#define CAN 0x18
#define SUB 0x1a
#define ESC 0x1b
#define DEL 0x7f

struct token_walk {
	struct tokenizer *tokenizer;
	token_fn *token;
	void *data;
	uint64_t offset; /* of bytes[0], in the stream */
	const uint8_t *bytes;
	size_t len, place;
};

void tokenizer_init(struct tokenizer *tokenizer, bool wants_text)
{
	*tokenizer = (struct tokenizer){.wants_text = wants_text, .state = STATE_GROUND};
	buf_init(&tokenizer->string, TOKENIZER_OSC_MAX);
}

void tokenizer_finish(struct tokenizer *tokenizer)
{
	buf_finish(&tokenizer->string);
}

void tokenizer_reset(struct tokenizer *tokenizer)
{
	tokenizer->state = STATE_GROUND;
	buf_clear(&tokenizer->string);
	buf_shrink(&tokenizer->string, STRING_KEEP_BYTES);
}

bool tokenizer_is_open(const struct tokenizer *tokenizer, uint64_t *ret_start)
{
	if (tokenizer->state == STATE_GROUND)
		return false;
	*ret_start = tokenizer->start;
	return true;
}

static bool is_break(uint8_t byte)
{
	return byte == BEL || byte == ESC || byte == CAN || byte == SUB;
}

static size_t span_to_break(const uint8_t *bytes, size_t len)
{
	size_t i = 0;
#ifdef __SSE2__
	const __m128i bel = _mm_set1_epi8(BEL), esc = _mm_set1_epi8(ESC);
	/* CAN and SUB differ in one bit, so clear it to compare with both at once. */
	const __m128i can = _mm_set1_epi8(CAN), bit = _mm_set1_epi8((char)~(CAN ^ SUB));
	for (; i + 16 <= len; i += 16) {
		__m128i piece = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
		__m128i hits = _mm_or_si128(_mm_cmpeq_epi8(piece, bel), _mm_cmpeq_epi8(piece, esc));
		int mask;
		hits = _mm_or_si128(hits, _mm_cmpeq_epi8(_mm_and_si128(piece, bit), can));
		mask = _mm_movemask_epi8(hits);
		if (mask != 0)
			return i + (size_t)__builtin_ctz((unsigned)mask);
	}
#endif
	while (i < len && !is_break(bytes[i]))
		i++;
	return i;
}

static size_t span_of_text(const uint8_t *bytes, size_t len)
{
	size_t i = 0;
#ifdef __SSE2__
	const __m128i last = _mm_set1_epi8(0x1f), del = _mm_set1_epi8(DEL);
	for (; i + 16 <= len; i += 16) {
		__m128i piece = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
		__m128i hits = _mm_cmpeq_epi8(_mm_min_epu8(piece, last), piece);
		int mask;
		hits = _mm_or_si128(hits, _mm_cmpeq_epi8(piece, del));
		mask = _mm_movemask_epi8(hits);
		if (mask != 0)
			return i + (size_t)__builtin_ctz((unsigned)mask);
	}
#endif
	while (i < len && bytes[i] >= 0x20 && bytes[i] != DEL)
		i++;
	return i;
}

/* Emits a token that ends behind the next len bytes, and skips these bytes. */
static void emit(struct token_walk *walk, struct token token, size_t len)
{
	token.to = walk->offset + walk->place + len;
	walk->token(walk->data, &token);
	walk->place += len;
}

static void emit_bytes(struct token_walk *walk, enum token_kind kind, size_t len)
{
	emit(walk,
	    (struct token){
		.kind = kind,
		.bytes = walk->bytes + walk->place,
		.len = len,
		.from = walk->offset + walk->place,
	    },
	    len);
}

static void end_sequence(struct token_walk *walk)
{
	struct tokenizer *tokenizer = walk->tokenizer;
	tokenizer_reset(tokenizer);
	emit(walk, (struct token){.kind = TOKEN_SEQUENCE, .from = tokenizer->start}, 1);
}

/* Reads the string of an OSC 133 into *token. Returns false if it is not a mark. */
static bool read_mark(const char *string, struct token *token)
{
	uint32_t status;
	token->kind = TOKEN_MARK;
	token->mark = string[0];
	token->text = string + 1;
	token->status = -1;
	if (string[0] == '\0' || (token->text[0] != '\0' && token->text[0] != ';'))
		return false;
	if (token->text[0] == ';' &&
	    str_parse_u32(token->text + 1, strcspn(token->text + 1, ";"), &status) && status < 4096)
		token->status = (int)status;
	return true;
}

static void end_osc(struct token_walk *walk)
{
	static const char prefix[] = "133;";
	struct tokenizer *tokenizer = walk->tokenizer;
	const struct buf *kept = &tokenizer->string;
	const char *string = buf_text(kept);
	struct token token = {.from = tokenizer->start};
	if (strncmp(string, prefix, sizeof prefix - 1) != 0 ||
	    !read_mark(string + sizeof prefix - 1, &token))
		token = (struct token){
		    .kind = TOKEN_OSC, .text = string, .len = kept->len, .from = token.from};
	tokenizer->state = STATE_GROUND;
	emit(walk, token, 1);
	tokenizer_reset(tokenizer);
}

static void begin_sequence(struct token_walk *walk)
{
	walk->tokenizer->start = walk->offset + walk->place;
	walk->tokenizer->state = STATE_ESCAPE;
	walk->place++;
}

static void step_ground(struct token_walk *walk)
{
	const uint8_t *bytes = walk->bytes + walk->place;
	size_t left = walk->len - walk->place;
	bool wants_text = walk->tokenizer->wants_text;
	size_t span = wants_text ? span_of_text(bytes, left) : span_to_break(bytes, left);
	if (span > 0) {
		if (wants_text)
			emit_bytes(walk, TOKEN_TEXT, span);
		else
			walk->place += span;
		return;
	}
	if (bytes[0] == ESC)
		begin_sequence(walk);
	else if (bytes[0] == BEL)
		emit_bytes(walk, TOKEN_BELL, 1);
	else if (wants_text)
		emit_bytes(walk, TOKEN_CONTROL, 1);
	else
		walk->place++;
}

/* Executes a control character inside an ESC or CSI sequence. Returns true if the byte was one. */
static bool step_control(struct token_walk *walk)
{
	uint8_t byte = walk->bytes[walk->place];
	if (byte == ESC)
		begin_sequence(walk);
	else if (byte == CAN || byte == SUB)
		end_sequence(walk);
	else if (byte == BEL)
		emit_bytes(walk, TOKEN_BELL, 1);
	else if (byte < 0x20 || byte == DEL)
		if (walk->tokenizer->wants_text)
			emit_bytes(walk, TOKEN_CONTROL, 1);
		else
			walk->place++;
	else
		return false;
	return true;
}

static void step_escape(struct token_walk *walk)
{
	struct tokenizer *tokenizer;
	uint8_t byte;
	if (step_control(walk))
		return;
	tokenizer = walk->tokenizer;
	byte = walk->bytes[walk->place];
	buf_clear(&tokenizer->string);
	switch (byte) {
	case '[':
		tokenizer->state = STATE_CSI;
		break;
	case ']':
		tokenizer->state = STATE_OSC;
		break;
	case 'P':
	case 'X':
	case '^':
	case '_':
	case 'k':
		tokenizer->state = STATE_STRING;
		break;
	default:
		if (byte > 0x2f) {
			end_sequence(walk);
			return;
		}
		tokenizer->state = STATE_INTERMEDIATE;
		break;
	}
	walk->place++;
}

static void step_intermediate(struct token_walk *walk)
{
	if (step_control(walk))
		return;
	if (walk->bytes[walk->place] > 0x2f)
		end_sequence(walk);
	else
		walk->place++;
}

static void step_csi(struct token_walk *walk)
{
	if (step_control(walk))
		return;
	if (walk->bytes[walk->place] >= 0x40)
		end_sequence(walk);
	else
		walk->place++;
}

static void keep_string(struct tokenizer *tokenizer, const uint8_t *bytes, size_t len)
{
	size_t room = TOKENIZER_OSC_MAX - tokenizer->string.len;
	(void)buf_append(&tokenizer->string, bytes, len < room ? len : room);
}

static void step_string(struct token_walk *walk)
{
	struct tokenizer *tokenizer = walk->tokenizer;
	const uint8_t *bytes = walk->bytes + walk->place;
	size_t span = span_to_break(bytes, walk->len - walk->place);
	bool is_osc;
	if (span > 0) {
		if (tokenizer->state == STATE_OSC)
			keep_string(tokenizer, bytes, span);
		walk->place += span;
		return;
	}
	is_osc = tokenizer->state == STATE_OSC;
	if (bytes[0] == ESC) {
		tokenizer->state = is_osc ? STATE_OSC_ESCAPE : STATE_STRING_ESCAPE;
		walk->place++;
	} else if (bytes[0] == BEL && is_osc) {
		end_osc(walk);
	} else if (bytes[0] == BEL) {
		walk->place++;
	} else {
		end_sequence(walk);
	}
}

/* Handles the byte after an ESC in a string: the string ends, or another sequence begins. */
static void step_string_escape(struct token_walk *walk)
{
	struct tokenizer *tokenizer = walk->tokenizer;
	bool is_osc = tokenizer->state == STATE_OSC_ESCAPE;
	if (walk->bytes[walk->place] == '\\') {
		if (is_osc)
			end_osc(walk);
		else
			end_sequence(walk);
		return;
	}
	/* The ESC may be in an earlier piece. Its offset is one less than that of this byte. */
	tokenizer->start = walk->offset + walk->place - 1;
	tokenizer->state = STATE_ESCAPE;
}

void tokenizer_feed(struct tokenizer *tokenizer, uint64_t offset, const void *bytes, size_t len,
    token_fn *token, void *data)
{
	struct token_walk walk = {.tokenizer = tokenizer,
	    .token = token,
	    .data = data,
	    .offset = offset,
	    .bytes = bytes,
	    .len = len};
	static void (*const steps[])(struct token_walk *) = {
	    [STATE_GROUND] = step_ground,
	    [STATE_ESCAPE] = step_escape,
	    [STATE_INTERMEDIATE] = step_intermediate,
	    [STATE_CSI] = step_csi,
	    [STATE_OSC] = step_string,
	    [STATE_OSC_ESCAPE] = step_string_escape,
	    [STATE_STRING] = step_string,
	    [STATE_STRING_ESCAPE] = step_string_escape,
	};
	while (walk.place < len)
		steps[tokenizer->state](&walk);
}
