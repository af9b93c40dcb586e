/* SPDX-License-Identifier: ISC */
/*
 * An MCP server on standard streams, for tests: its tools do what is asked, and its options give it
 * bad habits.
 *
 * usage: fake_tool_server [OPTION…]
 *   --log FILE      appends each line that it reads, and "end" at the end of its input
 *   --bytes         writes each byte alone, after the one before it was read
 *   --odd           writes messages as batches of one, with strings as ids
 *   --version TEXT  the version of the protocol that it answers with
 *   --pages N       lists its tools on so many pages; 0: without an end
 *   --refuse METHOD answers this method with an error
 *   --hang METHOD   does not answer this method
 *   --say TEXT      writes this line to standard output before all
 *   --garbage       writes lines that are no messages, for ever
 *   --flood         writes to standard error, for ever, in a process of its own
 *   --die TEXT      writes this to standard error, and exits with status 3
 *   --fork          leaves a process behind, and ends after its first answer
 *   --linger        does not end at the end of its input, nor by SIGTERM
 */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "wire/json.h"
#include "wire/line.h"

enum { SLOW_MAX = 64, LINE_BYTES = 16 * 1024 * 1024 };

static struct {
	const char *log, *version, *refuse, *hang;
	int pages;
	bool is_bytes, is_fork, is_linger;
	bool is_odd; /* messages are batches of one, and ids in them strings */
} options = {.version = "2025-06-18", .pages = 1};

/* Calls of the tool "slow" that wait. */
static struct slow {
	int64_t id; /* 0: free */
	int64_t due_ms;
} slow[SLOW_MAX];

static bool has_late; /* the list has one tool more */
static int64_t asking; /* the call of the tool "ask" */
static int asked;
static char told[512];

static void put(const void *bytes, size_t len)
{
	const char *at = bytes;
	int waiting = 0;
	while (len > 0) {
		ssize_t done = write(STDOUT_FILENO, at, options.is_bytes ? 1 : len);
		if (done <= 0)
			exit(1);
		at += done;
		len -= (size_t)done;
		while (options.is_bytes && ioctl(STDOUT_FILENO, FIONREAD, &waiting) == 0 &&
		    waiting > 0)
			(void)poll(NULL, 0, 0);
	}
}

static void put_line(const char *text)
{
	put(text, strlen(text));
	put("\n", 1);
}

static void begin(struct json_writer *writer, struct buf *buf, int64_t id)
{
	char text[32];
	buf_init(buf, LINE_BYTES * 2);
	json_writer_init(writer, buf);
	if (options.is_odd)
		json_array_begin(writer, NULL);
	json_object_begin(writer, NULL);
	json_put_str(writer, "jsonrpc", "2.0");
	(void)snprintf(text, sizeof text, "%lld", (long long)id);
	if (id != 0 && options.is_odd)
		json_put_str(writer, "id", text);
	else if (id != 0)
		json_put_int(writer, "id", id);
}

static void end(struct json_writer *writer, struct buf *buf)
{
	json_object_end(writer);
	if (options.is_odd)
		json_array_end(writer);
	json_end_line(writer);
	put(buf->data, buf->len);
	buf_finish(buf);
}

static void answer_error(int64_t id, const char *text)
{
	struct json_writer writer;
	struct buf buf;
	begin(&writer, &buf, id);
	json_object_begin(&writer, "error");
	json_put_int(&writer, "code", -32603);
	json_put_str(&writer, "message", text);
	json_object_end(&writer);
	end(&writer, &buf);
}

static void answer_text(int64_t id, const char *text)
{
	struct json_writer writer;
	struct buf buf;
	begin(&writer, &buf, id);
	json_object_begin(&writer, "result");
	json_array_begin(&writer, "content");
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "type", "text");
	json_put_str(&writer, "text", text);
	json_object_end(&writer);
	json_array_end(&writer);
	json_object_end(&writer);
	end(&writer, &buf);
}

