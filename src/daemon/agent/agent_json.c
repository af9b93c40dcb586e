/* SPDX-License-Identifier: ISC */
/* Agents as JSON, for answers, events and notifications. */

#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/agent_question.h"
#include "daemon/tmux/tmux.h"

enum { COMMAND_SHOWN_MAX = 4000 };

void agent_write_evidence(struct json_writer *writer, const struct agent *agent)
{
	json_object_begin(writer, "evidence");
	agent_monitor_write(agent->monitor, writer);
	if (agent->exit_status >= 0)
		json_put_int(writer, "exit_status", agent->exit_status);
	if (agent->exit_signal > 0)
		json_put_int(writer, "signal", agent->exit_signal);
	json_object_end(writer);
}

void agent_write_place(
    struct json_writer *writer, const struct tmux *tmux, const struct muxbus_pane *pane)
{
	const struct muxbus_link *link;
	if (pane == NULL) {
		json_put_null(writer, "pane");
		json_put_null(writer, "window");
		json_put_null(writer, "session");
		return;
	}
	json_put_id(writer, "pane", '%', pane->id);
	json_put_id(writer, "window", '@', pane->window);
	if (muxbus_model_window_links(tmux_model(tmux), pane->window, &link) > 0)
		json_put_id(writer, "session", '$', link->session);
	json_put_int(writer, "pid", pane->pid);
}

static const struct muxbus_pane *find_pane(const struct agent *agent)
{
	struct tmux *tmux = agent->set->parts->tmux;
	if (agent->pane.pane == MUXBUS_NO_ID || pane_fate(tmux, &agent->pane) != PANE_THERE)
		return NULL;
	return muxbus_model_pane(tmux_model(tmux), agent->pane.pane);
}

/* Writes only the start of a long command, so that all agents fit into a list. */
static void write_command(struct json_writer *writer, const struct agent *agent)
{
	char *const *word = agent->spec.command;
	bool is_array = word[1] != NULL, is_cut = false;
	size_t len, left = COMMAND_SHOWN_MAX;
	if (is_array)
		json_array_begin(writer, "command");
	for (; *word != NULL && !is_cut; word++, left -= len) {
		len = strnlen(*word, left);
		is_cut = (*word)[len] != '\0';
		(void)json_put_text(writer, is_array ? NULL : "command", *word,
		    len - (is_cut ? utf8_incomplete_tail(*word, len) : 0));
	}
	if (is_array)
		json_array_end(writer);
	if (is_cut)
		json_put_bool(writer, "command_cut", true);
}

static void write_tasks(struct json_writer *writer, const struct agent *agent)
{
	static const char *const stages[] = {"queued", "typing", "running"};
	json_array_begin(writer, "tasks");
	list_each (const struct agent_task, task, &agent->tasks, link) {
		json_object_begin(writer, NULL);
		json_put_str(writer, "task", task->id);
		json_put_str(writer, "stage", stages[task->stage]);
		json_put_time(writer, "created", task->created_ms);
		json_put_time(writer, "due", task->due_ms);
		if (task->held[0] != '\0' && task->stage == TASK_QUEUED)
			json_put_str(writer, "held", task->held);
		json_object_end(writer);
	}
	json_array_end(writer);
}

void agent_write(struct json_writer *writer, const struct agent *agent)
{
	json_put_str(writer, "agent", agent->spec.name);
	json_put_str(writer, "state", agent_state_names[agent->state]);
	(void)json_put_text(writer, "reason", agent->reason, strlen(agent->reason));
	json_put_time(writer, "since", agent->since_ms);
	agent_write_place(writer, agent->set->parts->tmux, find_pane(agent));
	write_command(writer, agent);
	json_put_time(writer, "program_started", agent->started_ms);
	json_put_int(writer, "restarts", agent->restarts);
	json_put_bool(writer, "restarting", agent->is_restarting);
	json_put_bool(writer, "adopted", agent->is_adopted);
	agent_question_write(writer, agent);
	json_put_given(writer, "output", agent->output);
	agent_write_evidence(writer, agent);
	write_tasks(writer, agent);
}

void agent_publish(const struct agent *agent)
{
	const struct daemon *parts = agent->set->parts;
	struct event_scope scope = {.pane = agent->pane.pane, .window = MUXBUS_NO_ID};
	struct json_writer writer;
	struct buf members;
	scope.sessions[0] = MUXBUS_NO_ID;
	if (agent->pane.pane != MUXBUS_NO_ID && tmux_is_live(parts->tmux))
		tmux_scope_pane(parts->tmux, agent->pane.pane, &scope);
	json_start(&writer, &members, AGENT_JSON_MAX);
	agent_write(&writer, agent);
	(void)event_log_publish(parts->events, EVENT_AGENT_STATE, &scope,
	    (const char *)members.data, members.len, true);
	buf_finish(&members);
}
