/* SPDX-License-Identifier: ISC */
/* The names that tmux has for keys, since 3.3. */
#include "daemon/input/keys.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

/* Keep alphabetized. */
const char *const keys_names[] = {
    "BSpace",
    "BTab",
    "DC",
    "Delete",
    "Down",
    "End",
    "Enter",
    "Escape",
    "F1",
    "F10",
    "F11",
    "F12",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "F7",
    "F8",
    "F9",
    "Home",
    "IC",
    "Insert",
    "KP*",
    "KP+",
    "KP-",
    "KP.",
    "KP/",
    "KP0",
    "KP1",
    "KP2",
    "KP3",
    "KP4",
    "KP5",
    "KP6",
    "KP7",
    "KP8",
    "KP9",
    "KPEnter",
    "Left",
    "NPage",
    "PPage",
    "PageDown",
    "PageUp",
    "PgDn",
    "PgUp",
    "Right",
    "Space",
    "Tab",
    "Up",
    NULL,
};

/* Keys that are one byte, which Control and Shift cannot change. */
static const char *const byte_keys[] = {
    "BSpace",
    "BTab",
    "Enter",
    "Escape",
    "KP*",
    "KP+",
    "KP-",
    "KP.",
    "KP/",
    "KP0",
    "KP1",
    "KP2",
    "KP3",
    "KP4",
    "KP5",
    "KP6",
    "KP7",
    "KP8",
    "KP9",
    "KPEnter",
    "Space",
    "Tab",
    NULL,
};

enum modifier {
	MODIFIER_CONTROL = 1 << 0,
	MODIFIER_META = 1 << 1,
	MODIFIER_SHIFT = 1 << 2,
};

static bool is_one_of(const char *const *names, const char *text, size_t len)
{
	for (; *names != NULL; names++)
		if (strlen(*names) == len && strncasecmp(*names, text, len) == 0)
			return true;
	return false;
}

/* One printable character, also of several bytes. */
static bool is_one_character(const char *text, size_t len)
{
	uint32_t c;
	int used = utf8_decode(text, len, &c);
	return used > 0 && (size_t)used == len && c > 0x20 && c != 0x7f;
}

/* Whether Control makes a byte of a character. */
static bool has_control(const char *text, size_t len)
{
	return len == 1 &&
	    (((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z') ||
		strchr("-/26?@[\\]^_", text[0]) != NULL);
}

static enum keys_kind classify_character(const char *text, size_t len, unsigned modifiers)
{
	if (modifiers & MODIFIER_SHIFT)
		return KEYS_TEXT; /* tmux has no such names */
	if ((modifiers & MODIFIER_CONTROL) && !has_control(text, len))
		return KEYS_UNSENDABLE;
	return KEYS_NAME;
}

enum keys_kind keys_classify(const char *text, size_t len)
{
	bool is_changed, is_space;
	unsigned modifiers = 0;
	/* tmux takes ^X for C-X, and '^' alone for itself. */
	if (len == 2 && text[0] == '^')
		return has_control(text + 1, 1) ? KEYS_NAME : KEYS_TEXT;
	while (len > 2 && text[1] == '-') {
		if ((text[0] | 0x20) == 'c')
			modifiers |= MODIFIER_CONTROL;
		else if ((text[0] | 0x20) == 'm')
			modifiers |= MODIFIER_META;
		else if ((text[0] | 0x20) == 's')
			modifiers |= MODIFIER_SHIFT;
		else
			break;
		text += 2;
		len -= 2;
	}
	if (modifiers != 0 && is_one_character(text, len))
		return classify_character(text, len, modifiers);
	if (!is_one_of(keys_names, text, len))
		return KEYS_TEXT;
	is_space = len == strlen("Space") && strncasecmp(text, "Space", len) == 0;
	if (is_space && !(modifiers & MODIFIER_SHIFT))
		return KEYS_NAME;
	is_changed = modifiers & (MODIFIER_CONTROL | MODIFIER_SHIFT);
	if (is_changed && is_one_of(byte_keys, text, len))
		return KEYS_UNSENDABLE;
	return KEYS_NAME;
}

uint8_t keys_byte(const char *name)
{
	static const struct {
		const char *name;
		uint8_t byte;
	} bytes[] = {
	    {"BSpace", 0x7f}, {"Enter", '\r'}, {"KPEnter", '\r'}, {"Space", ' '}, {"Tab", '\t'}};
	size_t len = strlen(name);
	for (size_t at = 0; at < sizeof bytes / sizeof *bytes; at++)
		if (strcasecmp(name, bytes[at].name) == 0)
			return bytes[at].byte;
	if ((len == 3 && (name[0] | 0x20) == 'c' && name[1] == '-') || (len == 2 && name[0] == '^'))
		return name[len - 1] & 0x1f;
	return 0x1b;
}
