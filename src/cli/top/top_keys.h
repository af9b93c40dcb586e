/* SPDX-License-Identifier: ISC */
/* Converts bytes from a terminal to keys. No input or output. */
#ifndef CLI_TOP_KEYS_H
#define CLI_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum top_key_kind {
	TOP_KEY_CHARACTER,
	TOP_KEY_ENTER,
	TOP_KEY_ESCAPE,
	TOP_KEY_ERASE,
	TOP_KEY_TAB,
	TOP_KEY_BACK_TAB,
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_INTERRUPT, /* C-c */
	TOP_KEY_SUSPEND, /* C-z */
	TOP_KEY_REDRAW, /* C-l */
	TOP_KEY_UNKNOWN,
};

struct top_key {
	enum top_key_kind kind;
	char bytes[5]; /* TOP_KEY_CHARACTER: UTF-8, NUL-terminated */
	size_t len;
};

struct top_keys {
	uint8_t bytes[256];
	size_t len;
};

/* Adds input; excess bytes (no person types that fast) are dropped. */
void top_keys_feed(struct top_keys *keys, const void *bytes, size_t len);

/*
 * The next key. Returns false if there is none, or if more bytes may belong to it: a single ESC
 * is a key of its own only if nothing follows for a moment (is_late).
 */
bool top_keys_next(struct top_keys *keys, bool is_late, struct top_key *ret_key);

#endif
