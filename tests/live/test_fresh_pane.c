/* SPDX-License-Identifier: ISC */
/*
 * The first output of a pane that was read at once after it was made: on every tmux at hand,
 * every byte written after the answer is read, or a gap says that bytes are missing. In the
 * long form 10,000 panes on each. And the first request of a new pane's own program.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "harness.h"

enum { PANES = 60, PANES_LONG = 10000, SESSIONS = 4, PATIENCE_MS = 2500 };

/* The first request about a pane; the next asks for what came after it. */
enum way {
	WAY_READ, /* read_output */
	WAY_READ_OLDEST, /* the same, and the next again from the oldest byte */
	WAY_CAPTURE, /* capture_pane, which tells the offset */
	WAY_COUNT_,
};

static unsigned panes;

static struct {
	unsigned read;
	unsigned gaps;
	unsigned lost;
	unsigned repeated; /* gaps of no bytes that were reported twice */
} result;

struct fresh {
	struct live *live;
	struct talk *talk;
	enum way way;
	char pane[16];
	char tty[64];
	int64_t after;
};

/* Makes a pane in place of the last, as a user would. */
static bool make(struct fresh *fresh, const char *command)
{
	char before[16];
	const char *made;
	(void)snprintf(before, sizeof before, "%s", fresh->pane);
	if (before[0] != '\0')
		made = live_tmux(fresh->live,
		    "%s -dP -F '#{pane_id} #{pane_tty}' 'exec cat' ';' kill-pane -t %s", command,
		    before);
	else
		made = live_tmux(
		    fresh->live, "%s -dP -F '#{pane_id} #{pane_tty}' 'exec cat'", command);
	return sscanf(made, "%15s %63s", fresh->pane, fresh->tty) == 2;
}

static const struct json *ask(struct fresh *fresh, bool has_after)
{
	if (has_after)
		return talk_call(fresh->talk, "read_output", "{\"pane\":\"%s\",\"after\":%lld}",
		    fresh->pane, (long long)fresh->after);
	return talk_call(fresh->talk, "read_output", "{\"pane\":\"%s\"}", fresh->pane);
}

/* The first request; repeated until the daemon knows the pane. */
static bool begin(struct fresh *fresh)
{
	int64_t end_ms = live_now_ms() + PATIENCE_MS;
	bool is_capture = fresh->way == WAY_CAPTURE;
	do {
		const struct json *answer = is_capture
		    ? talk_call(fresh->talk, "capture_pane", "{\"pane\":\"%s\"}", fresh->pane)
		    : ask(fresh, false);
		fresh->after = at_int(answer, is_capture ? "result.offset" : "result.to");
		if (at(answer, "result") != NULL)
			return true;
	} while (live_now_ms() < end_ms);
	diag("%s: %.300s", fresh->pane, talk_text(fresh->talk));
	return false;
}

static bool write_tty(const struct fresh *fresh, const char *text)
{
	int fd = open(fresh->tty, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	bool is_written = fd != -1 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd != -1)
		(void)close(fd);
	return is_written;
}

static bool is_gap(const struct json *answer)
{
	const struct json *gap = at(answer, "result.gap");
	return gap != NULL && gap->type == JSON_OBJECT;
}

/* Reads until the word comes or a gap is reported. */
static void look_for(struct fresh *fresh, const char *word)
{
	int64_t end_ms = live_now_ms() + PATIENCE_MS;
	bool has_gap = false;
	do {
		const struct json *answer = ask(fresh, fresh->way != WAY_READ_OLDEST);
		const char *text = at_str(answer, "result.text");
		if (text != NULL && strstr(text, word) != NULL) {
			result.read++;
			return;
		}
		if (is_gap(answer)) {
			result.repeated += has_gap;
			has_gap = true;
			/* A capture at rest does not follow the pane: the same question, the same answer. */
			if (fresh->way == WAY_CAPTURE)
				break;
		}
		live_sleep_ms(2);
	} while (live_now_ms() < end_ms && !(has_gap && result.repeated > 0));
	result.gaps += has_gap;
	result.lost += !has_gap;
	if (!has_gap)
		diag("%s, way %d: %.300s", fresh->pane, (int)fresh->way, talk_text(fresh->talk));
}

static void try_pane(struct fresh *fresh, unsigned number)
{
	char word[32];
	(void)snprintf(word, sizeof word, "hello%u", number);
	if (!begin(fresh) || !write_tty(fresh, word))
		result.lost++;
	else
		look_for(fresh, word);
}

