/* SPDX-License-Identifier: ISC */
/*
 * Each allocation of src/base fails once. The call then succeeds or is refused with
 * an error, nothing leaks, and what was there before is still there.
 */
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/str.h"
#include "base/utf8.h"
#include "fail_alloc.h"
#include "tap.h"

/* A scenario returns 0 for success, 1 if the call was refused, -1 for a fault. */
#define REFUSED 1
#define WRONG (-1)

static char text[3000];

/* Checks a call on a buffer: it may be refused if the content is unchanged. */
static int judge(const struct buf *buf, int r, size_t len_before)
{
	if (r == 0)
		return 0;
	return r == BUF_NOMEM && buf->len == len_before ? REFUSED : WRONG;
}

static int copy_strings(void)
{
	char *one = mem_strdup("one");
	char *two = one != NULL ? mem_memdup("two", 3) : NULL;
	char *three = two != NULL ? mem_calloc(3, 5) : NULL;
	mem_free(one);
	mem_free(two);
	mem_free(three);
	return three != NULL ? 0 : REFUSED;
}

static int fill_buffer(struct buf *buf)
{
	int r = 0;
	for (int i = 0; i < 40 && r == 0; i++) {
		size_t len = buf->len;
		r = judge(buf, buf_printf(buf, "%d %.90s", i, text), len);
	}
	for (int i = 0; i < 1000 && r == 0; i++) {
		size_t len = buf->len;
		r = judge(buf, buf_append_byte(buf, 'x'), len);
	}
	buf_consume(buf, 4500);
	buf_shrink(buf, 100);
	return r;
}

static int encode(struct buf *buf)
{
	return judge(buf, base64_encode(buf, text, sizeof text), 0);
}

static int decode(struct buf *buf)
{
	return judge(buf, base64_decode(buf, "Zm9vYmFy", 8), 0);
}

static int make_visible(struct buf *buf)
{
	int r = str_append_visible(buf, text, sizeof text);
	return r == 0 ? 0 : r == BUF_NOMEM ? REFUSED : WRONG;
}

static int clean(struct buf *buf)
{
	bool lossy = false;
	int r = utf8_clean(buf, text, sizeof text, &lossy);
	return r == 0 ? 0 : r == BUF_NOMEM ? REFUSED : WRONG;
}

static int (*const on_buffers[])(struct buf *buf) = {
    fill_buffer, encode, decode, make_visible, clean};
static size_t on_buffer;

static int use_buffer(void)
{
	struct buf buf;
	int r;
	buf_init(&buf, 1 << 20);
	r = on_buffers[on_buffer](&buf);
	buf_finish(&buf);
	return r;
}

static int use_map(void)
{
	struct map map;
	int r = 0;
	map_init(&map);
	for (uint64_t i = 0; i < 500 && r == 0; i++) {
		if (map_set(&map, i, text + i) < 0)
			r = map.count == i ? REFUSED : WRONG;
		for (uint64_t j = 0; j < map.count; j++)
			if (map_get(&map, j) != text + j)
				r = WRONG;
	}
	map_finish(&map);
	return r;
}

/* Runs the scenario with the first allocation failing, the second and so on. */
static void run(const char *name, int (*scenario)(void), bool always_notices)
{
	size_t nth = 0;
	size_t wrong = 0;
	bool has_failed = true;
	for (; has_failed && nth < 1000; nth++) {
		int r;
		fail_alloc_arm(nth);
		r = scenario();
		wrong += r == WRONG || fail_alloc_live() != 0;
		has_failed = fail_alloc_disarm();
		wrong += always_notices && (r == REFUSED) != has_failed;
	}
	is_int(wrong, 0, "%s: each of %zu allocations failed once", name, nth - 1);
	ok(nth > 1 && !has_failed, "%s: then no allocation failed", name);
}

int main(void)
{
	static const char *const names[] = {"buffer", "base64", "from base64", "visible", "clean"};
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = i + 1 == sizeof text ? '\xff' : (char)('a' + i % 26);
	run("copies", copy_strings, true);
	for (on_buffer = 0; on_buffer < sizeof names / sizeof *names; on_buffer++)
		run(names[on_buffer], use_buffer, on_buffer != 0); /* a shrink may fail unnoticed */
	run("map", use_map, true);
	return done_testing();
}
