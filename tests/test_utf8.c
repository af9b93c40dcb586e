/* SPDX-License-Identifier: ISC */
/* UTF-8: all characters, all short byte sequences, and every place in a longer text. */
#include "base/utf8.h"

#include <string.h>

#include "tap.h"

/* Reads by the bits and then checks the value: another way than the code under test. */
static size_t reference_length(const uint8_t *p, size_t len)
{
	static const struct {
		uint8_t mask, bits;
		uint32_t least;
	} forms[] = {
	    {0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	for (size_t n = 1; n <= 4 && n <= len; n++) {
		bool is_valid;
		uint32_t c;
		if ((p[0] & forms[n - 1].mask) != forms[n - 1].bits)
			continue;
		c = p[0] & (uint8_t)~forms[n - 1].mask;
		for (size_t i = 1; i < n; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (p[i] & 0x3f);
		}
		is_valid = c >= forms[n - 1].least && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
		return is_valid ? n : 0;
	}
	return 0;
}

static size_t encode(uint32_t c, uint8_t out[4])
{
	size_t n;
	static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (uint8_t)(0x80 | (c & 0x3f));
	out[0] = (uint8_t)(leads[n] | c);
	return n;
}

static void test_characters(void)
{
	uint8_t bytes[4];
	size_t wrong = 0;
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		size_t n = encode(c, bytes);
		bool is_surrogate = c >= 0xd800 && c <= 0xdfff;
		uint32_t read = 0;
		int r = utf8_decode(bytes, n, &read);
		wrong += is_surrogate ? r != 0 : r != (int)n || read != c;
		wrong += utf8_is_valid(bytes, n) == is_surrogate;
		for (size_t cut = 1; cut < n && !is_surrogate; cut++)
			wrong += utf8_decode(bytes, cut, &read) != -1 ||
			    utf8_incomplete_tail(bytes, cut) != cut;
		wrong += !is_surrogate && utf8_incomplete_tail(bytes, n) != 0;
	}
	is_int(wrong, 0, "every character is read, whole and cut off");
}

static void test_sequences(void)
{
	static const uint8_t edges[] = {
	    0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xff};
	const size_t count = sizeof edges;
	size_t wrong = 0;
	for (unsigned first = 0; first < 0x100; first++)
		for (unsigned second = 0; second < 0x100; second++)
			for (size_t i = 0; i < count * count; i++) {
				uint8_t p[] = {(uint8_t)first, (uint8_t)second, edges[i / count],
				    edges[i % count]};
				size_t want = reference_length(p, 4);
				uint32_t c;
				int got = utf8_decode(p, 4, &c);
				size_t part;
				bool is_valid = utf8_part(p, 4, &part);
				wrong += (size_t)(got > 0 ? got : 0) != want ||
				    is_valid != (want > 0) || part < 1 || part > 4 ||
				    (is_valid && part != want);
			}
	is_int(wrong, 0, "a sequence is valid exactly if RFC 3629 allows it");
}

static const struct {
	const char *bytes, *clean;
} cleaned[] = {
    {"", ""},
    {"plain", "plain"},
    {"\xc3\xa9", "\xc3\xa9"},
    /* The Unicode standard's examples of maximal parts, chapter 3.9. */
    {"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
     "A",
	"????????A"},
    {"\xed\xa0\x80\xed\xbf\xbf\xed\xaf"
     "A",
	"????????A"},
    {"\xf4\x91\x92\x93\xff"
     "A\x80\xbf"
     "B",
	"?????A??B"},
    {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
     "A",
	"????A"},
    {"a\xe2\x82", "a?"},
    {"\xf0\x9f\x98", "?"},
    {"\xf5\x80\x80\x80", "????"},
    {"\xc1\xbf", "??"},
};

static void test_cleaning(void)
{
	for (size_t i = 0; i < sizeof cleaned / sizeof *cleaned; i++) {
		struct buf out, want;
		bool lossy = false;
		buf_init(&out, 1000);
		buf_init(&want, 1000);
		(void)buf_append_str(&want, "");
		for (const char *p = cleaned[i].clean; *p; p++)
			(void)buf_append_str(
			    &want, *p == '?' ? "\xef\xbf\xbd" : (char[]){*p, '\0'});
		(void)buf_append_str(&out, "");
		(void)utf8_clean(&out, cleaned[i].bytes, strlen(cleaned[i].bytes), &lossy);
		is_mem(out.data, out.len, want.data, want.len, "cleaned %zu", i);
		is_int(lossy, strchr(cleaned[i].clean, '?') != NULL,
		    "and the replacement is reported");
		buf_finish(&out);
		buf_finish(&want);
	}
}

/* One bad byte, or one character, at every place of a text with words before and behind. */
static void test_places(void)
{
	uint8_t text[100];
	size_t wrong = 0;
	for (size_t len = 1; len < sizeof text; len++)
		for (size_t at = 0; at < len; at++) {
			memset(text, 'x', len);
			text[at] = 0xff;
			wrong += utf8_valid_prefix(text, len) != at;
			wrong += utf8_valid_prefix(text, at) != at;
			if (at + 3 > len)
				continue;
			memcpy(text + at, "\xe2\x82\xac", 3);
			wrong += !utf8_is_valid(text, len);
			wrong += utf8_valid_prefix(text, at + 1) != at;
			wrong += utf8_valid_prefix(text, at + 2) != at;
		}
	is_int(wrong, 0, "the valid prefix ends where it should, wherever that is");
}

static void test_tails(void)
{
	static const struct {
		const char *bytes;
		int tail;
	} tails[] = {{"", 0}, {"abc", 0}, {"a\xe2", 1}, {"a\xe2\x82", 2}, {"a\xe2\x82\xac", 0},
	    {"\xf0\x9f\x98", 3}, {"\x80\x80\x80", 0}, {"\xe2\x82\x82\x82", 0}, {"\xc0", 0},
	    {"\xff", 0}, {"\xe0\x80", 0}, {"\xed\xa0", 0}, {"\xf4\x90\x80", 0},
	    {"\xe2\x82\xac\xc3", 1}};
	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
		is_int(utf8_incomplete_tail(tails[i].bytes, strlen(tails[i].bytes)), tails[i].tail,
		    "tail %zu", i);
}

int main(void)
{
	uint32_t c;
	test_characters();
	test_sequences();
	test_cleaning();
	test_places();
	test_tails();
	is_int(utf8_decode("", 0, &c), 0, "an empty text has no character");
	return done_testing();
}
