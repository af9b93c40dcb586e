/* SPDX-License-Identifier: ISC */
/*
 * The place of a capture in the stream, with the library alone: while a program counts and two
 * other panes of the session flood, hundreds of captures are taken, and each must join the stream
 * at its offset to the byte. No byte may be missing from the stream. The same with the last resort
 * of each capture, which pauses the pane, and with several captures at a time.
 *
 * The program itself is the counter: "test_sync_capture count".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "followed.h"
#include "lib/sync/capture.h"
#include "lib/sync/state.h"

enum { DIGITS = 10, LINE = DIGITS + 2 }; /* CR and LF */
enum { AT_ONCE_MAX = 5 };

static const char flood[] = "yes 0123456789012345678901234567890123456789012345678901234567890123";

/* Counts upwards, several lines a write, some 30,000 lines a second. */
static int count_for_ever(void)
{
	char lines[7 * (DIGITS + 1) + 1];
	struct timespec rest = {0, 100000};
	for (unsigned i = 0;; i += 7) {
		size_t len = 0;
		for (unsigned k = 0; k < 7; k++)
			len += (size_t)snprintf(lines + len, sizeof lines - len, "%010u\n", i + k);
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
	size_t logged; /* bytes of the log before it */
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
	picture->logged = picture->followed->log.len;
	picture->column = capture->cursor_column;
	copy_row(picture->row, capture, capture->cursor_row);
	copy_row(picture->above, capture, capture->cursor_row - 1);
}

/* The delivered output of pane %0, and the offset of its first byte. */
static const struct buf *stream_of(const struct followed *followed, uint64_t *ret_start)
{
	const struct buf *stream = map_get(&followed->outputs, 0);
	const struct muxbus_pane *pane = muxbus_model_pane(muxbus_sync_model(followed->sync), 0);
	*ret_start = pane->output_offset - stream->len;
	return stream;
}

struct round {
	struct picture pictures[AT_ONCE_MAX];
	unsigned count;
};

/* Whether the pictures have arrived, and a line of the stream after each. */
static bool round_is_done(void *data)
{
	const struct round *round = data;
	for (unsigned i = 0; i < round->count; i++) {
		const struct picture *picture = &round->pictures[i];
		uint64_t start;
		const struct buf *stream;
		if (!picture->is_done)
			return false;
		stream = stream_of(picture->followed, &start);
		if (picture->error == 0 && start + stream->len < picture->offset + LINE)
			return false;
	}
	return true;
}

/* Whether a gap between two offsets, both included, is in the log after a place. */
static bool has_gap(const struct followed *followed, size_t logged, uint64_t low, uint64_t high)
{
	const char *line = (const char *)followed->log.data + logged;
	while ((line = strstr(line, "gap %0 ")) != NULL) {
		uint64_t offset;
		line += strlen("gap %0 ");
		offset = strtoull(line, NULL, 10);
		if (offset >= low && offset <= high)
			return true;
	}
	return false;
}

/*
 * Whether the stream before the offset ends as the picture does, and goes on behind it
 * with what comes next. Bytes before it may be missing if that was reported, and after it if
 * that was reported later than the picture.
 */
static bool joins(const struct picture *picture)
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
	(void)snprintf(line, sizeof line, "%010u\r\n", number);
	(void)snprintf(previous, sizeof previous, "%010u\r\n", number - 1);
	if (memcmp(at, line + written, LINE - written) != 0 &&
	    !has_gap(picture->followed, picture->logged, picture->offset,
		picture->offset + LINE - written - 1))
		return false;
	if (picture->offset - start >= LINE + written && memcmp(at - written, line, written) == 0 &&
	    memcmp(at - written - LINE, previous, LINE) == 0)
		return true;
	return has_gap(picture->followed, 0, picture->offset - written - LINE, picture->offset);
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

static void look_at(const struct picture *picture, struct tally *tally)
{
	uint64_t start;
	const struct buf *stream = stream_of(picture->followed, &start);
	const char *at = (const char *)stream->data + (picture->offset - start);
	if (picture->error != 0 || !picture->is_done) {
		tally->failed++;
		return;
	}
	if (joins(picture) || tally->bad++ >= 3)
		return;
	diag("offset %llu: above [%s] row [%s] column %u", (unsigned long long)picture->offset,
	    picture->above, picture->row, picture->column);
	diag("but the stream has [%.*s]", LINE, at);
}

/* Takes so many pictures at a time. */
static void take(struct followed *followed, unsigned at_once, struct tally *tally)
{
	struct round round = {.count = at_once};
	int64_t start_ns = live_now_ns();
	unsigned gaps = followed_count(followed, "gap %0");
	for (unsigned i = 0; i < at_once; i++) {
		round.pictures[i].followed = followed;
		if (muxbus_sync_capture(followed->sync, 0, 0, 0, on_capture, &round.pictures[i]) !=
		    0)
			abort();
	}
	if (!followed_until(followed, round_is_done, &round))
		abort();
	if ((live_now_ns() - start_ns) / 1000 > tally->worst_us)
		tally->worst_us = (live_now_ns() - start_ns) / 1000;
	tally->gaps += followed_count(followed, "gap %0") - gaps;
	for (unsigned i = 0; i < at_once; i++)
		look_at(&round.pictures[i], tally);
}

static bool has_output(void *data)
{
	const struct followed *followed = data;
	const struct buf *stream = map_get(&followed->outputs, 0);
	return stream != NULL && stream->len > 100000;
}

struct plan {
	const char *name;
	unsigned floods;
	unsigned at_once;
	unsigned tries; /* before the last resort */
	int rounds;
};

/* One plan after the other on the same server, so with the same number of floods. */
static void test_plan(struct followed *followed, const char *version, const struct plan *plan)
{
	struct tally tally = {0};
	unsigned captures = (unsigned)plan->rounds * plan->at_once;
	followed->sync->capture_tries = plan->tries;
	for (int i = 0; i < plan->rounds; i++)
		take(followed, plan->at_once, &tally);
	is_int(tally.bad, 0, "tmux %s, %s: %u captures join the stream", version, plan->name,
	    captures);
	is_int(tally.failed, 0, "none failed");
	if (plan->tries == 0)
		ok(tally.gaps >= captures, "each reported its gap");
	if (plan->floods == 0 && plan->tries > 0)
		is_int(tally.gaps, 0, "alone in its session, a pane has no gap");
	diag("%u gaps were reported, the longest round took %lld us", tally.gaps,
	    (long long)tally.worst_us);
}

static void test_version(const char *tmux, const char *self, const struct plan *plans, size_t count)
{
	struct live *live = live_new(tmux);
	struct followed *followed;
	char command[5000];
	(void)snprintf(command, sizeof command, "%s count", self);
	live_start_tmux(live, command);
	for (unsigned i = 0; i < plans->floods; i++)
		live_tmux(live, "new-window -d '%s'", flood);
	followed = followed_new(live, true);
	ok(followed_until(followed, has_output, followed), "tmux %s: output comes", live->version);
	for (size_t i = 0; i < count; i++)
		test_plan(followed, live->version, &plans[i]);
	ok(count_holes(map_get(&followed->outputs, 0)) <= 2 * followed_count(followed, "gap %0"),
	    "the stream has no unreported hole");
	followed_free(followed);
	live_free(live);
}

static bool is_detached(void *data)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(((struct followed *)data)->sync, &info);
	return info.connections == 0;
}

