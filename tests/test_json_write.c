/* SPDX-License-Identifier: ISC */
/* The JSON writer and the escaper: a reader gets back any text, and a terminal is safe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "fail_alloc.h"
#include "tap.h"
#include "wire/json.h"

static struct json_reader *reader;
static struct buf out;
static struct json_writer writer;

static void begin(void)
{
	buf_clear(&out);
	json_writer_init(&writer, &out);
}

static const char *written(void)
{
	return (const char *)out.data;
}

static void test_values(void)
{
	begin();
	json_object_begin(&writer, NULL);
	json_put_null(&writer, "null");
	json_put_bool(&writer, "bools", true);
	json_array_begin(&writer, "ints");
	json_put_int(&writer, NULL, 0);
	json_put_int(&writer, NULL, INT64_MAX);
	json_put_int(&writer, NULL, INT64_MIN);
	json_array_end(&writer);
	json_object_begin(&writer, "empty");
	json_object_end(&writer);
	json_put_str(&writer, "string", "a\"b");
	json_put_str(&writer, "no string", NULL);
	json_put_base64(&writer, "bytes", "\xff\0", 2);
	json_put_id(&writer, "id", '%', 4294967294u);
	json_put_id(&writer, "no id", '%', UINT32_MAX);
	json_put_known_int(&writer, "no number", false, 1);
	json_put_known_int(&writer, "number", true, 1);
	json_put_time(&writer, "time", 1795227300123);
	json_put_time(&writer, "never", 0);
	json_put_raw(&writer, "raw", "[1]", 3);
	json_put_bool(&writer, "quote\"d", false);
	json_put_bool(&writer, "\x7f\xc2\x9b\\", false);
	json_object_end(&writer);
	is_str(written(),
	    "{\"null\":null,\"bools\":true,\"ints\":[0,9223372036854775807,-9223372036854775808],"
	    "\"empty\":{},\"string\":\"a\\\"b\",\"no string\":null,\"bytes\":\"/wA=\","
	    "\"id\":\"%4294967294\",\"no id\":null,\"no "
	    "number\":null,\"number\":1,\"time\":\"2026-11-21T02:15:00.123Z\",\"never\":null,"
	    "\"raw\":[1],\"quote\\\"d\":false,\"\\u007f\\u009b\\\\\":false}",
	    "every kind of value");
	ok(!writer.is_cut, "all of it fitted");
}

static void test_doubles(void)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"}, {1e300, "1e+300"},
	    {1.0 / 3, "0.3333333333333333"}, {0.1 + 0.2, "0.30000000000000004"},
	    {9007199254740992.0, "9007199254740992"}, {12.345, "12.345"}, {__builtin_inf(), "null"},
	    {-__builtin_inf(), "null"}, {__builtin_nan(""), "null"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin();
		json_put_double(&writer, NULL, cases[i].value);
		is_str(written(), cases[i].text, "%s", cases[i].text);
	}
}

static const struct {
	const char *bytes, *escaped;
} escapes[] = {
    {"", ""},
    {"plain", "plain"},
    {"\"\\/", "\\\"\\\\/"},
    {"\n\t\r\b\f", "\\n\\t\\r\\b\\f"},
    {"\x01\x1b[0m\x1f\x7f", "\\u0001\\u001b[0m\\u001f\\u007f"},
    {"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0"},
    {"\xd8\x9b\xd8\x9c\xd8\x9d", "\xd8\x9b\\u061c\xd8\x9d"},
    {"\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90", "\xe2\x80\x8d\\u200e\\u200f\xe2\x80\x90"},
    {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad"
     "\xe2\x80\xae\xe2\x80\xaf",
	"\xe2\x80\xa7\\u2028\\u2029\\u202a\\u202b\\u202c\\u202d\\u202e\xe2\x80\xaf"},
    {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9\xe2\x81\xaa",
	"\xe2\x81\xa5\\u2066\\u2067\\u2068\\u2069\xe2\x81\xaa"},
    {"\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80", "\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80"},
};

/* Each sample at every distance from the beginning and the end of a longer text. */
static void test_escapes(void)
{
	uint8_t text[128];
	struct buf want;
	buf_init(&want, 10000);
	for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
		size_t len = strlen(escapes[i].bytes);
		size_t wrong = 0;
		for (size_t before = 0; before < 40; before++)
			for (size_t behind = 0; behind < 40; behind++) {
				bool lossy = false;
				memset(text, 'x', sizeof text);
				memcpy(text + before, escapes[i].bytes, len);
				buf_clear(&want);
				(void)buf_append(&want, text, before);
				(void)buf_append_str(&want, escapes[i].escaped);
				(void)buf_append(&want, text + before + len, behind);
				buf_clear(&out);
				wrong +=
				    json_escape(&out, text, before + len + behind, &lossy) != 0;
				wrong += out.len != want.len ||
				    memcmp(out.data, want.data, want.len) != 0;
				wrong += lossy;
			}
		is_int(wrong, 0, "\"%s\" anywhere", escapes[i].escaped);
	}
	buf_finish(&want);
}

