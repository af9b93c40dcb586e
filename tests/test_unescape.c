/* SPDX-License-Identifier: ISC */
/* All variants of the decoder give the result of the plain one, and stay in their memory. */
#include "lib/unescape.h"

#include <muxbus.h>

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* Decodes from and into memory of just the allowed size, so that a sanitizer sees more. */
static bool is_same(const struct unescape_variant *variant, const uint8_t *src, size_t len)
{
	uint8_t *exact = malloc(len == 0 ? 1 : len);
	uint8_t *want = malloc(len + UNESCAPE_SLACK);
	uint8_t *got = malloc(len + UNESCAPE_SLACK);
	size_t want_len;
	size_t got_len;
	bool same;
	memcpy(exact, src, len);
	want_len = unescape_naive(want, src, len);
	got_len = variant->run(got, exact, len);
	same = want_len == got_len && memcmp(want, got, want_len) == 0;
	free(exact);
	free(want);
	free(got);
	return same;
}

static void test_naive(void)
{
	static const struct {
		const char *src;
		const char *want;
	} rows[] = {
	    {"", ""},
	    {"plain", "plain"},
	    {"a\\015\\012b", "a\r\nb"},
	    {"\\134\\134", "\\\\"},
	    {"\\377", "\377"},
	    {"\\400", "\\400"},
	    {"\\18", "\\18"},
	    {"\\", "\\"},
	    {"\\1", "\\1"},
	    {"\\12", "\\12"},
	    {"\\\\101", "\\A"},
	    {"\\12\\101", "\\12A"},
	    {"\\1014", "A4"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint8_t out[64];
		size_t len = unescape_naive(out, (const uint8_t *)rows[i].src, strlen(rows[i].src));
		is_mem(out, len, rows[i].want, strlen(rows[i].want), "unescape: %s", rows[i].src);
	}
}

static void test_tail(void)
{
	static const struct {
		const char *src;
		size_t tail;
	} rows[] = {{"", 0}, {"a", 0}, {"\\", 1}, {"a\\", 1}, {"\\1", 2}, {"\\4", 0}, {"\\17", 3},
	    {"\\18", 0}, {"\\47", 0}, {"\\177", 0}, {"\\\\", 1}, {"\\1\\", 1}, {"\\12\\1", 2},
	    {"12", 0}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		is_int((long long)unescape_tail((const uint8_t *)rows[i].src, strlen(rows[i].src)),
		    (long long)rows[i].tail, "tail of: %s", rows[i].src);
}

/* One escape at each place of lines of each length, whole and broken. */
static void test_places(const struct unescape_variant *variant)
{
	static const char *const escapes[] = {
	    "\\012", "\\377", "\\400", "\\1", "\\", "\\\\012", "\\012\\015", "\\01\\012"};
	uint8_t line[300];
	unsigned bad = 0;
	for (size_t e = 0; e < sizeof escapes / sizeof escapes[0]; e++) {
		for (size_t len = 0; len <= sizeof line; len += 1 + len / 40) {
			for (size_t place = 0; place < len; place++) {
				size_t escape_len = strlen(escapes[e]);
				if (escape_len > len - place)
					escape_len = len - place;
				memset(line, '7', sizeof line);
				memcpy(line + place, escapes[e], escape_len);
				bad += !is_same(variant, line, len);
			}
		}
	}
	is_int(bad, 0, "%s: an escape at each place of each length", variant->name);
}

static void test_random(const struct unescape_variant *variant)
{
	static const char letters[] = "\\\\\\\\0123456789ab \377\n";
	uint8_t line[5000];
	uint32_t seed = 12345;
	unsigned bad = 0;
	for (int round = 0; round < 2000; round++) {
		size_t len = round % 4 == 0 ? sizeof line : (size_t)round % 200;
		unsigned density = 1 + (unsigned)round % 60;
		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525u + 1013904223u;
			line[i] = 'x';
			if (seed >> 16 & 1 || (seed >> 8) % density == 0)
				line[i] = (uint8_t)letters[(seed >> 20) % (sizeof letters - 1)];
			if (i >= 3 && (seed >> 8) % density == 0)
				memcpy(line + i - 3, "\\033", 4);
		}
		bad += !is_same(variant, line, len);
	}
	is_int(bad, 0, "%s: random lines, as the plain one", variant->name);
}

/* Every three bytes behind a backslash, in the middle of a block. */
static void test_digits(const struct unescape_variant *variant)
{
	uint8_t line[192];
	unsigned bad = 0;
	memset(line, 'x', sizeof line);
	line[30] = '\\';
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0x2e; b < 0x3a; b++) {
			for (unsigned c = 0x2e; c < 0x3a; c++) {
				line[31] = (uint8_t)a;
				line[32] = (uint8_t)b;
				line[33] = (uint8_t)c;
				bad += !is_same(variant, line, sizeof line);
			}
		}
	}
	is_int(bad, 0, "%s: digits and what is next to them", variant->name);
}

/* The public form: any length, an escape across each border of its pieces, in place. */
static void test_public(void)
{
	enum { MAX_LEN = 9000 };
	static uint8_t line[MAX_LEN + 1], want[MAX_LEN + UNESCAPE_SLACK], in_place[MAX_LEN + 1];
	unsigned bad = 0;

	for (size_t shift = 0; shift < 5; shift++) {
		for (size_t len = 4085 + shift; len <= MAX_LEN; len += 4096 - 5) {
			size_t want_len, got_len;
			memset(line, 'x', sizeof line);
			for (size_t i = shift; i + 4 <= len; i += 5)
				memcpy(line + i, "\\033", 4);
			line[len] = in_place[len] = 0xa5;
			memcpy(in_place, line, len);
			want_len = unescape_naive(want, line, len);
			got_len = muxbus_unescape(in_place, in_place, len);
			bad += got_len != want_len || memcmp(in_place, want, want_len) != 0;
			bad += in_place[len] != 0xa5;
		}
	}
	is_int(bad, 0, "muxbus_unescape() in place, as the plain one");
	is_int((long long)muxbus_unescape(in_place, line, 0), 0, "muxbus_unescape() of nothing");
}

int main(void)
{
	const struct unescape_variant *variant = unescape_variants();
	uint8_t out[8 + UNESCAPE_SLACK];
	test_naive();
	test_tail();
	test_public();
	ok(unescape(out, (const uint8_t *)"a\\012", 5) == 2 && out[1] == '\n', "unescape()");
	for (; variant->name != NULL; variant++) {
		test_places(variant);
		test_random(variant);
		test_digits(variant);
	}
	return done_testing();
}
