/* SPDX-License-Identifier: ISC */
#include "cli/status_text.h"

#include "cli/screen_text.h"
#include "cli/show.h"

#define LINE_MAX_BYTES 65536
#define NAME_COLUMNS 8

/* Appends a count and its noun: "1 pane", "2 panes", "2 watches". */
static void put_count(struct buf *out, const struct json *object, const char *member,
    const char *noun, const char *end)
{
	int64_t count = json_get_int(object, member, 0);
	bool is_watch = noun[strlen(noun) - 1] == 'h';
	(void)buf_printf(out, "%" PRId64 " %s%s%s", count, noun,
	    count == 1     ? ""
		: is_watch ? "es"
			   : "s",
	    end);
}

static void put_head(struct buf *line, const struct json *status)
{
	(void)buf_printf(line, "%s, up ", json_get_str(status, "version", "?"));
	show_duration(line, (int64_t)(json_get_double(status, "uptime_sec") * 1000));
	(void)buf_printf(line, ", process %" PRId64, json_get_int(status, "pid", 0));
}

static void put_socket(struct buf *line, const struct json *status)
{
	(void)buf_append_str(line, json_get_str(status, "socket", "?"));
}

static void put_tmux(struct buf *line, const struct json *status)
{
	const struct json *tmux = json_member(status, "tmux");
	const char *state = json_get_str(tmux, "state", "?");
	const char *socket = json_get_str(tmux, "socket", "?");
	const char *daemon = json_get_str(status, "socket", "?");
	const char *version = json_get_str(tmux, "version", "");
	size_t len = strlen(socket);
	if (strcmp(state, "live") == 0) {
		/* A server without sessions has not reported its version. */
		(void)buf_printf(line, "%s, process %" PRId64 ", attached by ",
		    *version != '\0' ? version : "of a version that is not known yet",
		    json_get_int(tmux, "pid", 0));
		put_count(line, tmux, "connections", "connection", "");
	} else {
		(void)buf_printf(
		    line, "%s: %s", state, json_get_str(tmux, "reason", "not followed"));
	}
	/* The daemon's socket usually is tmux's socket with ".muxbus". */
	if (strncmp(daemon, socket, len) != 0 || strcmp(daemon + len, ".muxbus") != 0)
		(void)buf_printf(line, ", at %s", socket);
}

static void put_queue(struct buf *line, const struct json *status)
{
	const struct json *queue = json_member(status, "queue");
	const struct json *journal = json_member(queue, "journal");
	const struct json *ways = json_member(status, "ways");
	const char *failure = json_get_str(json_member(status, "on_notify"), "failure", NULL);
	int lost = 0;
	(void)buf_printf(line, "%" PRId64 " undelivered", json_get_int(queue, "undelivered", 0));
	json_each (way, ways)
		lost += strcmp(json_get_str(way, "way", ""), "none") == 0;
	if (lost > 0)
		(void)buf_printf(
		    line, "; %d pane%s no way to an agent", lost, lost == 1 ? " has" : "s have");
	(void)buf_printf(line, "; journal %s, ", json_get_str(journal, "state", "?"));
	show_bytes(line, json_get_int(journal, "bytes", 0));
	if (failure != NULL)
		(void)buf_printf(line, "; on_notify failed: %s", failure);
}

static void put_requests(struct buf *line, const struct json *status)
{
	const struct json *counters = json_member(status, "counters");
	put_count(line, counters, "requests", "request", ", ");
	put_count(line, counters, "errors", "error", "");
}

static void put_events(struct buf *line, const struct json *status)
{
	const struct json *counters = json_member(status, "counters");
	(void)buf_printf(line, "%" PRId64 " sent, %" PRId64 " dropped, last number %" PRId64,
	    json_get_int(counters, "events_sent", 0), json_get_int(counters, "events_dropped", 0),
	    json_get_int(json_member(status, "queue"), "last", 0));
}

static void put_memory(struct buf *line, const struct json *status)
{
	show_bytes(line, json_get_int(json_member(status, "memory"), "rss_bytes", 0));
	(void)buf_append_str(line, ", of which output of panes: ");
	show_bytes(line, json_get_int(json_member(status, "streams"), "ring_bytes", 0));
}

static void put_fleet(struct buf *line, const struct json *status)
{
	const struct json *fleet = json_member(status, "fleet");
	put_count(line, fleet, "hosts", "host", ": ");
	(void)buf_printf(line, "%" PRId64 " up, %" PRId64 " connecting, %" PRId64 " down",
	    json_get_int(fleet, "up", 0), json_get_int(fleet, "connecting", 0),
	    json_get_int(fleet, "down", 0));
}

/* A row is omitted if the status lacks its member. A row without put() has counts. */
static const struct {
	const char *name, *member;
	void (*put)(struct buf *line, const struct json *status);
	struct {
		const char *member, *noun, *end;
	} counts[4];
} rows[] = {
    {"muxbusd", "version", put_head, {{0}}},
    {"socket", "socket", put_socket, {{0}}},
    {"fleet", "fleet", put_fleet, {{0}}},
    {"tmux", "tmux", put_tmux, {{0}}},
    {"panes", "panes", NULL,
	{{"panes", "pane", " in "}, {"windows", "window", " of "}, {"sessions", "session", ""}}},
    {"running", "jobs", NULL,
	{{"jobs", "job", ", "}, {"timers", "timer", ", "}, {"watches", "watch", ", "},
	    {"waits", "wait", ""}}},
    {"queue", "queue", put_queue, {{0}}},
    {"programs", "peers", NULL,
	{{"peers", "connection", ", "}, {"subscriptions", "subscription", ""}}},
    {"requests", "counters", put_requests, {{0}}},
    {"events", "queue", put_events, {{0}}},
    {"memory", "memory", put_memory, {{0}}},
};

void status_text(struct buf *out, const struct json *status, size_t columns, bool has_color)
{
	struct buf line = BUF(LINE_MAX_BYTES);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (json_member(status, rows[i].member) == NULL)
			continue;
		buf_clear(&line);
		if (rows[i].put != NULL)
			rows[i].put(&line, status);
		for (size_t j = 0; j < 4 && rows[i].counts[j].noun != NULL; j++)
			put_count(&line, status, rows[i].counts[j].member, rows[i].counts[j].noun,
			    rows[i].counts[j].end);
		(void)buf_printf(out, "%s%*s%s  ", screen_style(has_color, SCREEN_NAME),
		    NAME_COLUMNS, rows[i].name, screen_style(has_color, SCREEN_PLAIN));
		screen_text_wrap(out, buf_text(&line), columns, NAME_COLUMNS + 2, NAME_COLUMNS + 2);
	}
	buf_finish(&line);
}
