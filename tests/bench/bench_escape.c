/* SPDX-License-Identifier: ISC */
/*
 * The escaper against yajl_gen_string() in the same run, on text as panes have it. Prints
 * `name value unit` lines: nanoseconds a byte of both, and the ratio. With a sample's name
 * and a number of rounds as arguments it escapes that sample and nothing else, to be
 * counted by callgrind; with "nothing" for the name, it does all but that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_gen.h>

#include "base/buf.h"
#include "base/clock.h"
#include "wire/json.h"

#define SAMPLE_BYTES 1600 /* of a typical output event */
#define SAMPLES 64
#define ROUNDS 400
#define REPEATS 15

static uint32_t random_state = 1;

static uint32_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

static void append_word(struct buf *buf)
{
	for (uint32_t n = 2 + random_number() % 9; n > 0; n--)
		(void)buf_append_byte(buf, (uint8_t)('a' + random_number() % 26));
}

/* Words, in lines of about 70. */
static void append_ascii(struct buf *buf)
{
	append_word(buf);
	if (random_number() % 11 == 0)
		(void)buf_append_str(buf, "\r\n");
	else
		(void)buf_append_byte(buf, random_number() % 40 ? ' ' : '"');
}

/* The same with colours: about one byte in eleven is to be escaped. */
static void append_ansi(struct buf *buf)
{
	switch (random_number() % 3) {
	case 0:
		(void)buf_printf(buf, "\x1b[%um", (unsigned)(30 + random_number() % 8));
		break;
	case 1:
		(void)buf_printf(buf, "\x1b[1;38;5;%um", (unsigned)(random_number() % 256));
		break;
	}
	append_word(buf);
	(void)buf_append_str(buf, random_number() % 3 ? " " : "\x1b[0m ");
	if (random_number() % 6 == 0)
		(void)buf_append_str(buf, "\r\n");
}

/* Words of two, three and four bytes a character. */
static void append_utf8(struct buf *buf)
{
	static const char *const words[] = {"\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 ",
	    "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae ", "\xf0\x9f\x98\x80 ",
	    "\xe2\x94\x82 \xe2\x94\x80\xe2\x94\x80\xe2\x94\x80 ", "caf\xc3\xa9 "};
	if (random_number() % 2)
		append_ascii(buf);
	else
		(void)buf_append_str(buf, words[random_number() % 5]);
}

static const struct {
	const char *name;
	void (*append)(struct buf *buf);
} kinds[] = {{"ascii", append_ascii}, {"ansi", append_ansi}, {"utf8", append_utf8}};

#define KINDS (sizeof kinds / sizeof *kinds)

static struct buf samples[SAMPLES];
static struct buf out;
static yajl_gen gen;

static size_t make_samples(size_t kind)
{
	size_t bytes = 0;
	random_state = 1;
	for (size_t i = 0; i < SAMPLES; i++) {
		buf_init(&samples[i], SAMPLE_BYTES * 2);
		while (samples[i].len < SAMPLE_BYTES)
			kinds[kind].append(&samples[i]);
		bytes += samples[i].len;
	}
	return bytes;
}

static void escape_ours(void)
{
	bool lossy = false;
	for (size_t i = 0; i < SAMPLES; i++) {
		buf_clear(&out);
		if (json_escape(&out, samples[i].data, samples[i].len, &lossy) < 0 || lossy)
			exit(EXIT_FAILURE);
	}
}

static void escape_yajl(void)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		yajl_gen_clear(gen);
		yajl_gen_reset(gen, NULL);
		if (yajl_gen_string(gen, samples[i].data, samples[i].len) != yajl_gen_status_ok)
			exit(EXIT_FAILURE);
	}
}

static double time_ns_per_byte(void (*escape)(void), size_t bytes)
{
	int64_t start_us = clock_mono_us();
	for (int round = 0; round < ROUNDS; round++)
		escape();
	return (double)(clock_mono_us() - start_us) * 1000 / ((double)bytes * ROUNDS);
}

static int compare_doubles(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

/* Medians of rounds that take turns, so that a busy machine slows both. */
static void compare(size_t kind)
{
	double ours[REPEATS], yajl[REPEATS], our_ns, yajl_ns;
	size_t bytes = make_samples(kind);
	for (int i = 0; i < REPEATS; i++) {
		ours[i] = time_ns_per_byte(escape_ours, bytes);
		yajl[i] = time_ns_per_byte(escape_yajl, bytes);
	}
	qsort(ours, REPEATS, sizeof *ours, compare_doubles);
	qsort(yajl, REPEATS, sizeof *yajl, compare_doubles);
	our_ns = ours[REPEATS / 2];
	yajl_ns = yajl[REPEATS / 2];
	printf("escape_%s %.3f ns/B\n", kinds[kind].name, our_ns);
	printf("escape_%s_yajl %.3f ns/B\n", kinds[kind].name, yajl_ns);
	printf("escape_%s_ratio %.3f x\n", kinds[kind].name, our_ns / yajl_ns);
}

/* For callgrind. */
static int run_one(const char *name, int rounds)
{
	size_t kind = 0;
	size_t bytes;
	while (kind < KINDS && strcmp(kinds[kind].name, name) != 0)
		kind++;
	bytes = make_samples(kind < KINDS ? kind : 1);
	for (int round = 0; round < rounds && kind < KINDS; round++)
		escape_ours();
	printf("escaped_bytes %zu B\n", kind < KINDS ? bytes * (size_t)rounds : 0);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	buf_init(&out, SAMPLE_BYTES * 20);
	if (argc == 3)
		return run_one(argv[1], atoi(argv[2]));
	gen = yajl_gen_alloc(NULL);
	for (size_t kind = 0; kind < KINDS; kind++) {
		compare(kind);
		for (size_t i = 0; i < SAMPLES; i++)
			buf_finish(&samples[i]);
	}
	yajl_gen_free(gen);
	buf_finish(&out);
	return EXIT_SUCCESS;
}
