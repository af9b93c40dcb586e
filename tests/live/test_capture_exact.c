/* SPDX-License-Identifier: ISC */
/*
 * A capture names its offset in the pane's output: while a program counts and two other panes
 * flood, each of several hundred captures joins the stream at its offset without a line lost or
 * repeated, and the stream itself has no hole. In control mode all offsets are exact. By a pipe
 * those are that say so; behind the others the stream repeats what the capture shows.
 *
 * The program itself is the counter: "test_capture_exact count NANOSECONDS".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { STREAM_MAX = 256 * 1024 * 1024, LINES_COMPARED = 10, NUMBER_LEN = 10 };

static int captures = 300;

/* Counts upwards, a line a number: ten lines, a rest, and so on. */
static int count_for_ever(long rest_ns)
{
	static char line[32];
	struct timespec rest = {0, rest_ns};
	for (unsigned i = 0;; i++) {
		int n = snprintf(line, sizeof line, "%010u\n", i);
		if (write(1, line, (size_t)n) != n)
			return 0;
		if (i % 10 == 0)
			(void)nanosleep(&rest, NULL);
	}
}

/* A subscriber's copy of the pane's output. */
struct stream {
	struct buf bytes;
	bool has_start;
	uint64_t start; /* offset of the first byte */
	unsigned events;
	unsigned holes; /* events that did not begin at the end of the previous one */
	unsigned gaps; /* reported by the daemon */
};

static uint64_t stream_end(const struct stream *stream)
{
	return stream->start + stream->bytes.len;
}

/* A gap starts the stream again; this test does not check gaps. */
static void stream_gap(struct stream *stream)
{
	stream->gaps++;
	stream->has_start = false;
	buf_clear(&stream->bytes);
}

static void stream_event(struct stream *stream, const struct json *params)
{
	const char *kind = at_str(params, "kind");
	const struct json *text = at(params, "text");
	uint64_t offset;
	if (kind != NULL && strcmp(kind, "gap") == 0) {
		stream_gap(stream);
		return;
	}
	if (kind == NULL || strcmp(kind, "pane_output") != 0 || text == NULL)
		return;
	offset = (uint64_t)at_int(params, "offset");
	if (!stream->has_start) {
		stream->has_start = true;
		stream->start = offset;
	} else if (offset != stream_end(stream)) {
		diag("hole: expected offset %llu, got %llu", (unsigned long long)stream_end(stream),
		    (unsigned long long)offset);
		stream->holes++;
		buf_clear(&stream->bytes);
		stream->start = offset;
	}
	stream->events++;
	(void)buf_append(&stream->bytes, text->text, text->len);
}

/* The same by read_output: no client of tmux is needed. */
static bool stream_read_to(
    struct stream *stream, struct talk *talk, const char *pane, uint64_t offset)
{
	while (!stream->has_start || stream_end(stream) < offset) {
		const struct json *response =
		    talk_call(talk, "read_output", "{\"pane\":\"%s\",\"after\":%llu}", pane,
			(unsigned long long)(stream->has_start ? stream_end(stream) : 0));
		const struct json *text = at(response, "result.text");
		if (text == NULL)
			return false;
		if (!stream->has_start || at_int(response, "result.gap.before") > 0)
			stream_gap(stream);
		if (!stream->has_start)
			stream->start = (uint64_t)at_int(response, "result.from");
		stream->has_start = true;
		stream->events++;
		(void)buf_append(&stream->bytes, text->text, text->len);
	}
	return true;
}

/* Reads events until the stream reaches offset. */
static bool stream_reach(struct stream *stream, struct talk *talk, uint64_t offset)
{
	while (!stream->has_start || stream_end(stream) < offset) {
		const struct json *params = talk_event(talk, LIVE_TIMEOUT_MS, NULL, NULL, NULL);
		if (params == NULL)
			return false;
		stream_event(stream, params);
	}
	return true;
}

/* The last non-empty line of text that ends before end; returns where it starts. */
static size_t last_line(const char *text, size_t end, size_t *ret_len)
{
	size_t start;
	while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r'))
		end--;
	start = end;
	while (start > 0 && text[start - 1] != '\n' && text[start - 1] != '\r')
		start--;
	*ret_len = end - start;
	return start;
}

/* Whether the last lines of a capture are those of the stream before its offset. */
static bool joins(const struct stream *stream, const char *text, uint64_t offset)
{
	const char *bytes = (const char *)stream->bytes.data;
	size_t end = (size_t)(offset - stream->start);
	size_t text_end = strlen(text);
	for (int i = 0; i < LINES_COMPARED; i++) {
		size_t len;
		size_t text_len;
		size_t start = last_line(bytes, end, &len);
		size_t text_start = last_line(text, text_end, &text_len);
		if (start == 0)
			return true; /* the stream begins here */
		if (len != text_len || memcmp(bytes + start, text + text_start, len) != 0) {
			diag("stream: \"%.*s\", capture: \"%.*s\"", (int)len, bytes + start,
			    (int)text_len, text + text_start);
			return false;
		}
		end = start;
		text_end = text_start;
	}
	return true;
}

