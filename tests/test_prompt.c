/* SPDX-License-Identifier: ISC */
/* Prompts on screens as capture-pane -p -e gives them. */
#include "daemon/pane/prompt.h"

#include <string.h>

#include "tap.h"

#define SIDE "\xe2\x94\x82"
#define EDGE                                                                                       \
	"\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2" \
	"\x94\x80"
#define TOP "\xe2\x95\xad" EDGE EDGE EDGE EDGE EDGE "\xe2\x95\xae\n"
#define TITLED "\xe2\x95\xad\xe2\x94\x80 Message " EDGE "\xe2\x95\xae\n"
#define BOTTOM "\xe2\x95\xb0" EDGE EDGE EDGE EDGE EDGE "\xe2\x95\xaf\n"

#define BAR                                                                                        \
	"\xe2\x96\x84\xe2\x96\x84\xe2\x96\x84\xe2\x96\x84\xe2\x96\x84\xe2\x96\x84\xe2\x96\x84\xe2" \
	"\x96\x84\n"
#define LIGHT "\033[48;2;228;230;232m "
#define PALE "\033[38;2;166;170;175m\033[48;2;228;230;232m"
#define GREY "\033[38;2;175;175;175m\033[48;2;95;95;95m"

#define LONG "  a\n  b\n  c\n  d\n  e\n  f\n  g\n  h\n  i\n  j\n  k\n  l\n  m\n  n\n"

enum verdict { EMPTY, DRAFT, SHELL, QUESTION };

static const char *const verdicts[] = {
    [EMPTY] = "empty", [DRAFT] = "draft", [SHELL] = "shell", [QUESTION] = "question"};

