/* SPDX-License-Identifier: ISC */
/*
 * Each byte of panes that are followed by a pipe, in numbers: a flood of lines that a subscriber reads, and
 * fresh panes that print a known text at once, and end or stay. A gap says what is missing.
 * The long form (MUXBUS_TEST_LONG) has 200 MB and 10,000 panes on each tmux at hand.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "harness.h"

#define FLOOD_BYTES UINT64_C(4000000)
#define FLOOD_BYTES_LONG UINT64_C(200000000)

enum {
	LINE_BYTES = 80,
	CHUNK_BYTES = 64 * 1024,
	PANES = 60,
	PANES_LONG = 10000,
	BATCH = 10,
	TEXT_MAX = 80 * LINE_BYTES,
	FLOOD_MS = 60000, /* without any byte */
};

#define ARGUMENTS "-o attach=never -o follow=pipe"

/* The text of all writers: lines of their number, which are all different. */
static void fill(char *out, size_t len, uint64_t position)
{
	char line[LINE_BYTES + 1] = "";
	uint64_t number = UINT64_MAX;
	for (size_t i = 0; i < len; i++, position++) {
		if (position / LINE_BYTES != number) {
			number = position / LINE_BYTES;
			(void)snprintf(line, sizeof line, "%012llu", (unsigned long long)number);
			for (size_t j = 12; j < LINE_BYTES - 1; j++)
				line[j] = (char)(' ' + (number * 31 + j * 7) % 94);
			line[LINE_BYTES - 1] = '\n';
		}
		out[i] = line[position % LINE_BYTES];
	}
}

/* The part of it that a pane prints: how many bytes, and from which place. */
static size_t text_len(unsigned number)
{
	static const size_t lens[] = {LINE_BYTES, 6 * LINE_BYTES, TEXT_MAX};
	return lens[number / 4 % 3];
}

static uint64_t text_start(unsigned number)
{
	return (uint64_t)number * TEXT_MAX;
}

/* The writers are this program: "test_pipe_bytes write DIR START LEN WAY". */

/* Waits until the test has released the lock of that name. */
static bool wait_for_lock(const char *dir, const char *name)
{
	char path[128];
	int fd;
	bool is_free;
	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	is_free = fd >= 0 && flock(fd, LOCK_SH) == 0;
	if (fd >= 0)
		(void)close(fd);
	return is_free;
}

/* Pieces of less than CHUNK_BYTES are written slowly. */
static bool write_text(uint64_t position, uint64_t len, size_t piece)
{
	static char chunk[CHUNK_BYTES];
	while (len > 0) {
		size_t take = len < piece ? (size_t)len : piece;
		fill(chunk, take, position);
		for (size_t done = 0; done < take;) {
			ssize_t n = write(STDOUT_FILENO, chunk + done, take - done);
			if (n <= 0)
				return false;
			done += (size_t)n;
		}
		position += take;
		len -= take;
		if (piece < CHUNK_BYTES)
			live_sleep_ms(1);
	}
	return true;
}

enum way {
	WAY_HELD_ENDS, /* prints when it may, and ends */
	WAY_HELD_STAYS, /* the same, but ends when it may */
	WAY_ENDS, /* prints at once, piece by piece, and ends */
	WAY_STAYS,
	WAY_COUNT_,
};

static int write_main(char **argv)
{
	int way = atoi(argv[3]);
	struct termios mode;
	if (tcgetattr(STDOUT_FILENO, &mode) == 0) {
		cfmakeraw(&mode);
		(void)tcsetattr(STDOUT_FILENO, TCSANOW, &mode);
	}
	if (way == WAY_HELD_ENDS || way == WAY_HELD_STAYS)
		(void)wait_for_lock(argv[0], "go");
	if (!write_text(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10),
		way == WAY_ENDS || way == WAY_STAYS ? LINE_BYTES / 2 : CHUNK_BYTES))
		return 1;
	if (way == WAY_HELD_STAYS || way == WAY_STAYS)
		(void)wait_for_lock(argv[0], "end");
	return 0;
}