static void answer_initialize(int64_t id)
{
	struct json_writer writer;
	struct buf buf;
	begin(&writer, &buf, id);
	json_object_begin(&writer, "result");
	json_put_str(&writer, "protocolVersion", options.version);
	json_put_raw(&writer, "capabilities", "{\"tools\":{}}", 12);
	json_put_raw(&writer, "serverInfo", "{\"name\":\"fake\",\"version\":\"1\"}", 29);
	json_object_end(&writer);
	end(&writer, &buf);
}

static const struct tool {
	const char *name, *required;
} tools[] = {
    {"echo", "[]"},
    {"slow", "[\"ms\"]"}, /* answers after so long */
    {"env", "[\"name\"]"},
    {"place", "[]"}, /* its pid and its directory */
    {"die", "[]"},
    {"error", "[]"},
    {"big", "[\"bytes\"]"}, /* answers with so many */
    {"progress", "[\"count\"]"},
    {"ask", "[]"}, /* asks the client for things, and answers with its answers */
    {"say", "[\"line\"]"}, /* writes this line before its answer */
    {"change", "[]"}, /* says that its list has changed: it has a tool "late" */
    {"nul", "[]"}, /* answers with "\\u0000" and invalid UTF-8 */
    {"deaf", "[]"}, /* never reads again */
    {"late", "[]"},
};
#define TOOL_COUNT ((int)(sizeof tools / sizeof *tools))

static void answer_list(int64_t id, const struct json *params)
{
	const struct json *cursor = json_member(params, "cursor");
	int page = cursor != NULL ? atoi(cursor->text) : 0;
	int count = TOOL_COUNT - !has_late, pages = options.pages > 0 ? options.pages : count;
	char next[16];
	struct json_writer writer;
	struct buf buf;
	begin(&writer, &buf, id);
	json_object_begin(&writer, "result");
	json_array_begin(&writer, "tools");
	for (int at = count * page / pages; at < count && at < count * (page + 1) / pages; at++) {
		json_object_begin(&writer, NULL);
		json_put_str(&writer, "name", tools[at].name);
		json_object_begin(&writer, "inputSchema");
		json_put_str(&writer, "type", "object");
		json_put_raw(&writer, "required", tools[at].required, strlen(tools[at].required));
		json_object_end(&writer);
		json_object_end(&writer);
	}
	json_array_end(&writer);
	(void)snprintf(next, sizeof next, "%d", page + 1);
	if (options.pages == 0 || page + 1 < pages)
		json_put_str(&writer, "nextCursor", next);
	json_object_end(&writer);
	end(&writer, &buf);
}

static int64_t number(const struct json *arguments, const char *name)
{
	const struct json *member = json_member(arguments, name);
	int64_t value = 0;
	return member != NULL && json_int(member, &value) ? value : 0;
}

static const char *text_of(const struct json *object, const char *name)
{
	const struct json *value = json_member(object, name);
	return value != NULL && value->text != NULL ? value->text : "";
}

static void run_slow(int64_t id, const struct json *arguments)
{
	for (size_t at = 0; at < SLOW_MAX; at++) {
		if (slow[at].id != 0)
			continue;
		slow[at] = (struct slow){id, clock_mono_ms() + number(arguments, "ms")};
		return;
	}
}

static void run_big(int64_t id, const struct json *arguments)
{
	size_t bytes = (size_t)number(arguments, "bytes");
	char *text = xalloc(bytes + 1);
	memset(text, 'b', bytes);
	text[bytes] = '\0';
	answer_text(id, text);
	mem_free(text);
}

static void run_progress(int64_t id, const struct json *arguments, const struct json *params)
{
	const struct json *token = json_member(json_member(params, "_meta"), "progressToken");
	int64_t count = number(arguments, "count"); /* below 0: its values fall */
	for (int64_t at = 1; token != NULL && at <= llabs(count); at++) {
		struct json_writer writer;
		struct buf buf;
		begin(&writer, &buf, 0);
		json_put_str(&writer, "method", "notifications/progress");
		json_object_begin(&writer, "params");
		json_put_value(&writer, "progressToken", token);
		json_put_int(&writer, "progress", count < 0 ? -at : at);
		json_object_end(&writer);
		end(&writer, &buf);
	}
	answer_text(id, token != NULL ? "with progress" : "without progress");
}

