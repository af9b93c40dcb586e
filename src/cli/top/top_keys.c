/* SPDX-License-Identifier: ISC */
/* Converts bytes from a terminal to keys. */
#include "cli/top/top_keys.h"

#include <string.h>

#include "base/utf8.h"

#define ESC 0x1b

void top_keys_feed(struct top_keys *keys, const void *bytes, size_t len)
{
	size_t room = sizeof keys->bytes - keys->len;
	len = len < room ? len : room;
	memcpy(keys->bytes + keys->len, bytes, len);
	keys->len += len;
}

struct sequence {
	const char *bytes; /* after ESC */
	enum top_key_kind kind;
};

static const struct sequence sequences[] = {
    {"[A", TOP_KEY_UP},
    {"[B", TOP_KEY_DOWN},
    {"[C", TOP_KEY_RIGHT},
    {"[D", TOP_KEY_LEFT},
    {"[F", TOP_KEY_END},
    {"[H", TOP_KEY_HOME},
    {"[Z", TOP_KEY_BACK_TAB},
    {"[1~", TOP_KEY_HOME},
    {"[4~", TOP_KEY_END},
    {"[5~", TOP_KEY_PAGE_UP},
    {"[6~", TOP_KEY_PAGE_DOWN},
    {"[7~", TOP_KEY_HOME},
    {"[8~", TOP_KEY_END},
    {"OA", TOP_KEY_UP},
    {"OB", TOP_KEY_DOWN},
    {"OC", TOP_KEY_RIGHT},
    {"OD", TOP_KEY_LEFT},
    {"OF", TOP_KEY_END},
    {"OH", TOP_KEY_HOME},
};

/* The length of the sequence that begins with ESC; 0 if it is incomplete. */
static size_t sequence_len(const uint8_t *bytes, size_t len)
{
	if (len < 2)
		return 0;
	if (bytes[1] == 'O')
		return len < 3 ? 0 : 3;
	if (bytes[1] != '[')
		return 1;
	for (size_t i = 2; i < len; i++)
		if (bytes[i] < 0x20 || bytes[i] > 0x3f)
			return i + 1;
	return 0;
}

static size_t read_sequence(
    const uint8_t *bytes, size_t len, bool is_late, enum top_key_kind *ret_kind)
{
	size_t used = sequence_len(bytes, len);
	*ret_kind = TOP_KEY_UNKNOWN;
	if (used == 0 && !is_late)
		return 0;
	if (used <= 1) {
		/* A single ESC; the bytes after it are read again. */
		*ret_kind = TOP_KEY_ESCAPE;
		return 1;
	}
	for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
		if (strlen(sequences[i].bytes) == used - 1 &&
		    memcmp(sequences[i].bytes, bytes + 1, used - 1) == 0)
			*ret_kind = sequences[i].kind;
	return used;
}

static enum top_key_kind control_kind(uint8_t byte)
{
	switch (byte) {
	case '\r':
	case '\n':
		return TOP_KEY_ENTER;
	case '\t':
		return TOP_KEY_TAB;
	case 0x08:
	case 0x7f:
		return TOP_KEY_ERASE;
	case 0x03:
		return TOP_KEY_INTERRUPT;
	case 0x0c:
		return TOP_KEY_REDRAW;
	case 0x1a:
		return TOP_KEY_SUSPEND;
	default:
		return TOP_KEY_UNKNOWN;
	}
}

bool top_keys_next(struct top_keys *keys, bool is_late, struct top_key *ret_key)
{
	const uint8_t *bytes = keys->bytes;
	uint32_t character;
	size_t used = 1;
	*ret_key = (struct top_key){.kind = TOP_KEY_UNKNOWN};
	if (keys->len == 0)
		return false;
	if (bytes[0] == ESC) {
		used = read_sequence(bytes, keys->len, is_late, &ret_key->kind);
	} else if (bytes[0] < 0x20 || bytes[0] == 0x7f) {
		ret_key->kind = control_kind(bytes[0]);
	} else {
		int decoded = utf8_decode(bytes, keys->len, &character);
		used = decoded > 0 ? (size_t)decoded : decoded == 0 || is_late ? 1 : 0;
		if (decoded > 0) {
			ret_key->kind = TOP_KEY_CHARACTER;
			ret_key->len = used;
			memcpy(ret_key->bytes, bytes, used);
		}
	}
	if (used == 0)
		return false;
	keys->len -= used;
	memmove(keys->bytes, bytes + used, keys->len);
	return true;
}
