/* SPDX-License-Identifier: ISC */
#include "base/stripper.h"

#include "base/tokenizer.h"
#include "base/utf8.h"

void stripper_init(struct stripper *stripper, struct buf *out)
{
	*stripper = (struct stripper){.out = out, .line = out->len, .kept = out->len};
}

static void truncate_to(struct stripper *stripper, size_t len)
{
	stripper->out->len = len;
	if (stripper->kept > len)
		stripper->kept = len;
}

void stripper_cut(struct stripper *stripper, size_t len)
{
	truncate_to(stripper, len);
	stripper->has_returned = false;
	if (stripper->line > len)
		stripper->line = len;
}

static void put_text(struct stripper *stripper, const uint8_t *bytes, size_t len)
{
	if (stripper->has_returned) {
		truncate_to(stripper, stripper->line);
		stripper->has_returned = false;
	}
	buf_append(stripper->out, bytes, len);
}

static void put_backspace(struct stripper *stripper)
{
	const struct buf *out = stripper->out;
	size_t len = out->len;
	while (len > stripper->line && (out->data[--len] & 0xc0) == 0x80)
		;
	truncate_to(stripper, len);
}

static void put_control(struct stripper *stripper, uint8_t byte)
{
	switch (byte) {
	case '\n':
		stripper->has_returned = false;
		buf_append_byte(stripper->out, '\n');
		stripper->line = stripper->out->len;
		break;
	case '\r':
		stripper->has_returned = true;
		break;
	case '\t':
		put_text(stripper, &byte, 1);
		break;
	case '\b':
		put_backspace(stripper);
		break;
	default:
		break;
	}
}

void stripper_take(struct stripper *stripper, const struct token *token)
{
	if (token->kind == TOKEN_TEXT)
		put_text(stripper, token->bytes, token->len);
	else if (token->kind == TOKEN_CONTROL)
		put_control(stripper, token->bytes[0]);
}

void stripper_consume(struct stripper *stripper, size_t len)
{
	buf_consume(stripper->out, len);
	stripper->line = stripper->line > len ? stripper->line - len : 0;
	stripper->kept = stripper->kept > len ? stripper->kept - len : 0;
}

static void on_token(void *data, const struct token *token)
{
	stripper_take(data, token);
}

static size_t complete_len(const uint8_t *bytes, size_t len)
{
	if (len > 0 && bytes[len - 1] == '\r')
		return len - 1;
	return len - utf8_incomplete_tail(bytes, len);
}

size_t stripper_lines(struct buf *out, const void *bytes, size_t len)
{
	struct stripper stripper;
	struct tokenizer tokenizer;
	uint64_t start;
	stripper_init(&stripper, out);
	tokenizer_init(&tokenizer, true);
	len = complete_len(bytes, len);
	tokenizer_feed(&tokenizer, 0, bytes, len, on_token, &stripper);
	if (tokenizer_is_open(&tokenizer, &start) && len - start <= STRIPPER_OPEN_MAX)
		len = (size_t)start;
	tokenizer_finish(&tokenizer);
	/* truncate_to() writes no NUL. */
	if (out->data)
		out->data[out->len] = '\0';
	return len;
}
