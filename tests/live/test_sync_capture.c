/* SPDX-License-Identifier: ISC */
/*
 * The place of a capture in the stream, with the library alone: while a program counts
 * and two other panes of the session flood, hundreds of captures are taken, and each must
 * join the stream at its offset to the byte. Nothing may be missing from the stream.
 * The program itself is the counter: "test_sync_capture count".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "followed.h"

enum { DIGITS = 10, LINE = DIGITS + 2 }; /* CR and LF */

static const char flood[] = "yes 0123456789012345678901234567890123456789012345678901234567890123";

/* Counts upwards, several lines a write, some 30,000 lines a second. */
static int count_for_ever(void)
{
	char lines[7 * (DIGITS + 1) + 1];
	struct timespec rest = {0, 100000};

	for (unsigned i = 0;; i += 7) {
		size_t len = 0;

		for (unsigned k = 0; k < 7; k++)
			len += (size_t)snprintf(lines + len, sizeof(lines) - len, "%010u\n", i + k);
		if (write(1, lines, len) != (ssize_t)len)
			return 0;
		(void)nanosleep(&rest, NULL);
	}
}

struct picture {
	struct followed *followed;
	bool is_done;
	int error;
	uint64_t offset;
	unsigned column; /* of the cursor */
	char above[64]; /* the line above the cursor */
	char row[64]; /* the cursor's own */
};

/* Copies line number row of text. */
static void copy_row(char out[64], const struct muxbus_capture *capture, unsigned row)
{
	const char *line = (const char *)capture->text;
	const char *end = line + capture->text_len;

	while (row-- > 0 && line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		line = newline == NULL ? end : newline + 1;
	}
	(void)snprintf(out, 64, "%.*s", (int)strcspn(line, "\n"), line);
}

static void on_capture(void *data, int error, const struct muxbus_capture *capture)
{
	struct picture *picture = data;

	picture->is_done = true;
	picture->error = error;
	if (error != 0)
		return;
	picture->offset = capture->offset;
	picture->column = capture->cursor_column;
	copy_row(picture->row, capture, capture->cursor_row);
	copy_row(picture->above, capture, capture->cursor_row - 1);
}

/* The output of pane %0 that was told, and the offset of its first byte. */
static const struct buf *stream_of(const struct followed *followed, uint64_t *ret_start)
{
	const struct buf *stream = map_get(&followed->outputs, 0);
	const struct muxbus_pane *pane = muxbus_model_pane(muxbus_sync_model(followed->sync), 0);

	*ret_start = pane->output_offset - stream->len;
	return stream;
}

/* Whether the picture is there, and a line of the stream behind it. */
static bool picture_is_done(void *data)
{
	struct picture *picture = data;
	uint64_t start;
	const struct buf *stream;

	if (!picture->is_done || picture->error != 0)
		return picture->is_done;
	stream = stream_of(picture->followed, &start);
	return start + stream->len >= picture->offset + LINE;
}

/*
 * Whether the stream before the offset ends as the picture does, and goes on behind it
 * with what comes next. Bytes before it may be missing if that was told.
 */
static bool joins(const struct picture *picture, bool is_gap)
{
	uint64_t start;
	const struct buf *stream = stream_of(picture->followed, &start);
	const char *at = (const char *)stream->data + (picture->offset - start);
	unsigned number = (unsigned)strtoul(picture->above, NULL, 10) + 1;
	unsigned written = picture->column;
	char line[LINE + 1], previous[LINE + 1];

	if (picture->offset < start || written > DIGITS)
		return false;
	if (written == 0 && picture->row[0] != '\0')
		written = DIGITS + 1; /* CR has been written, LF not */
	(void)snprintf(line, sizeof(line), "%010u\r\n", number);
	(void)snprintf(previous, sizeof(previous), "%010u\r\n", number - 1);
	if (memcmp(at, line + written, LINE - written) != 0)
		return false;
	return is_gap ||
	    (picture->offset - start >= LINE + written &&
		memcmp(at - written, line, written) == 0 &&
		memcmp(at - written - LINE, previous, LINE) == 0);
}

static unsigned count_holes(const struct buf *stream)
{
	const char *line = (const char *)stream->data;
	const char *end = line + stream->len;
	long previous = -1;
	unsigned holes = 0;

	line = memchr(line, '\n', (size_t)(end - line));
	while (line != NULL && end - line > LINE) {
		long number = strtol(line + 1, NULL, 10);

		holes += previous >= 0 && number != previous + 1;
		previous = number;
		line = memchr(line + 1, '\n', (size_t)(end - line - 1));
	}
	return holes;
}

struct tally {
	unsigned bad;
	unsigned failed;
	unsigned gaps;
	int64_t worst_us;
};

static void take_one(struct followed *followed, struct tally *tally)
{
	struct picture picture = {.followed = followed};
	int64_t start_ns = live_now_ns();
	unsigned gaps = followed_count(followed, "gap %0");
	bool is_gap;

	if (muxbus_sync_capture(followed->sync, 0, 0, 0, on_capture, &picture) != 0 ||
	    !followed_until(followed, picture_is_done, &picture) || picture.error != 0) {
		tally->failed++;
		return;
	}
	if ((live_now_ns() - start_ns) / 1000 > tally->worst_us)
		tally->worst_us = (live_now_ns() - start_ns) / 1000;
	is_gap = followed_count(followed, "gap %0") != gaps;
	tally->gaps += is_gap;
	if (!joins(&picture, is_gap) && tally->bad++ < 3)
		diag("offset %llu: above [%s] row [%s] column %u",
		    (unsigned long long)picture.offset, picture.above, picture.row, picture.column);
}

static bool has_output(void *data)
{
	const struct followed *followed = data;
	const struct buf *stream = map_get(&followed->outputs, 0);

	return stream != NULL && stream->len > 100000;
}

static void test_version(const char *tmux, const char *self, unsigned floods, int captures)
{
	struct live *live = live_new(tmux);
	struct followed *followed;
	struct tally tally = {0};
	char command[5000];

	(void)snprintf(command, sizeof(command), "%s count", self);
	live_start_tmux(live, command);
	for (unsigned i = 0; i < floods; i++)
		live_tmux(live, "new-window -d '%s'", flood);
	followed = followed_new(live, true);
	ok(followed_until(followed, has_output, followed), "tmux %s: output comes", live->version);
	for (int i = 0; i < captures; i++)
		take_one(followed, &tally);
	is_int(tally.bad, 0, "tmux %s, %u floods: %d captures join the stream", live->version,
	    floods, captures);
	is_int(tally.failed, 0, "none failed");
	ok(count_holes(map_get(&followed->outputs, 0)) <= 2 * tally.gaps,
	    "the stream has no hole that was not told");
	if (floods == 0)
		is_int(tally.gaps, 0, "alone in its session, a pane has no gap");
	diag("%u captures made a gap, the longest took %lld us", tally.gaps,
	    (long long)tally.worst_us);
	followed_free(followed);
	live_free(live);
}

int main(int argc, char **argv)
{
	const char *const *paths;
	char self[4096] = "";

	if (argc > 1 && strcmp(argv[1], "count") == 0)
		return count_for_ever();
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	for (paths = live_tmux_paths(); *paths != NULL; paths++)
		test_version(*paths, self, 2, getenv("MUXBUS_TEST_LONG") != NULL ? 2000 : 200);
	test_version(live_tmux_path(), self, 0, 50);
	return done_testing();
}