static bool is_done(void *data)
{
	return ((struct picture *)data)->is_done;
}

/* A capture runs without a connection, as the sync is about to attach and then is not to. */
static void test_detaching(const char *tmux)
{
	struct live *live = live_new(tmux);
	struct picture picture = {0};
	live_start_tmux(live, "cat");
	picture.followed = followed_new(live, false);
	muxbus_sync_set_attached(picture.followed->sync, false, NULL, NULL);
	ok(followed_until(picture.followed, is_detached, picture.followed), "it is detached");
	muxbus_sync_set_attached(picture.followed->sync, true, NULL, NULL);
	is_int(muxbus_sync_capture(picture.followed->sync, 0, 0, 0, on_capture, &picture), 0,
	    "a capture is accepted");
	(void)muxbus_loop_dispatch(picture.followed->loop, 0);
	muxbus_sync_set_attached(picture.followed->sync, false, NULL, NULL);
	ok(followed_until(picture.followed, is_done, &picture), "and answered");
	is_int(picture.error, 0, "with a picture");
	followed_free(picture.followed);
	live_free(live);
}

int main(int argc, char **argv)
{
	int times = getenv("MUXBUS_TEST_LONG") != NULL ? 10 : 1;
	const struct plan flooded[] = {
	    {"2 floods", 2, 1, CAPTURE_TRIES, 200 * times},
	    {"2 floods, paused", 2, 1, 0, 50 * times},
	    {"2 floods, several at once", 2, AT_ONCE_MAX, 3, 20 * times},
	};
	const struct plan alone[] = {
	    {"alone", 0, 1, CAPTURE_TRIES, 50},
	    {"alone, paused", 0, AT_ONCE_MAX, 0, 10},
	};
	const char *const *paths;
	char self[4096] = "";
	if (argc > 1 && strcmp(argv[1], "count") == 0)
		return count_for_ever();
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 1;
	for (paths = live_tmux_paths(); *paths != NULL; paths++)
		test_version(*paths, self, flooded, 3);
	test_version(live_tmux_path(), self, alone, 2);
	test_detaching(live_tmux_path());
	return done_testing();
}
