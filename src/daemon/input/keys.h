/* SPDX-License-Identifier: ISC */
/* The names that tmux has for keys. */
#pragma once

#include "base/base.h"

enum keys_kind {
	KEYS_TEXT, /* no name of a key */
	KEYS_NAME,
	KEYS_UNSENDABLE, /* a key that a terminal has no bytes for: C-1, S-Enter, C-Tab */
};

/*
 * Whether text is exactly the name of a key: "Enter", "F5", "C-c", "M-x", "C-S-Up", "^C".
 * Names and modifiers in either case, as tmux reads them. A single character is none: it is
 * text. Mouse keys are none: send_mouse is for those. An unsendable key is dropped in silence
 * by tmux, or typed as text; every name was tried on 3.3a.
 */
enum keys_kind keys_classify(const char *text, size_t len);

/* The byte that a key of this name types; ESC for one that types more, or another. */
uint8_t keys_byte(const char *name);

/* The names without modifiers, NULL-ended, for help and near misses. */
extern const char *const keys_names[];

/*
 * Other spellings of keys than those of tmux: "Ctrl+C", "<Enter>", "{ESC}", "Return", "Alt-x".
 * A whole element in such a spelling is the key. A longer text is text, and may hold the name of
 * a key that was meant as one.
 */

enum { KEY_SPELLING_SIZE = 64 }; /* of a name, with its modifiers and the NUL */

/*
 * The kind of an element. KEYS_NAME: ret_name is the name that tmux has for it. An element with a
 * blank is text, and so are "return" and "del", which are words of programs.
 */
enum keys_kind key_spelling_read(const char *text, size_t len, char ret_name[KEY_SPELLING_SIZE]);

/* The name of a key in a text: which word, and the key that it names. */
struct key_spelling {
	const char *word; /* lent from the text */
	size_t len;
	char name[KEY_SPELLING_SIZE];
};

/* Whether a text, itself no key, begins or ends with the name of a key: "echo hi Enter". */
bool key_spelling_find(const char *text, size_t len, struct key_spelling *ret_found);
