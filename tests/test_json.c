/* SPDX-License-Identifier: ISC */
/* The JSON reader: the accepted and the refused texts, its cost, and its error messages. */
#include "wire/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fail_alloc.h"
#include "json_samples.h"
#include "tap.h"

#define LINE_MAX_BYTES ((size_t)4 << 20)

static struct json_reader *reader;
static struct buf back;

/* Reads bytes that end where their memory does. */
static const struct json *read_exactly(const void *bytes, size_t len, struct json_error *ret_error)
{
	char *copy = malloc(len ? len : 1);
	const struct json *value;
	if (len)
		memcpy(copy, bytes, len);
	/* The result lies in the reader's memory: no part of it is in the line. */
	value = json_read(reader, copy, len, ret_error);
	free(copy);
	return value;
}

static const char *write_back(const struct json *value)
{
	struct json_writer writer;
	buf_clear(&back);
	json_writer_init(&writer, &back);
	json_put_value(&writer, NULL, value);
	return (const char *)back.data;
}

/* Returns true if an error can be shown: one line, and a place inside the refused text. */
static bool is_presentable(const struct json_error *error, size_t len)
{
	for (const char *p = error->text; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return false;
	return *error->text && strlen(error->text) < sizeof error->text && error->offset <= len;
}

static void test_accepted(void)
{
	struct json_error error = {0};
	for (size_t i = 0; i < JSON_ACCEPTED_COUNT; i++) {
		const struct json_sample *sample = &json_accepted[i];
		const char *want = sample->back != NULL ? sample->back : sample->bytes;
		const struct json *value = read_exactly(sample->bytes, sample->len, &error);
		if (!ok(value != NULL, "accepted %zu: %.60s", i, want)) {
			diag("%s", error.text);
			continue;
		}
		is_str(write_back(value), want, "and written back");
	}
}

/* A line cut off anywhere is refused, unless only white space or digits are missing. */
static void test_truncated(void)
{
	struct json_error error;
	size_t wrong = 0, cuts = 0;
	for (size_t i = 0; i < JSON_ACCEPTED_COUNT; i++) {
		const struct json_sample *sample = &json_accepted[i];
		const char *want = sample->back != NULL ? sample->back : sample->bytes;
		for (size_t len = 0; len < sample->len; len++, cuts++) {
			const struct json *value = read_exactly(sample->bytes, len, &error);
			if (value != NULL && value->type != JSON_NUMBER &&
			    strcmp(write_back(value), want) != 0)
				wrong++;
			if (value == NULL && !is_presentable(&error, len))
				wrong++;
		}
	}
	is_int(wrong, 0, "all of them cut off at each of %zu places", cuts);
}

static void test_refused(void)
{
	struct json_error error;
	for (size_t i = 0; i < JSON_REFUSED_COUNT; i++) {
		const struct json_sample *sample = &json_refused[i];
		const struct json *value;
		memset(&error, 0xff, sizeof error);
		value = read_exactly(sample->bytes, sample->len, &error);
		if (!ok(value == NULL, "refused %zu", i))
			diag("%.60s was accepted", sample->bytes);
		else if (!ok(is_presentable(&error, sample->len), "%s", error.text))
			diag("at %zu of %zu", error.offset, sample->len);
	}
	ok(read_exactly("[1]", 3, &error) != NULL, "after all refusals the reader still reads");
}

/* Each refused sample is also refused as a value inside another value. */
static void test_refused_inside(void)
{
	struct json_error error;
	char line[1024];
	size_t wrong = 0;
	for (size_t i = 0; i < JSON_REFUSED_COUNT; i++) {
		const struct json_sample *sample = &json_refused[i];
		const struct json *value;
		if (strspn(sample->bytes, " \t\r\n") == sample->len ||
		    strchr("]}{[,1:", *sample->bytes))
			continue; /* may be valid there */
		memcpy(line, "{\"x\":[0,", 8);
		memcpy(line + 8, sample->bytes, sample->len);
		memcpy(line + 8 + sample->len, ",0]}", 4);
		value = read_exactly(line, sample->len + 12, &error);
		if (value != NULL)
			diag("%.*s", (int)sample->len + 12, line);
		wrong += value != NULL;
	}
	is_int(wrong, 0, "nor are they accepted inside an array");
}

static void test_messages(void)
{
	static const struct {
		const char *line, *text;
		size_t offset;
	} cases[] = {
	    {"{'a':1}", "double quotes", 1},
	    {"[1,]", "extra comma", 3},
	    {"{\"a\":1,}", "extra comma", 7},
	    {"[1 2]", "a comma or a colon is missing", 3},
	    {"{\"a\" 1}", "a comma or a colon is missing", 5},
	    {"[True]", "only true, false, null", 1},
	    {"[1]x", "after the value", 3},
	    {"[1", "ends inside", 2},
	    {"[01]", "must not begin with 0", 2},
	    {"[+1]", "number", 1},
	    {"[\"a]", "an unterminated string", 1},
	    {"\"a\tb\"", "control character", 2},
	    {"\"a\x1f\"", "control character", 2},
	    {"\"\\q\"", "unknown escape", 1},
	    {"\"a\\ud800\"", "surrogate", 2},
	    {"\"\\u0000\"", "\\u0000", 1},
	    {"\"\xff\"", "not UTF-8", 1},
	    {"\xef\xbb\xbf{}", "byte order mark", 0},
	    {"{\"pane\":1,\"pane\":2}", "duplicate name \"pane\"", 18},
	    {"//x", "comments are not allowed", 0},
	    {"", "empty line", 0},
	};
	struct json_error error;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ok(read_exactly(cases[i].line, strlen(cases[i].line), &error) == NULL &&
			strstr(error.text, cases[i].text),
		    "\"%s\" gives: %s", cases[i].line, error.text);
		is_int(error.offset, cases[i].offset, "and the place");
	}
}

