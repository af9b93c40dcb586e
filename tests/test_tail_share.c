/* SPDX-License-Identifier: ISC */
/*
 * Listeners that share tails hear what each would hear alone: every listener has a twin in a set
 * of its own, through random appends, rotations, truncations, and other listeners coming and
 * going.
 */
#include "daemon/file/tail_share.h"

#include <event2/event.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "tap.h"

enum { EARS_MAX = 24, BOUND_MS = 5000, HEARD_MAX = 1 << 20 };

/* A listener, or its twin. */
struct ear {
	struct tail_listener listener;
	struct pattern *pattern;
	struct buf heard;
	bool leaves; /* removes itself in looked() */
	bool is_gone;
};

struct pair {
	struct ear shared;
	struct ear alone;
	struct tail_share *own;
	bool is_used;
};

static struct event_base *base;
static struct tail_share *share;
static struct pair pairs[EARS_MAX];
static char dir[64], log_path[80], old_path[80];
static unsigned next_line;
static int next_rotation;

static void hear(struct ear *ear, const char *what, const char *bytes, size_t len)
{
	(void)buf_printf(&ear->heard, "%s %.*s\n", what, (int)len, bytes);
}

static bool on_found(struct tail_listener *listener, const struct tail_finding *finding)
{
	struct ear *ear = list_entry(listener, struct ear, listener);
	struct context_lines context;
	char what[64];
	snprintf(what, sizeof what, "%s %lld:", finding->result == PATTERN_MATCH ? "line" : "limit",
	    (long long)(finding->block->offset + (int64_t)finding->line->start));
	hear(ear, what, finding->block->text + finding->line->start,
	    finding->line->end - finding->line->start);
	tail_listener_context(listener, finding, &context);
	/* The context may have the whole of a line that this listener heard only in part. */
	for (size_t i = 0; i < CONTEXT_LINES; i++) {
		size_t len = context.lines[i].len, end = len < 6 ? len : 6;
		if (context.lines[i].bytes != NULL)
			hear(ear, "after", context.lines[i].bytes + len - end, end);
	}
	context_lines_finish(&context);
	return true;
}

static void on_changed(struct tail_listener *listener, enum tail_change change)
{
	const char *name = tail_change_names[change];
	/* How many blocks a growth came in is up to the turns of the loop. */
	if (change != TAIL_FILE_GREW)
		hear(list_entry(listener, struct ear, listener), "change", name, strlen(name));
}

static void ear_leave(struct ear *ear)
{
	if (!ear->is_gone)
		tail_listener_remove(&ear->listener);
	ear->is_gone = true;
}

static void on_looked(struct tail_listener *listener)
{
	struct ear *ear = list_entry(listener, struct ear, listener);
	if (ear->leaves)
		ear_leave(ear);
}

static const struct tail_listener_handlers for_lines = {.found = on_found, .looked = on_looked};
static const struct tail_listener_handlers for_changes = {
    .found = on_found, .changed = on_changed, .looked = on_looked};

static void on_moved(void *data)
{
	(void)data;
}

static void ear_open(struct ear *ear, struct tail_share *set, const char *regex, bool wants_changes)
{
	char reason[128];
	*ear = (struct ear){.pattern = pattern_new(regex, strlen(regex), reason, sizeof reason)};
	buf_init(&ear->heard, HEARD_MAX);
	tail_listener_add(set, &ear->listener, log_path, NULL, 0, ear->pattern,
	    wants_changes ? &for_changes : &for_lines);
}

static void ear_close(struct ear *ear)
{
	ear_leave(ear);
	pattern_free(ear->pattern);
	buf_finish(&ear->heard);
}

static void pair_open(struct pair *pair, const char *regex)
{
	bool wants_changes = random() % 3 == 0;
	pair->own = tail_share_new(base, NULL, on_moved, NULL);
	ear_open(&pair->shared, share, regex, wants_changes);
	ear_open(&pair->alone, pair->own, regex, wants_changes);
	pair->is_used = true;
}

