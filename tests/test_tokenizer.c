/* SPDX-License-Identifier: ISC */
/* The tokenizer, each input whole and split at every byte; and the stripper on top of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/stripper.h"
#include "base/tokenizer.h"
#include "tap.h"

/* The tokens as text: runs joined, controls in <>, the rest in []. */
static void describe(void *data, const struct token *token)
{
	struct buf *out = data;
	switch (token->kind) {
	case TOKEN_TEXT:
		buf_append(out, token->bytes, token->len);
		break;
	case TOKEN_CONTROL:
		buf_printf(out, "<%02x>", token->bytes[0]);
		break;
	case TOKEN_BELL:
		buf_printf(out, "[bell %d]", (int)token->from);
		break;
	case TOKEN_MARK:
		buf_printf(out, "[%c %d %d-%d]", token->mark, token->status, (int)token->from,
		    (int)token->to);
		break;
	case TOKEN_OSC:
	case TOKEN_SEQUENCE:
		buf_printf(out, "[%d-%d]", (int)token->from, (int)token->to);
		break;
	}
}

struct row {
	const char *input;
	const char *want;
	const char *marks; /* without text */
};

static const struct row rows[] = {
    {"plain", "plain", ""},
    {"a\tb\r\n", "a<09>b<0d><0a>", ""},
    {"\a", "[bell 0]", "[bell 0]"},
    {"x\033[1;31mred\033[0m", "x[1-8]red[11-15]", "[1-8][11-15]"},
    {"\033]0;ti\atle\033\\", "[0-7]tle[10-12]", "[0-7][10-12]"},
    {"\033]0;title\033\\x\a", "[0-11]x[bell 12]", "[0-11][bell 12]"},
    {"\033Pq\a\a#0\033\\y", "[0-9]y", "[0-9]"},
    {"\033_apc\a\033\\\033^pm\a\033\\\033Xsos\a\033\\\033kname\a\033\\.",
	"[0-8][8-15][15-23][23-32].", "[0-8][8-15][15-23][23-32]"},
    {"\033]133;A\a$ \033]133;B\als\r\n\033]133;C\aout\r\n\033]133;D;0\a",
	"[A -1 0-8]$ [B -1 10-18]ls<0d><0a>[C -1 22-30]out<0d><0a>[D 0 35-45]",
	"[A -1 0-8][B -1 10-18][C -1 22-30][D 0 35-45]"},
    {"\033]133;D;127;aid=5\033\\", "[D 127 0-19]", "[D 127 0-19]"},
    {"\033]133;D\033\\", "[D -1 0-9]", "[D -1 0-9]"},
    {"\033]133;D;x\a\033]133;DD\a\033]133;\a\033]1337;A\a", "[D -1 0-10][10-19][19-26][26-35]",
	"[D -1 0-10][10-19][19-26][26-35]"},
    {"\033]133;D;99999999999999999999\a", "[D -1 0-29]", "[D -1 0-29]"},
    {"\033]0;x\030y\033]0;x\032z", "[0-6]y[7-13]z", "[0-6][7-13]"},
    {"\033]133;A\033[m.", "[7-10].", "[7-10]"},
    {"\033[\0331\033[2\033\033\033c", "[2-4][9-11]", "[2-4][9-11]"},
    {"\033[3\r1m\033[4\a2m", "<0d>[0-6][bell 9][6-12]", "[0-6][bell 9][6-12]"},
    {"\033(B\033#8\033=\033>x", "[0-3][3-6][6-8][8-10]x", "[0-3][3-6][6-8][8-10]"},
    {"\303\251\342\234\223\302\233 x\177", "\303\251\342\234\223\302\233 x<7f>", ""},
    {"\033]2;\342\234\223\234\aok", "[0-9]ok", "[0-9]"},
    {"\033[12345678901234567890;;::?><=!\"$ q.", "[0-35].", "[0-35]"},
    {"\033]133;C;cmdline_url=0123456789012345678901234567890123456789012345678901234567890123456789"
     "0123456789012345678901234567890123456789012345678901234567890123456789\a.",
	"[C -1 0-161].", "[C -1 0-161]"},
    {"open \033]133;A", "open ", ""},
};

static void run(struct buf *out, const char *input, bool wants_text, size_t cut)
{
	struct tokenizer tokenizer;
	size_t len = strlen(input);
	tokenizer_init(&tokenizer, wants_text);
	buf_clear(out);
	tokenizer_feed(&tokenizer, 0, input, cut, describe, out);
	tokenizer_feed(&tokenizer, cut, input + cut, len - cut, describe, out);
	tokenizer_finish(&tokenizer);
	buf_append(out, "", 0);
}

