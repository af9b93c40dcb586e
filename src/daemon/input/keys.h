/* SPDX-License-Identifier: ISC */
/* Names of keys: tmux's own, and other spellings. */
#pragma once

#include "base/base.h"

enum keys_kind {
	KEYS_TEXT,
	KEYS_NAME,
	KEYS_UNSENDABLE, /* a key that a terminal cannot send: C-1, S-Enter, C-Tab */
};

/*
 * Returns KEYS_NAME if a text is exactly tmux's name of a key: "Enter", "F5", "C-c", "M-x",
 * "C-S-Up", "^C". Case is ignored, as in tmux. A single character is text. Mouse keys are text here
 * (send_mouse sends them). tmux 3.3a drops an unsendable key silently, or types it as text.
 */
enum keys_kind keys_classify(const char *text, size_t len);

/* Returns the byte of a key such as Enter, Space or C-c; ESC for others: most send a sequence. */
uint8_t keys_byte(const char *name);

/* The names of keys without modifiers, sorted; NULL ends. */
extern const char *const keys_names[];

/*
 * Other spellings of keys than tmux's: "Ctrl+C", "<Enter>", "{ESC}", "Return", "Alt-x". An element
 * of send_keys that is such a spelling, and nothing else, is the key, if it can be sent. Other text
 * may contain a name that was meant as a key.
 */

enum { KEY_SPELLING_SIZE = 64 }; /* bytes of a name with its modifiers and the NUL */

/*
 * Like keys_classify(), for more spellings. If the result is KEYS_NAME, ret_name is tmux's name of
 * the key. An element with white space is text. Without a modifier, words in lower case that
 * programs use, such as "return" and "del", are text too.
 */
enum keys_kind key_spelling_read(const char *text, size_t len, char ret_name[KEY_SPELLING_SIZE]);

struct key_spelling {
	const char *word; /* the spelling, as a part of the text */
	size_t len;
	char name[KEY_SPELLING_SIZE];
};

/* Returns true if a text begins or ends with a name that may be meant as a key: "ls Enter". */
bool key_spelling_find(const char *text, size_t len, struct key_spelling *ret_found);
