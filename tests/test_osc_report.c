/* SPDX-License-Identifier: ISC */
/* Reports by OSC, each whole and split at every byte, and hostile ones among them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/tokenizer.h"
#include "base/utf8.h"
#include "daemon/tmux/osc_report.h"
#include "tap.h"

struct reading {
	struct osc_reader reader;
	struct buf out;
	unsigned unclean; /* texts that break the promise of the header */
};

static bool is_clean(const char *text, size_t max)
{
	size_t len = strlen(text);
	if (len > max || !utf8_is_valid(text, len))
		return false;
	for (size_t at = 0; at < len;) {
		uint32_t character;
		at += (size_t)utf8_decode(text + at, len - at, &character);
		if (character < 0x20 || (character >= 0x7f && character < 0xa0) ||
		    character == 0x2028 || character == 0x2029)
			return false;
	}
	return true;
}

static void on_token(void *data, const struct token *token)
{
	struct reading *reading = data;
	struct osc_report report;
	if (token->kind != TOKEN_OSC)
		return;
	switch (osc_report_read(&reading->reader, token->text, token->len, &report)) {
	case OSC_NOTICE:
		buf_printf(&reading->out, "[%u %s|%s]", report.number, report.title, report.text);
		break;
	case OSC_PROGRESS:
		buf_printf(
		    &reading->out, "[%s %d]", osc_progress_names[report.progress], report.percent);
		break;
	case OSC_NOTHING:
		break;
	}
	reading->unclean += !is_clean(report.title, OSC_TITLE_MAX);
	reading->unclean += !is_clean(report.text, OSC_TEXT_MAX);
}

static const char *text_of(const struct buf *out)
{
	return out->data != NULL ? (const char *)out->data : "";
}

/* Reads the bytes in two pieces, or one by one if cut is past their end. */
static void run(struct reading *reading, const char *bytes, size_t len, size_t cut)
{
	struct tokenizer tokenizer;
	tokenizer_init(&tokenizer, false);
	osc_reader_init(&reading->reader);
	buf_clear(&reading->out);
	if (cut <= len) {
		tokenizer_feed(&tokenizer, 0, bytes, cut, on_token, reading);
		tokenizer_feed(&tokenizer, cut, bytes + cut, len - cut, on_token, reading);
	}
	for (size_t at = 0; cut > len && at < len; at++)
		tokenizer_feed(&tokenizer, at, bytes + at, 1, on_token, reading);
	osc_reader_finish(&reading->reader);
	tokenizer_finish(&tokenizer);
}

#define LITERAL(text) text, sizeof text - 1

static const struct {
	const char *input;
	size_t len;
	const char *want;
} rows[] = {
    {LITERAL("\033]9;build done\a"), "[9 |build done]"},
    {LITERAL("\033]9;a;b;c\033\\"), "[9 |a;b;c]"},
    {LITERAL("\033]9;\a\033]9\a\033]9;;\a"), "[9 |;]"},
    {LITERAL("\033]9;5 tests failed\a\033]9;404;x\a"), "[9 |5 tests failed][9 |404;x]"},
    {LITERAL("\033]9;9;/tmp\a\033]9;10\a\033]9;12;\a"), ""},
    {LITERAL("\033]9;4;1;40\a\033]9;4;2;41\a\033]9;4;3\a\033]9;4;4;\a\033]9;4;0\a"),
	"[normal 40][error 41][indeterminate -1][paused -1][none -1]"},
    {LITERAL("\033]9;4;1\a\033]9;4;1;250\a\033]9;4;3;7\a"),
	"[normal 0][normal 100][indeterminate -1]"},
    {LITERAL("\033]9;4\a\033]9;4;\a\033]9;4;5;1\a\033]9;4;1;x\a\033]9;4;1;-3\a\033]9;4;1;1e3\a"),
	""},
    {LITERAL("\033]777;notify;Title;Body; more\a"), "[777 Title|Body; more]"},
    {LITERAL("\033]777;notify;Title\a\033]777;notify;;\a\033]777;precmd\a\033]777;notify\a"),
	"[777 Title|]"},
    {LITERAL("\033]99;;Hello\033\\"), "[99 Hello|]"},
    {LITERAL("\033]99;i=1:d=0;Ti\a\033]99;i=1:d=0:p=title;tle\a\033]99;i=1:p=body;Body\a"),
	"[99 Title|Body]"},
    {LITERAL("\033]99;i=1:d=0;lost\a\033]99;i=2;other\a\033]99;i=1:p=body;b\a"),
	"[99 other|][99 |b]"},
    {LITERAL("\033]99;e=1;SGVsbG8=\a\033]99;e=1;SGVsbG8\a\033]99;e=1;S!\a\033]99;e=1;\a"),
	"[99 Hello|][99 Hello|]"},
    {LITERAL("\033]99;i=1:d=0:e=1;ww\a\033]99;i=1:e=1;qQ==\a\033]99;e=1;ww==\a"),
	"[99 \303\251|][99 \357\277\275|]"},
    {LITERAL("\033]99;i=a:p=?;\a\033]99;i=a:p=close;\a\033]99;p=icon;xx\a\033]99\a\033]99;x\a"),
	""},
    {LITERAL("\033]99;i=b:d=0;T\a\033]99;i=b:p=icon;data\a"), "[99 T|]"},
    {LITERAL("\033]0;title\a\033]1337;x\a\033]99999999999;x\a\033]\a\033];x\a"), ""},
    /* Hostile ones: controls, C1, broken UTF-8, a NUL, a separator of lines, nested sequences. */
    {LITERAL("\033]9;a\tb\nc\rd\001\177e\a"), "[9 |a b c d e]"},
    {LITERAL("\033]9;a\000b\a"), "[9 |a b]"},
    {LITERAL("\033]9;x\302\233[31m\302\205y\342\200\250z\a"), "[9 |x [31m y z]"},
    {LITERAL("\033]9;\377\300\257\355\240\200ok\a"),
	"[9 |\357\277\275\357\277\275\357\277\275\357\277\275\357\277\275\357\277\275ok]"},
    {LITERAL("\033]99;e=1;GxszMW0bXTk7eAcNCg==\a"), "[99 31m ]9;x|]"},
    {LITERAL("\033]9;a\033]9;b\a"), "[9 |b]"},
    {LITERAL("\033]9;a\033[31mb\a\033]9;c\030d\a\033]9;e\032\a"), ""},
    {LITERAL("\033Ptmux;\033\033]9;inner\a\033\\"), "[9 |inner]"},
    {LITERAL("\033]9;never ended"), ""},
};

