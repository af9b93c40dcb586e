/* SPDX-License-Identifier: ISC */
/* Lines from bytes: each input whole, and split at every byte. */
#include "wire/line.h"

#include <string.h>

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
	return done_testing();
}
