/* SPDX-License-Identifier: ISC */
/* Rows of records: written and read back, damaged at each byte, and as release 0.1 wrote them. */
#include "daemon/queue/record.h"

#include <muxbus.h>

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/core/pane_ref.h"
#include "daemon/event/event_log.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "tap.h"

enum colour { RED, GREEN, BLUE, COLOUR_COUNT_ };

static const char *const colours[] = {"red", "green", "blue"};

struct part {
	uint64_t number;
	char *text;
};

struct inner {
	int value;
};

struct sample {
	bool flag;
	int number;
	unsigned count;
	int64_t time_ms;
	uint64_t big;
	enum colour colour;
	int stage;
	struct pane_ref pane;
	char word[8];
	char bytes[8];
	uint8_t mark[4];
	size_t mark_len;
	char *text;
	char *json;
	char **strings;
	uint64_t *numbers;
	size_t number_count;
	struct part parts[2];
	size_t part_count;
	struct inner inner[1];
	size_t inner_count;
	char *maybe;
};

static const struct record_field part_fields[] = {
    {RECORD_ROW(UINT64, struct part, number, "number")},
    {RECORD_ROW(TEXT, struct part, text, "text")},
};

static const struct record_field inner_fields[] = {
    {RECORD_ROW(INT, struct inner, value, "value")},
};

static const struct record_field fields[] = {
    {RECORD_ROW(BOOL, struct sample, flag, "flag")},
    {RECORD_ROW(INT, struct sample, number, "number")},
    {RECORD_ROW(NATURAL, struct sample, count, "count")},
    {RECORD_ROW(INT, struct sample, time_ms, "time")},
    {RECORD_ROW(UINT64, struct sample, big, "big")},
    {RECORD_ROW(NAME, struct sample, colour, "colour"), .names = colours, .values = COLOUR_COUNT_},
    {RECORD_ROW(INT, struct sample, stage, "stage"), .values = 3},
    {RECORD_ROW(PANE, struct sample, pane, "pane"), .is_optional = true},
    {RECORD_ROW(THREAD, struct sample, pane, "thread"), .is_optional = true},
    {RECORD_ROW(WORD, struct sample, word, "word")},
    {RECORD_ROW(BYTES, struct sample, bytes, "bytes")},
    {RECORD_ROW(BYTES, struct sample, mark, "mark"),
	.count_offset = offsetof(struct sample, mark_len)},
    {RECORD_ROW(TEXT, struct sample, text, "text")},
    {RECORD_ROW(JSON, struct sample, json, "json")},
    {RECORD_ROW(STRINGS, struct sample, strings, "strings")},
    {RECORD_ROW(NUMBERS, struct sample, numbers, "numbers"),
	.count_offset = offsetof(struct sample, number_count)},
    {RECORD_ROW(LIST, struct sample, parts, "parts"),
	.count_offset = offsetof(struct sample, part_count), .values = 2,
	.rows = RECORD_ROWS(part_fields, "#number =text")},
    {RECORD_ROW(LIST, struct sample, inner, "inner"), .is_optional = true, .values = 1,
	.count_offset = offsetof(struct sample, inner_count),
	.rows = RECORD_ROWS(inner_fields, NULL)},
    {RECORD_ROW(TEXT, struct sample, maybe, "maybe"), .is_optional = true},
};

static const struct record_kind kind = {
    .prefix = "sample/",
    .noun = "a sample",
    .rows = RECORD_ROWS(fields, NULL),
    .source = SOURCE_POST,
    .naming = RECORD_BY_ID,
};

static struct json_reader *reader;

/* Writes an object as a record is. */
static void write_record(struct buf *out, const struct record_rows *rows, const void *object)
{
	struct json_writer writer;
	buf_init(out, 1 << 16);
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	record_write(&writer, rows, object);
	json_object_end(&writer);
}

static bool read_record(const struct record_rows *rows, const void *text, size_t len, void *object)
{
	struct json_error error;
	return record_read(rows, json_read(reader, text, len, &error), object);
}

