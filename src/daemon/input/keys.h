/* SPDX-License-Identifier: ISC */
/* The names that tmux has for keys. */
#pragma once

#include <stddef.h>
#include <stdint.h>

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