static char self[4096];

/* A lock that writers wait for; -1 closes nothing. */
static int hold(const struct live *live, const char *name)
{
	char path[128];
	int fd;
	(void)snprintf(path, sizeof path, "%s/%s", live->dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX) != 0)
		live_bail("%s: no lock", path);
	return fd;
}

static void make_writer(
    struct live *live, uint64_t start, uint64_t len, enum way way, char pane[16])
{
	(void)snprintf(pane, 16, "%s",
	    live_tmux(live,
		"new-window -dP -F '#{pane_id}' -t main: 'exec %s write %s %llu %llu %d'", self,
		live->dir, (unsigned long long)start, (unsigned long long)len, (int)way));
}

static bool subscribe(struct talk *talk, const char *pane)
{
	return at(talk_call(talk, "subscribe",
		      "{\"kinds\":[\"gap\",\"pane_closed\"],\"panes\":[\"%s\"],\"output\":true}",
		      pane),
		   "result") != NULL;
}

static bool is_kind(const struct json *params, const char *kind)
{
	const char *found = at_str(params, "kind");
	return found != NULL && strcmp(found, kind) == 0;
}

/* The flood. */

struct flood {
	uint64_t next; /* the offset that comes */
	uint64_t wrong; /* bytes */
	uint64_t silent; /* bytes that are missing without a gap */
	uint64_t said; /* with one */
	bool has_gap;
	char reason[32]; /* of the last gap */
};

static void take_output(struct flood *flood, const struct json *params)
{
	static char want[256 * 1024];
	const char *text = at_str(params, "text");
	uint64_t offset = (uint64_t)at_int(params, "offset");
	size_t len = text != NULL ? strlen(text) : 0;
	if (offset > flood->next)
		*(flood->has_gap ? &flood->said : &flood->silent) += offset - flood->next;
	flood->has_gap = false;
	flood->wrong += offset < flood->next ? flood->next - offset : 0;
	for (size_t done = 0; done < len;) {
		size_t take = len - done < sizeof want ? len - done : sizeof want;
		fill(want, take, offset + done);
		if (memcmp(want, text + done, take) != 0)
			flood->wrong += take;
		done += take;
	}
	flood->next = offset + len;
}

static void test_flood(const char *tmux, uint64_t bytes)
{
	struct live *live = live_new(tmux);
	struct flood flood = {0};
	struct talk *talk;
	struct live_usage before, server;
	int64_t began_ms, last_ms;
	char pane[16];
	int go, end;
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, ARGUMENTS);
	talk = talk_new(live);
	go = hold(live, "go");
	end = hold(live, "end");
	make_writer(live, 0, bytes, WAY_HELD_STAYS, pane);
	ok(subscribe(talk, pane) &&
		live_tmux_until(live, "1", "display-message -p -t %s '#{pane_pipe}'", pane),
	    "tmux %s: a pane is followed by a pipe", live->version);
	before = live_usage(live->daemon_pid);
	server = live_usage(live->server_pid);
	(void)close(go);
	began_ms = last_ms = live_now_ms();
	while (flood.next < bytes && live_now_ms() < last_ms + FLOOD_MS) {
		const struct json *params = talk_event(talk, FLOOD_MS, NULL, NULL, NULL);
		if (params == NULL)
			break;
		if (is_kind(params, "gap")) {
			const char *reason = at_str(params, "reason");
			flood.has_gap = true;
			(void)snprintf(
			    flood.reason, sizeof flood.reason, "%s", reason != NULL ? reason : "");
		}
		if (!is_kind(params, "pane_output"))
			continue;
		take_output(&flood, params);
		last_ms = live_now_ms();
	}
	ok(flood.next == bytes && flood.wrong == 0 && flood.silent == 0,
	    "tmux %s: %llu bytes are those of the writer, or a gap says what is missing",
	    live->version, (unsigned long long)bytes);
	diag("tmux %s: up to %llu in %lld ms, %llu wrong, %llu missing without a gap, %llu with "
	     "one%s%s; CPU of tmux %lld ms, of the daemon %lld ms",
	    live->version, (unsigned long long)flood.next, (long long)(live_now_ms() - began_ms),
	    (unsigned long long)flood.wrong, (unsigned long long)flood.silent,
	    (unsigned long long)flood.said, flood.reason[0] != '\0' ? ": " : "", flood.reason,
	    (long long)(live_usage(live->server_pid).cpu_ns - server.cpu_ns) / 1000000,
	    (long long)(live_usage(live->daemon_pid).cpu_ns - before.cpu_ns) / 1000000);
	(void)close(end);
	talk_free(talk);
	live_free(live);
}