static void check(const struct live *live, const char *what, unsigned count)
{
	ok(result.lost == 0 && result.read + result.gaps == count,
	    "tmux %s: the first output of %u %s is read or reported as missing", live->version,
	    count, what);
	is_int(result.repeated, 0, "tmux %s: a gap of no bytes is reported once", live->version);
	diag("tmux %s: %u %s: %u read, %u gaps, %u lost", live->version, count, what, result.read,
	    result.gaps, result.lost);
}

static void test_version(const char *tmux)
{
	struct live *live = live_start(tmux, "exec sleep 3600");
	struct fresh fresh = {.live = live, .talk = talk_new(live)};
	memset(&result, 0, sizeof result);
	for (unsigned i = 0; i < panes; i++) {
		fresh.way = i % WAY_COUNT_;
		if (make(&fresh, "new-window -t main:"))
			try_pane(&fresh, i);
	}
	check(live, "new panes", panes);
	memset(&result, 0, sizeof result);
	for (unsigned i = 0; i < SESSIONS; i++) {
		fresh.way = i % WAY_COUNT_;
		fresh.pane[0] = '\0';
		if (make(&fresh, "new-session"))
			try_pane(&fresh, i);
	}
	check(live, "panes of new sessions", SESSIONS);
	talk_free(fresh.talk);
	live_free(live);
}

/* The program of a new pane: asks for a timer as soon as it runs: "test_fresh_pane ask SOCKET FILE". */
static int ask_main(const char *socket, const char *path)
{
	struct live live = {0};
	char name[128];
	struct talk *talk;
	FILE *file;
	(void)snprintf(live.socket, sizeof live.socket, "%s", socket);
	talk = talk_new(&live);
	if (talk == NULL)
		return 1;
	talk_send(talk, "{\"id\":\"1\",\"method\":\"sleep\",\"params\":{\"seconds\":3600}}");
	(void)snprintf(name, sizeof name, "%s.sent", path);
	file = fopen(name, "we");
	if (file == NULL || fclose(file) != 0)
		return 1;
	(void)talk_response(talk, "1", LIVE_TIMEOUT_MS);
	file = fopen(path, "we");
	if (file == NULL || fprintf(file, "%s", talk_text(talk)) < 0 || fclose(file) != 0)
		return 1;
	talk_free(talk);
	return 0;
}

/* Until a file is there. */
static bool is_made(const char *path, const char *suffix)
{
	char name[128];
	(void)snprintf(name, sizeof name, "%s%s", path, suffix);
	for (int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS; live_now_ms() < end_ms;
	     live_sleep_ms(5)) {
		if (access(name, F_OK) == 0)
			return true;
	}
	return false;
}

/* A program asks before the daemon has heard of its pane: the request is for that pane. */
static void test_own_pane(void)
{
	struct live *live = live_start(live_tmux_path(), "exec sleep 3600");
	struct talk *talk = talk_new(live);
	char self[4096] = "", path[96], pane[16];
	const struct json *timers;
	if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
		live_bail("no /proc");
	(void)snprintf(path, sizeof path, "%s/asked", live->dir);
	(void)kill(live->daemon_pid, SIGSTOP);
	(void)snprintf(pane, sizeof pane, "%s",
	    live_tmux(live,
		"new-window -dP -F '#{pane_id}' '%s ask %s %s; "
		"exec sleep 3600'",
		self, live->socket, path));
	ok(is_made(path, ".sent"), "a program of a new pane has asked before the daemon runs");
	(void)kill(live->daemon_pid, SIGCONT);
	ok(is_made(path, ""), "and is answered");
	timers = at(talk_call(talk, "list_timers", NULL), "result.timers");
	is_str(at_str(timers, "0.pane"), pane, "its timer is that of its pane");
	talk_free(talk);
	live_free(live);
}

int main(int argc, char **argv)
{
	const char *const *paths;
	if (argc == 4 && strcmp(argv[1], "ask") == 0)
		return ask_main(argv[2], argv[3]);
	paths = live_tmux_paths();
	panes = getenv("MUXBUS_TEST_LONG") != NULL ? PANES_LONG : PANES;
	(void)live_daemon_path();
	test_own_pane();
	for (; *paths != NULL; paths++)
		test_version(*paths);
	return done_testing();
}
