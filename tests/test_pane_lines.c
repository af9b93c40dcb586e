/* SPDX-License-Identifier: ISC */
/*
 * Watches of the lines of a pane: each output whole and split at every byte, with time and
 * without; lines that begin again, watches that begin within a line, and the limits.
 */
#include "daemon/tmux/pane_lines.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/tokenizer.h"
#include "base/xalloc.h"
#include "tap.h"

/* A pane with up to some watches, which begin again when they have found something. */
enum { WATCHES_MAX = 40 };

struct seen {
	struct line_watch watch;
	struct pattern *pattern;
	bool is_watching;
};

static struct pane_lines *lines;
static struct lines_turn turn;
static struct tokenizer tokenizer;
static uint64_t offset;
static struct seen watches[WATCHES_MAX];
static struct buf told; /* findings of the watches, as text */

static void on_found(struct line_watch *watch, const struct line_found *found)
{
	struct seen *seen = (struct seen *)watch;
	seen->is_watching = false;
	buf_printf(&told, "%d", (int)(seen - watches));
	if (found->result == PATTERN_LIMIT)
		buf_append_str(&told, "(limit) ");
	else
		buf_printf(&told, "(%.*s@%d) ", (int)found->len, found->line, (int)found->offset);
}

static void on_closed(struct line_watch *watch)
{
	struct seen *seen = (struct seen *)watch;
	seen->is_watching = false;
	buf_printf(&told, "%d(closed) ", (int)(seen - watches));
}

/* As much time as is needed, on any machine. */
#define ENOUGH_TIME (-1000000000)

static void begin(void)
{
	turn.spent_us = ENOUGH_TIME;
	offset = 0;
	lines = pane_lines_new(&turn, NULL);
	tokenizer_init(&tokenizer, true);
	buf_clear(&told);
}

static bool stays; /* watches stay after a match */

static void watch(size_t place, const char *regex)
{
	struct seen *seen = &watches[place];
	char reason[200];
	pattern_free(seen->pattern);
	seen->pattern = pattern_new(regex, strlen(regex), reason, sizeof reason);
	seen->watch =
	    (struct line_watch){.found = on_found, .closed = on_closed, .is_staying = stays};
	seen->is_watching = true;
	pane_lines_add(lines, &seen->watch, seen->pattern);
}

static void end(void)
{
	pane_lines_free(lines);
	tokenizer_finish(&tokenizer);
	for (size_t at = 0; at < WATCHES_MAX; at++) {
		pattern_free(watches[at].pattern);
		watches[at].pattern = NULL;
	}
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

static void say(const char *text)
{
	feed(text, strlen(text));
}

static const char *take_told(void)
{
	static char text[4096];
	snprintf(text, sizeof text, "%s", told.data != NULL ? (const char *)told.data : "");
	buf_clear(&told);
	return text;
}

/* Output, a pattern, and the line in which the pattern is found; NULL: in none. */
static const struct {
	const char *output;
	const char *regex;
	const char *line;
} rows[] = {
    {"one\r\ntwo\r\nthree\r\n", "^two$", "two"},
    {"one\r\ntwo\r\nthree\r\n", "four", NULL},
    {"\033[1mer\033[31mror\033[0m: x\r\n", "error: x$", "error: x"},
    {"\033]0;error\aok\r\n", "error", NULL},
    {"\033]8;;http://x\033\\link\033]8;;\033\\\r\n", "^link$", "link"},
    {"begin middle end of it\n", "middle end", "begin middle end of it"},
    {"wrong\rright\r\n", "^right$", "right"},
    {"wxyz\b\b\b\babcd\n", "^abcd$", "abcd"},
    {"na\303\257ve \346\227\245\346\234\254\n", "^na.ve ..$",
	"na\303\257ve \346\227\245\346\234\254"},
    {"a\nb\n", "a\\nb", NULL},
    {"\n\nlast of all", "last of all", "last of all"},
    {"tab\there\n", "tab\\there", "tab\there"},
    {"first [17%] half second half\n", "(\\d+)%. half sec", "first [17%] half second half"},
};

/* Whether a watch finds its line in the output cut in three, beside other watches. */
static bool finds(size_t row, size_t first, size_t second, size_t others)
{
	const char *output = rows[row].output;
	size_t len = strlen(output);
	const char *told_text;
	char want[256];
	bool is_found;
	begin();
	for (size_t at = 1; at <= others; at++) {
		char regex[32];
		snprintf(regex, sizeof regex, "never seen %d", (int)at);
		watch(at, regex);
	}
	watch(0, rows[row].regex);
	feed(output, first);
	feed(output + first, second - first);
	feed(output + second, len - second);
	told_text = take_told();
	if (rows[row].line == NULL) {
		is_found = told_text[0] == '\0';
	} else {
		/* The line may go on when the pattern is found. */
		const char *at = strchr(told_text, '@');
		snprintf(want, sizeof want, "0(%s", rows[row].line);
		is_found = at != NULL && strncmp(told_text, want, (size_t)(at - told_text)) == 0 &&
		    strchr(at + 1, '@') == NULL;
	}
	end();
	return is_found;
}

static void test_cuts(void)
{
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		size_t len = strlen(rows[row].output);
		unsigned wrong = 0;
		for (size_t first = 0; first <= len; first++)
			for (size_t second = first; second <= len; second++) {
				wrong += !finds(row, first, second, 0);
				wrong += !finds(row, first, second, WATCHES_MAX - 1);
			}
		is_int(wrong, 0, "%s: every cut, alone and beside others", rows[row].regex);
	}
}

