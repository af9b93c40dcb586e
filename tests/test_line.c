/* SPDX-License-Identifier: ISC */
/* Lines from bytes: each input whole, and split at every byte. */
#include "wire/line.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail_alloc.h"
#include "tap.h"

#define LIMIT 8

/* Appends the reader's view of these bytes: lines in brackets, '!' for a line that is too long. */
static void collect(struct line_input *input, struct buf *out)
{
	const char *line;
	size_t len;
	enum line_result result;
	while ((result = line_input_next(input, &line, &len)) != LINE_NONE) {
		if (result == LINE_TOO_LONG)
			(void)buf_append_byte(out, '!');
		else
			(void)buf_printf(out, "[%.*s]", (int)len, line);
	}
}

static void collect_end(struct line_input *input, struct buf *out)
{
	const char *line;
	size_t len;
	enum line_result result = line_input_end(input, &line, &len);
	if (result == LINE_FOUND)
		(void)buf_printf(out, "<%.*s>", (int)len, line);
	else if (result == LINE_TOO_LONG)
		(void)buf_append_byte(out, '!');
	ok(!line_input_is_pending(input), "nothing is left");
}

static void check(const char *bytes, const char *want)
{
	size_t size = strlen(bytes);
	int failures = 0;
	for (size_t piece = 1; piece <= size + 1; piece++) {
		for (size_t cut = 0; cut <= size; cut++) {
			struct line_input input;
			struct buf out;
			const char *got, *line;
			size_t len;
			enum line_result result;
			line_input_init(&input, LIMIT);
			buf_init(&out, 1000);
			/* The first part whole, the rest in pieces. */
			line_input_add(&input, bytes, cut);
			collect(&input, &out);
			for (size_t at = cut; at < size; at += piece) {
				line_input_add(
				    &input, bytes + at, size - at < piece ? size - at : piece);
				collect(&input, &out);
			}
			result = line_input_end(&input, &line, &len);
			if (result == LINE_FOUND)
				(void)buf_printf(&out, "<%.*s>", (int)len, line);
			got = out.data ? (const char *)out.data : "";
			if (strcmp(got, want) != 0 && failures++ == 0)
				diag("cut %zu, pieces of %zu: got %s", cut, piece, got);
			buf_finish(&out);
			line_input_finish(&input);
		}
	}
	is_int(failures, 0, "%s", want);
}

static void test_memory(void)
{
	struct line_input input;
	struct buf out;
	char big[3000];
	line_input_init(&input, sizeof big);
	buf_init(&out, 10000);
	memset(big, 'x', sizeof big);
	line_input_add(&input, big, sizeof big);
	collect(&input, &out);
	line_input_add(&input, "\n", 1);
	collect(&input, &out);
	is_int((long long)out.len, 3002, "a long line is found");
	line_input_add(&input, "x", 1);
	ok(input.buf.cap <= 1025, "its memory is given back");
	collect(&input, &out);
	collect_end(&input, &out);
	buf_finish(&out);
	line_input_finish(&input);
}

/* The id of a line, in two pieces; "" if there is none. */
static const char *id_of(const char *line, size_t cut)
{
	static struct lost_id lost;
	lost = (struct lost_id){0};
	lost_id_add(&lost, line, cut);
	lost_id_add(&lost, line + cut, strlen(line) - cut);
	return lost_id_get(&lost) != NULL ? lost_id_get(&lost) : "";
}

#define EIGHT(text) text text text text text text text text
#define LONG EIGHT(EIGHT("id: "))
/* 144 brackets deep: the outer ones are of both kinds. */
#define DEEP EIGHT(EIGHT("[{\"x\":")) EIGHT("[[") "0" EIGHT("]]") EIGHT(EIGHT("}]"))

/* One allocation fails, and a later one would succeed: the bytes must not be lost in silence. */
static void test_no_memory(void)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		struct line_input input;
		fail_alloc_arm(0);
		line_input_init(&input, LIMIT);
		(void)close(STDERR_FILENO);
		line_input_add(&input, "a\n", 2);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 1, "without memory the process ends");
}