/* Fresh panes. */

struct fresh {
	char pane[16];
	unsigned number;
	struct buf text;
	bool has_gap;
	bool is_followed;
	bool is_closed;
};

static struct {
	unsigned received;
	unsigned gaps;
	unsigned before; /* all was printed before the pane was followed, as far as can be seen */
	unsigned lost;
} results[WAY_COUNT_];

static enum way way_of(const struct fresh *fresh)
{
	return (enum way)(fresh->number % WAY_COUNT_);
}

static bool is_held(const struct fresh *fresh)
{
	return way_of(fresh) == WAY_HELD_ENDS || way_of(fresh) == WAY_HELD_STAYS;
}

/*
 * Whether all came that a pane printed: of one that did not wait for us, all from the moment on when it was
 * followed. No part of a text is like another, so only its end is its end.
 */
static bool is_whole(const struct fresh *fresh)
{
	static char want[TEXT_MAX];
	size_t len = text_len(fresh->number), got = fresh->text.len;
	fill(want, len, text_start(fresh->number));
	return got > 0 && got <= len && (got == len || !is_held(fresh)) &&
	    memcmp(fresh->text.data, want + len - got, got) == 0;
}

static bool is_done(const struct fresh *fresh)
{
	return fresh->is_closed || fresh->has_gap || is_whole(fresh);
}

static void take_event(struct fresh *panes, const struct json *params)
{
	for (unsigned i = 0; i < BATCH; i++) {
		const char *pane = at_str(params, "pane"), *text = at_str(params, "text");
		if (pane == NULL || strcmp(pane, panes[i].pane) != 0)
			continue;
		panes[i].has_gap |= is_kind(params, "gap");
		panes[i].is_closed |= is_kind(params, "pane_closed");
		if (text != NULL)
			(void)buf_append(&panes[i].text, text, strlen(text));
	}
}

/* Reads events until all held panes are done, or closed. */
static bool read_events(struct talk *talk, struct fresh *panes, bool until_closed)
{
	unsigned left;
	do {
		const struct json *params;
		left = 0;
		for (unsigned i = 0; i < BATCH; i++)
			left += panes[i].is_followed &&
			    (until_closed ? !panes[i].is_closed
					  : is_held(&panes[i]) && !is_done(&panes[i]));
		params = left > 0 ? talk_event(talk, LIVE_TIMEOUT_MS, NULL, NULL, NULL) : NULL;
		if (left > 0 && params == NULL)
			return false;
		if (params != NULL)
			take_event(panes, params);
	} while (left > 0);
	return true;
}

static void count(const struct live *live, const struct fresh *fresh)
{
	enum way way = way_of(fresh);
	if (is_whole(fresh))
		results[way].received++;
	else if (fresh->has_gap)
		results[way].gaps++;
	else if (!is_held(fresh) && (!fresh->is_followed || fresh->text.len == 0))
		results[way].before++;
	else if (results[way].lost++ < 5)
		diag("tmux %s: %s, way %d: %zu of %zu bytes", live->version, fresh->pane, (int)way,
		    fresh->text.len, text_len(fresh->number));
}