static void pair_close(struct pair *pair)
{
	ear_close(&pair->shared);
	ear_close(&pair->alone);
	tail_share_free(pair->own);
	*pair = (struct pair){0};
}

static bool agrees(const struct pair *pair)
{
	const struct buf *one = &pair->shared.heard, *other = &pair->alone.heard;
	return !pair->is_used ||
	    (one->len == other->len &&
		(one->len == 0 || memcmp(one->data, other->data, one->len) == 0));
}

static void run(int64_t ms)
{
	int64_t end_ms = clock_mono_ms() + ms;
	while (clock_mono_ms() < end_ms)
		event_base_loop(base, EVLOOP_ONCE);
}

/* Runs until every pair has heard the same, and a little longer. */
static bool settle(void)
{
	int64_t end_ms = clock_mono_ms() + BOUND_MS;
	bool is_agreed = false;
	run(6);
	while (!is_agreed && clock_mono_ms() < end_ms) {
		event_base_loop(base, EVLOOP_ONCE);
		is_agreed = true;
		for (size_t i = 0; i < EARS_MAX; i++)
			is_agreed &= agrees(&pairs[i]);
	}
	return is_agreed;
}

static void append(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
}

static void append_lines(const char *path, unsigned count, bool is_whole)
{
	char text[4096];
	size_t len = 0;
	for (unsigned i = 0; i < count; i++) {
		next_line++;
		len += (size_t)snprintf(text + len, sizeof text - len,
		    "%u word%u other-literal %u\n", next_line, next_line % 5, next_line * 7919);
	}
	append(path, text, is_whole ? len : len - 3);
}

static void random_operation(void)
{
	struct pair *pair = &pairs[(size_t)random() % EARS_MAX];
	char regex[64];
	switch (random() % 12) {
	case 0:
		/* A file that lost its name is read a second longer; meanwhile nothing is shared. */
		if (next_rotation-- > 0)
			break;
		next_rotation = 10;
		(void)rename(log_path, old_path);
		append_lines(old_path, 2, true);
		break;
	case 1:
		if (truncate(log_path, 0) < 0)
			break; /* no file exists */
		break;
	case 2:
		if (next_rotation-- > 0)
			break;
		next_rotation = 10;
		(void)unlink(log_path);
		break;
	case 3:
		append_lines(log_path, 1, false);
		break;
	case 4:
	case 5:
	case 6:
		if (pair->is_used) {
			pair_close(pair);
			break;
		}
		snprintf(regex, sizeof regex,
		    random() % 2 ? "word%ld other" : "other-literal \\d*%ld", random() % 5);
		pair_open(pair, regex);
		break;
	case 7:
		if (pair->is_used)
			pair->shared.leaves = pair->alone.leaves = true;
		break;
	default:
		append_lines(log_path, 1 + (unsigned)random() % 20, true);
	}
}

static void show_difference(const struct pair *pair, int step)
{
	const struct buf *one = &pair->shared.heard, *other = &pair->alone.heard;
	size_t at = 0;
	if (agrees(pair))
		return;
	while (at < one->len && at < other->len && one->data[at] == other->data[at])
		at++;
	at = at > 100 ? at - 100 : 0;
	diag("step %d: %s: heard together:\n%.*s\nalone:\n%.*s", step,
	    pattern_text(pair->shared.pattern), (int)(one->len - at < 300 ? one->len - at : 300),
	    (const char *)one->data + at, (int)(other->len - at < 300 ? other->len - at : 300),
	    (const char *)other->data + at);
}