static void test_lost_ids(void)
{
	static const struct {
		const char *line, *id;
	} lines[] = {
	    {"{\"id\":7,\"method\":\"x\",\"params\":{\"text\":\"\\u0000\"}}", "7"},
	    {"{\"params\":{\"id\":1,\"text\":\"\\ud800\"},\"id\":\"a \\\" b\"}", "\"a \\\" b\""},
	    {" {\"a\":[{\"b\":[\"]}\"]}],\"method\":\"x\",\"method\":\"y\", \"id\" : -1.5e3 }",
		"-1.5e3"},
	    {"{\"id\":7,\"params\":{\"a\":\"\xff\001\"}} x", "7"},
	    {"{\"id\":7,\"method\":\"cut off", "7"},
	    {"{\"id\":7,\"params\":[[[", "7"},
	    {"{\"id\":null,\"x\":\"\\q\"}", "null"},
	    {"{\"id\":\"\"}", "\"\""},
	    /* None, or not for certain. */
	    {"{\"id\":7,\"id\":7}", ""},
	    {"{\"id\":7,\"x\":1 \"id\":8}", ""},
	    {"{\"id\":7,\"x\":[}, \"id\":8}", ""},
	    {"{\"id\":7,\"i\\u0064\":8}", ""},
	    {"{\"x\":tr\"ue,\"id\":7}", ""},
	    {"{\"x\":[},\"id\":7}", ""},
	    {"{\"x\" \"id\":7}", ""},
	    {"{\"x\":,\"id\":7}", ""},
	    {"{\"params\":{\"id\":7}}", ""},
	    {"{\"params\":\"open,\"id\":7}", ""},
	    {"[{\"id\":7}]", ""},
	    {"\"id\":7", ""},
	    {"{\"id\":{\"id\":7}}", ""},
	    {"{\"id\":7", ""},
	    {"{\"id\":\"7", ""},
	    {"{\"idx\":7,\"i\":7,\"\":7}", ""},
	    {"{\"x\":\"" LONG "\\\"" LONG "\",\"y\":[\"" LONG "\"],\"id\":7}", "7"},
	    {"{\"id\":7,\"x\":,\"" LONG "\" \"id\":8}", ""},
	    {"{\"id\":7,\"x\":,\"" LONG "\"}", "7"},
	    {"{\"id\":7,\"x\":[" DEEP ",{\"id\":8}]}", "7"},
	    {"{\"id\":7,\"x\":[" DEEP "},\"id\":8}", ""},
	    {"", ""},
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		int failures = 0;
		for (size_t cut = 0; cut <= strlen(lines[i].line); cut++)
			failures += strcmp(id_of(lines[i].line, cut), lines[i].id) != 0;
		if (!ok(failures == 0, "%s: %s", lines[i].line, lines[i].id))
			diag("got %s", id_of(lines[i].line, 0));
	}
}

/* A line that is too long, in two pieces, whose end is seen or not. */
static void test_long_ids(void)
{
	static const char bytes[] = "{\"a\":12,\"id\":\"x\"}\nab\n{\"id\":5,\"b\":6}";
	int failures = 0;
	for (size_t cut = 0; cut < sizeof bytes; cut++) {
		struct line_input input;
		const char *line;
		char got[3][8] = {"", "", ""};
		size_t len, count = 0;
		enum line_result result;
		line_input_init(&input, LIMIT);
		input.wants_id = true;
		for (size_t at = 0;
		     at<sizeof bytes - 1; at += cut> 0 && at == 0 ? cut : sizeof bytes) {
			size_t end = cut > 0 && at == 0 ? cut : sizeof bytes - 1;
			line_input_add(&input, bytes + at, end - at);
			while ((result = line_input_next(&input, &line, &len)) != LINE_NONE &&
			    count < 3)
				snprintf(got[count++], sizeof got[0], "%.*s",
				    result == LINE_FOUND ? (int)len : 7,
				    result == LINE_FOUND ? line : lost_id_get(input.lost));
		}
		failures += !line_input_is_pending(&input);
		result = line_input_end(&input, &line, &len);
		failures += count != 2 || result != LINE_TOO_LONG || strcmp(got[0], "\"x\"") != 0 ||
		    strcmp(got[1], "ab") != 0 || strcmp(lost_id_get(input.lost), "5") != 0 ||
		    line_input_is_pending(&input);
		line_input_finish(&input);
	}
	is_int(failures, 0, "a long line is reported at its end, with its id");
}

int main(void)
{
	check("", "");
	check("a\n", "[a]");
	check("a\nbc\n", "[a][bc]");
	check("a\r\n\r\n\n", "[a][][]");
	check("a\rb\n", "[a\rb]");
	check("a\n\nlast", "[a][]<last>");
	check("last\r", "<last>");
	check("12345678\n12345678\r\n", "[12345678][12345678]");
	check("123456789\nnext\n", "![next]");
	check("12345678901234567890\nnext\n123456789\n", "![next]!");
	check("1234567890", "!");
	check("a\n1234567890", "[a]!");
	check("12345678", "<12345678>");
	test_memory();
	test_no_memory();
	test_lost_ids();
	test_long_ids();
	return done_testing();
}
