/* SPDX-License-Identifier: ISC */
/*
 * Splits terminal output, in pieces of any length, into text, control characters and sequences: ESC
 * x, CSI, and the strings OSC, DCS, APC, PM, SOS and ESC k. A string ends with ESC \, an OSC also
 * with BEL. CAN, SUB and the ESC of another sequence end any sequence. As in tmux, bytes from 0x80
 * on are text (UTF-8), not 8-bit controls.
 */
#pragma once

#include "base/buf.h"

enum token_kind {
	TOKEN_TEXT, /* a run of characters; may end within a character */
	TOKEN_CONTROL, /* one C0 character or DEL, but not BEL or ESC */
	TOKEN_BELL,
	TOKEN_MARK, /* OSC 133: shell integration */
	TOKEN_OSC, /* any other OSC */
	TOKEN_SEQUENCE, /* any other or cancelled sequence, without its bytes */
};

struct token {
	enum token_kind kind;
	const uint8_t *bytes; /* of TEXT, CONTROL and BELL; valid until token() returns */
	size_t len; /* of bytes; for OSC: of text */
	uint64_t from; /* offset of the first byte in the stream */
	uint64_t to; /* offset behind the last byte */
	char mark; /* MARK: such as A prompt begins, B prompt ends, C command begins, D it ended */
	int status; /* MARK: its number, for 'D' the exit status; -1: none, or too large */
	const char *text; /* MARK: the rest, as ";0"; OSC: string; valid until token() returns */
};

typedef void token_fn(void *data, const struct token *token);

#define TOKENIZER_OSC_MAX 4096 /* bytes of an OSC that are kept; further bytes are dropped */

struct tokenizer {
	bool wants_text; /* false: skips TEXT and CONTROL, which is faster */
	uint8_t state;
	uint64_t start; /* offset of the current sequence */
	struct buf string; /* content of the current OSC */
};

void tokenizer_init(struct tokenizer *tokenizer, bool wants_text);
void tokenizer_finish(struct tokenizer *tokenizer);
/* Drops the current sequence: text follows. */
void tokenizer_reset(struct tokenizer *tokenizer);

/* Reads len bytes, the first at this offset. Calls token() for each complete token. */
void tokenizer_feed(struct tokenizer *tokenizer, uint64_t offset, const void *bytes, size_t len,
    token_fn *token, void *data);

/* Returns true if a sequence is incomplete, with its offset in *ret_start. */
bool tokenizer_is_open(const struct tokenizer *tokenizer, uint64_t *ret_start);
