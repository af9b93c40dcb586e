/* SPDX-License-Identifier: ISC */
/*
 * The echo of what is typed: what shells, their line editors and terminals wrote, whole and
 * split at every byte, and what is left as output. Recorded on a terminal of 40 columns.
 */
#include "daemon/tmux/echo.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/tokenizer.h"
#include "daemon/tmux/pane_lines.h"
#include "tap.h"

static const char long_line[] = "echo aaaaaaaaaa bbbbbbbbbb cccccccccc DONE dddddddd\r";

#define ZSH_END                                                                               \
	"\033[1m\033[3m#\033[23m\033[1m\033[0m                                       \r \r\r" \
	"\033[0m\033[23m\033[24m\033[J$ \033[K\033[?2004h"

static const struct {
	const char *name, *typed, *output;
	enum echo_reader reader;
	bool is_before; /* typed before the output was followed */
	bool is_found; /* the output contains DONE */
} rows[] = {
    {"bash, echo", "echo DONE", "$ echo DONE", .is_found = false},
    {"bash, Enter", "echo DONE\r", "$ echo DONE\r\n\033[?2004l\r", .is_found = false},
    {"bash, its output", "echo DONE\r", "$ echo DONE\r\n\033[?2004l\rDONE\r\n", .is_found = true},
    {"bash, a long line", long_line,
	"$ echo aaaaaaaaaa bbbbbbbbbb cccccccccc DONE dddddddd\r\n\033[?2004l\r",
	.is_found = false},
    {"bash, a paste", "echo a\necho DONE\r",
	"$ \033[3mecho a\033[23m\r\n\r\033[3mecho DONE\033[23m\033M\r\033[C\033[Cecho a\r\n"
	"\recho DONE\r\n\033[?2004l\ra\r\n",
	.is_found = false},
    {"bash, a paste and its output", "echo a\necho DONE\r",
	"$ \033[3mecho a\033[23m\r\n\r\033[3mecho DONE\033[23m\033M\r\033[C\033[Cecho a\r\n"
	"\recho DONE\r\n\033[?2004l\ra\r\nDONE\r\n",
	.is_found = true},
    {"no echo", "DONE\r", "DONE\r\n", .reader = ECHO_LATER, .is_found = true},
    {"no echo, left for a shell", "echo DONE\r", "bye\r\n$ echo DONE\r\n", .reader = ECHO_LATER,
	.is_found = false},
    {"zsh", "echo DONE\r", "$ e\becho DONE\033[?2004l\r\r\n", .is_found = false},
    {"zsh, its output", "echo DONE\r", "$ e\becho DONE\033[?2004l\r\r\nDONE\r\n" ZSH_END,
	.is_found = true},
    {"zsh, a long line", long_line,
	"$ e\becho aaaaaaaaaa bbbbbbbbbb cccccccccc  \r\033[KD\rDONE dddddddd\033[?2004l\r\r\n",
	.is_found = false},
    {"zsh, a paste", "echo a\necho DONE\r",
	"\033[3mecho a\033[23m\r\r\n\033[3mecho DONE\033[23m\033[K\033M\b\b\b\b\b\b\b\033[23me"
	"\033[23mc\033[23mh\033[23mo\033[23m \033[23ma\033[1B\r\033[23me\033[23mc\033[23mh\033[23mo"
	"\033[23m \033[23mD\033[23mO\033[23mN\033[23mE\033[?2004l\r\r\na\r\n",
	.is_found = false},
    {"fish", "echo DONE\r",
	"# echo \r\033[29CDONE\r\033[33C\033[9Decho DONE\r\033[33C\r\n\033[30m\033[m\017\r",
	.is_found = false},
    {"fish, its output", "echo DONE\r",
	"# echo \r\033[29CDONE\r\033[33C\033[9Decho DONE\r\033[33C\r\n\033[30m\033[m\017\rDONE\r\n",
	.is_found = true},
    {"fish, a long line", long_line,
	"# echo \r\033[29Caaaaaaaaaa \r\r\n\033M\033[38Ca bbbbbbbbbb \033M\r\r\n\033[11Ccccccccccc "
	"\033M\r\r\n\033[22CDONE \033M\r\r\n\033[27Cdddddddd\033M\r\r\n\033[35C\033M\033[11Decho "
	"aaaaaaaaaa bbbbbbbbbb cccccccccc DONE dddddddd\033M\r\r\n\033[35C\r\n\033[30m\033[m\017",
	.is_found = false},
    {"fish, a wrapped line of which a part is drawn again", "echo half DONE\r",
	"host> echo \r\033[11Chalf \r\033[16CDONE\033M\r\r\n\033[5C\033M\033[10C half "
	"D\r\r\n\033[5C"
	"\r\n\033[m\rhalf DONE\r\n",
	.is_found = true},
    {"python", "print('DO'+'NE')\r", ">>> print('DO'+'NE')\r\nDONE\r\n>>> ", .is_found = true},
    {"a terminal", "DONE\r", "DONE\r\n", ECHO_BY_TERMINAL, .is_found = false},
    {"cat prints it too", "DONE\r", "DONE\r\nDONE\r\n", ECHO_BY_TERMINAL, .is_found = true},
    {"typed ahead, echoed twice", "echo DONE\r", "echo DONE\r\n$ echo DONE\r\n", ECHO_BY_BOTH,
	.is_found = false},
    {"and run", "echo DONE\r", "echo DONE\r\n$ echo DONE\r\nDONE\r\n", ECHO_BY_BOTH,
	.is_found = true},
    {"typed to a program that reads late", "DONE\r", "DONE\r\nDONE\r\n", ECHO_BY_BOTH,
	.is_found = true},
    {"typed before, behind a prompt", "echo DONE\r", "x\r\n$ echo DONE\r\n", .is_before = true},
    {"from the beginning", "echo DONE\r", "echo DONE\r\n", .is_before = true},
    {"its output", "echo DONE\r", "\r\nDONE\r\n$ ", .is_before = true, .is_found = true},
    {"of a terminal, so over", "DONE\r", "DONE\r\n", ECHO_BY_TERMINAL, .is_before = true,
	.is_found = true},
    {"another output first", "echo DONE\r", "e\r\nDONE\r\n", .is_found = true},
    {"the beginning of a text", "DONE2\r", "DONE\r\n", .is_found = true},
    {"more behind a text", "D\r", "DONE\r\n", .is_found = true},
    {"nothing is typed", "", "$ echo DONE\r\n", .is_found = true},
    {"keys that edit", "echo \033[ADONE\r", "$ echo DONE\r\n", .is_found = true},
    {"marked, a person's line", "", "\033]133;A\a$ \033]133;B\aecho DONE\r\n\033]133;C\a",
	.is_found = false},
    {"marked, the output", "",
	"\033]133;A\a$ \033]133;B\aecho DONE\r\n\033]133;C\aDONE\r\n\033]133;D;0\a",
	.is_found = true},
    {"marked, without C", "", "\033]133;A\a$ \033]133;B\aecho DONE\r\n", .is_found = false},
    {"marked, without C, the output", "", "\033]133;A\a$ \033]133;B\aecho DONE\r\nDONE\r\n",
	.is_found = true},
    {"marked, and typed by Muxbus", "echo DONE\r",
	"\033]133;A\a$ \033]133;B\aecho DONE\r\nDONE\r\n", .is_found = true},
    {"marked, several lines", "",
	"\033]133;B\a:\r\n\033]133;C\a\033]133;D\a\033]133;A\a\033]133;B\aecho a\r\n> DONE\r\n"
	"\033]133;C\a",
	.is_found = false},
    {"marked, taken back", "",
	"\033]133;B\a:\r\n\033]133;C\a\033]133;A\a\033]133;B\aecho DONE^C\r\n\033]133;A\a",
	.is_found = false},
    {"marked, a shell that stops marking C", "",
	"\033]133;B\a:\r\n\033]133;C\a\033]133;A\a\033]133;B\aecho\r\n1\r\n2\r\nDONE\r\n\033]133;"
	"A\a",
	.is_found = true},
};

