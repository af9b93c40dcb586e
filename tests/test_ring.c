/* SPDX-License-Identifier: ISC */
/* The ring: against a plain array that keeps everything. */
#include <stdlib.h>
#include <string.h>

#include "daemon/tmux/ring.h"
#include "tap.h"

#define MAX 5000
#define ALL 100000

static void test_against_array(void)
{
	static uint8_t all[ALL];
	struct ring ring;
	struct buf out;
	size_t end;
	unsigned wrong;
	buf_init(&out, ALL);
	ring_init(&ring, MAX, 0);
	end = 0;
	wrong = 0;
	srandom(7);
	while (end < ALL) {
		size_t len = (size_t)random() % (random() % 20 ? 200 : 8000);
		size_t want, want_len, start, from, max;
		struct ring_slice slice;
		if (len > ALL - end)
			len = ALL - end;
		for (size_t i = 0; i < len; i++)
			all[end + i] = (uint8_t)random();
		ring_write(&ring, all + end, len);
		end += len;
		start = end > MAX ? end - MAX : 0;
		from = (size_t)random() % (end + 1);
		max = (size_t)random() % 6000;
		buf_clear(&out);
		ring_read(&ring, from, max, &out, &slice);
		want = from < start ? start : from;
		want_len = end - want < max ? end - want : max;
		if (slice.from != want || slice.to != want + want_len || out.len != want_len ||
		    memcmp(out.data ? out.data : all, all + want, want_len) != 0 ||
		    slice.has_gap != (from < start))
			wrong++;
	}
	is_int(wrong, 0, "every slice is what a plain array has");
	is_int((long long)ring.cap, MAX, "it holds its maximum and no more");
	ring_finish(&ring);
	buf_finish(&out);
}

static void check_read(const struct ring *ring, uint64_t from, const char *text, uint64_t to,
    const char *reason, const char *what)
{
	struct buf out;
	struct ring_slice slice;
	buf_init(&out, 1000);
	ring_read(ring, from, 1000, &out, &slice);
	is_mem(out.data ? (const char *)out.data : "", out.len, text, strlen(text), "%s", what);
	is_int((long long)slice.to, (long long)to, "%s: where it ends", what);
	is_str(slice.gap_reason != NULL ? slice.gap_reason : "", reason, "%s: gap", what);
	ok(slice.has_gap == (*reason != '\0'), "%s: has a gap or not", what);
	buf_finish(&out);
}

static void test_gaps(void)
{
	struct ring ring;
	struct buf out;
	struct ring_slice slice;
	ring_init(&ring, 100, 10);
	ring_write(&ring, "abc", 3);
	check_read(&ring, 10, "abc", 13, "", "from the start");
	ring_gap(&ring, 13, "not_watched");
	ring_write(&ring, "def", 3);
	check_read(&ring, 11, "bc", 13, "", "up to a gap");
	check_read(&ring, 13, "def", 16, "not_watched", "behind a gap");
	check_read(&ring, 14, "ef", 16, "", "later than a gap");
	check_read(&ring, 5, "abc", 13, "forgotten", "before what is kept");
	ring_gap(&ring, 16, "first");
	ring_gap(&ring, 16, "second");
	check_read(&ring, 16, "", 16, "second", "two gaps at one place are one");
	ring_gap(&ring, 20, "numbered");
	check_read(&ring, 13, "", 20, "forgotten", "a gap with a width");
	check_read(&ring, 99, "", 20, "unknown_offset", "an offset from another stream");
	ring_finish(&ring);

	ring_init(&ring, 1000, 0);
	for (unsigned i = 0; i < 2 * RING_GAPS_MAX; i++) {
		ring_write(&ring, "xy", 2);
		ring_gap(&ring, ring.end, "r");
	}
	is_int(ring.gap_count, RING_GAPS_MAX, "gaps are bounded");
	buf_init(&out, 1000);
	ring_read(&ring, 0, 1000, &out, &slice);
	ok(slice.has_gap && slice.from == 2 * RING_GAPS_MAX,
	    "output before the oldest kept byte is gone");
	buf_finish(&out);
	ring_finish(&ring);
}

static void test_lazy(void)
{
	struct ring ring;
	ring_init(&ring, 65536, 0);
	ok(ring.data == NULL, "no memory before the first byte");
	ring_write(&ring, "a", 1);
	ok(ring.cap <= 1024, "a small output takes a small ring");
	ring_finish(&ring);
}

int main(void)
{
	test_against_array();
	test_gaps();
	test_lazy();
	return done_testing();
}
