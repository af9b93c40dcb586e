/* SPDX-License-Identifier: ISC */
/* Which strings are names of keys. */
#include <string.h>

#include "daemon/input/keys.h"
#include "tap.h"

static const char *const names[] = {"Enter", "enter", "ENTER", "F1", "F12", "C-c", "c-C", "M-x",
    "C-M-x", "M-C-x", "M-Enter", "C-Up", "C-S-Up", "S-F5", "M-\303\251", "^C", "^[", "^?", "KP*",
    "KPEnter", "PageDown", "PgDn", "C-Space", "C-M-Space", "M--", "C--", "C-/", "C-@", "C-C-a",
    "BSpace", "M-BTab", "DC", "ic", "^^", "^-"};

static const char *const texts[] = {"", "a", "^", "Entre", "Enter ", " Enter", "F13", "F0", "C-",
    "C-ab", "S-a", "C-S-a", "-", "--", "Up Down", "^aa", "^\303", "^!", "0x41", "X-a", "C_c",
    "\303\251", "MouseDown1Pane", "Any", "None", "C", "M-", "C-\303", ";", "KP", "User0", "ls -l"};

static const char *const unsendable[] = {
    "C-1", "C-!", "C-\303\251", "S-Enter", "C-Enter", "S-Tab", "C-Tab", "C-Escape", "S-Space"};

#define COUNT(a) (sizeof a / sizeof a[0])

int main(void)
{
	for (size_t i = 0; i < COUNT(names); i++)
		is_int(
		    keys_classify(names[i], strlen(names[i])), KEYS_NAME, "%s is a key", names[i]);
	for (size_t i = 0; i < COUNT(texts); i++)
		is_int(
		    keys_classify(texts[i], strlen(texts[i])), KEYS_TEXT, "'%s' is text", texts[i]);
	for (size_t i = 0; i < COUNT(unsendable); i++)
		is_int(keys_classify(unsendable[i], strlen(unsendable[i])), KEYS_UNSENDABLE,
		    "%s cannot be sent", unsendable[i]);
	for (size_t i = 0; keys_names[i]; i++)
		is_int(keys_classify(keys_names[i], strlen(keys_names[i])), KEYS_NAME, "%s",
		    keys_names[i]);
	for (size_t i = 1; keys_names[i]; i++)
		ok(strcmp(keys_names[i - 1], keys_names[i]) < 0, "sorted at %s", keys_names[i]);
	return done_testing();
}