static struct sample full_sample(void)
{
	static char *strings[] = {(char *)"one", (char *)"", (char *)"\xc3\xa9\x1b", NULL};
	static uint64_t numbers[] = {1, 9007199254740991};
	return (struct sample){
	    .flag = true,
	    .number = -2147483647,
	    .count = 2147483647,
	    .time_ms = -9007199254740991,
	    .big = UINT64_MAX,
	    .colour = BLUE,
	    .stage = 2,
	    .pane = {.pane = 3,
		.pane_pid = 812,
		.server_pid = 790,
		.server_start = 5120,
		.thread = "codex:019a"},
	    .word = "seven77",
	    .bytes = "\x1b\xff > ",
	    .mark = {0, 0xff, 0x10},
	    .mark_len = 3,
	    .text = (char *)"a \"text\"\n\t\xe2\x80\xa8",
	    .json = (char *)"{\"a\":[1,2.50,null]}",
	    .strings = strings,
	    .numbers = numbers,
	    .number_count = 2,
	    .parts = {{UINT64_MAX, (char *)"x"}, {0, (char *)""}},
	    .part_count = 2,
	    .inner = {{7}},
	    .inner_count = 1,
	};
}

static void test_round_trip(void)
{
	struct sample sample = full_sample(), found = {0}, empty = {.pane.pane = MUXBUS_NO_ID};
	struct buf text, again;
	write_record(&text, kind.rows, &sample);
	ok(read_record(kind.rows, text.data, text.len, &found), "what was written is read");
	write_record(&again, kind.rows, &found);
	is_str((char *)again.data, (char *)text.data, "each type of row is as it was");
	ok(found.big == UINT64_MAX && found.parts[0].number == UINT64_MAX, "also beyond 2^53");
	ok(pane_ref_same_pane(&found.pane, &sample.pane), "a pane");
	is_str(found.pane.thread, "codex:019a", "and its thread");
	ok(pane_ref_equal(&found.pane, &sample.pane) &&
		pane_ref_key(&found.pane) == pane_ref_key(&sample.pane),
	    "the same address");
	found.pane.pane = 4;
	ok(pane_ref_equal(&found.pane, &sample.pane), "a thread is the same in another pane");
	found.pane.pane = 3;
	found.pane.thread[0] = '\0';
	ok(!pane_ref_equal(&found.pane, &sample.pane), "a pane is another address than its thread");
	is_str(found.bytes, sample.bytes, "bytes that are no text");
	ok(found.mark_len == 3 && memcmp(found.mark, sample.mark, 3) == 0, "bytes with a NUL");
	is_str(found.strings[2], sample.strings[2], "strings");
	is_str(found.json, sample.json, "numbers in JSON as they were written");
	ok(found.maybe == NULL, "what was left out stays so");
	record_finish(kind.rows, &found);
	ok(found.text == NULL && found.parts[1].text == NULL, "all is freed");
	buf_finish(&text);
	buf_finish(&again);
	empty.text = (char *)"";
	empty.json = (char *)"{}";
	empty.strings = (char *[]){NULL};
	write_record(&text, kind.rows, &empty);
	found = (struct sample){0};
	ok(read_record(kind.rows, text.data, text.len, &found), "zeros and nothing are read");
	ok(found.pane.pane == MUXBUS_NO_ID && found.inner_count == 0 && found.part_count == 0,
	    "as such");
	record_finish(kind.rows, &found);
	buf_finish(&text);
}

/* Each truncation, and each byte as another: unreadable or read, but never a crash or a leak. */
static void test_damage(void)
{
	static const char bytes[] = "\x00\"{}[],:0-9xtn\x80\xff";
	struct sample sample = full_sample(), found;
	unsigned read_cut = 0, read_all = 0;
	struct buf text;
	write_record(&text, kind.rows, &sample);
	for (size_t at = 0; at < text.len; at++) {
		found = (struct sample){0};
		if (read_record(kind.rows, text.data, at, &found)) {
			record_finish(kind.rows, &found);
			read_cut++;
		}
	}
	is_int(read_cut, 0, "cut anywhere (%zu places) a record is unreadable", text.len);
	for (size_t at = 0; at < text.len; at++) {
		uint8_t good = text.data[at];
		for (size_t other = 0; other < sizeof bytes - 1; other++) {
			text.data[at] = (uint8_t)bytes[other];
			found = (struct sample){0};
			if (read_record(kind.rows, text.data, text.len, &found)) {
				record_finish(kind.rows, &found);
				read_all++;
			}
		}
		text.data[at] = good;
	}
	ok(read_all > 0 && read_all < text.len * (sizeof bytes - 1),
	    "with a wrong byte anywhere, it is read or unreadable");
	buf_finish(&text);
}