/* Invalid UTF-8 is replaced as utf8_clean() does it, in any place. */
static void test_invalid(void)
{
	static const char *const samples[] = {"\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98",
	    "\xc0\xaf\xe0\x80\xbf\xf0\x81\x82", "\xed\xa0\x80", "\xf4\x91\x92\x93",
	    "\x80\xe1\x80\xe2"};
	uint8_t text[1200];
	struct buf want;
	size_t wrong = 0;
	buf_init(&want, 10000);
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		for (size_t before = 0; before < 1100; before++) {
			size_t len = strlen(samples[i]);
			bool lossy = false, want_lossy = false;
			memset(text, 'x', sizeof text);
			memcpy(text + before, samples[i], len);
			for (size_t behind = 0; behind < 20; behind += 19) {
				buf_clear(&want);
				buf_clear(&out);
				(void)utf8_clean(&want, text, before + len + behind, &want_lossy);
				wrong +=
				    json_escape(&out, text, before + len + behind, &lossy) != 0;
				wrong += out.len != want.len ||
				    memcmp(out.data, want.data, want.len) != 0;
				wrong += !lossy;
			}
		}
	is_int(wrong, 0, "invalid bytes are replaced, by maximal parts");
	begin();
	ok(json_put_text(&writer, NULL, "\xff", 1),
	    "json_put_text() returns that it replaced bytes");
	ok(!json_put_text(&writer, NULL, "ok", 2), "and that it did not");
	buf_finish(&want);
}

/* Whether a byte sequence neither controls a terminal nor hides text. */
static bool is_harmless(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t c;
		int n = utf8_decode(bytes + i, len - i, &c);
		if (n <= 0 || c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e ||
		    c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
			return false;
		i += (size_t)n;
	}
	return true;
}

static uint32_t random_state = 12345;

static uint32_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

/* Bytes of which many are special: leads, continuations, controls, quotes. */
static size_t make_random(uint8_t *bytes, size_t max)
{
	static const uint8_t special[] =
	    "\"\\\x01\x1b\n\x7f\x80\x9b\xbf\xc2\xd8\x9c\xe2\x80\xae\x81\xa6"
	    "\xed\xa0\xf0\x9f\x98\xff";
	size_t len = random_number() % max;
	unsigned rarity = 1 + random_number() % 40;
	for (size_t i = 0; i < len; i++)
		if (random_number() % rarity == 0)
			bytes[i] = special[random_number() % (sizeof special - 1)];
		else
			bytes[i] = (uint8_t)(random_number() % 3 ? 'a' + random_number() % 26
								 : random_number());
	return len;
}

