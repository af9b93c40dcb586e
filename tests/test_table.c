/* SPDX-License-Identifier: ISC */
/* Output for people: visible text, cut to columns; tables of every width; values and events. */
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/option.h"
#include "cli/screen_text.h"
#include "cli/show.h"
#include "cli/verbs/wait.h"
#include "tap.h"

static struct buf out;
static struct json_reader *reader;

static const char *text_of(void)
{
	return out.len > 0 ? (const char *)out.data : "";
}

static const struct json *read_json(const char *text)
{
	return json_read(reader, text, strlen(text), &(struct json_error){0});
}

/* Returns true if no text in the output can control a terminal. */
static bool is_harmless(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)text[i];
		bool is_c1 = byte == 0xc2 && i + 1 < len && (unsigned char)text[i + 1] < 0xa0;
		if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || is_c1)
			return false;
	}
	return true;
}

static void test_visible(void)
{
	static const char hostile[] = "a\033]0;x\007\n\t\x7f\302\233\342\200\256\377z";
	buf_clear(&out);
	(void)screen_text_line(&out, hostile, strlen(hostile));
	is_str(text_of(), "a\\x1b]0;x\\x07\\n\\t\\x7f\\x9b\\u202e\\xffz", "a line shows all");
	buf_clear(&out);
	(void)screen_text_block(&out, hostile, strlen(hostile));
	is_str(text_of(), "a\\x1b]0;x\\x07\n\t\\x7f\\x9b\\u202e\\xffz", "a block keeps its lines");
	for (unsigned byte = 0; byte < 256; byte++) {
		char one = (char)byte;
		buf_clear(&out);
		(void)screen_text_block(&out, &one, 1);
		if (!is_harmless(text_of(), out.len))
			ok(false, "byte %u is harmless", byte);
	}
	ok(true, "all bytes are harmless");
}

/* Colours stay, and nothing else, wherever the text is split. */
static void test_colors(void)
{
	static const char text[] = "a\033[31mred\033[0m \033[2J\303\251\033[38;5;1mx\033[1\t\033";
	static const char want[] = "a\033[31mred\033[0m \\x1b[2J\303\251\033[38;5;1mx\\x1b[1\t";
	char rest[sizeof text], longest[200];
	for (size_t split = 0; split < sizeof text; split++) {
		size_t kept;
		buf_clear(&out);
		kept = screen_text_colors(&out, text, split);
		memcpy(rest, text + split - kept, sizeof text - 1 - split + kept);
		kept = screen_text_colors(&out, rest, sizeof text - 1 - split + kept);
		ok(kept == 1 && out.len == strlen(want) && memcmp(out.data, want, out.len) == 0,
		    "colours in text that is split at %zu", split);
	}
	memset(longest, '1', sizeof longest);
	memcpy(longest, "\033[", 2);
	buf_clear(&out);
	is_int((int64_t)screen_text_colors(&out, longest, sizeof longest), 0,
	    "a sequence without an end is not awaited");
	is_int(memcmp(out.data, "\\x1b[1", 6), 0, "and is visible");
}

static void test_cut(void)
{
	char *marks;
	static const struct {
		const char *text;
		size_t columns;
		const char *want;
		size_t width;
	} cases[] = {
	    {"hello", 10, "hello", 5},
	    {"hello", 5, "hello", 5},
	    {"hello", 4, "hel\342\200\246", 4},
	    {"hello", 1, "\342\200\246", 1},
	    {"hello", 0, "", 0},
	    {"", 5, "", 0},
	    {"\346\274\242\345\255\227", 4, "\346\274\242\345\255\227", 4},
	    {"\346\274\242\345\255\227", 3, "\346\274\242\342\200\246", 3},
	    {"\346\274\242\345\255\227", 2, "\342\200\246", 1},
	    {"a\nb", 4, "a\\nb", 4},
	    {"\033[31m", 5, "\\x1b\342\200\246", 5},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t width;
		buf_clear(&out);
		width =
		    screen_text_cut(&out, cases[i].text, strlen(cases[i].text), cases[i].columns);
		is_str(text_of(), cases[i].want, "cut %zu", i);
		is_int((long long)width, (long long)cases[i].width, "its width");
	}
	marks = calloc(1, 100001);
	for (size_t i = 0; marks != NULL && i + 1 < 100000; i += 2)
		memcpy(marks + i, "\314\201", 2); /* an accent that takes no column */
	buf_clear(&out);
	(void)screen_text_cut(&out, marks, 100000, 10);
	ok(out.len < 2000, "text without columns is cut too: %zu bytes", out.len);
	free(marks);
}