static void test_rows(void)
{
	struct reading reading = {0};
	buf_init(&reading.out, 100000);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		unsigned wrong = 0;
		run(&reading, rows[i].input, rows[i].len, 0);
		is_str(text_of(&reading.out), rows[i].want, "row %zu whole", i);
		for (size_t cut = 0; cut <= rows[i].len + 1; cut++) {
			run(&reading, rows[i].input, rows[i].len, cut);
			wrong += strcmp(text_of(&reading.out), rows[i].want) != 0;
		}
		is_int(wrong, 0, "row %zu split at every byte", i);
	}
	is_int(reading.unclean, 0, "every text is clean");
	buf_finish(&reading.out);
}

/* Texts of a character of three bytes, longer than any maximum, moved by a byte each time. */
static void test_long(void)
{
	enum { SIZE = 1024 * 1024 };
	static const char *const heads[] = {"\033]9;", "\033]9;a", "\033]777;notify;",
	    "\033]99;d=1;", "\033]99;p=body;", "\033]3008;start=", "\033]99;i="};
	struct reading reading = {0};
	char *bytes = malloc(SIZE + 1);
	for (size_t at = 0; at < SIZE; at++)
		bytes[at] = "\342\234\223"[at % 3];
	bytes[SIZE - 1] = '\a';
	buf_init(&reading.out, 100000);
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		memcpy(bytes, heads[i], strlen(heads[i]));
		run(&reading, bytes, SIZE, SIZE / 2);
		ok(reading.out.len <= OSC_TEXT_MAX + 16, "a megabyte behind %s is cut to %zu bytes",
		    heads[i] + 1, reading.out.len);
	}
	is_int(reading.unclean, 0, "every cut text is clean");
	free(bytes);
	buf_finish(&reading.out);
}

/* Chunks without end fill what one notification may have, and no more. */
static void test_chunks(void)
{
	struct reading reading = {0};
	struct buf input;
	buf_init(&input, 1024 * 1024);
	buf_init(&reading.out, 100000);
	for (int i = 0; i < 1000; i++)
		buf_printf(
		    &input, "\033]99;i=1:d=0;0123456789\a\033]99;i=1:d=0:p=body;\303\251x\a");
	buf_append_str(&input, "\033]99;i=1:d=1;\a");
	run(&reading, (const char *)input.data, input.len, input.len / 2);
	ok(reading.out.len > OSC_TITLE_MAX + OSC_TEXT_MAX - 8 &&
		reading.out.len <= OSC_TITLE_MAX + OSC_TEXT_MAX + 8,
	    "a thousand chunks are one notification of %zu bytes", reading.out.len);
	is_int(reading.unclean, 0, "which is clean");
	buf_finish(&input);
	buf_finish(&reading.out);
}

int main(void)
{
	test_rows();
	test_long();
	test_chunks();
	return done_testing();
}