static void test_random(void)
{
	static uint8_t bytes[2000];
	struct json_error error;
	struct buf clean, again;
	size_t wrong = 0;
	buf_init(&clean, 100000);
	buf_init(&again, 100000);
	for (int round = 0; round < 3000 && wrong == 0; round++) {
		size_t len = make_random(bytes, sizeof bytes);
		const struct json *value;
		bool lossy, was_lossy;
		uint8_t *exact;
		begin();
		/* From memory that ends at the last byte. */
		exact = malloc(len ? len : 1);
		memcpy(exact, bytes, len);
		was_lossy = json_put_text(&writer, NULL, exact, len);
		free(exact);
		for (size_t i = 0; i < len; i++)
			bytes[i] = bytes[i] ? bytes[i] : 0xff; /* replaced as what is invalid */
		wrong += !is_harmless(out.data, out.len);
		value = json_read(reader, written(), out.len, &error);
		lossy = false;
		buf_clear(&clean);
		(void)buf_append_str(&clean, "");
		(void)utf8_clean(&clean, bytes, len, &lossy);
		wrong += value == NULL || value->len != clean.len || lossy != was_lossy ||
		    memcmp(value->text, clean.data, clean.len) != 0;
		if (value == NULL)
			continue;
		/*
		 * A value that was read and written again is the same: nothing is lost or escaped
		 * twice.
		 */
		buf_clear(&again);
		json_writer_init(&writer, &again);
		json_put_value(&writer, NULL, value);
		wrong += again.len != out.len || memcmp(again.data, out.data, out.len) != 0;
	}
	is_int(wrong, 0, "random bytes come back, cleaned, and are harmless on the way");
	buf_finish(&clean);
	buf_finish(&again);
}

static void test_full(void)
{
	static const char text[] = "some \x1b text \xff that does not fit whole";
	size_t wrong = 0;
	bool lossy = false;
	size_t need;
	buf_clear(&out);
	(void)json_escape(&out, text, strlen(text), &lossy);
	need = out.len;
	for (size_t max = 0; max <= need; max++) {
		struct buf small;
		int r;
		buf_init(&small, max);
		lossy = false;
		r = json_escape(&small, text, strlen(text), &lossy);
		wrong += max < need ? r != BUF_FULL || small.len != 0 || lossy : r != 0;
		buf_finish(&small);
	}
	is_int(wrong, 0, "the escaper writes all or nothing");
	wrong = 0;
	for (size_t room = 0; room <= 2 * need; room++) {
		size_t escaped, fit = json_escape_fit(text, strlen(text), room, &escaped);
		buf_clear(&out);
		(void)json_escape(&out, text, fit, &lossy);
		wrong += out.len != escaped || escaped > room;
		wrong += room >= need && fit != strlen(text);
	}
	is_int(wrong, 0, "what is said to fit is escaped to so much");
}

/* All kinds of values, as one object or as its members. */
static void put_all(bool is_object)
{
	static const char text[] = "some \x1b text \xff that \xe6\x97\xa5 does not fit whole";
	if (is_object)
		json_object_begin(&writer, NULL);
	json_put_str(&writer, "text", text);
	json_put_base64(&writer, "bytes", text, strlen(text));
	json_put_bool(&writer, "na\"me", true);
	json_object_begin(&writer, "object");
	json_array_begin(&writer, "list");
	for (int i = 0; i < 20; i++) {
		json_object_begin(&writer, NULL);
		json_put_int(&writer, "number", i);
		json_put_str(&writer, "title", text);
		json_put_raw(&writer, "raw", "[1,{\"two\":2}]", 13);
		json_object_end(&writer);
	}
	json_array_end(&writer);
	json_put_double(&writer, "double", 1.5);
	json_object_end(&writer);
	json_put_str(&writer, "last", "x");
	if (is_object)
		json_object_end(&writer);
}

static bool is_mark_true(const struct json *object)
{
	const struct json *mark = json_member(object, "truncated");
	const struct json *cut = json_member(object, "cut");
	return mark != NULL && mark->type == JSON_BOOL && mark->boolean && cut != NULL &&
	    cut->type == JSON_ARRAY && cut->count > 0;
}

/* The text is complete in buffers of all sizes, and says that it was cut. */
static void test_all_sizes(bool is_object)
{
	struct json_error error;
	size_t unread = 0, unmarked = 0, too_long = 0, need, whole = 0;
	begin();
	put_all(is_object);
	need = out.len;
	for (size_t max = 0; max < need + JSON_SPARE + 10; max++) {
		struct buf small, text;
		const struct json *object;
		buf_init(&small, max);
		buf_init(&text, SIZE_MAX);
		json_writer_init(&writer, &small);
		put_all(is_object);
		(void)buf_printf(
		    &text, is_object ? "%s" : "{%s}", small.data ? (char *)small.data : "");
		object = json_read(reader, (const char *)text.data, text.len, &error);
		unread += object == NULL;
		unmarked += writer.is_cut != is_mark_true(object);
		too_long += small.len > (max > JSON_SPARE ? max : JSON_SPARE);
		whole += !writer.is_cut;
		buf_finish(&small);
		buf_finish(&text);
	}
	is_int(unread, 0, "%s of any maximum are complete", is_object ? "objects" : "members");
	is_int(unmarked, 0, "they say that they were cut, and only then");
	is_int(too_long, 0, "they are not longer than the maximum, or JSON_SPARE");
	ok(whole >= 10 && whole < JSON_SPARE, "with JSON_SPARE more than they need they are whole");
}