static bool is_found;
static uint64_t offset;
static struct pane_lines *lines;
static struct tokenizer tokenizer;

static void on_found(struct line_watch *watch, const struct line_found *found)
{
	(void)watch;
	is_found |= found->result == PATTERN_MATCH;
}

static void on_closed(struct line_watch *watch)
{
	(void)watch;
}

static void on_token(void *data, const struct token *token)
{
	(void)data;
	pane_lines_token(lines, token);
}

static void feed(const char *bytes, size_t len)
{
	tokenizer_feed(&tokenizer, offset, bytes, len, on_token, NULL);
	offset += len;
	pane_lines_look(lines, offset);
}

static void type(struct echo *echo, size_t row)
{
	echo_type(echo, (const uint8_t *)rows[row].typed, strlen(rows[row].typed), rows[row].reader,
	    clock_mono_ms());
}

/* Returns true if a row gives the wanted output, cut in two, or in single bytes (step 1). */
static bool is_right(size_t row, size_t cut, size_t step)
{
	struct lines_turn turn = {.spent_us = -1000000000};
	struct line_watch watch = {.found = on_found, .closed = on_closed};
	char reason[100];
	struct pattern *pattern = pattern_new("DONE", 4, reason, sizeof reason);
	size_t len = strlen(rows[row].output);
	struct echo echo;
	is_found = false;
	offset = 0;
	echo_init(&echo);
	tokenizer_init(&tokenizer, true);
	if (rows[row].is_before)
		type(&echo, row);
	lines = pane_lines_new(&turn, &echo);
	pane_lines_add(lines, &watch, pattern);
	if (!rows[row].is_before)
		type(&echo, row);
	feed(rows[row].output, cut);
	for (size_t at = cut; at < len; at += step)
		feed(rows[row].output + at, len - at < step ? len - at : step);
	pane_lines_free(lines);
	tokenizer_finish(&tokenizer);
	echo_finish(&echo);
	pattern_free(pattern);
	return is_found == rows[row].is_found;
}

int main(void)
{
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		size_t len = strlen(rows[row].output);
		unsigned wrong = 0;
		ok(is_right(row, len, len), "%s", rows[row].name);
		for (size_t cut = 0; cut <= len; cut++)
			wrong += !is_right(row, cut, len) + !is_right(row, cut, 1);
		is_int(wrong, 0, "%s, split", rows[row].name);
	}
	return done_testing();
}