static void test_twins(void)
{
	unsigned differ = 0;
	int64_t end_ms;
	srandom(11);
	for (int i = 0; i < 500; i++) {
		random_operation();
		/* Sometimes several at once. */
		if (random() % 3 == 0)
			continue;
		if (!settle() && differ++ < 3) {
			for (size_t at = 0; at < EARS_MAX; at++)
				show_difference(&pairs[at], i);
			break;
		}
	}
	is_int(differ, 0, "listeners that share a tail hear what each hears alone");
	append(log_path, "\n", 1);
	end_ms = clock_mono_ms() + BOUND_MS;
	while (tail_share_count(share) > 1 && clock_mono_ms() < end_ms)
		event_base_loop(base, EVLOOP_ONCE);
	is_int((long long)tail_share_count(share), 1, "and come to share one tail all");
	for (size_t i = 0; i < EARS_MAX; i++) {
		if (pairs[i].is_used)
			pair_close(&pairs[i]);
	}
	is_int((long long)tail_share_count(share), 0, "a tail without listeners is gone");
}

/* Tails that began at different places become one when they have read to the same place. */
static void test_merge(void)
{
	int64_t end_ms;
	append_lines(log_path, 1, false);
	pair_open(&pairs[0], "literal");
	run(20);
	append(log_path, "rest", 4);
	pair_open(&pairs[1], "rest|literal");
	pair_open(&pairs[2], "literal");
	ok(tail_share_count(share) > 1, "within a line each has its own beginning");
	append_lines(log_path, 3, true);
	ok(settle(), "what they hear agrees");
	end_ms = clock_mono_ms() + BOUND_MS;
	while (tail_share_count(share) > 1 && clock_mono_ms() < end_ms)
		event_base_loop(base, EVLOOP_ONCE);
	is_int((long long)tail_share_count(share), 1, "behind the line they share one tail");
	for (size_t i = 0; i < 3; i++)
		pair_close(&pairs[i]);
}

/* Listeners of an earlier run: those of one place begin with one tail. */
static void test_places(void)
{
	struct ear ears[4];
	struct tail_place places[TAIL_PLACES_MAX];
	char reason[128];
	size_t count;
	append(log_path, "\n", 1);
	ear_open(&ears[0], share, "line", false);
	run(20);
	count = tail_places(tail_loop_tail(tail_listener_loop(&ears[0].listener)), places);
	append(log_path, "line 1\n", 7);
	for (int i = 1; i < 4; i++) {
		ears[i] = (struct ear){.pattern = pattern_new("line", 4, reason, sizeof reason)};
		buf_init(&ears[i].heard, HEARD_MAX);
		tail_listener_add(
		    share, &ears[i].listener, log_path, places, count, ears[i].pattern, &for_lines);
	}
	is_int((long long)tail_share_count(share), 2, "listeners of the same places share a tail");
	run(50);
	append(log_path, "line 2\n", 7);
	run(50);
	is_int((long long)tail_share_count(share), 1, "and then that of the others");
	for (int i = 0; i < 4; i++) {
		const char *heard = (const char *)ears[i].heard.data;
		const char *first = heard != NULL ? strstr(heard, "line 1\n") : NULL;
		ok(first != NULL && strstr(first, "line 2\n") != NULL, "both lines are heard: %s",
		    heard);
		ear_close(&ears[i]);
	}
}

static void on_tick(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	(void)data;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

int main(void)
{
	static const struct timeval tick_time = {.tv_usec = 2000};
	struct event *tick;
	strcpy(dir, "/tmp/muxbus-share-XXXXXX");
	base = event_base_new();
	if (!mkdtemp(dir))
		abort();
	snprintf(log_path, sizeof log_path, "%s/log", dir);
	snprintf(old_path, sizeof old_path, "%s/log.1", dir);
	tick = event_new(base, -1, EV_PERSIST, on_tick, NULL);
	event_add(tick, &tick_time);
	share = tail_share_new(base, NULL, on_moved, NULL);
	test_twins();
	test_merge();
	test_places();
	tail_share_free(share);
	event_free(tick);
	event_base_free(base);
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
