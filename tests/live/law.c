/* SPDX-License-Identifier: ISC */
/* The law that fuzzers of the daemon hold it to. */
#include "law.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/xalloc.h"

enum { ANSWER_MS = 60000 };

void law_init(struct law *law, const struct live *live)
{
	*law = (struct law){.talk = talk_new(live), .next_id = 1};
	if (law->talk == NULL)
		live_bail("the daemon takes no peer");
}

void law_finish(struct law *law)
{
	talk_free(law->talk);
}

static void breach(struct law *law, const char *text)
{
	if (law->breaches++ < 10)
		diag("%s: %.400s", text, talk_text(law->talk));
}

/* Takes a line: the answer of a request that is open, or an event. */
static void take(struct law *law, const struct json *line)
{
	const struct json *id = at(line, "id");
	bool has_result = at(line, "result") != NULL, has_error = at(line, "error") != NULL;
	int64_t number;
	if (id == NULL) {
		if (at(line, "method") == NULL)
			breach(law, "neither an answer nor an event");
		else if (law->event != NULL)
			law->event(law->data, at(line, "params"));
		return;
	}
	if (has_result == has_error || (has_error && at_str(line, "error.message") == NULL))
		breach(law, "an answer without one result or error");
	law->answers++;
	law->errors += has_error;
	if (!json_int(id, &number))
		return; /* of a line that was no request of ours */
	if (number < 1 || number >= law->next_id || !law->is_open[number % LAW_OPEN_MAX]) {
		breach(law, "an answer that is one too many");
		return;
	}
	law->is_open[number % LAW_OPEN_MAX] = false;
	law->open--;
}

static bool read_one(struct law *law, int timeout_ms)
{
	const struct json *line = talk_line(law->talk, timeout_ms);
	if (line != NULL)
		take(law, line);
	return line != NULL;
}

void law_settle(struct law *law)
{
	int64_t end_ms = live_now_ms() + ANSWER_MS;
	while (law->open > 0 && !talk_at_end(law->talk) && live_now_ms() < end_ms)
		(void)read_one(law, 1000);
	if (law->open > 0)
		breach(law,
		    talk_at_end(law->talk) ? "the daemon is gone" : "no answer, the last line");
	memset(law->is_open, 0, sizeof law->is_open);
	law->open = 0;
	while (read_one(law, 0))
		continue;
}

void law_ask(struct law *law, const char *method, const char *params)
{
	if (law->is_open[law->next_id % LAW_OPEN_MAX])
		law_settle(law);
	law->is_open[law->next_id % LAW_OPEN_MAX] = true;
	law->open++;
	if (!talk_send(law->talk, "{\"id\":%" PRId64 ",\"method\":\"%s\"%s%s}", law->next_id++,
		method, params != NULL ? ",\"params\":" : "", params != NULL ? params : ""))
		breach(law, "the daemon takes no request");
	while (law->open > LAW_OPEN_MAX / 2 && read_one(law, 1000))
		continue;
}

void law_say(struct law *law, const void *line, size_t len)
{
	if (!talk_send_bytes(law->talk, line, len) || !talk_send_bytes(law->talk, "\n", 1))
		breach(law, "the daemon takes no line");
}

const char *law_pane(struct live *live, const char *file)
{
	const char *pane =
	    live_tmux(live, "new-window -dP -F '#{pane_id}' 'stty raw -echo; exec cat >\"%s/%s\"'",
		live->dir, file);
	if (!live_tmux_until(
		live, "cat", "display-message -p -t '%s' '#{pane_current_command}'", pane))
		live_bail("%s: no program that reads", file);
	return live_tmux(live, "display-message -p -t '%s' '#{pane_id}'", pane);
}

bool law_is_untouched(struct live *live, const char *file)
{
	const char *bytes = live_run(live, "od -An -c '%s/%s' | head -n 3", live->dir, file);
	if (*bytes != '\0')
		diag("typed into %s: %s", file, bytes);
	return *bytes == '\0';
}

bool law_is_sound(struct live *live)
{
	const char *found = live_run(
	    live, "grep -a -A 30 -e 'ERROR: [A-Z]' -e 'runtime error' muxbusd.log | head -n 60");
	bool is_there = live->daemon_pid == 0 || kill(live->daemon_pid, 0) == 0;
	if (live->daemon_pid != 0 && waitpid(live->daemon_pid, NULL, WNOHANG) == live->daemon_pid)
		is_there = false;
	if (*found != '\0' || !is_there)
		diag("muxbusd%s: %s", is_there ? "" : " is gone", found);
	return *found == '\0' && is_there;
}