/* Values that a row refuses. */
static void test_refusals(void)
{
	static const struct {
		const char *part, *instead;
	} changes[] = {
	    {"\"flag\":true", "\"flag\":1"},
	    {"\"flag\":true,", ""},
	    {"\"flag\":true", "\"flag\":null"},
	    {"\"number\":-2147483647", "\"number\":2147483648"},
	    {"\"number\":-2147483647", "\"number\":1.5"},
	    {"\"count\":2147483647", "\"count\":2147483648"},
	    {"\"count\":2147483647", "\"count\":-1"},
	    {"\"time\":-9007199254740991", "\"time\":1e300"},
	    {"\"big\":\"18446744073709551615\"", "\"big\":\"18446744073709551616\""},
	    {"\"big\":\"18446744073709551615\"", "\"big\":\"-1\""},
	    {"\"colour\":\"blue\"", "\"colour\":\"blues\""},
	    {"\"colour\":\"blue\"", "\"colour\":2"},
	    {"\"stage\":2", "\"stage\":3"},
	    {"\"stage\":2", "\"stage\":-1"},
	    {"%3/812", "%3/"},
	    {"\"word\":\"seven77\"", "\"word\":\"eight888\""},
	    {"\"mark\":\"AP8Q\"", "\"mark\":\"AP8\""},
	    {"\"mark\":\"AP8Q\"", "\"mark\":\"AP8QAAAA\""},
	    {"\"json\":{", "\"json\":1,\"other\":{"},
	    {"\"strings\":[", "\"strings\":[1,"},
	    {"\"numbers\":[", "\"numbers\":[-1,"},
	    {"\"parts\":[", "\"parts\":[1,"},
	    {"\"parts\":[{", "\"parts\":[{\"number\":\"1\",\"text\":\"\"},{"},
	    {"\"inner\":[{\"value\":7}", "\"inner\":[{}"},
	};
	struct sample sample = full_sample(), found;
	unsigned accepted = 0, absent = 0;
	struct buf text;

	write_record(&text, kind.rows, &sample);
	for (size_t at = 0; at < sizeof changes / sizeof *changes; at++) {
		const char *all = (const char *)text.data, *part = strstr(all, changes[at].part);
		char *changed;
		absent += part == NULL;
		if (part == NULL)
			continue;
		changed = xasprintf("%.*s%s%s", (int)(part - all), all, changes[at].instead,
		    part + strlen(changes[at].part));
		found = (struct sample){0};
		if (read_record(kind.rows, changed, strlen(changed), &found)) {
			diag("accepted: %s", changed);
			record_finish(kind.rows, &found);
			accepted++;
		}
		mem_free(changed);
	}
	is_int(absent, 0, "%zu members that are none", sizeof changes / sizeof *changes);
	is_int(accepted, 0, "make a record unreadable");
	buf_finish(&text);
}

struct old_list {
	uint64_t floor;
	uint64_t *numbers;
	size_t count;
	char *text;
};

static const struct record_field old_list_fields[] = {
    {RECORD_ROW(UINT64, struct old_list, floor, "floor")},
    {RECORD_ROW(NUMBERS, struct old_list, numbers, "numbers"),
	.count_offset = offsetof(struct old_list, count)},
    {RECORD_ROW(TEXT, struct old_list, text, "text"), .is_optional = true},
};

static bool reads_list(const char *order, const char *text, unsigned count, const char *rest)
{
	const struct json words = {.type = JSON_STRING, .text = text, .len = strlen(text)};
	const struct record_rows rows = {.fields = old_list_fields, .count = 3, .order_0_1 = order};
	struct old_list old = {0};
	bool is_read = record_read(&rows, &words, &old) && old.count == count && old.floor == 12 &&
	    (count == 0 || old.numbers[count - 1] == 19) &&
	    (rest == NULL ? old.text == NULL : strcmp(old.text, rest) == 0);
	record_finish(&rows, &old);
	return is_read;
}

struct old {
	struct pane_ref pane;
	int64_t number;
	bool flag;
	char session[16];
};

static const struct record_field old_fields[] = {
    {RECORD_ROW(PANE, struct old, pane, "pane"), .is_optional = true},
    {RECORD_ROW(INT, struct old, number, "number")},
    {RECORD_ROW(BOOL, struct old, flag, "flag")},
    {RECORD_ROW(WORD, struct old, session, "session"), .is_optional = true},
};

