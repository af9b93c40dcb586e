/* SPDX-License-Identifier: ISC */
/*
 * Decoding %output lines: against copying them and against the plain loop, in turns, the
 * median of the ratios of the pairs. "bench_unescape all" times every variant there is.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "bench.h"
#include "lib/unescape.h"
#include "stream.h"

/* More than fits into the caches near the processor, as new output does not lie in a cache. */
enum { STREAM_BYTES = 16 * 1024 * 1024, REPEATS = 9, LINE_MAX_BYTES = 16 * 1024 };

typedef size_t decode_fn(uint8_t *dst, const uint8_t *src, size_t len);

static size_t copy(uint8_t *dst, const uint8_t *src, size_t len)
{
	memcpy(dst, src, len);
	/* The compiler must not drop the copy as unused. */
	__asm__ volatile("" : : "r"(dst) : "memory");
	return len;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Bytes of the wire in a second. */
static double speed(const struct stream *stream, decode_fn *decode)
{
	static uint8_t out[LINE_MAX_BYTES + UNESCAPE_SLACK];
	double start = now();
	for (size_t i = 0; i < stream->line_count; i++)
		decode(out, stream->bytes + stream->lines[i].start, stream->lines[i].len);
	return (double)stream->len / (now() - start);
}

/* The median of the ratios of the two speeds. */
static double compare(const struct stream *stream, decode_fn *one, decode_fn *other)
{
	double ratios[REPEATS];
	speed(stream, one);
	for (int i = 0; i < REPEATS; i++) {
		double fast = speed(stream, one);
		ratios[i] = fast / speed(stream, other);
	}
	return bench_median(ratios, REPEATS);
}

static void bench_kind(const char *kind)
{
	struct stream *stream = stream_new(kind, STREAM_BYTES);
	char name[64];
	snprintf(name, sizeof name, "unescape_%s", kind);
	bench_row(
	    name, 100 * compare(stream, unescape, copy), "%", "%s", unescape_variants()->name);
	snprintf(name, sizeof name, "unescape_%s_naive", kind);
	bench_row(
	    name, compare(stream, unescape, unescape_naive), "x", "%s", unescape_variants()->name);
	stream_free(stream);
}

static void bench_all(const char *kind)
{
	struct stream *stream = stream_new(kind, STREAM_BYTES);
	double limit = speed(stream, copy);
	printf("%-6s memcpy %5.2f GB/s", kind, limit / 1e9);
	for (const struct unescape_variant *variant = unescape_variants(); variant->name != NULL;
	     variant++)
		printf("  %s %5.2f (%2.0f%%)", variant->name, speed(stream, variant->run) / 1e9,
		    100 * compare(stream, variant->run, copy));
	putchar('\n');
	stream_free(stream);
}

int main(int argc, char **argv)
{
	bool is_all = argc > 1 && strcmp(argv[1], "all") == 0;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	(void)sched_setaffinity(0, sizeof one, &one); /* only for steadier figures */
	for (size_t i = 0; stream_kinds[i] != NULL; i++)
		(is_all ? bench_all : bench_kind)(stream_kinds[i]);
	return 0;
}
