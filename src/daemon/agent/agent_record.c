/* SPDX-License-Identifier: ISC */
/* An agent as JSON: in the store, and in what is said of it. */
#include <muxbus.h>

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "daemon/agent/agent_private.h"
#include "daemon/queue/queue.h"
#include "daemon/server/daemon.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/tmux/tmux.h"

/* ---- in the store ---- */

/* An agent as it is kept. */
struct kept_agent {
	struct agent_spec plan;
	struct pane_ref pane;
	struct pane_ref teller;
	int64_t started_ms;
	bool has_brackets;
	struct prompt_profile profile[1];
	size_t profile_count; /* 0: its prompt is not known yet */
};

static const struct record_field profile_fields[] = {
    {RECORD_ROW(BOOL, struct prompt_profile, is_cooked, "cooked")},
    {RECORD_ROW(BOOL, struct prompt_profile, has_tty, "tty")},
    {RECORD_ROW(BOOL, struct prompt_profile, has_right, "right")},
    {RECORD_ROW(BOOL, struct prompt_profile, is_shell, "shell")},
    {RECORD_ROW(BOOL, struct prompt_profile, reads, "reads")},
    {RECORD_ROW(BOOL, struct prompt_profile, is_sure, "sure")},
    {RECORD_ROW(BYTES, struct prompt_profile, row, "row")},
    {RECORD_ROW(BYTES, struct prompt_profile, tail, "tail")},
    {RECORD_ROW(BYTES, struct prompt_profile, other_tail, "other_tail")},
    {RECORD_ROW(INT, struct prompt_profile, pid, "pid")},
    {RECORD_ROW(UINT64, struct prompt_profile, start, "start")},
    {RECORD_ROW(BYTES, struct prompt_profile, name, "name")},
};

static const struct record_field agent_fields[] = {
    {RECORD_ROW(WORD, struct kept_agent, plan.name, "name")},
    {RECORD_ROW(STRINGS, struct kept_agent, plan.command, "command")},
    {RECORD_ROW(STRINGS, struct kept_agent, plan.env, "env")},
    {RECORD_ROW(TEXT, struct kept_agent, plan.cwd, "cwd")},
    {RECORD_ROW(TEXT, struct kept_agent, plan.prompt, "prompt"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_agent, plan.width, "width")},
    {RECORD_ROW(INT, struct kept_agent, plan.height, "height")},
    {RECORD_ROW(INT, struct kept_agent, plan.history_limit, "history_limit")},
    {RECORD_ROW(INT, struct kept_agent, plan.startup_timeout_ms, "startup_timeout_ms")},
    {RECORD_ROW(PANE, struct kept_agent, pane, "pane"), .is_optional = true},
    {RECORD_ROW(PANE, struct kept_agent, teller, "teller"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_agent, started_ms, "started_ms")},
    {RECORD_ROW(BOOL, struct kept_agent, has_brackets, "brackets")},
    {RECORD_ROW(LIST, struct kept_agent, profile, "habit"), .is_optional = true, .values = 1,
	.count_offset = offsetof(struct kept_agent, profile_count),
	.rows = RECORD_ROWS(profile_fields, NULL)},
};

const struct record_kind agent_kind = {
    .prefix = "agent/",
    .noun = "an agent",
    .rows = RECORD_ROWS(agent_fields, NULL),
    .source = SOURCE_COMMAND,
};

void agent_store(const struct agent *agent)
{
	const struct prompt_profile *profile = agent_monitor_habit(agent->monitor);
	const struct kept_agent kept = {
	    .plan = agent->plan,
	    .pane = agent->pane,
	    .teller = agent->teller,
	    .started_ms = agent->started_ms,
	    .has_brackets = agent_monitor_brackets(agent->monitor),
	    .profile = {*profile},
	    .profile_count = profile->is_known,
	};

	record_put(queue_store(agent->set->daemon->queue), &agent_kind, agent->plan.name, &kept);
}