/* Whether a capture shows the last line that the stream has before the offset. */
static bool shows_all(const struct stream *stream, const char *text, uint64_t offset)
{
	size_t end = (size_t)(offset - stream->start), len, text_len;
	size_t start = last_line((const char *)stream->bytes.data, end, &len);
	size_t text_start = last_line(text, strlen(text), &text_len);
	return start == 0 || len != NUMBER_LEN || text_len != NUMBER_LEN ||
	    memcmp(text + text_start, stream->bytes.data + start, NUMBER_LEN) >= 0;
}

/* Whether the stream counts without leaving a number out. */
static bool counts(const struct stream *stream)
{
	const char *p = (const char *)stream->bytes.data;
	const char *end = p + stream->bytes.len;
	unsigned long last = 0;
	bool has_last = false;
	p = memchr(p, '\n', stream->bytes.len);
	while (p != NULL && end - p > 13) {
		unsigned long number = strtoul(p + 1, NULL, 10);
		if (has_last && number != last + 1) {
			diag("%lu came after %lu", number, last);
			return false;
		}
		last = number;
		has_last = true;
		p = memchr(p + 1, '\n', (size_t)(end - p - 1));
	}
	return has_last;
}

static const struct way {
	const char *name;
	const char *arguments;
	const char *rest_ns; /* of the program that counts */
	unsigned exact_percent; /* so many captures must be exact */
	bool rests; /* the daemon is no client of tmux */
} ways[] = {
    {"control mode", "-o follow=control", "500000", 100, false},
    {"a pipe", "-o follow=pipe", "60000000", 40, false},
    {"a pipe in a flood", "-o follow=pipe", "500000", 0, false},
    {"a pipe at rest", "-o follow=pipe", "60000000", 40, true},
    {"a pipe at rest in a flood", "-o follow=pipe", "500000", 0, true},
};

static void test_way(const char *tmux, const char *self, const struct way *way)
{
	struct live *live = live_new(tmux);
	struct stream stream = {0};
	int wrong = 0;
	int count = way->exact_percent == 100 ? captures : captures / 3;
	unsigned exact = 0;
	int unanswered = 0;
	struct talk *talk;
	char *pane;
	buf_init(&stream.bytes, STREAM_MAX);
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, way->arguments);
	pane = xstrdup(live_tmux(
	    live, "new-window -dP -F '#{pane_id}' 'exec %s count %s'", self, way->rest_ns));
	live_tmux(live, "new-window -d 'exec yes flooding the first'");
	live_tmux(live, "split-window -d -t :1 'exec yes flooding the second'");

	talk = talk_new(live);
	if (!way->rests)
		talk_call(talk, "subscribe", "{\"output\":true,\"panes\":[\"%s\"]}", pane);
	else
		(void)stream_read_to(&stream, talk, pane, 0);
	for (int i = 0; i < count; i++) {
		const struct json *response =
		    talk_call(talk, "capture_pane", "{\"pane_id\":\"%s\"}", pane);
		const char *text = at_str(response, "result.text");
		uint64_t offset;
		char *copy;
		unsigned gaps;
		bool is_exact;
		if (text == NULL) {
			if (unanswered++ == 0)
				diag("%s", talk_text(talk));
			continue;
		}
		offset = (uint64_t)at_int(response, "result.offset");
		is_exact = at_true(response, "result.offset_exact");
		exact += is_exact;
		copy = xstrdup(text);
		gaps = stream.gaps;
		if (way->rests ? !stream_read_to(&stream, talk, pane, offset)
			       : !stream_reach(&stream, talk, offset)) {
			diag("the stream does not reach %llu", (unsigned long long)offset);
			wrong++;
		} else if (gaps == stream.gaps && offset > stream.start &&
		    !(is_exact ? joins : shows_all)(&stream, copy, offset)) {
			wrong++;
		}
		mem_free(copy);
	}
	is_int(unanswered, 0, "tmux %s, %s: all of %d captures are answered", live->version,
	    way->name, count);
	is_int(wrong, 0, "tmux %s, %s: all captures join the stream at their offset", live->version,
	    way->name);
	ok(exact * 100 >= way->exact_percent * (unsigned)count,
	    "tmux %s, %s: %u of %d offsets are exact", live->version, way->name, exact, count);
	is_int(stream.holes, 0,
	    "tmux %s, %s: %u events without a hole or repeat (%u gaps were reported)",
	    live->version, way->name, stream.events, stream.gaps);
	ok(stream.bytes.len > 0 && counts(&stream),
	    "tmux %s, %s: no number is missing in %zu bytes", live->version, way->name,
	    stream.bytes.len);
	talk_free(talk);
	mem_free(pane);
	buf_finish(&stream.bytes);
	live_free(live);
}

int main(int argc, char **argv)
{
	static char self[4096];
	const char *const *paths;
	if (argc == 3 && strcmp(argv[1], "count") == 0)
		return count_for_ever(strtol(argv[2], NULL, 10));
	if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
		live_bail("no /proc");
	if (getenv("MUXBUS_TEST_LONG") != NULL)
		captures = 1500;
	paths = live_tmux_paths();
	(void)live_daemon_path();
	for (; *paths != NULL; paths++)
		for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
			test_way(*paths, self, &ways[i]);
	return done_testing();
}