static void run_bytewise(struct buf *out, const char *input, bool wants_text)
{
	struct tokenizer tokenizer;
	tokenizer_init(&tokenizer, wants_text);
	buf_clear(out);
	for (size_t i = 0; input[i]; i++)
		tokenizer_feed(&tokenizer, i, input + i, 1, describe, out);
	tokenizer_finish(&tokenizer);
}

static const char *text_of(const struct buf *out)
{
	return out->data != NULL ? (const char *)out->data : "";
}

static void test_rows(void)
{
	struct buf out;
	buf_init(&out, 100000);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *row = &rows[i];
		unsigned wrong = 0;
		run(&out, row->input, true, 0);
		is_str(text_of(&out), row->want, "row %zu whole", i);
		for (size_t cut = 0; cut <= strlen(row->input); cut++) {
			run(&out, row->input, true, cut);
			wrong += strcmp(text_of(&out), row->want) != 0;
			run(&out, row->input, false, cut);
			wrong += strcmp(text_of(&out), row->marks) != 0;
		}
		run_bytewise(&out, row->input, true);
		wrong += strcmp(text_of(&out), row->want) != 0;
		run_bytewise(&out, row->input, false);
		wrong += strcmp(text_of(&out), row->marks) != 0;
		is_int(wrong, 0, "row %zu split at every byte, with and without text", i);
	}
	buf_finish(&out);
}

/* Long runs, so that the vectors are used, with one byte of interest at each place. */
static void test_long(void)
{
	static const char specials[] = "\a\030\032\033\r\177\001\037";
	char input[101];
	unsigned wrong = 0;
	struct buf fast, slow;
	buf_init(&fast, 10000);
	buf_init(&slow, 10000);
	for (size_t s = 0; s < sizeof specials - 1; s++)
		for (size_t place = 0; place < 100; place++)
			for (int wants_text = 0; wants_text < 2; wants_text++) {
				memset(input, 'x', 100);
				input[100] = '\0';
				input[place] = specials[s];
				input[(place + 37) % 100] = (char)0x9c;
				run(&fast, input, wants_text, 0);
				run_bytewise(&slow, input, wants_text);
				wrong += strcmp(text_of(&fast), text_of(&slow)) != 0;
			}
	is_int(wrong, 0, "long runs read as byte by byte");
	buf_finish(&fast);
	buf_finish(&slow);
}

static void test_random(void)
{
	static const char alphabet[] = "\033\033\033[]P\\;133ABCD\a\030\032 x\n\302\234k_";
	struct buf whole, split;
	unsigned wrong;
	buf_init(&whole, 100000);
	buf_init(&split, 100000);
	wrong = 0;
	srandom(11);
	for (int round = 0; round < 3000; round++) {
		char input[61];
		for (int i = 0; i < 60; i++)
			input[i] = alphabet[(size_t)random() % (sizeof alphabet - 1)];
		input[60] = '\0';
		run(&whole, input, true, 0);
		run_bytewise(&split, input, true);
		wrong += strcmp(text_of(&whole), text_of(&split)) != 0;
	}
	is_int(wrong, 0, "random input reads the same however it is split");
	buf_finish(&whole);
	buf_finish(&split);
}

static void check_lines(const char *input, const char *want, size_t want_used)
{
	struct buf out;
	size_t used;
	buf_init(&out, 100000);
	used = stripper_lines(&out, input, strlen(input));
	is_str(text_of(&out), want, "lines of %zu bytes", strlen(input));
	is_int((long long)used, (long long)want_used, "the number of consumed bytes");
	buf_finish(&out);
}

static void test_stripper(void)
{
	char *open;
	check_lines("a\r\nb\n", "a\nb\n", 5);
	check_lines("\033[1mbold\033[0m \033]0;t\aend", "bold end", 22);
	check_lines("10%\r50%\r100%\r\ndone", "100%\ndone", 18);
	check_lines("abc\b \bX\n", "abX\n", 8);
	check_lines("\b\bx\303\251\by\n", "xy\n", 8);
	check_lines("text\r", "text", 4);
	check_lines("text\033[3", "text", 4);
	check_lines("text\303", "text", 4);
	check_lines("a\tb\a\001\177c", "a\tbc", 7);
	check_lines("line\n\rx", "line\nx", 7);
	check_lines("abc\r", "abc", 3);

	open = malloc(STRIPPER_OPEN_MAX + 100);
	memset(open, 'x', STRIPPER_OPEN_MAX + 99);
	open[STRIPPER_OPEN_MAX + 99] = '\0';
	memcpy(open, "t\033]", 3);
	check_lines(open, "t", STRIPPER_OPEN_MAX + 99);
	free(open);
}

int main(void)
{
	test_rows();
	test_long();
	test_random();
	test_stripper();
	return done_testing();
}