static void test_styles(void)
{
	is_str(screen_style(false, SCREEN_BAD), "", "without colours a style is empty");
	is_str(screen_style(true, SCREEN_BAD), "\033[31m", "with colours it is not");
	ok(!screen_has_color(-1), "a file is not a terminal");
	setenv("COLUMNS", "77", 1);
	is_int(screen_columns(-1), 77, "COLUMNS counts without a terminal");
	setenv("COLUMNS", "x", 1);
	is_int(screen_columns(-1), 80, "if it is a number");
	setenv("COLUMNS", "1", 1);
	is_int(screen_columns(-1), 20, "and not too small");
	unsetenv("COLUMNS");
}

static void fill(struct table *table, const char *const *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		table_add(table, cells[i], strlen(cells[i]));
}

static void test_table(void)
{
	static const char *const titles[] = {"ID", "SIZE", "EMPTY", "TEXT"};
	static const char *const cells[] = {"%3", "5", "", "a long text that goes on and on", "%12",
	    "120", "", "\033[2J\346\274\242\345\255\227"};
	struct table *table = table_new(titles, 4);
	fill(table, cells, 8);
	buf_clear(&out);
	table_write(table, &out, 0, false);
	is_str(text_of(),
	    "ID   SIZE  TEXT\n"
	    "%3      5  a long text that goes on and on\n"
	    "%12   120  \\x1b[2J\346\274\242\345\255\227\n",
	    "as wide as needed; numbers to the right, empty cells empty");
	buf_clear(&out);
	table_write(table, &out, 24, true);
	is_str(text_of(),
	    "\033[1mID\033[0m   \033[1mSIZE\033[0m  \033[1mTEXT\033[0m\n"
	    "%3      5  a long text \342\200\246\n"
	    "%12   120  \\x1b[2J\346\274\242\345\255\227\n",
	    "cut to the terminal");
	for (size_t columns = 1; columns < 60; columns++) {
		size_t widest;
		buf_clear(&out);
		table_write(table, &out, columns, false);
		widest = 0;
		for (const char *at = text_of(); *at;) {
			size_t len = strcspn(at, "\n");
			size_t width = utf8_cells(at, len);
			widest = width > widest ? width : widest;
			at += len + (at[len] != '\0');
		}
		if (widest > columns || !is_harmless(text_of(), out.len))
			ok(false, "in %zu columns it takes %zu", columns, widest);
	}
	ok(true, "never wider than the terminal");
	table_free(table);
	table = table_new(titles, 4);
	buf_clear(&out);
	table_write(table, &out, 80, false);
	is_str(text_of(), "\n", "an empty table");
	table_free(table);
}

static void test_wrap(void)
{
	buf_clear(&out);
	screen_text_wrap(&out, "one two three four", 9, 2, 2);
	is_str(text_of(), "one two\n  three\n  four\n", "words are wrapped");
	buf_clear(&out);
	screen_text_wrap(&out, "one  averylongword x\033", 8, 0, 0);
	is_str(text_of(), "one\naverylongword\nx\\x1b\n",
	    "a word that is too long is alone on its line");
	buf_clear(&out);
	screen_text_wrap(&out, "", 8, 0, 0);
	is_str(text_of(), "\n", "nothing is an empty line");
}

static void test_values(void)
{
	static const struct {
		int64_t ms;
		const char *want;
	} durations[] = {{0, "0.0s"}, {950, "0.9s"}, {9999, "9.9s"}, {10000, "10s"}, {59999, "59s"},
	    {60000, "1m 0s"}, {3600000, "1h 0m"}, {90061000, "1d 1h"}};
	static const struct {
		int64_t bytes;
		const char *want;
	} sizes[] = {{0, "0"}, {999, "999"}, {1000, "1.0K"}, {1024, "1.0K"}, {10240, "10K"},
	    {1048576, "1.0M"}, {INT64_MAX, "8.0E"}};
	for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
		buf_clear(&out);
		show_duration(&out, durations[i].ms);
		is_str(text_of(), durations[i].want, "%lld ms", (long long)durations[i].ms);
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		buf_clear(&out);
		show_bytes(&out, sizes[i].bytes);
		is_str(text_of(), sizes[i].want, "%lld bytes", (long long)sizes[i].bytes);
	}
}