static void test_line_under_way(void)
{
	begin();
	watch(0, "^password: $");
	watch(1, "100%");
	watch(2, "^done$");
	say("pass");
	say("word: ");
	is_str(take_told(), "0(password: @10) ", "a line is looked at before its end");
	say("\r 50%");
	say("\r100%");
	is_str(take_told(), "1(100%@20) ", "and again when it has changed");
	say("\rdone\b\b");
	say("ne");
	is_str(take_told(), "2(done@29) ", "also behind a backspace");
	say("\b\b\b\b\r");
	say("\033[K");
	is_str(take_told(), "", "nothing new is nothing found");
	end();
}

static void test_beginning(void)
{
	begin();
	watch(0, "never");
	say("err");
	watch(1, "error|rror");
	watch(2, "^or");
	say("or\n");
	is_str(take_told(), "2(or@6) ", "a watch sees what comes after its beginning");
	say("an error\n");
	is_str(take_told(), "1(an error@15) ", "and all of the next line");
	say("old text");
	watch(3, "text");
	watch(4, "^new");
	watch(5, "^ld new$");
	say("\b\b\b\b\b\b\bld");
	say(" new");
	is_str(take_told(), "5(ld new@36) ", "what is written again is new");
	say("\rnew");
	is_str(take_told(), "4(new@40) ", "a line that begins again is new");
	end();
	is_str(take_told(), "0(closed) 3(closed) ", "the others are closed");
}

/* A watch that stays takes each line, and each once. */
static void test_staying(void)
{
	begin();
	stays = true;
	watch(0, "a");
	watch(1, "(z+)+$");
	stays = false;
	say("a1 a\nb\na2\na3");
	is_str(take_told(), "0(a1 a@12) 0(a2@12) 0(a3@12) ", "each line of a piece");
	say(" a, a");
	say("a\na4\n");
	is_str(take_told(), "0(a4@22) ", "not the rest of a line that it has");
	say("a5");
	say("\ra6\n");
	is_str(take_told(), "0(a5@24) 0(a6@28) ", "a line that begins again");
	turn.spent_us = LINES_TURN_US;
	say("a7\na8\na9");
	is_str(take_told(), "", "none without time");
	turn.spent_us = ENOUGH_TIME;
	pane_lines_continue(lines);
	is_str(take_told(), "0(a7@36) 0(a8@36) 0(a9@36) ", "all of them later");
	for (int i = 0; i < 3 * LINES_LINE_MAX / 16; i++)
		say("0123456789 a 456");
	is_str(take_told(), "", "a long line too is one");
	say("\na\n");
	ok(strncmp(take_told(), "0(a@", 4) == 0, "and ends");
	say("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz!\n");
	is_str(take_told(), "1(limit) ", "a pattern that gives up ends it");
	end();
	is_str(take_told(), "0(closed) ", "the other is closed");
}

