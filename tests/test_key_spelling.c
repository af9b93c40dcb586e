/* SPDX-License-Identifier: ISC */
/* Which strings are keys in another spelling than tmux's, and which texts hold one. */
#include "daemon/input/keys.h"

#include <string.h>

#include "tap.h"

static const struct {
	const char *text;
	const char *name;
} keys[] = {
    {"Enter", "Enter"},
    {"C-c", "C-c"},
    {"M-x", "M-x"},
    {"Up", "Up"},
    {"^C", "^C"},
    {"Ctrl+C", "C-c"},
    {"ctrl-c", "C-c"},
    {"CTRL+C", "C-c"},
    {"ctrl+c", "C-c"},
    {"Control-C", "C-c"},
    {"Control+D", "C-d"},
    {"Ctrl-[", "C-["},
    {"Ctrl+\\", "C-\\"},
    {"Ctrl+-", "C--"},
    {"Ctrl+Up", "C-Up"},
    {"ctrl+shift+up", "C-S-Up"},
    {"Ctrl+Space", "C-Space"},
    {"Ctrl+Alt+x", "C-M-x"},
    {"Alt+x", "M-x"},
    {"alt-X", "M-x"},
    {"Alt+Shift+X", "M-X"},
    {"Option+b", "M-b"},
    {"Meta+Enter", "M-Enter"},
    {"M-Return", "M-Enter"},
    {"M-Backspace", "M-BSpace"},
    {"C-PageDown", "C-PageDown"},
    {"C-Del", "C-DC"},
    {"Alt+\303\251", "M-\303\251"},
    {"Shift+Tab", "BTab"},
    {"S-Tab", "BTab"},
    {"shift+a", "A"},
    {"Shift+F5", "S-F5"},
    {"<Enter>", "Enter"},
    {"<enter>", "Enter"},
    {"<CR>", "Enter"},
    {"<cr>", "Enter"},
    {"<Esc>", "Escape"},
    {"<BS>", "BSpace"},
    {"<C-c>", "C-c"},
    {"<C-C>", "C-C"},
    {"<Ctrl+C>", "C-c"},
    {"<A-x>", "M-x"},
    {"<M-x>", "M-x"},
    {"<S-Tab>", "BTab"},
    {"<Del>", "DC"},
    {"<F5>", "F5"},
    {"<Up>", "Up"},
    {"{Enter}", "Enter"},
    {"{ENTER}", "Enter"},
    {"{ESC}", "Escape"},
    {"Return", "Enter"},
    {"RETURN", "Enter"},
    {"esc", "Escape"},
    {"Esc", "Escape"},
    {"Backspace", "BSpace"},
    {"BackSpace", "BSpace"},
    {"Del", "DC"},
    {"Ins", "IC"},
    {"ArrowUp", "Up"},
    {"UpArrow", "Up"},
    {"Page_Up", "PageUp"},
    {"BackTab", "BTab"},
};

static const char *const texts[] = {"", "a", "return", "del", "ins", "ls", "<a>", "<b>", "<del>",
    "<ins>", "<br>", "<p>", "a+b", "c+d", "C+c", "s-a", "S-a", "A-x", "Ctrl+", "Ctrl", "Alt+",
    "Ctrl+foo", "ctrl+c ", " ctrl+c", "ctrl c", "echo hi Enter", "C-x C-c", "echo C-c", "Entered",
    "controls-x", "alt-text", "shift-left-by", "<>", "{}", "{a}", "{a,b}", "cr", "CR", "bs", "\\n",
    "-", "+", "command-line", "win-x64", "meta-data", "[Enter]", "option-a"};

static const char *const unsendable[] = {"ctrl+shift+x", "Ctrl+1", "Cmd+C", "Super+x", "Ctrl+Enter",
    "Ctrl+Tab", "Shift+Enter", "Shift+1", "S-Enter", "C-Return", "<D-c>"};

static const struct {
	const char *text;
	const char *word; /* NULL: there is none */
	const char *name;
} meant[] = {
    {"echo hi Enter", "Enter", "Enter"},
    {"echo hi enter", "enter", "Enter"},
    {"echo hi Return", "Return", "Enter"},
    {"echo hi <Enter>", "<Enter>", "Enter"},
    {"echo hi<CR>", "<CR>", "Enter"},
    {"echo hi{ENTER}", "{ENTER}", "Enter"},
    {"echo hi [Enter]", "[Enter]", "Enter"},
    {"echo hi\\n", "\\n", "Enter"},
    {"\\n", "\\n", "Enter"},
    {"Enter ", "Enter", "Enter"},
    {" Enter", "Enter", "Enter"},
    {"Ctrl C", "Ctrl C", "C-c"},
    {"ctrl c", "ctrl c", "C-c"},
    {"Control c", "Control c", "C-c"},
    {"press Ctrl C", "Ctrl C", "C-c"},
    {"Page Up", "Page Up", "PageUp"},
    {"C-x C-c", "C-c", "C-c"},
    {"C-c ls", "C-c", "C-c"},
    {"Escape :wq", "Escape", "Escape"},
    {"Up Up", "Up", "Up"},
    {"quit with Ctrl+D", "Ctrl+D", "C-d"},
    {"type ^C", "^C", "^C"},
    {"return", "return", "Enter"},
    {"del", "del", "DC"},
    {"C+c", "C+c", "C-c"},
    {"ctrl+c ", "ctrl+c", "C-c"},
    {"echo hi", NULL, NULL},
    {"if x: return", NULL, NULL},
    {"go up", NULL, NULL},
    {"grep ^a", NULL, NULL},
    {"the end", NULL, NULL},
    {"a + b", NULL, NULL},
    {"ls -l", NULL, NULL},
    {"git diff HEAD^", NULL, NULL},
    {"<b>bold</b>", NULL, NULL},
    {"${HOME}", NULL, NULL},
    {"printf 'a\\n'", NULL, NULL},
    {"", NULL, NULL},
    {" ", NULL, NULL},
};

#define COUNT(a) (sizeof a / sizeof a[0])

int main(void)
{
	char name[KEY_SPELLING_SIZE];
	for (size_t i = 0; i < COUNT(keys); i++) {
		is_int(key_spelling_read(keys[i].text, strlen(keys[i].text), name), KEYS_NAME,
		    "%s is a key", keys[i].text);
		is_str(name, keys[i].name, "its name");
	}
	for (size_t i = 0; i < COUNT(texts); i++)
		is_int(key_spelling_read(texts[i], strlen(texts[i]), name), KEYS_TEXT,
		    "'%s' is text", texts[i]);
	for (size_t i = 0; i < COUNT(unsendable); i++)
		is_int(key_spelling_read(unsendable[i], strlen(unsendable[i]), name),
		    KEYS_UNSENDABLE, "%s cannot be sent", unsendable[i]);
	for (size_t i = 0; keys_names[i] != NULL; i++)
		is_int(key_spelling_read(keys_names[i], strlen(keys_names[i]), name), KEYS_NAME,
		    "%s", keys_names[i]);
	for (size_t i = 0; i < COUNT(meant); i++) {
		struct key_spelling found = {0};
		bool is_found = key_spelling_find(meant[i].text, strlen(meant[i].text), &found);
		is_int(is_found, meant[i].word != NULL, "'%s': %s", meant[i].text,
		    meant[i].word != NULL ? "a key was meant" : "no key was meant");
		if (!is_found || meant[i].word == NULL)
			continue;
		is_mem(found.word, found.len, meant[i].word, strlen(meant[i].word), "its word");
		is_str(found.name, meant[i].name, "its key");
	}
	return done_testing();
}
