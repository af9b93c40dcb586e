/* SPDX-License-Identifier: ISC */
/*
 * Tokenizer: splits terminal output into text, control characters and escape sequences. Input
 * may be split anywhere. As in tmux's own parser, bytes from 0x80 on are text (UTF-8), not 8-bit
 * controls, since 0x9c is also the end of many characters.
 *
 * Sequences: ESC x, CSI, and the strings OSC, DCS, APC, PM, SOS and ESC k, which end at
 * ESC \ (OSC also at BEL). CAN and SUB end any of them, as does an ESC that
 * begins another sequence. Shell integration marks (OSC 133) are understood; other OSC
 * come with their string, for osc_report.h, and the rest without.
 */
#pragma once

#include "base/buf.h"

enum token_kind {
	TOKEN_TEXT, /* a run of characters; may be cut anywhere, also within one */
	TOKEN_CONTROL, /* one C0 character or DEL, not BEL */
	TOKEN_BELL,
	TOKEN_MARK, /* OSC 133 */
	TOKEN_OSC, /* another OSC */
	TOKEN_SEQUENCE, /* any other, without its bytes */
};

struct token {
	enum token_kind kind;
	const uint8_t *bytes; /* TEXT, CONTROL; lent */
	size_t len; /* of bytes; OSC: of text */
	uint64_t from; /* offset in the stream of its first byte */
	uint64_t to; /* and behind its last */
	char mark; /* MARK: 'A' prompt, 'B' its end, 'C' a command runs, 'D' it is done */
	int status; /* MARK 'D': the exit status, -1 if absent */
	const char
	    *text; /* MARK: behind the letter, such as ";0"; OSC: all; NUL-terminated; lent */
};

typedef void token_fn(void *data, const struct token *token);

#define TOKENIZER_OSC_MAX 4096 /* bytes of an OSC that are kept; the rest is cut off */

struct tokenizer {
	bool wants_text; /* else TEXT and CONTROL are skipped, which is fast */
	uint8_t state;
	uint64_t start; /* of the current sequence */
	struct buf string; /* of the OSC under way */
};

void tokenizer_init(struct tokenizer *tokenizer, bool wants_text);
void tokenizer_finish(struct tokenizer *tokenizer);
/* A sequence under way is over: text follows. */
void tokenizer_reset(struct tokenizer *tokenizer);

/* Reads len bytes, the first at this offset; calls token for each complete token. */
void tokenizer_feed(struct tokenizer *tokenizer, uint64_t offset, const void *bytes, size_t len,
    token_fn *token, void *data);

/* Whether a sequence is incomplete; it begins at *ret_start. */
bool tokenizer_is_open(const struct tokenizer *tokenizer, uint64_t *ret_start);
