/* SPDX-License-Identifier: ISC */
/*
 * A peer that does not read hurts only itself: it gets a report of its missed events, or is
 * disconnected; the others get every byte, responses come at once, and the daemon's memory stays
 * bounded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "harness.h"

enum {
	FLOOD_LINES = 400000, /* 17 bytes each on the pane's terminal */
	FLOOD_BYTES = 17 * FLOOD_LINES,
	STUCK_PEERS = 8,
	MEMORY_MAX = 200 * 1024 * 1024,
};

/* The output as a peer reads it. Begin with zeroes. */
struct flood {
	uint64_t next;
	uint64_t bytes;
	bool has_hole;
	bool is_over; /* its last line came, or a hole */
};

/* Reads what comes in that time. False: nothing, or no more is to come. */
static bool read_output(struct flood *flood, struct talk *talk, int timeout_ms)
{
	const struct json *params =
	    flood->is_over ? NULL : talk_event(talk, timeout_ms, "pane_output", NULL, NULL);
	const struct json *text;
	uint64_t offset;
	if (params == NULL)
		return false;
	text = at(params, "text");
	offset = (uint64_t)at_int(params, "offset");
	flood->has_hole = flood->bytes > 0 && offset != flood->next;
	if (flood->has_hole)
		diag("hole: %llu instead of %llu", (unsigned long long)offset,
		    (unsigned long long)flood->next);
	flood->next = offset + text->len;
	flood->bytes += text->len;
	/* The last line may come in two parts. */
	flood->is_over = flood->has_hole || flood->bytes >= FLOOD_BYTES ||
	    strstr(text->text, "that is all") != NULL;
	return true;
}

/*
 * The input of a peer that reads at last: gaps are reported, or the connection has ended with a
 * reason. The response to a second question follows all waiting lines.
 */
static void check_stuck(struct talk *talk, int number)
{
	uint64_t next = 0;
	bool has_next = false;
	bool was_told = false;
	int silent_holes = 0;
	const struct json *line;
	(void)talk_send(talk, "{\"id\":1,\"method\":\"ping\"}");
	while ((line = talk_line(talk, 3000)) != NULL) {
		const struct json *params = json_member(line, "params");
		const char *kind = params == NULL ? NULL : at_str(params, "kind");
		int64_t answered = at_int(line, "id");
		if (answered == 1)
			(void)talk_send(talk, "{\"id\":2,\"method\":\"ping\"}");
		if (answered == 2 && was_told)
			break;

		if (kind != NULL && strcmp(kind, "gap") == 0) {
			was_told = true;
			has_next = false;
		} else if (kind != NULL && strcmp(kind, "pane_output") == 0) {
			uint64_t offset = (uint64_t)at_int(params, "offset");
			if (has_next && offset != next)
				silent_holes++;
			has_next = true;
			next = offset + at(params, "text")->len;
		} else if (params != NULL || json_member(line, "error") != NULL) {
			was_told = was_told || strstr(talk_text(talk), "read") != NULL;
		}
	}
	is_int(silent_holes, 0, "stuck peer %d: nothing is missing silently", number);
	ok(was_told || talk_at_end(talk), "stuck peer %d: its losses were reported", number);
}

static void test_version(const char *tmux)
{
	struct live *live = live_start(tmux, "exec sleep 3600");
	struct talk *stuck[STUCK_PEERS];
	struct talk *reader = talk_new(live);
	struct talk *other = talk_new(live);
	char *pane = xstrdup(live_tmux(live,
	    "new-window -dP -F '#{pane_id}' 'read go; seq -f %%015.0f 1 %d; echo that is all; exec "
	    "sleep 3600'",
	    FLOOD_LINES));
	const struct json *status;
	struct flood flood = {0};
	uint64_t rss;
	int64_t slowest_ms;
	for (int i = 0; i < STUCK_PEERS; i++) {
		stuck[i] = talk_new(live);
		talk_call(stuck[i], "subscribe", "{\"output\":true}");
	}
	talk_call(reader, "subscribe", "{\"output\":true,\"panes\":[\"%s\"]}", pane);
	live_tmux(live, "send-keys -t '%s' Enter", pane);

	slowest_ms = 0;
	for (int i = 0; i < 100; i++) {
		int64_t start_ms = live_now_ms();
		if (at(talk_call(other, "ping", NULL), "result") == NULL)
			slowest_ms = LIVE_TIMEOUT_MS;
		if (live_now_ms() - start_ms > slowest_ms)
			slowest_ms = live_now_ms() - start_ms;
		for (int events = 0; events < 200 && read_output(&flood, reader, 0); events++)
			;
	}
	while (read_output(&flood, reader, LIVE_TIMEOUT_MS))
		;
	ok(flood.bytes >= FLOOD_BYTES && !flood.has_hole,
	    "tmux %s: a peer that reads has all %llu bytes", live->version,
	    (unsigned long long)flood.bytes);
	ok(slowest_ms < 1000, "tmux %s: the slowest of 100 pings took %lld ms", live->version,
	    (long long)slowest_ms);
	rss = live_usage(live->daemon_pid).rss_bytes;
	ok(rss < MEMORY_MAX, "tmux %s: %d stuck peers, %llu MiB", live->version, STUCK_PEERS,
	    (unsigned long long)(rss / 1024 / 1024));
	for (int i = 0; i < STUCK_PEERS; i++) {
		check_stuck(stuck[i], i);
		talk_free(stuck[i]);
	}
	status = talk_call(other, "status", NULL);
	is_int(at_int(status, "result.peers"), 2, "tmux %s: two peers are left", live->version);
	talk_free(other);
	talk_free(reader);
	mem_free(pane);
	live_free(live);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	(void)live_daemon_path();
	for (; *paths != NULL; paths++)
		test_version(*paths);
	return done_testing();
}