static void run_ask(int64_t id)
{
	asking = id;
	asked = 0;
	told[0] = '\0';
	put_line("{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}");
	put_line("{\"jsonrpc\":\"2.0\",\"id\":7.0,\"method\":\"roots/list\",\"params\":{}}");
	put_line("{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"sampling/createMessage\"}");
}

/* Takes the client's answer to a question of this server. */
static void take_told(const char *line)
{
	(void)snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", line);
	if (++asked == 3)
		answer_text(asking, told);
}

static void run_place(int64_t id)
{
	char text[4200], *dir = getcwd(NULL, 0);
	(void)snprintf(text, sizeof text, "%d %s", (int)getpid(), dir != NULL ? dir : "?");
	free(dir);
	answer_text(id, text);
}

static void run_nul(int64_t id)
{
	char line[160];
	(void)snprintf(line, sizeof line,
	    "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"a\\u0000b\xff"
	    "c\"}]}}",
	    (long long)id);
	put_line(line);
}

static void run_change(int64_t id)
{
	has_late = true;
	put_line("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
	answer_text(id, "changed");
}

static void call_tool(int64_t id, const struct json *params, const char *line)
{
	const struct json *arguments = json_member(params, "arguments");
	const char *name = text_of(params, "name"), *value;
	if (strcmp(name, "echo") == 0 || strcmp(name, "late") == 0) {
		answer_text(id, line);
	} else if (strcmp(name, "slow") == 0) {
		run_slow(id, arguments);
	} else if (strcmp(name, "env") == 0) {
		value = getenv(text_of(arguments, "name"));
		answer_text(id, value != NULL ? value : "(unset)");
	} else if (strcmp(name, "place") == 0) {
		run_place(id);
	} else if (strcmp(name, "die") == 0) {
		(void)fprintf(stderr, "something\nError: the tool \x1b[31mfell over\nlast words\n");
		raise(SIGKILL);
	} else if (strcmp(name, "error") == 0) {
		answer_error(id, "no such element");
	} else if (strcmp(name, "big") == 0) {
		run_big(id, arguments);
	} else if (strcmp(name, "progress") == 0) {
		run_progress(id, arguments, params);
	} else if (strcmp(name, "ask") == 0) {
		run_ask(id);
	} else if (strcmp(name, "say") == 0) {
		put_line(text_of(arguments, "line"));
		answer_text(id, "said");
	} else if (strcmp(name, "change") == 0) {
		run_change(id);
	} else if (strcmp(name, "nul") == 0) {
		run_nul(id);
	} else if (strcmp(name, "deaf") == 0) {
		answer_text(id, "deaf");
		for (;;)
			(void)pause();
	}
}

static void note(const char *line)
{
	FILE *file = options.log != NULL ? fopen(options.log, "a") : NULL;
	if (file == NULL)
		return;
	(void)fprintf(file, "%s\n", line);
	(void)fclose(file);
}

static void leave_process(void)
{
	char text[32];
	pid_t pid = fork();
	if (pid == 0) {
		(void)setsid();
		for (;;)
			(void)pause();
	}
	(void)snprintf(text, sizeof text, "left %d", (int)pid);
	note(text);
	exit(0);
}

static void take_message(const struct json *message, const char *line)
{
	const char *method = text_of(message, "method");
	const struct json *params = json_member(message, "params");
	int64_t id = number(message, "id");
	if (method[0] == '\0' && asking != 0)
		take_told(line);
	if (method[0] == '\0' || json_member(message, "id") == NULL ||
	    (options.hang != NULL && strcmp(options.hang, method) == 0))
		return;
	if (options.refuse != NULL && strcmp(options.refuse, method) == 0)
		answer_error(id, "not\ntoday");
	else if (strcmp(method, "initialize") == 0)
		answer_initialize(id);
	else if (strcmp(method, "tools/list") == 0)
		answer_list(id, params);
	else if (strcmp(method, "tools/call") == 0)
		call_tool(id, params, line);
	if (options.is_fork && strcmp(method, "tools/call") == 0)
		leave_process();
}

/* Answers the calls that are due. Returns the time until the next one, for poll(). */
static int answer_slow(void)
{
	int64_t now_ms = clock_mono_ms(), next_ms = -1;
	for (size_t at = 0; at < SLOW_MAX; at++) {
		if (slow[at].id == 0)
			continue;
		if (slow[at].due_ms <= now_ms) {
			answer_text(slow[at].id, "slow");
			slow[at].id = 0;
		} else if (next_ms < 0 || slow[at].due_ms - now_ms < next_ms) {
			next_ms = slow[at].due_ms - now_ms;
		}
	}
	return (int)next_ms;
}

static void flood(void)
{
	static char bytes[65536];
	if (fork() != 0)
		return;
	memset(bytes, 'f', sizeof bytes);
	while (write(STDERR_FILENO, bytes, sizeof bytes) > 0)
		continue;
	exit(0);
}

static void garble(void)
{
	for (;;)
		put_line("Listening on port 8080 \x1b[31m\xff");
}

static void read_options(char **argv)
{
	static const char *say;
	static bool is_flood, is_garbage;
	const struct {
		const char *name;
		const char **text;
		bool *flag;
	} rows[] = {
	    {"--log", &options.log, NULL},
	    {"--version", &options.version, NULL},
	    {"--refuse", &options.refuse, NULL},
	    {"--hang", &options.hang, NULL},
	    {"--say", &say, NULL},
	    {"--bytes", NULL, &options.is_bytes},
	    {"--odd", NULL, &options.is_odd},
	    {"--fork", NULL, &options.is_fork},
	    {"--linger", NULL, &options.is_linger},
	    {"--flood", NULL, &is_flood},
	    {"--garbage", NULL, &is_garbage},
	};
	for (char **word = argv + 1; *word != NULL; word++) {
		if (strcmp(*word, "--pages") == 0) {
			options.pages = atoi(*++word);
		} else if (strcmp(*word, "--die") == 0) {
			(void)fprintf(stderr, "%s\n", *++word);
			exit(3);
		}
		for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
			if (strcmp(*word, rows[at].name) != 0)
				continue;
			if (rows[at].flag != NULL)
				*rows[at].flag = true;
			else
				*rows[at].text = *++word;
			break;
		}
	}
	if (is_flood)
		flood();
	if (say != NULL)
		put_line(say);
	if (is_garbage)
		garble();
}

int main(int argc, char **argv)
{
	struct json_reader *reader = json_reader_new(LINE_BYTES);
	struct line_input input;
	static char bytes[65536];
	ssize_t len;
	(void)argc;
	read_options(argv);
	if (options.is_linger)
		(void)signal(SIGTERM, SIG_IGN);
	line_input_init(&input, LINE_BYTES);
	for (;;) {
		struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
		struct json_error error;
		const char *line;
		size_t line_len;
		if (poll(&wait, 1, answer_slow()) <= 0)
			continue;
		if ((len = read(STDIN_FILENO, bytes, sizeof bytes)) <= 0)
			break;
		line_input_add(&input, bytes, (size_t)len);
		while (line_input_next(&input, &line, &line_len) == LINE_FOUND) {
			char *text = xmemdup(line, line_len);
			const struct json *message = json_read(reader, line, line_len, &error);
			note(text);
			if (message != NULL)
				take_message(message, text);
			mem_free(text);
		}
	}
	note("end");
	while (options.is_linger)
		(void)pause();
	return 0;
}