static const struct {
	const char *name;
	const char *screen;
	unsigned row, column;
	enum verdict verdict;
} screens[] = {
    /* Boxes, as Claude Code and Gemini CLI draw them. */
    {"boxed, empty", TOP SIDE " >                                     " SIDE "\n" BOTTOM, 1, 4,
	EMPTY},
    {"boxed, placeholder",
	TOP SIDE " > \033[2mTry \"fix the tests\"\033[0m            " SIDE "\n" BOTTOM, 1, 4,
	EMPTY},
    {"boxed, grey placeholder (palette)",
	TOP SIDE " > \033[38;5;244mType your message\033[39m          " SIDE "\n" BOTTOM, 1, 4,
	EMPTY},
    {"boxed, grey placeholder (direct colour)",
	TOP SIDE " > \033[38;2;110;110;110mType your message\033[39m   " SIDE "\n" BOTTOM, 1, 4,
	EMPTY},
    {"boxed, bright grey placeholder",
	TOP SIDE " > \033[90mType your message\033[39m          " SIDE "\n" BOTTOM, 1, 4, EMPTY},
    {"boxed, block cursor on a placeholder",
	TOP SIDE " > \033[7mT\033[0m\033[2mry \"fix the tests\"\033[0m     " SIDE "\n" BOTTOM, 1, 4,
	EMPTY},
    /* A person has left a row blank, and goes on below. */
    {"a blank row below a draft", "> first\n\n\n", 2, 0, DRAFT},
    {"below a long draft", "> first\n" LONG "\n", 15, 0, DRAFT},
    {"a draft that begins in its second row", ">\n  second\n\n", 2, 0, DRAFT},
    {"boxed, the same",
	TOP SIDE " >                                     " SIDE "\n" SIDE
		 "   second                              " SIDE "\n" SIDE
		 "                                       " SIDE "\n" BOTTOM,
	3, 4, DRAFT},
    {"a box without a prompt", TOP SIDE " first\n" SIDE "\n" BOTTOM, 2, 2, DRAFT},
    {"the same, blank", TOP SIDE "\n" SIDE "\n" BOTTOM, 2, 2, EMPTY},
    {"an edge below a prompt", "> first\n" EDGE "\n\n", 2, 0, EMPTY},
    {"blank rows below an empty one", ">\n\n\n", 2, 0, EMPTY},
    /* Gemini CLI 0.61: bars of half blocks, a grey that is not very dark, a star for a mode. */
    {"between bars, placeholder",
	BAR " \033[38;2;135;175;255m> \033[7m\033[39m \033[0m" GREY
	    " Type your message\033[39m       \n" BAR,
	1, 3, EMPTY},
    {"between bars, placeholder (palette)",
	BAR
	" \033[38;5;111m> \033[7m\033[39m \033[0m\033[38;5;145m Type your message\033[39m  \n" BAR,
	1, 3, EMPTY},
    {"between bars, a star, placeholder",
	BAR " \033[38;2;255;135;175m* \033[7m\033[39m \033[0m" GREY
	    " Type your message\033[39m       \n" BAR,
	1, 3, EMPTY},
    {"between bars, a star, draft",
	BAR " \033[38;2;255;135;175m* \033[39mfix the \033[7m \033[0m            \n" BAR, 1, 11,
	DRAFT},
    {"between bars, a star, wrapped draft",
	BAR " * a long line that goes on and on and \n   on                             \n" BAR, 2,
	5, DRAFT},
    {"between bars, a list in a draft", BAR " > these:      \n   *                  \n" BAR, 2, 5,
	DRAFT},
    {"between bars, shell mode",
	BAR " ! \033[7m \033[0m" GREY " Type your shell command\033[39m \n" BAR, 1, 3, DRAFT},
    {"boxed, draft", TOP SIDE " > fix the                             " SIDE "\n" BOTTOM, 1, 11,
	DRAFT},
    {"boxed, draft right of the cursor",
	TOP SIDE " > fix the                             " SIDE "\n" BOTTOM, 1, 4, DRAFT},
    {"boxed, one letter under the cursor",
	TOP SIDE " > f                                   " SIDE "\n" BOTTOM, 1, 4, DRAFT},
    {"boxed, coloured draft",
	TOP SIDE " > \033[36m/compress\033[39m                    " SIDE "\n" BOTTOM, 1, 13, DRAFT},
    {"boxed, wrapped draft",
	TOP SIDE " > a long line that goes on and on and " SIDE "\n" SIDE
		 "   on                                  " SIDE "\n" BOTTOM,
	2, 6, DRAFT},
    {"boxed, new line in a draft",
	TOP SIDE " > the first line                      " SIDE "\n" SIDE
		 "                                       " SIDE "\n" BOTTOM,
	2, 4, DRAFT},
    {"boxed, blank line in a draft",
	TOP SIDE " > the first line                      " SIDE "\n" SIDE
		 "                                       " SIDE "\n" SIDE
		 "                                       " SIDE "\n" BOTTOM,
	3, 4, DRAFT},
    {"boxed, blank above the prompt",
	TOP SIDE "                                       " SIDE "\n" SIDE
		 " >                                     " SIDE "\n" BOTTOM,
	2, 4, EMPTY},
    {"boxed, draft that ends as a prompt",
	TOP SIDE " > from a to b ->                      " SIDE "\n" BOTTOM, 1, 18, DRAFT},
    {"between rules", EDGE EDGE "\n\xe2\x9d\xaf \n" EDGE EDGE "\n", 1, 2, EMPTY},
    {"between rules, draft", EDGE EDGE "\n\xe2\x9d\xaf hello\n" EDGE EDGE "\n", 1, 7, DRAFT},
    {"between rules, wrapped draft that ends as a prompt",
	EDGE EDGE "\n\xe2\x9d\xaf go from here to\n  there ->\n" EDGE EDGE "\n", 2, 10, DRAFT},
    {"a quotation in a draft", "\xe2\x9d\xaf one\n  > \n", 1, 4, DRAFT},
    {"the same, further below", " > one\n   two\n\n   > \n", 3, 5, DRAFT},
    {"the same in a box",
	TOP SIDE " > one                                 " SIDE "\n" SIDE
		 "                                       " SIDE "\n" SIDE
		 "   >                                   " SIDE "\n" BOTTOM,
	3, 6, DRAFT},
    {"below a reply it is a prompt", "> one\nDone.\n  > \n", 2, 4, EMPTY},
    {"below the edge of a box too", "> one\n" EDGE "\n  > \n", 2, 4, EMPTY},
    {"or if it is not beneath the text", "> one\n   two\n > \n", 2, 3, EMPTY},
    {"at the margin, below another sign in a box",
	TOP SIDE "\xe2\x9d\xaf one                                  " SIDE "\n" SIDE "> " SIDE
		 "\n" BOTTOM,
	2, 3, DRAFT},
    {"the same between rules", EDGE "\n\xe2\x9d\xaf one\n> \n" EDGE "\n", 2, 2, DRAFT},
    {"the same between bars", BAR "\xe2\x9d\xaf one\n> \n" BAR, 2, 2, DRAFT},
    {"below a shell's command line it is a prompt", "\xe2\x9d\xaf agent\n> \n", 1, 2, EMPTY},
    {"also if the shell's prompt has a rule", EDGE "\n\xe2\x9d\xaf agent\n> \n", 2, 2, EMPTY},
    {"and if the program draws one beneath", "\xe2\x9d\xaf agent\n> \n" EDGE "\n", 1, 2, EMPTY},
    {"a box with a title, below what was said",
	"> one\n\n  two\n" TITLED SIDE " > " SIDE "\n" BOTTOM, 4, 4, EMPTY},
    {"the same without a prompt", "> one\n  two\n" TITLED SIDE "   " SIDE "\n" BOTTOM, 3, 2, EMPTY},
    {"a tree in a draft is no title", "> fix\n\xe2\x94\x9c\xe2\x94\x80 src\n" SIDE "\n", 2, 1,
	DRAFT},
    {"a draft in a box with a title", TITLED SIDE " > one\n" SIDE "   " SIDE "\n" BOTTOM, 2, 4,
	DRAFT},
    {"the same sign may be the next prompt", "> one\n> \n", 1, 2, EMPTY},
    {"another sign below a reply too", "\xe2\x9d\xaf one\nDone.\n> \n", 2, 2, EMPTY},
    {"a bar at the margin of a draft", "> one\n|\n", 1, 1, DRAFT},
    {"an item of a list below a blank row", "> these:\n\n* \n", 2, 2, DRAFT},
    {"an arrow below a blank row", "> one\n\nthere ->\n", 2, 8, DRAFT},
    {"a name below a blank row is a prompt", "> one\n\nme ~/src> \n", 2, 10, EMPTY},
    {"what was said is no draft", "> fix it\n\nDone.\n\n" EDGE "\n\xe2\x9d\xaf \n", 5, 2, EMPTY},
    {"codex-like", "\033[1m\xe2\x80\xba\033[0m \033[2mAsk Codex to do anything\033[0m\n", 0, 2,
	EMPTY},
    {"codex-like, draft", "\033[1m\xe2\x80\xba\033[0m do it\n", 0, 7, DRAFT},
    {"wide characters in a draft", "> \xe4\xbd\xa0\xe5\xa5\xbd\n", 0, 6, DRAFT},
    {"an emoji of two characters before it", "\U0001f469\u200d\U0001f4bb > \n", 0, 5, EMPTY},
    {"one with a tone of skin", "\U0001f44d\U0001f3fd > \n", 0, 5, EMPTY},
    {"one of them in a draft", "> \U0001f469\u200d\U0001f4bb\n", 0, 4, DRAFT},
    {"a tab before it, as tmux 3.8 shows it", "a\t> \n", 0, 10, EMPTY},
    {"wide characters before the prompt", "\xe4\xbd\xa0\xe5\xa5\xbd> \n", 0, 6, EMPTY},
    /* Interpreters and line editors. */
    {"python", "Type \"help\"\n>>> \n", 1, 4, EMPTY},
    {"python, draft", ">>> import os\n", 0, 13, DRAFT},
    {"python, cursor at the beginning of a draft", ">>> import os\n", 0, 4, DRAFT},
    {"python, in a block", ">>> if True:\n... \n", 1, 4, DRAFT},
    {"a suggestion right of the cursor", "> \033[2mgit push\033[0m\n", 0, 2, EMPTY},
    {"a name before the prompt", "sqlite> \n", 0, 8, EMPTY},
    {"no prompt at all", "hello\n\n", 1, 0, EMPTY},
    {"an empty screen", "", 0, 0, EMPTY},
    /* Screens without a place to type. */
    {"a pass word", "Password: \n", 0, 10, DRAFT},
    {"a question", "Go on? [y/N] \n", 0, 13, DRAFT},
    {"another question", "Overwrite it? \n", 0, 14, DRAFT},
    {"less", "text\n:\n", 1, 1, DRAFT},
    {"a menu", "Do you want to go on?\n\xe2\x9d\xaf 1. Yes\n  2. No\n", 1, 0, QUESTION},
    {"a menu in a box",
	TOP SIDE " Run it?                               " SIDE "\n" SIDE
		 " \xe2\x9d\xaf 1. Yes                              " SIDE "\n" SIDE
		 "   2. Always                           " SIDE "\n" SIDE
		 "   3. No                               " SIDE "\n" BOTTOM "\n",
	6, 0, QUESTION},
    {"a list is no menu", "1. one\n2. two\n\n> \n", 3, 2, EMPTY},
    /* Of themes: dark text on a light background, and opencode's placeholder of a paste. */
    {"a light theme, draft", LIGHT "* \033[38;2;92;97;102mhalf\033[7m\033[39m \n", 0, 7, DRAFT},
    {"its palette", "\033[48;5;254m > \033[38;5;238mhalf\033[7m\033[39m \n", 0, 7, DRAFT},
    {"black text", " > \033[38;2;0;0;0mhalf\033[7m\033[39m \n", 0, 7, DRAFT},
    {"a light theme, placeholder", LIGHT "* \033[7m\033[39m \033[0m" PALE " Type\033[39m\n", 0, 3,
	EMPTY},
    {"the background of the row above", LIGHT "\n* \033[38;2;92;97;102mhalf\033[39m\n", 1, 6,
	DRAFT},
    {"a paste, light text", "> \033[38;5;231m\033[48;2;214;140;39m[Pasted ~12 lines]\033[0m \n", 0,
	21, DRAFT},
    {"a white background", " > \033[47m\033[90mhalf\033[0m \n", 0, 8, DRAFT},
    {"a paste", "> \033[38;2;10;10;10m\033[48;2;245;167;66m[Pasted ~12 lines]\033[0m \n", 0, 21,
	DRAFT},
    {"bash", "me@host:~$ \n", 0, 11, SHELL},
    {"root", "host:/# \n", 0, 8, SHELL},
    {"zsh", "host% \n", 0, 6, SHELL},
    {"bash, draft", "me@host:~$ ls\n", 0, 13, DRAFT},
};

