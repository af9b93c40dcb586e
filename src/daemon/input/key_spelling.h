/* SPDX-License-Identifier: ISC */
/*
 * Other spellings of keys than those of tmux: "Ctrl+C", "<Enter>", "{ESC}", "Return", "Alt-x".
 * A whole element in such a spelling is the key. A longer text is text, and may hold the name of
 * a key that was meant as one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "daemon/input/keys.h"

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

/* Whether a text that is none ends or begins with the name of a key: "echo hi Enter". */
bool key_spelling_find(const char *text, size_t len, struct key_spelling *ret_found);
