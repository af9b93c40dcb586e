/* SPDX-License-Identifier: ISC */
/* The text of a question: of the dialogs that agents draw, and of programs that ask in a row. */
#include "daemon/agent/question_text.h"

#include <string.h>

#include "tap.h"

#define RULE "────────────────────────────────────────"
#define TOP "╭──────────────────────────────────────╮"
#define BOTTOM "╰──────────────────────────────────────╯"

enum { COLUMNS = 40 };

static const struct {
	const char *name;
	const char *screen;
	unsigned row, column; /* of the cursor */
	const char *want;
} cases[] = {
    {"Claude Code in a frame",
	"● Shall I? I will run it.\n\n" TOP "\n"
	"│ Bash command                         │\n"
	"│                                      │\n"
	"│   rm -rf build                       │\n"
	"│   \033[2mRemove the directory\033[0m               │\n"
	"│                                      │\n"
	"│ Do you want to proceed?              │\n"
	"│ \033[34m❯ 1. Yes\033[39m                             │\n"
	"│   2. No, and say why (esc)           │\n" BOTTOM "\n",
	9, 2, "Do you want to proceed?"},
    {"Claude Code under a rule, the cursor under its keys",
	"● Bash(rm -rf build)\n  ⎿  Running…\n\n" RULE "\n Bash command\n\n   rm -rf build\n\n"
	" Do you want to proceed?\n ❯ 1. Yes\n   2. Yes, and don't ask again\n   3. No\n\n"
	" Esc to cancel · Tab to amend\n",
	14, 0, "Do you want to proceed?"},
    {"Claude Code on a directory",
	RULE "\n Do you trust the files in this folder?\n\n /home/u/p\n\n"
	     " Claude Code may run files in it.\n\n ❯ 1. Yes, proceed\n   2. No, exit\n\n"
	     " Enter to confirm · Esc to cancel\n",
	7, 1,
	"Do you trust the files in this folder?\n/home/u/p\nClaude Code may run files in it."},
    {"a choice that is not the first is marked, with lines of its own",
	RULE "\n ☐ Dates\n\nWhich library should we use?\n\n  1. Luxon\n     Immutable\n"
	     "❯ 2. date-fns\n     Functional\n" RULE "\n  3. Chat about this\n\n"
	     "Enter to select · ↑/↓ to navigate\n",
	7, 0, "Which library should we use?"},
    {"Claude Code's plan, which has numbers too",
	" Here is the plan:\n\n 1. Read\n 2. Write\n\n Would you like to proceed?\n\n"
	" ❯ 1. Yes\n   2. No\n",
	7, 1, "Would you like to proceed?"},
    {"Gemini CLI",
	TOP "\n"
	    "│ ?  Shell rm -rf build (Clean)      ← │\n"
	    "│                                      │\n"
	    "│ rm -rf build                         │\n"
	    "│                                      │\n"
	    "│ Allow execution of: 'rm'?            │\n"
	    "│                                      │\n"
	    "│ \033[32m●\033[39m 1. Yes, allow once                 │\n"
	    "│   2. Yes, allow always               │\n"
	    "│   3. No, suggest changes (esc)       │\n"
	    "│                                      │\n" BOTTOM "\n",
	12, 0, "Allow execution of: 'rm'?"},
    {"Codex, its command with it",
	"• Is it old? I look.\n\n  Would you like to run the following\n  command?\n\n"
	"  Reason: it is old\n\n  $ rm -rf build\n\n\033[36m› 1. Yes, proceed (y)\033[39m\n"
	"  2. No, and tell Codex (esc)\n\n  Press enter to confirm or esc to cancel\n",
	9, 0, "Would you like to run the following\ncommand?\nReason: it is old\n$ rm -rf build"},
    {"a menu under a heading",
	"› /model\n\n  Select a model\n  Older ones are in config.toml\n\n› 1. one\n  2. two\n", 5,
	0, "Older ones are in config.toml"},
    {"a menu without numbers", "$ npm create x\n? Pick a template:\n❯ plain\n  rich\n", 2, 0,
	"? Pick a template:"},
    {"one row", "Reading lists...\nAfter this, 3 MB are used.\nContinue? [Y/n] ", 2, 16,
	"Continue? [Y/n]"},
    {"one row under a list", "To do:\n* 1. one\n  2. two\nContinue? [Y/n] ", 3, 16,
	"Continue? [Y/n]"},
    {"a menu with the cursor at its keys",
	"Run it?\n› 1. Yes\n  2. No\n\n  Press enter to confirm or esc to cancel\n", 4, 2,
	"Run it?"},
    {"a row that the terminal has wrapped",
	"key is SHA256:x.\nAre you sure you want to continue connect\ning (yes/no)? ", 2, 14,
	"Are you sure you want to continue connect\ning (yes/no)?"},
    {"the answers alone in a row", "made\nOverwrite the file?\n(yes/no) ", 2, 9,
	"Overwrite the file?\n(yes/no)"},
    {"a hint behind the cursor", "old\n\n\033[1mName\033[0m: \033[2mnone\033[0m\n", 2, 6, "Name:"},
    {"a place under the row that asks", "made\nSure?\n> ", 2, 2, "Sure?"},
    {"an empty place in a frame", "What now?\n" TOP "\n│ Your name?                │\n│ >", 3, 4,
	"Your name?"},
    {"a secret", "login: u\nPassword: ", 1, 10, "Password:"},
    {"an address is no question", "Sure?\nsee http://h/?q=1\n\n", 3, 0, "Sure?"},
    {"nothing", "\n\n", 1, 0, ""},
};

