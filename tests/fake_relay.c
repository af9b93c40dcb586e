/* SPDX-License-Identifier: ISC */
/*
 * ssh with a muxbus relay behind it, for tests: stands in $MUXBUS_SSH. The destination is a list of
 * habits with commas between:
 *   name=TEXT    in its answers, and the name of its log
 *   delay=MS     before each answer
 *   bytes        writes each byte alone
 *   hello=none|other|late|nologin   says nothing; another protocol; the hello after lines of noise;
 *                  the words of nologin, which it ends with
 *   refuse=TEXT  writes this to standard error, and exits with status 255
 *   garbage=N    its Nth answer is no JSON
 *   half=N       stops in the middle of its Nth answer
 *   end=N        exits in place of its Nth answer
 *   deaf=N       closes its streams in place of its Nth answer, and is there until SIGKILL
 *   big=N        its answers have so many KiB
 *   events       an event before each answer
 *   panes=N      so many panes in its answer to list_panes
 *   result=JSON  its result, without commas; may be no object
 *   away=N       all processes of this name but the first and those behind the Nth exit at once
 *   once         garbage, half, end and deaf only in the first process of this name
 * Each request is appended to $FAKE_RELAY_LOG/NAME.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "wire/json.h"
#include "wire/line.h"

enum { LINE_BYTES = 16 * 1024 * 1024 };

static struct {
	const char *name, *hello, *refuse, *result;
	long away, delay, garbage, half, end, deaf, big, panes;
	bool is_bytes, has_events, is_once;
} habits = {.name = "fake", .hello = "first", .panes = 1};

static const struct habit {
	const char *name;
	const char **text;
	long *number;
	bool *flag;
} table[] = {
    {"away", .number = &habits.away},
    {"big", .number = &habits.big},
    {"bytes", .flag = &habits.is_bytes},
    {"deaf", .number = &habits.deaf},
    {"delay", .number = &habits.delay},
    {"end", .number = &habits.end},
    {"events", .flag = &habits.has_events},
    {"garbage", .number = &habits.garbage},
    {"half", .number = &habits.half},
    {"hello", .text = &habits.hello},
    {"name", .text = &habits.name},
    {"once", .flag = &habits.is_once},
    {"panes", .number = &habits.panes},
    {"refuse", .text = &habits.refuse},
    {"result", .text = &habits.result},
};

static void read_habit(char *word)
{
	const char *name = strsep(&word, "=");
	for (size_t at = 0; at < sizeof table / sizeof *table; at++) {
		if (strcmp(table[at].name, name) != 0)
			continue;
		if (table[at].flag != NULL)
			*table[at].flag = true;
		else if (table[at].number != NULL)
			*table[at].number = word != NULL ? strtol(word, NULL, 10) : 1;
		else
			*table[at].text = word;
	}
}

static void put(const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t done = write(STDOUT_FILENO, bytes, habits.is_bytes ? 1 : len);
		if (done <= 0)
			exit(0);
		bytes += done;
		len -= (size_t)done;
	}
}

static void put_text(const char *text)
{
	put(text, strlen(text));
}

/* Appends a line to the log. Returns true if this process is the first with this log. */
static bool note(const char *line, size_t len)
{
	const char *folder = getenv("FAKE_RELAY_LOG");
	bool is_first;
	char path[512];
	FILE *file;
	(void)snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "", habits.name);
	if (folder == NULL)
		return true;
	is_first = access(path, F_OK) < 0;
	file = fopen(path, "ae");
	if (file == NULL)
		exit(2);
	(void)fprintf(file, "%.*s\n", (int)len, line);
	(void)fclose(file);
	return is_first;
}

/* Returns true if the log shows that this process is one that must be away. */
static bool is_away(void)
{
	char path[512], line[1024];
	long count = 0;
	FILE *file;
	(void)snprintf(path, sizeof path, "%s/%s", getenv("FAKE_RELAY_LOG"), habits.name);
	file = habits.away > 0 ? fopen(path, "re") : NULL;
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		count += strcmp(line, "start\n") == 0;
	if (file != NULL)
		(void)fclose(file);
	return count > 1 && count <= habits.away;
}