static void test_mark(void)
{
	static char long_text[4000];
	struct json_error error;
	struct buf small;
	const struct json *value;
	memset(long_text, 'x', sizeof long_text - 1);
	buf_init(&small, 2000);
	json_writer_init(&writer, &small);
	json_object_begin(&writer, NULL);
	json_put_bool(&writer, "truncated", false);
	json_object_begin(&writer, "pane");
	json_put_str(&writer, "title", long_text);
	json_put_int(&writer, "left", 1);
	json_object_end(&writer);
	json_array_begin(&writer, "notes");
	json_put_str(&writer, NULL, long_text);
	json_put_str(&writer, NULL, "short");
	json_array_end(&writer);
	json_put_int(&writer, "last", 7);
	json_object_end(&writer);
	value = json_read(reader, (const char *)small.data, small.len, &error);
	ok(value != NULL && is_mark_true(value),
	    "a member \"truncated\" that is there becomes true");
	ok(json_member(json_member(value, "pane"), "left") != NULL && json_member(value, "last"),
	    "short members behind a string that is cut have room");
	ok(strstr((const char *)small.data, "\"cut\":[\"pane.title\",\"notes\"]") != NULL,
	    "what was cut is named by its path");
	is_int(small.len > 1500, true, "little of the room is left empty");
	buf_clear(&small);
	json_writer_init(&writer, &small);
	for (int i = 0; i < 200; i++) {
		char name[48];
		(void)snprintf(name, sizeof name, "a_member_with_a_rather_long_name_%d", i);
		json_put_str(&writer, name, long_text);
	}
	ok(strstr((const char *)small.data, ",\"...\"]") != NULL, "the list of names is bounded");
	buf_finish(&small);
}

static void test_failure(void)
{
	char text[3000];
	size_t wrong = 0;
	bool has_failed;
	size_t nth;
	memset(text, '\x1b', sizeof text);
	has_failed = true;
	nth = 0;
	for (; has_failed; nth++) {
		struct buf buf;
		bool lossy = false;
		int r;
		buf_init(&buf, 1 << 20);
		fail_alloc_arm(nth);
		r = json_escape(&buf, text, sizeof text, &lossy);
		wrong += r != 0 && (r != BUF_NOMEM || buf.len != 0);
		buf_finish(&buf);
		wrong += fail_alloc_live() != 0;
		has_failed = fail_alloc_disarm();
		wrong += (r == BUF_NOMEM) != has_failed;
	}
	ok(wrong == 0 && nth > 1, "the escaper reports lack of memory (%zu times)", nth - 1);
}

static void test_hostile_names(void)
{
	struct json_writer w;
	struct buf text;
	buf_init(&text, 4096);
	json_writer_init(&w, &text);
	json_object_begin(&w, NULL);
	json_put_int(&w, "\xc2\x9b", 1); /* C1: begins a control sequence */
	json_put_int(&w, "\xe2\x80\xae", 2); /* turns text around */
	json_put_int(&w, "\xc3\xa9", 3);
	json_object_end(&w);
	is_str((const char *)text.data, "{\"\\u009b\":1,\"\\u202e\":2,\"\xc3\xa9\":3}",
	    "names of members cannot drive a terminal");
	buf_finish(&text);
}

int main(void)
{
	reader = json_reader_new(1 << 20);
	buf_init(&out, 1 << 20);
	test_values();
	test_doubles();
	test_escapes();
	test_invalid();
	test_random();
	test_full();
	test_all_sizes(true);
	test_all_sizes(false);
	test_mark();
	test_failure();
	buf_finish(&out);
	json_reader_free(reader);
	test_hostile_names();
	return done_testing();
}