static void test_integers(void)
{
	static const struct {
		const char *text;
		bool is_int;
		int64_t value;
	} cases[] = {{"0", true, 0}, {"-0", true, 0}, {"-0.0", true, 0},
	    {"0e999999999999", true, 0}, {"42", true, 42}, {"-42", true, -42}, {"1e3", true, 1000},
	    {"1.5e1", true, 15}, {"2.0", true, 2}, {"2.00e2", true, 200}, {"100e-2", true, 1},
	    {"1000000e-6", true, 1}, {"9007199254740991", true, INT64_C(9007199254740991)},
	    {"-9007199254740991", true, INT64_C(-9007199254740991)},
	    {"9.007199254740991e15", true, INT64_C(9007199254740991)},
	    {"9007199254740992", false, 0}, {"-9007199254740992", false, 0},
	    {"9007199254740991.5", false, 0}, {"1.5", false, 0}, {"0.1", false, 0},
	    {"1e-1", false, 0}, {"1e16", false, 0}, {"1e15", true, INT64_C(1000000000000000)},
	    {"1e308", false, 0}, {"1e999999999999999999999", false, 0},
	    {"1e-999999999999999999999", false, 0}, {"18446744073709551616", false, 0},
	    {"1.0000000000000000000000001", false, 0}, {"\"1\"", false, 0}, {"null", false, 0},
	    {"true", false, 0}, {"[1]", false, 0}};
	struct json_error error;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t value = 0;
		const struct json *json =
		    read_exactly(cases[i].text, strlen(cases[i].text), &error);
		is_int(json_int(json, &value), cases[i].is_int, "%s", cases[i].text);
		is_int(value, cases[i].value, "is %lld", (long long)cases[i].value);
	}
}

static void test_doubles(void)
{
	static const struct {
		const char *text;
		bool is_double;
		double value;
	} cases[] = {{"0", true, 0}, {"1.5", true, 1.5}, {"-2e-3", true, -0.002},
	    {"1e308", true, 1e308}, {"1e309", false, 0}, {"-1e400", false, 0}, {"1e-400", true, 0},
	    {"1e99999999", false, 0}, {"9007199254740993", true, 9007199254740992.0},
	    {"\"1\"", false, 0}, {"null", false, 0}};
	struct json_error error;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double value = 0;
		const struct json *json =
		    read_exactly(cases[i].text, strlen(cases[i].text), &error);
		ok(json_double(json, &value) == cases[i].is_double && value == cases[i].value,
		    "%s as a double", cases[i].text);
	}
	ok(!json_double(NULL, &(double){0}) && !json_int(NULL, &(int64_t){0}), "no value");
}