static const char *shown(const char *method, const char *result)
{
	buf_clear(&out);
	show_write(&out, method, read_json(result), 60, false);
	return text_of();
}

static void test_results(void)
{
	setenv("TZ", "UTC0", 1);
	is_str(shown("ping", "{}"), "done\n", "an empty result");
	is_str(shown("list_jobs", "{\"jobs\":[]}"), "no jobs\n", "an empty list");
	is_str(shown("capture_pane", "{\"pane\":\"%1\",\"text\":\"a\\n\\u001b[2J\\n\"}"),
	    "a\n\\x1b[2J\n", "text is printed as text");
	is_str(shown("get_pane",
		   "{\"pane\":\"%1\",\"title\":\"\\u001b]0;x\\u0007\",\"a\":{\"b\":null,"
		   "\"c\":[1,2]}}"),
	    "pane   %1\ntitle  \\x1b]0;x\\x07\na.b    -\na.c    1, 2\n", "names and values");
	is_str(shown("list_things", "{\"things\":[{\"x\":1,\"y\":\"a\"},{\"x\":22,\"y\":null}]}"),
	    " x  y\n 1  a\n22\n", "a list of an unknown kind");
	is_str(
	    shown("list_panes",
		"{\"seq\":1,\"panes\":[{\"pane\":\"%0\",\"session_name\":\"m\",\"window_index\":0,"
		"\"pane_index\":1,\"width\":80,\"height\":24,\"active\":true,\"dead\":false,"
		"\"mode\":null,\"command\":\"sh\",\"path\":\"/\",\"title\":\"t\\nu\"}]}"),
	    "PANE  WHERE  SIZE   ACTIVE  COMMAND  PATH  TITLE\n"
	    "%0    m:0.1  80x24  *       sh       /     t\\nu\n",
	    "a list of panes");
	is_str(shown("list_tools",
		   "{\"tools\":[{\"name\":\"a\",\"group\":\"g\",\"state\":\"hidden\",\"reason\":"
		   "\"no b\",\"description\":\"c\"}],\"servers\":[{\"name\":\"s\"}]}"),
	    "TOOL  GROUP  STATE         DESCRIPTION\na     g      hidden: no b  c\n",
	    "the list that has columns, of two lists");
	is_str(shown("x", "{\"when\":\"2001-02-03T04:05:06.789Z\"}"), "when  2001-02-03 04:05:06\n",
	    "a time");
	is_str(shown("x", "{\"what\":\"2001-02-03T04:05:06.789Z disk full\"}"),
	    "what  2001-02-03T04:05:06.789Z disk full\n", "a text that begins with a time");
	buf_clear(&out);
	show_event(&out,
	    read_json("{\"seq\":7,\"time\":\"2001-02-03T04:05:06.789Z\",\"kind\":"
		      "\"title_changed\",\"pane\":\"%3\",\"title\":\"\\u001b[2J\"}"),
	    false);
	is_str(text_of(), "04:05:06.789  title_changed         %3    title=\\x1b[2J\n", "an event");
}

/* As describe has them, as far as it is needed here. */
#define KIND(name, needs_tmux, properties)                                                         \
	"\"" name "\":{\"needs_tmux\":" needs_tmux ",\"params\":{\"properties\":{" properties "}}" \
	"}"
#define PROPERTY(name, type) "\"" name "\":{\"type\":\"" type "\"}"
#define KINDS                                                                                      \
	"{" KIND("cpu_below", "false",                                                             \
	    PROPERTY("cpu_below", "number") "," PROPERTY("for_sec", "number") "," PROPERTY(        \
		"pane", "string")) "," KIND("file", "false",                                       \
	    "\"file\":{\"type\":\"string\",\"format\":\"path\"}," PROPERTY(                        \
		"regex", "string") "," PROPERTY("from_start", "boolean")) "," KIND("job", "false", \
	    PROPERTY("job", "string")) "," KIND("notification", "false",                           \
	    PROPERTY("notification", "object")) "," KIND("output", "true",                         \
	    PROPERTY("output", "string") "," PROPERTY("pane", "string")) "," KIND("quiet_sec",     \
	    "true",                                                                                \
	    PROPERTY("quiet_sec", "number") "," PROPERTY("pane", "string")) "," KIND("screen",     \
	    "true", PROPERTY("screen", "string") "," PROPERTY("pane", "string")) "," KIND("sec",   \
	    "false", PROPERTY("sec", "number")) "}"

