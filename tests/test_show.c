/* SPDX-License-Identifier: ISC */
/* Messages for people: for any text, one bounded line in which tmux expands nothing. */
#include "daemon/deliver/show.h"

#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "daemon/queue/notification.h"
#include "tap.h"

enum { LONG = 10000, LINE_CHARACTERS = 400 };

static char *compose(struct notification *note, const char *text, const char *data, size_t count)
{
	struct buf out;
	note->text = (char *)(uintptr_t)text;
	note->data = (char *)(uintptr_t)data;
	buf_init(&out, SHOW_LINE_MAX);
	show_compose(&out, note, count);
	return (char *)buf_steal(&out, NULL);
}

static void composes(enum notification_source source, const char *text, const char *data,
    size_t count, const char *want)
{
	struct notification note = {.source = source, .id = "A1B2"};
	char *line = compose(&note, text, data, count);
	is_str(line, want, "%s", want);
	mem_free(line);
}

static void test_lines(void)
{
	composes(SOURCE_POST, "hello", "{}", 1, "[muxbus A1B2 post] hello");
	composes(SOURCE_JOB, "exit 3 after 1.0 s", "{\"name\":\"build\",\"command\":\"make\"}", 1,
	    "[muxbus A1B2 job build] exit 3 after 1.0 s");
	composes(SOURCE_JOB, "exit 0 after 1.0 s", "{\"command\":\"make \\u001b[31m-j8\\n all\"}",
	    1, "[muxbus A1B2 job make -j8 all] exit 0 after 1.0 s");
	composes(SOURCE_POST, "hello", "{}", 5,
	    "5 notifications: muxbus list_notifications. The last: [muxbus A1B2 post] hello");
	composes(SOURCE_POST,
	    "a\tb \033]0;x\007\xe2\x80\xae\xc2\x9b"
	    "1mc (d) #[x] %H",
	    "{}", 1, "[muxbus A1B2 post] a b c (d) #[x] %H");
}

/* The bytes that begin an expansion of tmux are doubled, and nothing else is changed. */
static bool is_escaped(const char *text, const char *escaped)
{
	for (; *text != '\0'; text++) {
		bool is_special = *text == '#' || *text == '%';
		if (*escaped++ != *text || (is_special && *escaped++ != *text))
			return false;
	}
	return *escaped == '\0';
}

static void test_escapes(void)
{
	static const char *const texts[] = {"", "#", "##", "#(touch /tmp/x)", "#{pid}", "#[fg=red]",
	    "##[x", "%H:%M %%", "#H#", "a#", "%", "plain \xe2\x80\xa6"};
	for (size_t at = 0; at < sizeof texts / sizeof *texts; at++) {
		struct buf out;
		buf_init(&out, SHOW_LINE_MAX);
		show_escape(&out, texts[at]);
		(void)buf_append_byte(&out, '\0');
		ok(is_escaped(texts[at], (const char *)out.data), "\"%s\"", texts[at]);
		buf_finish(&out);
	}
}

/* Long texts of one byte each: the line is bounded, valid, and has no control characters. */
static void test_bytes(void)
{
	struct notification note = {.source = SOURCE_POST, .id = "A1B2"};
	char *text = xcalloc(1, LONG + 1);
	int bad = 0;
	for (int byte = 1; byte < 256; byte++) {
		char *line;
		memset(text, byte, LONG);
		line = compose(&note, text, "{}", 1);
		bad += !utf8_is_valid(line, strlen(line)) || strlen(line) > LINE_CHARACTERS * 3;
		for (const char *at = line; *at != '\0'; at++)
			bad += (unsigned char)*at < ' ' || *at == 0x7f;
		mem_free(line);
	}
	is_int(bad, 0, "10 kB of any byte is one bounded line");
	mem_free(text);
}

int main(void)
{
	test_lines();
	test_escapes();
	test_bytes();
	return done_testing();
}