static void offers(const char *screen, size_t len, const char *want, const char *name)
{
	struct prompt_view view = {
	    .text = screen, .len = len, .columns = COLUMNS, .cursor_row = 5, .cursor_column = 0};
	struct question_choice choices[QUESTION_CHOICES_MAX];
	size_t count = agent_question_choices(&view, choices);
	struct buf got;
	buf_init(&got, 4096);
	for (size_t at = 0; at < count; at++)
		(void)buf_printf(&got, "%u%s%s|", choices[at].number,
		    choices[at].is_marked ? "*" : " ", choices[at].text);
	if (len == strlen(screen))
		is_str(got.len > 0 ? (char *)got.data : "", want, "%s", name);
	buf_finish(&got);
}

/* The choices of menus, cut anywhere. */
static void test_choices(void)
{
	static const struct {
		const char *name, *screen, *want;
	} menus[] = {
	    {"the choices of a menu", "Run it?\n  1. Yes\n❯ 2. No\n\nEsc to cancel\n",
		"1 Yes|2*No|"},
	    {"one that is wrapped",
		"Run it?\n❯ 1. Yes, and do not ask again here\n     in /tmp\n  2. No\n\n",
		"1*Yes, and do not ask again here in /tmp|2 No|"},
	    {"no choice is marked: a list", "Steps?\n  1. One\n  2. Two\n\n\n", ""},
	    {"a prompt under the choices", "Run it?\n❯ 1. Yes\n  2. No\n\n\n> ", ""},
	    {"a plain question", "Sure?\n\n\n\n\n> ", ""},
	};
	for (size_t at = 0; at < sizeof menus / sizeof *menus; at++) {
		for (size_t len = 0; len <= strlen(menus[at].screen); len++)
			offers(menus[at].screen, len, menus[at].want, menus[at].name);
	}
}

static void asks(const char *screen, size_t len, size_t at)
{
	struct prompt_view view = {.text = screen,
	    .len = len,
	    .columns = COLUMNS,
	    .cursor_row = cases[at].row,
	    .cursor_column = cases[at].column};
	struct buf text;
	buf_init(&text, 4096);
	agent_question_text(&view, &text);
	if (len == strlen(cases[at].screen))
		is_str(text.len > 0 ? (char *)text.data : "", cases[at].want, "%s", cases[at].name);
	buf_finish(&text);
}

/* No character of a screen but a letter or a digit becomes a part of a pattern. */
static void test_patterns(void)
{
	static const char screen[] =
	    "● old\n\n  rm #(x) },;:%?[a]\\ 'é\" `1`\n\nRun it?\n❯ 1. Yes\n"
	    "  2. No\n\nEsc to cancel\n● 3 files";
	struct prompt_view view = {
	    .text = screen, .len = strlen(screen), .columns = COLUMNS, .cursor_row = 5};
	struct buf out;
	buf_init(&out, 4096);
	agent_question_patterns(&view, &out);
	(void)buf_append_byte(&out, '\0');
	is_str((const char *)out.data, "*old\nrm*x*a*1*\nRun*it*\n*1*Yes\n2*No\n",
	    "the rows of a menu as patterns");
	buf_finish(&out);
	buf_init(&out, 4096);
	view.text = "said\nSure? [y/N] #{q}";
	view.len = strlen(view.text);
	view.cursor_row = 1;
	agent_question_patterns(&view, &out);
	(void)buf_append_byte(&out, '\0');
	is_str((const char *)out.data, "Sure*y*N*q*\n", "and the row that asks");
	buf_finish(&out);
}

int main(void)
{
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		/* A screen that is cut anywhere does no harm. */
		for (size_t len = 0; len <= strlen(cases[at].screen); len++)
			asks(cases[at].screen, len, at);
	}
	test_choices();
	test_patterns();
	return done_testing();
}