/* Makes all panes of a batch by one list of commands. */
static void make_batch(struct live *live, struct fresh *panes, unsigned first)
{
	struct buf list;
	const char *made;
	buf_init(&list, (size_t)64 * 1024);
	for (unsigned i = 0; i < BATCH; i++) {
		panes[i].number = first + i;
		buf_init(&panes[i].text, 2 * (size_t)TEXT_MAX);
		(void)buf_printf(&list,
		    "%s new-window -dP -F '#{pane_id}' -t main: 'exec %s write %s %llu %zu %d'",
		    i > 0 ? " ';'" : "", self, live->dir, (unsigned long long)text_start(first + i),
		    text_len(first + i), (int)way_of(&panes[i]));
	}
	made = live_tmux(live, "%.*s", (int)list.len, (const char *)list.data);
	for (unsigned i = 0; i < BATCH; i++, made += strcspn(made, "\n") + 1) {
		(void)snprintf(
		    panes[i].pane, sizeof panes[i].pane, "%.*s", (int)strcspn(made, "\n"), made);
		if (made[0] != '%' || (i + 1 < BATCH && strchr(made, '\n') == NULL))
			live_bail("tmux makes no panes");
	}
	buf_finish(&list);
}

static void try_batch(struct live *live, unsigned first)
{
	struct fresh panes[BATCH] = {0};
	struct talk *talk = talk_new(live);
	int go = hold(live, "go"), end = hold(live, "end");
	make_batch(live, panes, first);
	for (unsigned i = 0; i < BATCH; i++)
		panes[i].is_followed = subscribe(talk, panes[i].pane);
	(void)close(go);
	(void)read_events(talk, panes, false);
	(void)close(end);
	(void)read_events(talk, panes, true);
	for (unsigned i = 0; i < BATCH; i++) {
		count(live, &panes[i]);
		buf_finish(&panes[i].text);
	}
	talk_free(talk);
}

static void test_fresh(const char *tmux, unsigned panes)
{
	static const char *const names[] = {"waits, prints and ends", "waits, prints and stays",
	    "prints at once and ends", "prints at once and stays"};
	struct live *live = live_new(tmux);
	memset(results, 0, sizeof results);
	live_start_tmux(live, "exec sleep 3600");
	live_start_daemon(live, ARGUMENTS);
	for (unsigned first = 0; first < panes; first += BATCH)
		try_batch(live, first);
	for (int way = 0; way < WAY_COUNT_; way++) {
		/* On a busy machine tmux closes a pane too early when its program ends at once: muxbusd(8). */
		unsigned may_lose =
		    way == WAY_HELD_ENDS || way == WAY_ENDS ? panes / WAY_COUNT_ / 2 : 0;
		/* A pane that prints at once may have printed all before anyone can follow it. */
		unsigned must_receive = way == WAY_HELD_ENDS || way == WAY_HELD_STAYS ? 1 : 0;
		unsigned all = results[way].received + results[way].gaps + results[way].before +
		    results[way].lost;
		ok(results[way].lost <= may_lose && all == panes / WAY_COUNT_ &&
			results[way].received >= must_receive,
		    "tmux %s: %u fresh panes, each %s: all is read, or a gap says what is missing",
		    live->version, all, names[way]);
		diag("tmux %s, %s: %u received, %u gaps, %u had printed all before, %u "
		     "lost",
		    live->version, names[way], results[way].received, results[way].gaps,
		    results[way].before, results[way].lost);
	}
	live_free(live);
}

int main(int argc, char **argv)
{
	bool is_long = getenv("MUXBUS_TEST_LONG") != NULL;
	const char *only = getenv("MUXBUS_TEST_ONLY");
	const char *const *paths;
	if (argc == 6 && strcmp(argv[1], "write") == 0)
		return write_main(argv + 2);
	if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
		live_bail("no /proc");
	(void)live_daemon_path();
	for (paths = live_tmux_paths(); *paths != NULL; paths++) {
		if (only == NULL || strcmp(only, "flood") == 0)
			test_flood(*paths, is_long ? FLOOD_BYTES_LONG : FLOOD_BYTES);
		if (only == NULL || strcmp(only, "fresh") == 0)
			test_fresh(*paths, is_long ? PANES_LONG : PANES);
	}
	return done_testing();
}