static struct json_reader *kinds_reader;
static const struct json *kinds;

static const char *conditions(int count, const char *const *words)
{
	static char reason[512];
	buf_clear(&out);
	return wait_conditions(&out, kinds, (size_t)count, words, reason, sizeof reason) < 0
	    ? reason
	    : text_of();
}

#define CONDITIONS(...) \
	conditions(     \
	    sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

static void test_conditions(void)
{
	struct json_error error;
	kinds_reader = json_reader_new(65536);
	kinds = json_read(kinds_reader, KINDS, strlen(KINDS), &error);
	is_str(CONDITIONS("job=A1B2", "sec=5"), "[{\"job\":\"A1B2\"},{\"sec\":5}]", "two");
	is_str(CONDITIONS("output=a=b", "pane=%3", "screen=x"),
	    "[{\"output\":\"a=b\",\"pane\":\"%3\"},{\"screen\":\"x\"}]",
	    "a pane is the last one's");
	is_str(CONDITIONS("pane=%1", "quiet=1m", "output=x", "pane=%2"),
	    "[{\"quiet_sec\":60,\"pane\":\"%1\"},{\"output\":\"x\",\"pane\":\"%2\"}]",
	    "or of all conditions, if it stands first");
	is_str(CONDITIONS("file=/a", "regex=x", "from_start=true"),
	    "[{\"file\":\"/a\",\"regex\":\"x\",\"from_start\":true}]", "a file");
	is_str(CONDITIONS("cpu_below=5", "for=10"), "[{\"cpu_below\":5,\"for_sec\":10}]", "CPU");
	is_str(CONDITIONS("notification:={\"id\":\"A\"}"), "[{\"notification\":{\"id\":\"A\"}}]",
	    "a filter");
	is_str(CONDITIONS("pane=%1", "cpu_below=5", "quiet_sec=2"),
	    "[{\"cpu_below\":5},{\"quiet_sec\":2,\"pane\":\"%1\"}]",
	    "a condition that need not be about a pane takes no pane before all");
	is_str(CONDITIONS("sec:=5", "job:=\"A\""), "[{\"sec\":5},{\"job\":\"A\"}]", "JSON");
	is_str(CONDITIONS("jobs=A1B2"), "there is no condition \"jobs\"; did you mean \"job\"?",
	    "a typing error");
	is_str(CONDITIONS("regex=x"),
	    "regex: says more of a condition, and there is none before it", "no condition");
	is_str(CONDITIONS("job=A", "regex=x"), "regex: is no member of the condition job",
	    "a member of another condition");
	is_str(CONDITIONS("sec=soon"), "sec: must be a time such as 30, 1.5s or 10m, not \"soon\"",
	    "no time");
	is_str(CONDITIONS("cpu_below=x"), "cpu_below: must be a number, not \"x\"", "no number");
	is_str(CONDITIONS("x"), "\"x\" is not of the form condition=value", "no condition at all");
	is_str(CONDITIONS("output=x", "pane=%1", "pane=%2"), "output: has two panes", "two panes");
	json_reader_free(kinds_reader);
}

static void test_durations(void)
{
	static const struct {
		const char *text;
		int64_t ms; /* -1: none */
	} cases[] = {{"1", 1000}, {"0", 0}, {".5", 500}, {"1.5s", 1500}, {"10m", 600000},
	    {"2h", 7200000}, {"1d", 86400000}, {"0.0001", 1}, {"", -1}, {"s", -1}, {"-1", -1},
	    {"1x", -1}, {"0x10", -1}, {"nan", -1}, {"inf", -1}, {"1e400", -1}, {"1 s", -1},
	    {"99999999999", -1}, {"+1", -1}, {" 1", -1}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t ms = -1;
		bool is_time = option_parse_duration(cases[i].text, &ms);
		is_int(is_time ? ms : -1, cases[i].ms, "the time \"%s\"", cases[i].text);
	}
}

int main(void)
{
	buf_init(&out, 16777216);
	reader = json_reader_new(65536);
	test_visible();
	test_colors();
	test_cut();
	test_styles();
	test_table();
	test_wrap();
	test_values();
	test_results();
	test_conditions();
	test_durations();
	json_reader_free(reader);
	buf_finish(&out);
	return done_testing();
}