/* Without time nothing is lost or disordered, and the line under way is seen in the end. */
static void test_behind(void)
{
	begin();
	watch(0, "[a-z]+ 1$");
	watch(1, "line 2");
	watch(2, "l.ne 3");
	watch(3, "und.r way");
	turn.spent_us = LINES_TURN_US;
	say("line 1\nline");
	say(" 2\nline 3\nsoon over\rund");
	is_str(take_told(), "", "no time, no look");
	ok(pane_lines_is_behind(lines), "the watches are behind");
	watch(4, "line");
	watch(5, "er w");
	say("er way");
	pane_lines_continue(lines);
	is_str(take_told(), "", "still no time");
	for (int i = 0; i < 100 && pane_lines_is_behind(lines); i++) {
		turn.spent_us = LINES_TURN_US - 1;
		pane_lines_continue(lines);
	}
	is_str(take_told(), "0(line 1@40) 1(line 2@40) 2(line 3@40) 3(under way@40) 5(er way@40) ",
	    "all is found later");
	ok(!pane_lines_is_behind(lines), "nothing is left");
	turn.spent_us = LINES_TURN_US;
	say("\nthe last line");
	end();
	is_str(take_told(), "4(the last line@54) ", "the end of a pane waits for no turn");
}

/* The most that is kept: then there is no waiting. */
static void test_much_behind(void)
{
	static char many[10000];
	unsigned pieces = 0;
	for (size_t at = 0; at < sizeof many; at += 10)
		memcpy(many + at, "123456789\n", 10);
	begin();
	watch(0, "never");
	watch(1, "^too$");
	turn.spent_us = LINES_TURN_US;
	say("too\n");
	while (told.len == 0 && pieces < 1000) {
		feed(many, sizeof many);
		pieces++;
	}
	is_int(pieces, LINES_BEHIND_MAX / (int)sizeof many + 1, "a limit to being behind");
	ok(strncmp(take_told(), "1(too@", 6) == 0, "is no loss");
	ok(pane_lines_is_behind(lines), "the rest waits again");
	end();
	is_str(take_told(), "0(closed) ", "to the end");
}

static void test_long_lines(void)
{
	static char many[3 * LINES_LINE_MAX];
	memset(many, 'x', sizeof many);
	begin();
	watch(0, "begin");
	watch(1, "^x+$");
	watch(2, "xend of it");
	watch(3, "^beg");
	feed("be", 2);
	feed(many, sizeof many);
	ok(strncmp(take_told(), "1(xxx", 5) == 0, "a long line is cut at its front");
	watch(1, "in");
	say("in");
	is_str(take_told(), "1(in@196612) ", "but for new watches");
	say("xend ");
	say("of it");
	ok(told.len > LINES_LINE_MAX / 2, "and its end is seen");
	buf_clear(&told);
	end();
	is_str(take_told(), "0(closed) 3(closed) ", "its begin is not");
}

static void test_limit(void)
{
	begin();
	watch(0, "(a+)+$");
	watch(1, "fine");
	say("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! fine\n");
	ok(strncmp(take_told(), "0(limit) 1(", 11) == 0, "a pattern that gives up");
	end();
}

static void test_removing(void)
{
	begin();
	ok(pane_lines_is_empty(lines), "no watch");
	watch(0, "this");
	watch(1, "this");
	turn.spent_us = LINES_TURN_US;
	say("this");
	pane_lines_remove(lines, &watches[0].watch);
	turn.spent_us = ENOUGH_TIME;
	pane_lines_continue(lines);
	is_str(take_told(), "1(this@4) ", "a watch that is removed finds nothing");
	pane_lines_remove(lines, &watches[1].watch);
	ok(pane_lines_is_empty(lines), "a watch that has ended can be removed");
	end();
}

int main(void)
{
	buf_init(&told, 1024 * 1024);
	test_cuts();
	test_line_under_way();
	test_beginning();
	test_staying();
	test_behind();
	test_much_behind();
	test_long_lines();
	test_limit();
	test_removing();
	buf_finish(&told);
	return done_testing();
}