static enum verdict judge(const struct prompt *prompt)
{
	if (prompt->is_question)
		return QUESTION;
	if (prompt->has_draft)
		return DRAFT;
	return prompt->is_shell ? SHELL : EMPTY;
}

static void test_screens(void)
{
	for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
		struct prompt_view view = {.text = screens[i].screen,
		    .len = strlen(screens[i].screen),
		    .columns = 41,
		    .cursor_row = screens[i].row,
		    .cursor_column = screens[i].column};
		struct prompt prompt;
		prompt_read(&view, &prompt);
		if (!is_str(verdicts[judge(&prompt)], verdicts[screens[i].verdict], "%s",
			screens[i].name))
			diag("line \"%s\", lead \"%s\"", prompt.line, prompt.lead);
		/* A screen that is cut anywhere is read without harm. */
		for (size_t len = 0; len < view.len; len++) {
			struct prompt_view cut = view;
			cut.len = len;
			prompt_read(&cut, &prompt);
			(void)prompt_find_line(&cut, "line", 4, ">");
			(void)prompt_find_cursor(&cut);
		}
	}
}

/* A draft that fills the screen may begin above it. */
static void test_open(void)
{
	static const struct {
		const char *screen;
		unsigned row;
		bool is_open;
	} rows[] = {
	    {LONG "\n", 14, true},
	    {"\n" LONG "\n", 15, true},
	    {LONG LONG LONG "\n", 42, true},
	    {"> a\n" LONG "\n", 15, false},
	    {EDGE "\n" LONG "\n", 15, false},
	    {"  a\n\n\n\n\n", 1, false},
	    {LONG "> \n", 14, false},
	    {"\n\n\n\n", 3, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct prompt_view view = {.text = rows[i].screen,
		    .len = strlen(rows[i].screen),
		    .columns = 41,
		    .cursor_row = rows[i].row};
		struct prompt prompt;
		prompt_read(&view, &prompt);
		ok(prompt.is_open == rows[i].is_open, "screen %zu: a draft %s", i,
		    rows[i].is_open ? "may begin above it" : "begins on it, or nowhere");
	}
}

/* A prompt is more than a row without a draft. */
static void test_seen(void)
{
	static const struct {
		const char *screen;
		unsigned row, column;
		bool is_seen;
	} rows[] = {
	    {"$ \n", 0, 2, true},
	    {"root@host:/# \n", 0, 13, true},
	    {"host% \n", 0, 6, true},
	    {">>> \n", 0, 4, true},
	    {"/tmp/dir\n\xe2\x9d\xaf \n", 1, 2, true},
	    {"\xe2\x94\x8c\xe2\x94\x80\xe2\x94\x80(me)\n\xe2\x94\x94\xe2\x94\x80$ \n", 1, 4, true},
	    {"$ sleep 77\n\n", 1, 0, false},
	    {"$ sleep 77\n", 0, 10, false},
	    {"\n~\n~\n", 0, 0, false},
	    {"lines 1-20 45%\n", 0, 14, false},
	    {"password: \n", 0, 10, false},
	    {"Continue? [y/N] \n", 0, 16, false},
	    {TOP SIDE " >                                     " SIDE "\n" BOTTOM, 1, 4, true},
	    {TOP SIDE " > fix                                 " SIDE "\n" BOTTOM, 1, 7, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct prompt_view view = {.text = rows[i].screen,
		    .len = strlen(rows[i].screen),
		    .columns = 41,
		    .cursor_row = rows[i].row,
		    .cursor_column = rows[i].column};
		struct prompt prompt;
		prompt_read(&view, &prompt);
		ok(prompt.is_seen == rows[i].is_seen, "%s: \"%s\"",
		    rows[i].is_seen ? "a prompt" : "none", prompt.line);
	}
}

static void test_drawn_cursor(void)
{
	static const char screen[] = TOP SIDE " > ab\033[7m \033[27m                   " SIDE
					      "\n" BOTTOM "  ? for shortcuts\n";
	static const char bar[] = "> \n\033[7mstatus bar\033[0m\n";
	struct prompt_view view = {
	    .text = screen, .len = strlen(screen), .columns = 41, .cursor_row = 4};
	struct prompt prompt;
	ok(prompt_find_cursor(&view), "a drawn cursor is found");
	is_int(view.cursor_row, 1, "in its row");
	is_int(view.cursor_column, 6, "in its column");
	prompt_read(&view, &prompt);
	ok(prompt.has_draft, "and the draft before it");
	view = (struct prompt_view){.text = bar, .len = strlen(bar), .columns = 41};
	ok(!prompt_find_cursor(&view), "a bar in reverse is not a cursor");
	view.text = "> \033[7m\n\033[0m----\n"; /* a blank at the end of a row is left out */
	view.len = strlen(view.text);
	ok(prompt_find_cursor(&view) && view.cursor_row == 0 && view.cursor_column == 2,
	    "a cursor at the end of a row");
}

static const char line[] = "[muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2";

static const struct {
	const char *name;
	const char *screen;
	const char *lead;
	unsigned row, column;
	enum prompt_echo echo;
} lines[] = {
    {"nothing yet", "> \n", ">", 0, 2, ECHO_NONE},
    {"in one row", "> [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\n", ">", 0, 61,
	ECHO_EXACT},
    {"not all of it", "> [muxbus A1B2 job] exit 3 after 0.2 s.\n", ">", 0, 39, ECHO_ALTERED},
    {"wrapped by the terminal", "> [muxbus A1B2 job] exit 3 after 0.2 s. \nDetails: get_job A1B2\n",
	">", 1, 21, ECHO_EXACT},
    {"wrapped in a word", ">>> [muxbus A1B2 job] exit 3 after 0.2 s. Det\nails: get_job A1B2\n",
	">>>", 1, 18, ECHO_EXACT},
    {"wrapped in a box",
	TOP SIDE " > [muxbus A1B2 job] exit 3 after 0.2 " SIDE "\n" SIDE
		 "   s. Details: get_job A1B2            " SIDE "\n" BOTTOM,
	">", 2, 28, ECHO_EXACT},
    {"with a new line behind it",
	"> [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\n\n", ">", 1, 0, ECHO_EXACT},
    {"with a draft behind it",
	"> [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2 and\n", ">", 0, 65,
	ECHO_ALTERED},
    {"with a draft before it", "> so [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\n",
	">", 0, 64, ECHO_BEHIND},
    {"with a draft before it, behind a sign",
	"\xe2\x9d\xaf so [muxbus A1B2 job] exit 3 after 0.2 s. "
	"Details: get_job A1B2\n",
	"", 0, 64, ECHO_BEHIND},
    {"behind a sign", "\xe2\x9d\xaf [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\n",
	"", 0, 61, ECHO_EXACT},
    {"an unknown lead", "x> [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\n", NULL, 0,
	62, ECHO_EXACT},
    {"an unknown lead, and a draft before it",
	"> so [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\n", NULL, 0, 64,
	ECHO_ALTERED},
    {"an unknown lead, and a draft that ends as a prompt",
	"> so > [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\n", NULL, 0, 66,
	ECHO_ALTERED},
    {"an unknown lead of two signs",
	"a >> [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\n", NULL, 0, 64,
	ECHO_EXACT},
    {"an unknown lead, and a draft in the row above",
	"> fix the bug, and then \n  [muxbus A1B2 job] exit 3 after 0.2 s. \nDetails: get_job "
	"A1B2\n",
	NULL, 2, 21, ECHO_ALTERED},
    {"the same in a box",
	TOP SIDE " > so                                  " SIDE "\n" SIDE
		 "   [muxbus A1B2 job] exit 3 after 0.2  " SIDE "\n" SIDE
		 "   s. Details: get_job A1B2            " SIDE "\n" BOTTOM,
	NULL, 3, 28, ECHO_ALTERED},
    {"no lead, under output",
	"done\n[muxbus A1B2 job] exit 3 after 0.2 s. \nDetails: get_job A1B2\n", NULL, 2, 21,
	ECHO_EXACT},
    {"submitted to python",
	">>> [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2\nSyntaxError\n>>> \n",
	">>>", 2, 4, ECHO_ALTERED},
    {"its begin above the screen", "  after 0.2 s.\n  Details: get\n  _job A1B2\n\xe2\x96\x80\n",
	">", 2, 11, ECHO_TAIL},
    {"its begin above the edge of a box",
	"said\n\n\xe2\x94\x83\n\xe2\x94\x83  Details: get\n\xe2\x94\x83  _job A1B2\n", "", 4, 12,
	ECHO_TAIL},
    {"too little of it", "get\n_job A1B2\n", ">", 1, 9, ECHO_NONE},
    {"words in the row above the rest of it", "> so\nDetails: get\n_job A1B2\n", ">", 2, 9,
	ECHO_ALTERED},
    {"words behind the rest of it", "Details: get\n_job A1B2 and\n", ">", 1, 13, ECHO_ALTERED},
    {"words before the rest of it, which fills the row", "so Details: get_job A1B2\n\n", ">", 1, 0,
	ECHO_ALTERED},
    {"its begin in rows of a few cells, and words", "[mux\nbus \nA1B2\n job\n] so\n", ">", 4, 4,
	ECHO_ALTERED},
    {"its begin above an edge that a row like its end is above",
	"of a job\n\xe2\x94\x83\n\xe2\x94\x83 ] exit 3 after 0.2 s. Details: get_job A1B2\n", "", 2,
	45, ECHO_TAIL},
    {"other characters behind it",
	"> [muxbus A1B2 job] exit 3 after 0.2 s. Details: get_job A1B2 \xd0\xb4\xd0\xb0\n", ">", 0,
	64, ECHO_ALTERED},
    {"other characters within it",
	"> [muxbus A1B2 job] exit 3 \xd0\xb4\xd0\xb0 after 0.2 s. Details: get_job A1B2\n", ">", 0,
	64, ECHO_ALTERED},
    {"submitted and scrolled away", "done\n> \n", ">", 1, 2, ECHO_NONE},
};

static void test_lines(void)
{
	struct prompt_view view = {
	    .text = "> \xe5\x8e\x8b\xe7\xbc\xa9\n", .len = 9, .columns = 41, .cursor_column = 6};
	static const char quotation[] = "said \xc2\xab\xe6\xbc\xa2\xe6\xbc\xa2\xc2\xbb so";
	struct prompt_view quoted = {
	    .text = "> said \xc2\xab\xe6\xbc\xa2\n\xe6\xbc\xa2\xc2\xbb so\n",
	    .len = 22,
	    .columns = 10,
	    .cursor_row = 1,
	    .cursor_column = 6};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct prompt_view shown = {.text = lines[i].screen,
		    .len = strlen(lines[i].screen),
		    .columns = 41,
		    .cursor_row = lines[i].row,
		    .cursor_column = lines[i].column};
		is_int(prompt_find_line(&shown, line, strlen(line), lines[i].lead), lines[i].echo,
		    "a typed line: %s", lines[i].name);
	}
	is_int(prompt_find_line(&quoted, quotation, sizeof quotation - 1, ">"), ECHO_EXACT,
	    "a typed line with other characters over two rows");
	is_int(prompt_find_line(&view, "\xe5\x8e\x8b\xe7\xbc\xa9", 6, ">"), ECHO_EXACT,
	    "a typed line without ASCII");
}

int main(void)
{
	test_screens();
	test_open();
	test_seen();
	test_drawn_cursor();
	test_lines();
	return done_testing();
}
