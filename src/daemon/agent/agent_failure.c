/* SPDX-License-Identifier: ISC */
/* Failure of an agent's program. */
#include "daemon/agent/agent_failure.h"

#include <muxbus.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "daemon/agent/agent_json.h"
#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/agent_state.h"
#include "daemon/queue/queue.h"
#include "daemon/tmux/tmux.h"
#include "wire/json.h"

enum {
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND = 127,
	HISTORY_LINES = 20, /* above the screen, from which tmux's own last line has moved a row */
	LINES_MAX = 5,
	LINE_MAX_BYTES = 200, /* of a line that is kept */
	OUTPUT_MAX = LINES_MAX * (4 * LINE_MAX_BYTES + 8), /* unseen bytes are written as escapes */
};

/* The context of reading them: the agent may be no more before tmux answers. */
struct agent_last_words {
	struct agent *agent; /* NULL: it is no more */
	void (*done)(struct agent *agent);
};

/* Whether a program of the command could be executed from here. */
static bool is_executable(const char *program)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	if (strchr(program, '/') != NULL)
		return access(program, X_OK) == 0;
	while (path != NULL && *path != '\0') {
		size_t len = strcspn(path, ":");
		snprintf(file, sizeof file, "%.*s/%s", (int)len, path, program);
		if (access(file, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

void agent_failure_describe(const struct agent *agent, char *out, size_t size)
{
	const char *program = agent->plan.command[0];
	if (agent->exit_signal > 0)
		snprintf(out, size, "its program was killed by signal %d", agent->exit_signal);
	else if (agent->exit_status == STATUS_NOT_FOUND)
		snprintf(out, size, "its program was not found, exit status 127");
	else if (agent->exit_status == STATUS_NOT_EXECUTABLE)
		snprintf(out, size, "its program cannot be executed, exit status 126");
	else if (agent->exit_status == 1 && !agent->was_ready && agent->plan.command[1] != NULL &&
	    !is_executable(program))
		snprintf(out, size, "its program \"%.60s\" cannot be executed: %s", program,
		    strchr(program, '/') != NULL ? strerror(errno) : "not found in PATH");
	else if (agent->exit_status >= 0)
		snprintf(
		    out, size, "its program has ended with exit status %d", agent->exit_status);
	else
		snprintf(out, size, "its program has ended");
}

/* The last line of a text that is not blank; NULL: none is left. The text then ends before it. */
static const char *take_last_line(const char *text, size_t *len, size_t *ret_line_len)
{
	size_t end;
	while (*len > 0 && strchr(" \t\n", text[*len - 1]) != NULL)
		--*len;
	end = *len;
	while (*len > 0 && text[*len - 1] != '\n')
		--*len;
	*ret_line_len = end - *len;
	return end > 0 ? text + *len : NULL;
}

/* Appends the last lines of a dead pane, in their order. tmux writes a line of its own at the end. */
static void append_last_lines(struct buf *out, const char *text, size_t len)
{
	static const char own[] = "Pane is dead";
	const char *lines[LINES_MAX], *last;
	size_t lens[LINES_MAX], count = 0, full = len;
	last = take_last_line(text, &len, &lens[0]);
	if (last == NULL || lens[0] < sizeof own - 1 || memcmp(last, own, sizeof own - 1) != 0)
		len = full;
	while (
	    count < LINES_MAX && (lines[count] = take_last_line(text, &len, &lens[count])) != NULL)
		count++;
	while (count-- > 0) {
		bool is_long = lens[count] > LINE_MAX_BYTES;
		size_t kept = is_long ? LINE_MAX_BYTES : lens[count];
		while (is_long && kept > 0 && ((unsigned char)lines[count][kept] & 0xc0) == 0x80)
			kept--;
		(void)str_append_visible(out, lines[count], kept);
		(void)buf_append_str(out, is_long ? "…" : "");
		(void)buf_append_str(out, count > 0 ? "\n" : "");
	}
}

static void keep_output(struct agent *agent, const struct muxbus_reply *reply)
{
	struct buf kept;
	buf_init(&kept, OUTPUT_MAX);
	append_last_lines(&kept, (const char *)reply->body, reply->body_len);
	mem_free(agent->output);
	agent->output = kept.len > 0 ? xmemdup(kept.data, kept.len) : NULL;
	buf_finish(&kept);
}

static void on_captured(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_last_words *words = data;
	struct agent *agent = words->agent;
	void (*done)(struct agent * agent) = words->done;
	mem_free(words);
	if (agent == NULL)
		return;
	agent->last_words = NULL;
	if (error == 0 && count > 0)
		keep_output(agent, &replies[0]);
	done(agent);
}

bool agent_failure_read(struct agent *agent, void (*done)(struct agent *agent))
{
	struct muxbus_command *command;
	struct agent_last_words *words;
	if (muxbus_command_new(&command) < 0)
		return false;
	words = xcalloc(1, sizeof *words);
	*words = (struct agent_last_words){.agent = agent, .done = done};
	muxbus_command_args(command, "capture-pane", "-p", "-J", "-S", (char *)NULL);
	muxbus_command_argf(command, "-%d", HISTORY_LINES);
	muxbus_command_args(command, "-t", (char *)NULL);
	muxbus_command_argf(command, "%%%" PRIu32, agent->pane.pane);
	if (muxbus_sync_run(tmux_sync(agent->set->parts.tmux), command, false, on_captured, words) <
	    0) {
		mem_free(words);
		return false;
	}
	agent->last_words = words;
	return true;
}

void agent_failure_forget(struct agent *agent)
{
	if (agent->last_words != NULL)
		agent->last_words->agent = NULL;
}

void agent_failure_close(struct agent *agent)
{
	struct tmux *tmux = agent->set->parts.tmux;
	struct muxbus_model_counts counts;
	struct muxbus_command *command;
	muxbus_model_counts(tmux_model(tmux), &counts);
	/* tmux may exit with its last pane. */
	if (counts.panes < 2 || muxbus_command_new(&command) < 0)
		return;
	muxbus_command_args(command, "kill-pane", "-t", (char *)NULL);
	muxbus_command_argf(command, "%%%" PRIu32, agent->pane.pane);
	(void)muxbus_sync_run(tmux_sync(tmux), command, false, tmux_ignore_reply, NULL);
	agent_monitor_drop(agent->monitor);
	pane_ref_clear(&agent->pane);
}

void agent_failure_notify(const struct agent *agent, bool is_last)
{
	struct queue *queue = agent->set->parts.queue;
	struct notification_draft draft = {
	    .source = SOURCE_CONDITION,
	    .pane = &agent->teller,
	    .is_urgent = is_last,
	};
	const char *end = " crashed; it is started again";
	char text[200], key[AGENT_NAME_MAX + 16];
	struct json_writer writer;
	struct buf data;
	if (is_last)
		end = agent->is_adopted ? " has ended"
					: " crashed, and is not started again: ensure_agent does";
	snprintf(text, sizeof text, "agent %s%s", agent->plan.name, end);
	snprintf(key, sizeof key, "agent:%s:%s", agent->plan.name, is_last ? "end" : "crash");
	json_start_object(&writer, &data, AGENT_JSON_MAX);
	agent_write(&writer, agent);
	json_object_end(&writer);
	draft.text = text;
	draft.key = key;
	draft.data = (const char *)data.data;
	(void)queue_post(queue, &draft);
	buf_finish(&data);
}