static bool read_old(const char *text, struct old *ret_old)
{
	const struct json words = {.type = JSON_STRING, .text = text, .len = strlen(text)};
	*ret_old = (struct old){0};
	return record_read(
	    RECORD_ROWS(old_fields, "$pane #number ?flag $session"), &words, ret_old);
}

/* Words in an order, as release 0.1 wrote them. */
static void test_words(void)
{
	static const char whole[] = "%3/812/790/5120 -12 1 abc";
	struct old old;
	unsigned read = 0;
	ok(read_old(whole, &old), "words are read");
	ok(old.pane.server_start == 5120 && old.number == -12 && old.flag, "in their order");
	is_str(old.session, "abc", "to the last");
	ok(read_old("- 5 0 -", &old) && old.pane.pane == MUXBUS_NO_ID && old.session[0] == '\0',
	    "a line stands for what is not there");
	ok(!read_old("- 5 2 -", &old) && !read_old("- x 0 -", &old) && !read_old("- 5 0", &old) &&
		!read_old("", &old) && !read_old("%3 5 0 -", &old),
	    "other words are not");
	for (size_t len = 0; len < sizeof whole - 3; len++) {
		char *cut = xasprintf("%.*s", (int)len, whole);
		read += read_old(cut, &old) && len < sizeof whole - 4;
		mem_free(cut);
	}
	is_int(read, 0, "nor are they when cut anywhere");
	ok(reads_list("#floor&numbers", "12 14 19", 2, NULL) &&
		reads_list("#floor&numbers", "12", 0, NULL),
	    "a number and a list");
	ok(reads_list("&numbers*#floor\n=text", "14 15 19 *12\n- two\nlines", 3, "- two\nlines"),
	    "a list, and a text to the end");
	ok(!reads_list("#floor&numbers", "12 x", 0, NULL) &&
		!reads_list("#floor&numbers", "", 0, NULL) &&
		!reads_list("&numbers*#floor\n=text", "19 *12", 1, NULL),
	    "but not another form");
}

static struct sample taken[4];
static size_t taken_count;

static bool take(void *data, const char *name, const struct json *value)
{
	(void)data;
	(void)name;
	if (!record_read(kind.rows, value, &taken[taken_count]))
		return false;
	taken_count++;
	return true;
}

static void test_store(void)
{
	struct store *store = store_open(NULL, NULL, false, NULL, NULL);
	struct sample sample = full_sample(), found = {0};
	const struct notification *note;
	struct event_log *events;
	struct queue *queue;
	char reason[128];
	events = event_log_new(NULL, 100, 1 << 20, reason, sizeof reason);
	queue = queue_new(store, events);
	record_put(store, &kind, "A1B2", &sample);
	record_put(store, &kind, "C3D4", &sample);
	store_put(store, "sample/E5F6", "{\"flag\":", 8);
	store_put(store, "sample/toolong8", "{}", 2);
	ok(record_get(store, &kind, "A1B2", &found), "one is found by its name");
	record_finish(kind.rows, &found);
	ok(!record_get(store, &kind, "E5F6", &found) && !record_get(store, &kind, "Z", &found),
	    "but none that cannot be read, or is not there");
	queue_load(queue, &kind, take, NULL);
	is_int((int)taken_count, 2, "those that can be read are taken up");
	for (size_t at = 0; at < taken_count; at++)
		record_finish(kind.rows, &taken[at]);
	note = queue_next(queue, NULL);
	is_str(note != NULL ? note->text : "", "a sample was lost: its record cannot be read",
	    "the others are told as lost");
	is_str(note->id, "E5F6", "by their id");
	is_str(note->data, "{\"reason\":\"lost\",\"record\":\"sample/E5F6\"}", "and their key");
	note = queue_next(queue, note);
	is_int((int)strlen(note->id), 4, "one whose name is no id gets one");
	ok(queue_next(queue, note) == NULL, "each once");
	ok(store_get(store, "sample/E5F6", NULL) == NULL, "and taken out of the store");
	record_delete(store, &kind, "A1B2");
	ok(store_get(store, "sample/A1B2", NULL) == NULL, "as one that is deleted");
	queue_free(queue);
	event_log_free(events);
	store_close(store);
}

int main(void)
{
	reader = json_reader_new(1 << 16);
	test_round_trip();
	test_damage();
	test_refusals();
	test_words();
	test_store();
	json_reader_free(reader);
	return done_testing();
}
