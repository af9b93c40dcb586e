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
 * Classifies a text that is exactly the name of a key: "Enter", "F5", "C-c", "M-x", "C-S-Up", "^C".
 * Case is ignored, as in tmux. A single character is text. Mouse keys are not names: use
 * send_mouse. tmux drops an unsendable key silently, or types it as text; all names were tried on
 * 3.3a.
 */
enum keys_kind keys_classify(const char *text, size_t len);

/* Returns the byte of Enter, Space, Tab, BSpace and Control keys; ESC for other named keys. */
uint8_t keys_byte(const char *name);

/* The names without modifiers, sorted, for help and near misses. NULL ends. */
extern const char *const keys_names[];

/*
 * Spellings of keys other than tmux's: "Ctrl+C", "<Enter>", "{ESC}", "Return", "Alt-x". An element
 * of send_text that is such a spelling as a whole is the key. A longer element is text, which may
 * contain a name that was meant as a key.
 */

enum { KEY_SPELLING_SIZE = 64 }; /* bytes of a name with its modifiers and the NUL */

/*
 * Classifies an element. If it is KEYS_NAME, ret_name is tmux's name of the key. An element with a
 * space is text. So are "return" and "del", because programs use these words.
 */
enum keys_kind key_spelling_read(const char *text, size_t len, char ret_name[KEY_SPELLING_SIZE]);

struct key_spelling {
	const char *word; /* the name, as a part of the text */
	size_t len;
	char name[KEY_SPELLING_SIZE];
};

/* Returns true if a text that is not a key begins or ends with one: "echo hi Enter". */
bool key_spelling_find(const char *text, size_t len, struct key_spelling *ret_found);