static void write_panes(struct json_writer *writer)
{
	json_array_begin(writer, "panes");
	for (long at = 0; at < habits.panes; at++) {
		json_object_begin(writer, NULL);
		json_put_id(writer, "pane", '%', (uint32_t)at);
		json_put_str(writer, "command", "sh");
		json_object_end(writer);
	}
	json_array_end(writer);
}

/* Closes the streams, but does not end before SIGKILL. */
static void close_streams(void)
{
	(void)signal(SIGTERM, SIG_IGN);
	(void)close(STDIN_FILENO);
	(void)close(STDOUT_FILENO);
	while (true)
		pause();
}

static void answer(const struct json *request, long number)
{
	const struct json *id = json_member(request, "id"),
			  *params = json_member(request, "params");
	struct json_writer writer;
	struct buf out;
	char *filler = xcalloc(1, (size_t)habits.big * 1024 + 1);
	memset(filler, 'x', (size_t)habits.big * 1024);
	buf_init(&out, LINE_BYTES);
	if (habits.delay > 0)
		(void)usleep((useconds_t)habits.delay * 1000);
	if (habits.has_events)
		put_text("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"seq\":1}}\n");
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "jsonrpc", "2.0");
	json_put_value(&writer, "id", id);
	if (habits.result != NULL) {
		json_put_raw(&writer, "result", habits.result, strlen(habits.result));
	} else {
		json_object_begin(&writer, "result");
		json_put_str(&writer, "from", habits.name);
		json_put_value(&writer, "method", json_member(request, "method"));
		if (params != NULL)
			json_put_value(&writer, "params", params);
		write_panes(&writer);
		if (habits.big > 0)
			json_put_str(&writer, "filler", filler);
		json_object_end(&writer);
	}
	json_object_end(&writer);
	json_end_line(&writer);
	if (number == habits.garbage)
		put_text("Segmentation fault (core dumped)\n");
	else if (number == habits.end)
		exit(1);
	else if (number != habits.half && number != habits.deaf)
		put((const char *)out.data, out.len);
	else if (number == habits.half)
		put((const char *)out.data, out.len / 2);
	buf_finish(&out);
	mem_free(filler);
	while (number == habits.half)
		pause();
	if (number == habits.deaf)
		close_streams();
}

static void say_hello(void)
{
	if (strcmp(habits.hello, "none") == 0)
		while (true)
			pause();
	if (strcmp(habits.hello, "nologin") == 0) {
		put_text("This account is currently not available.\n");
		exit(1);
	}
	if (strcmp(habits.hello, "late") == 0)
		put_text("Welcome\r\nmuxbus relay\n{\"id\":1,\"result\":{}}\n");
	put_text(strcmp(habits.hello, "other") == 0 ? "muxbus relay 9 9.9\033[2J\n"
						    : "muxbus relay 1 1.2\n");
}

static void serve(void)
{
	static char bytes[65536];
	struct json_reader *reader = json_reader_new(LINE_BYTES);
	struct line_input input;
	struct json_error error;
	long number = 0;
	ssize_t len;
	line_input_init(&input, LINE_BYTES);
	while ((len = read(STDIN_FILENO, bytes, sizeof bytes)) > 0) {
		const char *line;
		size_t line_len;
		line_input_add(&input, bytes, (size_t)len);
		while (line_input_next(&input, &line, &line_len) == LINE_FOUND) {
			const struct json *request = json_read(reader, line, line_len, &error);
			(void)note(line, line_len);
			if (request == NULL)
				exit(3);
			answer(request, ++number);
		}
	}
	line_input_finish(&input);
	json_reader_free(reader);
}

int main(int argc, char **argv)
{
	char *rest = NULL, *word;
	for (int at = 1; at + 2 < argc; at++)
		if (strcmp(argv[at], "--") == 0)
			rest = argv[at + 1];
	while (rest != NULL && (word = strsep(&rest, ",")) != NULL)
		read_habit(word);
	if (!note("start", 5) && habits.is_once)
		habits.garbage = habits.half = habits.end = habits.deaf = 0;
	if (is_away()) {
		(void)fputs("ssh: No route to host\n", stderr);
		return 255;
	}
	if (habits.refuse != NULL) {
		(void)fprintf(stderr, "ssh: %s\n", habits.refuse);
		return 255;
	}
	say_hello();
	serve();
	return 0;
}
