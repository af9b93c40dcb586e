/* SPDX-License-Identifier: ISC */
#include "daemon/input/keys.h"

#include <ctype.h>
#include <strings.h>

/* Keep alphabetized. */
const char *const keys_names[] = {"BSpace", "BTab", "DC", "Delete", "Down", "End", "Enter",
    "Escape", "F1", "F10", "F11", "F12", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "Home",
    "IC", "Insert", "KP*", "KP+", "KP-", "KP.", "KP/", "KP0", "KP1", "KP2", "KP3", "KP4", "KP5",
    "KP6", "KP7", "KP8", "KP9", "KPEnter", "Left", "NPage", "PPage", "PageDown", "PageUp", "PgDn",
    "PgUp", "Right", "Space", "Tab", "Up", NULL};

/* Keys with which a terminal sends neither Control nor Shift, except Control with Space. */
static const char *const byte_keys[] = {"BSpace", "BTab", "Enter", "Escape", "KP*", "KP+", "KP-",
    "KP.", "KP/", "KP0", "KP1", "KP2", "KP3", "KP4", "KP5", "KP6", "KP7", "KP8", "KP9", "KPEnter",
    "Space", "Tab", NULL};

enum modifier {
	MODIFIER_CONTROL = 1 << 0,
	MODIFIER_META = 1 << 1,
	MODIFIER_SHIFT = 1 << 2,
	MODIFIER_OTHER = 1 << 3, /* Command, Super or Hyper: terminals have no bytes for these */
};

static bool is_one_of(const char *const *names, const char *text, size_t len)
{
	for (; *names != NULL; names++)
		if (strlen(*names) == len && strncasecmp(*names, text, len) == 0)
			return true;
	return false;
}

static bool is_one_character(const char *text, size_t len)
{
	uint32_t c;
	int used = utf8_decode(text, len, &c);
	return used > 0 && (size_t)used == len && c > 0x20 && c != 0x7f;
}