static void test_tree(void)
{
	static const char line[] = "{\"a\":\"x\\u00e9\",\"b\":[1,true],\"c\":{}}";
	struct json_error error;
	const struct json *value = read_exactly(line, strlen(line), &error);
	const struct json *a = json_member(value, "a");
	const struct json *b = json_member(value, "b");
	ok(value->type == JSON_OBJECT && value->count == 3, "an object of three");
	ok(a->type == JSON_STRING && a->len == 3 && strcmp(a->text, "x\xc3\xa9") == 0, "a string");
	ok(b->type == JSON_ARRAY && b->count == 2 && b->child->name == NULL, "an array");
	ok(b->child->next->type == JSON_BOOL && b->child->next->boolean &&
		b->child->next->next == NULL,
	    "its last element");
	ok(json_member(value, "d") == NULL && json_member(b, "a") == NULL, "a missing member");
	is_str(json_type_name(b->type), "an array", "types have names");
}

/* Fills out with an object of count members, whose names begin alike, then one more. */
static void make_object(struct buf *out, int count, int last)
{
	buf_clear(out);
	(void)buf_append_str(out, "{");
	for (int i = 0; i < count; i++)
		(void)buf_printf(out, "\"a_name_%06d\":0,", i);
	(void)buf_printf(out, "\"a_name_%06d\":0}", last);
}

static void test_many_names(void)
{
	struct json_error error;
	struct buf line;
	int64_t took_ms, start;
	const struct json *value;
	buf_init(&line, LINE_MAX_BYTES);
	make_object(&line, 100000, 100000);
	start = clock_mono_ms();
	value = json_read(reader, (char *)line.data, line.len, &error);
	ok(value != NULL && value->count == 100001, "an object of 100001 members is read");
	make_object(&line, 100000, 77777);
	ok(json_read(reader, (char *)line.data, line.len, &error) == NULL,
	    "one name twice is found");
	ok(strstr(error.text, "a_name_077777"), "and named");
	took_ms = clock_mono_ms() - start;
	ok(took_ms < 5000, "in reasonable time (%d ms)", (int)took_ms);
	buf_finish(&line);
}

/* Fills out with an array of count zeros. */
static void make_array(struct buf *out, int count)
{
	buf_clear(out);
	for (int i = 0; i < count; i++)
		(void)buf_append(out, i ? ",0" : "[0", 2);
	(void)buf_append_byte(out, ']');
}

static void test_limits(void)
{
	struct json_error error;
	struct buf line;
	const struct json *value;
	buf_init(&line, LINE_MAX_BYTES + 10);
	make_array(&line, JSON_VALUES_MAX - 2);
	ok(json_read(reader, (char *)line.data, line.len, &error) != NULL,
	    "nearly too many values");
	make_array(&line, JSON_VALUES_MAX);
	ok(json_read(reader, (char *)line.data, line.len, &error) == NULL, "too many values");
	ok(strstr(error.text, "262144 values"), "%s", error.text);

	buf_clear(&line);
	(void)buf_append_byte(&line, '"');
	while (line.len < LINE_MAX_BYTES - 1)
		(void)buf_append_byte(&line, 'x');
	(void)buf_append_byte(&line, '"');
	value = json_read(reader, (char *)line.data, line.len, &error);
	ok(value != NULL && value->len == LINE_MAX_BYTES - 2, "a line of the largest length");
	(void)buf_append_byte(&line, ' ');
	ok(json_read(reader, (char *)line.data, line.len, &error) == NULL, "one byte more");
	ok(strstr(error.text, "longer than 4194304 bytes"), "%s", error.text);
	buf_finish(&line);
}

