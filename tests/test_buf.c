/* SPDX-License-Identifier: ISC */
/* Buffers: growth, the maximum, and that a failed call changes nothing. */
#include "base/buf.h"

#include <string.h>

#include "base/alloc.h"
#include "fail_alloc.h"
#include "tap.h"

static void test_appending(void)
{
	struct buf buf;
	buf_init(&buf, 1000);
	ok(buf.data == NULL, "an unused buffer has no memory");
	fail_alloc_arm(SIZE_MAX); /* whose memory is not zeroed */
	is_int(buf_reserve(&buf, 10), 0, "reserve");
	is_str((char *)buf.data, "", "leaves an empty string");
	buf_finish(&buf);
	(void)fail_alloc_disarm();
	is_int(buf_append(&buf, "ab", 2), 0, "append");
	is_int(buf_append_str(&buf, "cd"), 0, "append a string");
	is_int(buf_append_byte(&buf, 'e'), 0, "append a byte");
	is_int(buf_printf(&buf, "%d-%s", 42, "x"), 0, "print");
	is_str((char *)buf.data, "abcde42-x", "all of it, and a NUL behind");
	buf_consume(&buf, 5);
	is_str((char *)buf.data, "42-x", "consume takes from the front");
	buf_consume(&buf, 99);
	is_int(buf.len, 0, "consume takes at most all");
	is_str((char *)buf.data, "", "and leaves an empty string");
	buf_finish(&buf);
	is_int(buf_append_str(&buf, "again"), 0, "a finished buffer may be used again");
	is_str((char *)buf.data, "again", "and holds what is put in");
	buf_finish(&buf);
}

static void test_printing(void)
{
	char expected[300];
	struct buf buf;
	bool is_right = true;
	/* At every length around the capacities, so that each side of a growth is met. */
	for (int len = 0; len < 290; len++) {
		memset(expected, 'x', (size_t)len);
		expected[len] = '\0';
		buf_init(&buf, 1000);
		is_right &= buf_append_str(&buf, "") == 0 && buf_printf(&buf, "%s", expected) == 0;
		is_right &= strcmp((char *)buf.data, expected) == 0 && buf.len == (size_t)len;
		buf_finish(&buf);
	}
	ok(is_right, "printing grows the buffer as needed, at every length");
}

static void test_maximum(void)
{
	struct buf buf;
	buf_init(&buf, 10);
	is_int(buf_append_str(&buf, "0123456789"), 0, "a buffer can be filled to its maximum");
	is_int(buf_append_byte(&buf, 'x'), BUF_FULL, "and not beyond");
	is_int(buf_printf(&buf, "%d", 7), BUF_FULL, "not by printing either");
	is_int(buf_append(&buf, "", 0), 0, "nothing always fits");
	is_str((char *)buf.data, "0123456789", "the content is as it was");
	buf_consume(&buf, 4);
	is_int(buf_printf(&buf, "%s", "abcde"), BUF_FULL, "data that fit only in part are refused");
	is_str((char *)buf.data, "456789", "and no part of them is kept");
	is_int(buf_reserve(&buf, SIZE_MAX), BUF_FULL, "a size that would overflow is refused");
	ok(buf.cap <= 11, "no memory beyond the maximum is held");
	buf_finish(&buf);

	buf_init(&buf, 0);
	is_int(buf_append_byte(&buf, 'x'), BUF_FULL, "a maximum of 0 takes nothing");
	is_int(buf_append(&buf, "", 0), 0, "except nothing");
	buf_finish(&buf);
	buf_init(&buf, SIZE_MAX);
	is_int(buf_append_str(&buf, "x"), 0, "no maximum at all works");
	is_int(buf_reserve(&buf, SIZE_MAX), BUF_FULL, "and still does not overflow");
	buf_finish(&buf);
}

static void test_memory(void)
{
	struct buf buf;
	char big[5000];
	uint8_t *stolen;
	size_t len;
	memset(big, 'b', sizeof big);
	buf_init(&buf, 10000);
	(void)buf_append(&buf, big, sizeof big);
	buf_clear(&buf);
	ok(buf.cap > 5000, "clear keeps the memory");
	(void)buf_append_str(&buf, "kept");
	buf_shrink(&buf, 100);
	is_int(buf.cap, 100, "shrink gives back what is beyond");
	is_str((char *)buf.data, "kept", "and keeps the content");
	buf_shrink(&buf, 4);
	is_int(buf.cap, 100, "not below the content and its NUL");
	buf_clear(&buf);
	buf_shrink(&buf, 0);
	ok(buf.data == NULL, "an empty buffer can be shrunk to nothing");

	len = 99;
	ok(buf_steal(&buf, &len) == NULL && len == 0,
	    "there is nothing to steal from an empty buffer");
	(void)buf_append_str(&buf, "mine");
	stolen = buf_steal(&buf, &len);
	is_mem(stolen, len + 1, "mine", 5, "what is stolen has a NUL behind it");
	ok(buf.data == NULL && buf.len == 0 && buf.max == 10000, "and is gone from the buffer");
	mem_free(stolen);
	buf_finish(&buf);
}

static void test_failure(void)
{
	struct buf buf;
	char big[400];
	memset(big, 'b', sizeof big);
	buf_init(&buf, 1000);
	(void)buf_append_str(&buf, "before");
	fail_alloc_arm(0);
	is_int(buf_append(&buf, big, sizeof big), BUF_NOMEM, "no memory to append");
	(void)fail_alloc_disarm();
	fail_alloc_arm(0);
	is_int(buf_printf(&buf, "%.400s", big), BUF_NOMEM, "no memory to print");
	(void)fail_alloc_disarm();
	is_str((char *)buf.data, "before", "the content is as it was");
	is_int(buf_append(&buf, big, sizeof big), 0, "and later it works again");
	buf_clear(&buf);
	fail_alloc_arm(0);
	buf_shrink(&buf, 10);
	(void)fail_alloc_disarm();
	ok(buf.cap > 200, "a shrink that fails leaves the larger block");
	buf_finish(&buf);
}

int main(void)
{
	test_appending();
	test_printing();
	test_maximum();
	test_memory();
	test_failure();
	return done_testing();
}