static bool has_control(const char *text, size_t len)
{
	return len == 1 &&
	    (((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z') ||
		strchr("-/26?@[\\]^_", text[0]) != NULL);
}

static enum keys_kind classify_character(const char *text, size_t len, unsigned modifiers)
{
	if (modifiers & MODIFIER_SHIFT)
		return KEYS_TEXT; /* tmux has no key names like this */
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

static const struct {
	const char *word;
	unsigned modifier;
	bool needs_plus; /* counts only before '+', as "option-a" may be a word of a text */
} modifiers[] = {
    {"alt", MODIFIER_META, false},
    {"cmd", MODIFIER_OTHER, false},
    {"command", MODIFIER_OTHER, true},
    {"control", MODIFIER_CONTROL, false},
    {"ctl", MODIFIER_CONTROL, false},
    {"ctrl", MODIFIER_CONTROL, false},
    {"hyper", MODIFIER_OTHER, true},
    {"meta", MODIFIER_META, false},
    {"opt", MODIFIER_META, true},
    {"option", MODIFIER_META, true},
    {"shift", MODIFIER_SHIFT, false},
    {"super", MODIFIER_OTHER, true},
    {"win", MODIFIER_OTHER, true},
    {"windows", MODIFIER_OTHER, true},
};

/* Modifiers of one letter, as in <C-c>, or in front of the name of a key. */
static const struct {
	char letter;
	unsigned modifier;
} letters[] = {
    {'a', MODIFIER_META},
    {'c', MODIFIER_CONTROL},
    {'d', MODIFIER_OTHER},
    {'m', MODIFIER_META},
    {'s', MODIFIER_SHIFT},
};

/* The spellings in which an alias is a key. With a modifier, it always is. */
enum strictness {
	ALWAYS, /* upper and lower case */
	NOT_LOWER, /* not in lower case, in which it may be a word of a command */
	IN_BRACKETS,
};

static const struct {
	const char *word, *name;
	enum strictness strictness;
} aliases[] = {
    {"arrow_down", "Down", ALWAYS},
    {"arrow_left", "Left", ALWAYS},
    {"arrow_right", "Right", ALWAYS},
    {"arrow_up", "Up", ALWAYS},
    {"arrowdown", "Down", ALWAYS},
    {"arrowleft", "Left", ALWAYS},
    {"arrowright", "Right", ALWAYS},
    {"arrowup", "Up", ALWAYS},
    {"back_space", "BSpace", ALWAYS},
    {"backspace", "BSpace", ALWAYS},
    {"backtab", "BTab", ALWAYS},
    {"bs", "BSpace", IN_BRACKETS},
    {"cr", "Enter", IN_BRACKETS},
    {"del", "DC", NOT_LOWER},
    {"downarrow", "Down", ALWAYS},
    {"esc", "Escape", ALWAYS},
    {"ins", "IC", NOT_LOWER},
    {"kp_enter", "KPEnter", ALWAYS},
    {"leftarrow", "Left", ALWAYS},
    {"page_down", "PageDown", ALWAYS},
    {"page_up", "PageUp", ALWAYS},
    {"return", "Enter", NOT_LOWER},
    {"rightarrow", "Right", ALWAYS},
    {"spacebar", "Space", NOT_LOWER},
    {"uparrow", "Up", ALWAYS},
};

struct spelling {
	unsigned modifiers;
	bool has_words; /* a modifier is written as a word: "Ctrl+" */
	bool is_bracketed;
	const char *key; /* what follows the modifiers */
	size_t len;
};

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(text, word, len) == 0;
}

static bool is_sign(char byte)
{
	return byte == '+' || byte == '-';
}

static bool is_lower(const char *text, size_t len)
{
	for (size_t at = 0; at < len; at++)
		if (isupper((unsigned char)text[at]))
			return false;
	return true;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool has_blank(const char *text, size_t len)
{
	for (size_t at = 0; at < len; at++)
		if (is_blank(text[at]))
			return true;
	return false;
}

static bool take_word(struct spelling *spelling)
{
	size_t len = 0;
	while (len < spelling->len && isalpha((unsigned char)spelling->key[len]))
		len++;
	if (len + 1 >= spelling->len || !is_sign(spelling->key[len]))
		return false;
	for (size_t at = 0; at < sizeof modifiers / sizeof *modifiers; at++) {
		bool is_named = is_word(spelling->key, len, modifiers[at].word);
		if (!is_named || (modifiers[at].needs_plus && spelling->key[len] != '+'))
			continue;
		spelling->modifiers |= modifiers[at].modifier;
		spelling->has_words = true;
		spelling->key += len + 1;
		spelling->len -= len + 1;
		return true;
	}
	return false;
}

static bool take_letter(struct spelling *spelling)
{
	if (spelling->len < 3 || spelling->key[1] != '-')
		return false;
	for (size_t at = 0; at < sizeof letters / sizeof *letters; at++) {
		if (tolower((unsigned char)spelling->key[0]) != letters[at].letter)
			continue;
		spelling->modifiers |= letters[at].modifier;
		spelling->key += 2;
		spelling->len -= 2;
		return true;
	}
	return false;
}

static const char *find_name(const struct spelling *spelling)
{
	bool is_small = is_lower(spelling->key, spelling->len);
	for (const char *const *name = keys_names; *name != NULL; name++)
		if (is_word(spelling->key, spelling->len, *name))
			return *name;
	for (size_t at = 0; at < sizeof aliases / sizeof *aliases; at++) {
		bool is_meant = aliases[at].strictness == ALWAYS || spelling->modifiers != 0 ||
		    (aliases[at].strictness == NOT_LOWER ? !is_small : spelling->is_bracketed);
		if (is_meant && is_word(spelling->key, spelling->len, aliases[at].word))
			return aliases[at].name;
	}
	return NULL;
}

static enum keys_kind put_key(unsigned held, const char *key, size_t len, char *out)
{
	bool is_back_tab = (held & MODIFIER_SHIFT) && is_word(key, len, "Tab");
	if (held & MODIFIER_OTHER)
		return KEYS_UNSENDABLE;
	if (is_back_tab) {
		held &= ~(unsigned)MODIFIER_SHIFT;
		key = "BTab";
		len = strlen(key);
	}
	(void)snprintf(out, KEY_SPELLING_SIZE, "%s%s%s%.*s", held & MODIFIER_CONTROL ? "C-" : "",
	    held & MODIFIER_META ? "M-" : "", held & MODIFIER_SHIFT ? "S-" : "", (int)len, key);
	return held == 0 ? KEYS_NAME : keys_classify(out, strlen(out));
}

/* Writes tmux's name of a character with modifiers. Shift changes letters only. */
static enum keys_kind put_character(const struct spelling *spelling, char *out)
{
	unsigned held = spelling->modifiers;
	char key[5];
	(void)snprintf(key, sizeof key, "%.*s", (int)spelling->len, spelling->key);
	if (spelling->has_words && spelling->len == 1)
		key[0] = (char)tolower((unsigned char)key[0]);
	if (held & MODIFIER_SHIFT) {
		if (spelling->len > 1 || !isalpha((unsigned char)key[0]) ||
		    (held & MODIFIER_CONTROL))
			return KEYS_UNSENDABLE;
		held &= ~(unsigned)MODIFIER_SHIFT;
		key[0] = (char)toupper((unsigned char)key[0]);
	}
	return put_key(held, key, strlen(key), out);
}

static bool take_brackets(struct spelling *spelling)
{
	bool is_one = spelling->len > 3 &&
	    ((spelling->key[0] == '<' && spelling->key[spelling->len - 1] == '>') ||
		(spelling->key[0] == '{' && spelling->key[spelling->len - 1] == '}'));
	if (!is_one)
		return false;
	spelling->is_bracketed = true;
	spelling->key++;
	spelling->len -= 2;
	return true;
}

enum keys_kind key_spelling_read(const char *text, size_t len, char ret_name[KEY_SPELLING_SIZE])
{
	struct spelling spelling = {.key = text, .len = len};
	enum keys_kind kind = keys_classify(text, len);
	const char *name;
	ret_name[0] = '\0';
	if (len + 1 > KEY_SPELLING_SIZE / 2 || has_blank(text, len))
		return KEYS_TEXT;
	if (kind == KEYS_NAME) {
		name = find_name(&spelling);
		(void)snprintf(
		    ret_name, KEY_SPELLING_SIZE, "%.*s", (int)len, name != NULL ? name : text);
		return kind;
	}
	(void)take_brackets(&spelling);
	while (take_word(&spelling) || take_letter(&spelling))
		;
	name = find_name(&spelling);
	if (name != NULL)
		return put_key(spelling.modifiers, name, strlen(name), ret_name);
	/* With one character a letter is a modifier only in brackets: else "A-x" may be a word. */
	if (is_one_character(spelling.key, spelling.len) && spelling.modifiers != 0 &&
	    (spelling.has_words || spelling.is_bracketed))
		return put_character(&spelling, ret_name);
	return kind;
}

static bool is_meant(const char *word, size_t len, bool is_alone, char name[KEY_SPELLING_SIZE])
{
	static const struct {
		const char *word, *name;
	} words[] = {{"return", "Enter"}, {"del", "DC"}, {"ins", "IC"}, {"<del>", "DC"},
	    {"<ins>", "IC"}, {"\\n", "Enter"}, {"\\r", "Enter"}, {"\\r\\n", "Enter"},
	    {"\\t", "Tab"}, {"\\e", "Escape"}, {"\\x1b", "Escape"}, {"\\x03", "C-c"}};
	char inner[KEY_SPELLING_SIZE];
	bool is_small = is_lower(word, len);
	for (size_t at = 0; is_alone && at < sizeof words / sizeof *words; at++) {
		if (strlen(words[at].word) == len && memcmp(word, words[at].word, len) == 0) {
			(void)snprintf(name, KEY_SPELLING_SIZE, "%s", words[at].name);
			return true;
		}
	}
	if (len > 3 && len < sizeof inner && word[0] == '[' && word[len - 1] == ']') {
		(void)snprintf(inner, sizeof inner, "<%.*s>", (int)(len - 2), word + 1);
		return key_spelling_read(inner, len, name) == KEYS_NAME;
	}
	if (len > 2 && len < sizeof inner && strchr("+_", word[1]) != NULL &&
	    strchr("CMA", word[0]) != NULL) {
		(void)snprintf(inner, sizeof inner, "<%c-%.*s>", word[0], (int)(len - 2), word + 2);
		return key_spelling_read(inner, len + 2, name) == KEYS_NAME;
	}
	/* In a longer text, most words in lower case are text, and "^a" is a regular expression. */
	return key_spelling_read(word, len, name) == KEYS_NAME &&
	    (is_alone || !is_small || is_word(word, len, "enter") || strchr("<{", *word) != NULL ||
		memchr(word, '+', len) != NULL || (len > 2 && memchr(word, '-', len) != NULL));
}

/* Returns where the last `count` words begin. Two words may be one key: "Ctrl C", "Page Up". */
static size_t last_word(const char *text, size_t len, int count)
{
	while (count-- > 0) {
		while (len > 0 && is_blank(text[len - 1]))
			len--;
		while (len > 0 && !is_blank(text[len - 1]))
			len--;
	}
	return len;
}

static bool try_word(const char *text, size_t len, bool is_alone, struct key_spelling *ret_found)
{
	*ret_found = (struct key_spelling){.word = text, .len = len};
	return len > 1 && len < KEY_SPELLING_SIZE / 2 &&
	    is_meant(text, len, is_alone, ret_found->name);
}

/* Tries two words as the name of one key, with '+' or '_' in place of the space. */
static bool try_two(const char *text, size_t len, struct key_spelling *ret_found)
{
	char joined[KEY_SPELLING_SIZE];
	static const char signs[] = "+_";
	size_t blank = 0;
	while (blank < len && !is_blank(text[blank]))
		blank++;
	if (blank == len || len >= KEY_SPELLING_SIZE / 2)
		return false;
	*ret_found = (struct key_spelling){.word = text, .len = len};
	(void)snprintf(joined, sizeof joined, "%.*s", (int)len, text);
	for (size_t at = 0; signs[at] != '\0'; at++) {
		joined[blank] = signs[at];
		if (key_spelling_read(joined, len, ret_found->name) == KEYS_NAME)
			return true;
	}
	return false;
}

/* Tries the end of a word as a key: "ls<Enter>", or "ls\n" written with a backslash. */
static bool try_end(const char *text, size_t len, struct key_spelling *ret_found)
{
	static const char *const escapes[] = {"\\r\\n", "\\n", "\\r"};
	for (size_t at = 0; at < sizeof escapes / sizeof *escapes; at++) {
		size_t size = strlen(escapes[at]);
		if (len > size && memcmp(text + len - size, escapes[at], size) == 0)
			return try_word(text + len - size, size, true, ret_found);
	}
	for (size_t at = len; at-- > 0;) {
		if (text[at] == '<' || (text[at] == '{' && (at == 0 || text[at - 1] != '$')))
			return try_word(text + at, len - at, false, ret_found) &&
			    text[len - 1] == (text[at] == '<' ? '>' : '}');
	}
	return false;
}

bool key_spelling_find(const char *text, size_t len, struct key_spelling *ret_found)
{
	size_t last, two, end = 0;
	while (len > 0 && is_blank(text[len - 1]))
		len--;
	while (len > 0 && is_blank(*text)) {
		text++;
		len--;
	}
	last = last_word(text, len, 1);
	two = last_word(text, len, 2);
	while (end < len && !is_blank(text[end]))
		end++;
	return try_two(text + two, len - two, ret_found) ||
	    try_word(text + last, len - last, last == 0, ret_found) ||
	    try_end(text + last, len - last, ret_found) ||
	    (last > 0 && try_word(text, end, false, ret_found));
}