/* A value that is as deep as may be is read, one level more is not. */
static void check_depth(struct json_reader *deep_reader, unsigned depth_max, const char *text)
{
	struct json_error error;
	const struct json *value;
	char line[2 * JSON_DEPTH_MAX + 2];
	memset(line, '[', depth_max + 1);
	memset(line + depth_max + 1, ']', depth_max + 1);
	value = json_read(deep_reader, line + 1, (size_t)2 * depth_max, &error);
	ok(value != NULL && json_depth(value) == depth_max, "%u levels", depth_max);
	ok(json_read(deep_reader, line, (size_t)2 * depth_max + 2, &error) == NULL &&
		strstr(error.text, text),
	    "one more gives: %s", error.text);
	is_int((long long)error.offset, depth_max, "and the place");
}

static void test_depth(void)
{
	struct json_reader *given = json_reader_new(LINE_MAX_BYTES);
	struct json_error error;
	json_reader_limit_depth(given);
	check_depth(given, JSON_GIVEN_DEPTH_MAX, "more than 64 levels");
	check_depth(reader, JSON_DEPTH_MAX, "more than 96 levels");
	is_int(json_depth(json_read(given, "7", 1, &error)), 0, "a number has no level");
	is_int(json_depth(json_read(given, "{\"a\":1,\"b\":[{}],\"c\":[]}", 23, &error)), 3,
	    "the deepest counts");
	json_reader_free(given);
}

/* How many allocations a line costs, read again and again. */
static size_t steady_allocations(const char *line, size_t len)
{
	struct json_error error;
	size_t before;
	for (int i = 0; i < 3; i++)
		(void)json_read(reader, line, len, &error);
	before = fail_alloc_count();
	for (int i = 0; i < 100; i++)
		(void)json_read(reader, line, len, &error);
	return fail_alloc_count() - before;
}

static void test_memory(void)
{
	static const char request[] =
	    "{\"id\":1,\"method\":\"send_text\",\"params\":{\"text\":\"x\\n\"}}";
	struct json_error error;
	struct buf line;
	long blocks;
	struct json_reader *other;
	char *long_string;
	buf_init(&line, LINE_MAX_BYTES);
	make_array(&line, 200000);
	long_string = malloc(30000);
	memset(long_string, 'x', 30000);
	memcpy(long_string, "\"\\n", 3); /* an escape: yajl needs a buffer of its own */
	long_string[29999] = '"';

	other = reader;
	fail_alloc_arm(SIZE_MAX);
	reader = json_reader_new(LINE_MAX_BYTES);
	is_int(steady_allocations(request, strlen(request)), 0, "a request costs no allocation");
	is_int(steady_allocations(long_string, 30000), 0, "nor does a longer one");
	blocks = fail_alloc_live();
	ok(json_read(reader, (char *)line.data, line.len, &error) != NULL, "a huge line is read");
	ok(fail_alloc_bytes() > 1000000, "in %zu bytes", fail_alloc_bytes());
	json_reader_trim(reader);
	is_int(fail_alloc_live(), blocks, "trimmed, the reader has given its blocks back");
	ok(fail_alloc_bytes() < 300000, "except %zu bytes", fail_alloc_bytes());
	(void)json_read(reader, (char *)line.data, line.len, &error);
	(void)json_read(reader, request, strlen(request), &error);
	ok(fail_alloc_bytes() < 300000, "and so does the next small line");
	json_reader_free(reader);
	is_int(fail_alloc_live(), 0, "a freed reader leaves no memory");
	(void)fail_alloc_disarm();
	reader = other;
	free(long_string);
	buf_finish(&line);
}

int main(void)
{
	reader = json_reader_new(LINE_MAX_BYTES);
	buf_init(&back, LINE_MAX_BYTES);
	test_accepted();
	test_truncated();
	test_refused();
	test_refused_inside();
	test_messages();
	test_integers();
	test_doubles();
	test_tree();
	test_many_names();
	test_limits();
	test_depth();
	test_memory();
	json_reader_free(reader);
	json_reader_free(NULL);
	buf_finish(&back);
	return done_testing();
}