bool agent_record_read(struct agent *agent, const struct json *value)
{
	struct kept_agent kept = {0};

	if (!record_read(agent_kind.rows, value, &kept))
		return false;
	agent->plan = kept.plan;
	agent->pane = kept.pane;
	agent->teller = kept.teller;
	agent->started_ms = kept.started_ms;
	agent->was_ready = kept.profile_count > 0;
	kept.profile[0].is_known = agent->was_ready;
	*agent_monitor_habit(agent->monitor) = kept.profile[0];
	agent_monitor_set_brackets(agent->monitor, kept.has_brackets);
	return kept.plan.command[0] != NULL && kept.plan.width > 0 && kept.plan.height > 0;
}

/* ---- for readers ---- */

void agent_write_evidence(struct json_writer *writer, const char *name, const struct agent *agent)
{
	json_object_begin(writer, name);
	agent_monitor_write(agent->monitor, writer);
	if (agent->exit_status >= 0)
		json_put_int(writer, "exit_status", agent->exit_status);
	if (agent->exit_signal > 0)
		json_put_int(writer, "signal", agent->exit_signal);
	json_object_end(writer);
}

static void write_place(struct json_writer *writer, const struct agent *agent)
{
	const struct tmux *tmux = agent->set->daemon->tmux;
	const struct muxbus_pane *pane = NULL;
	uint32_t session = MUXBUS_NO_ID;

	if (agent->pane.pane != MUXBUS_NO_ID &&
	    pane_fate(agent->set->daemon->tmux, &agent->pane) == PANE_THERE)
		pane = muxbus_model_pane(tmux_model(tmux), agent->pane.pane);
	if (pane == NULL) {
		json_put_null(writer, "pane");
		json_put_null(writer, "window");
		json_put_null(writer, "session");
		return;
	}
	for (const struct muxbus_link *link = NULL;
	     (link = muxbus_model_next_link(tmux_model(tmux), link)) != NULL;) {
		if (link->window == pane->window && session == MUXBUS_NO_ID)
			session = link->session;
	}
	json_put_id(writer, "pane", '%', pane->id);
	json_put_id(writer, "window", '@', pane->window);
	if (session != MUXBUS_NO_ID)
		json_put_id(writer, "session", '$', session);
	json_put_int(writer, "pid", pane->pid);
}

static void write_command(struct json_writer *writer, const struct agent *agent)
{
	char *const *word = agent->plan.command;

	if (word[1] == NULL) {
		(void)json_put_text(writer, "command", word[0], strlen(word[0]));
		return;
	}
	json_array_begin(writer, "command");
	for (; *word != NULL; word++)
		(void)json_put_text(writer, NULL, *word, strlen(*word));
	json_array_end(writer);
}

void agent_write(struct json_writer *writer, const struct agent *agent)
{
	json_put_str(writer, "agent", agent->plan.name);
	json_put_str(writer, "state", agent_state_name(agent->state));
	(void)json_put_text(writer, "reason", agent->reason, strlen(agent->reason));
	json_put_time(writer, "since", agent->since_ms);
	write_place(writer, agent);
	write_command(writer, agent);
	json_put_time(writer, "program_started", agent->started_ms);
	json_put_int(writer, "restarts", agent->restarts);
	json_put_bool(writer, "restarting", agent->is_restarting);
	if (agent->question != NULL) {
		(void)json_put_text(writer, "question", agent->question, strlen(agent->question));
		json_put_bool(writer, "secret", agent->is_secret);
	}
	agent_write_evidence(writer, "evidence", agent);
	agent_tasks_write(writer, agent);
}

enum agent_state agent_state(const struct agent *agent)
{
	return agent->state;
}

bool agent_is_free(const struct agent *agent)
{
	return agent->state == AGENT_READY && agent->task_count == 0;
}

const char *agent_name(const struct agent *agent)
{
	return agent->plan.name;
}

const struct pane_ref *agent_pane(const struct agent *agent)
{
	return &agent->pane;
}
