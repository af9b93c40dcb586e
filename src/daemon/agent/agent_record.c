/* SPDX-License-Identifier: ISC */
/* An agent as JSON: in the store, and in what is said of it. */
#include <muxbus.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "daemon/agent/agent_private.h"
#include "daemon/server/daemon.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/tmux/tmux.h"

/* ---- in the store ---- */

static void write_ref(struct json_writer *writer, const char *name, const struct pane_ref *ref)
{
	char text[PANE_REF_TEXT_SIZE];

	if (ref->pane == MUXBUS_NO_ID)
		return;
	pane_ref_format(ref, text);
	json_put_str(writer, name, text);
}

static void read_ref(const struct json *value, const char *name, struct pane_ref *ref)
{
	const struct json *member = json_member(value, name);

	if (member != NULL && member->type == JSON_STRING)
		(void)pane_ref_parse(member->text, ref); /* else it stays cleared */
}

static bool read_bool(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);

	return member != NULL && member->type == JSON_BOOL && member->boolean;
}

/* Bytes that are no text: escape sequences and all. */
static void read_bytes(const struct json *value, const char *name, char *out, size_t size)
{
	const struct json *member = json_member(value, name);
	struct buf bytes;

	out[0] = '\0';
	if (member == NULL || member->type != JSON_STRING)
		return;
	buf_init(&bytes, size - 1);
	if (base64_decode(&bytes, member->text, member->len) == 0 && bytes.len > 0) {
		memcpy(out, bytes.data, bytes.len);
		out[bytes.len] = '\0';
	}
	buf_finish(&bytes);
}

static void write_profile(struct json_writer *writer, const struct prompt_profile *profile)
{
	json_object_begin(writer, "habit");
	json_put_bool(writer, "cooked", profile->is_cooked);
	json_put_bool(writer, "tty", profile->has_tty);
	json_put_bool(writer, "right", profile->has_right);
	json_put_bool(writer, "shell", profile->is_shell);
	json_put_bool(writer, "reads", profile->reads);
	json_put_bool(writer, "sure", profile->is_sure);
	json_put_base64(writer, "row", profile->row, strlen(profile->row));
	json_put_base64(writer, "tail", profile->tail, strlen(profile->tail));
	json_put_base64(writer, "other_tail", profile->other_tail, strlen(profile->other_tail));
	json_put_int(writer, "pid", profile->pid);
	json_put_int(writer, "start", (int64_t)profile->start);
	json_put_base64(writer, "name", profile->name, strlen(profile->name));
	json_object_end(writer);
}

static void read_profile(const struct json *value, struct prompt_profile *profile)
{
	const struct json *pid = json_member(value, "pid"), *start = json_member(value, "start");
	int64_t number = 0;

	if (value == NULL || value->type != JSON_OBJECT)
		return;
	profile->is_known = true;
	profile->is_cooked = read_bool(value, "cooked");
	profile->has_tty = read_bool(value, "tty");
	profile->has_right = read_bool(value, "right");
	profile->is_shell = read_bool(value, "shell");
	profile->reads = read_bool(value, "reads");
	profile->is_sure = read_bool(value, "sure");
	read_bytes(value, "row", profile->row, sizeof profile->row);
	read_bytes(value, "tail", profile->tail, sizeof profile->tail);
	read_bytes(value, "other_tail", profile->other_tail, sizeof profile->other_tail);
	read_bytes(value, "name", profile->name, sizeof profile->name);
	if (pid != NULL && json_int(pid, &number))
		profile->pid = (pid_t)number;
	if (start != NULL && json_int(start, &number))
		profile->start = (uint64_t)number;
}

void agent_record_write(struct buf *out, const struct agent *agent)
{
	const struct prompt_profile *profile = agent_monitor_habit(agent->monitor);
	struct json_writer writer;

	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	agent_spec_write(&writer, &agent->plan);
	write_ref(&writer, "pane", &agent->pane);
	write_ref(&writer, "teller", &agent->teller);
	json_put_int(&writer, "started_ms", agent->started_ms);
	json_put_bool(&writer, "brackets", agent_monitor_brackets(agent->monitor));
	if (profile->is_known)
		write_profile(&writer, profile);
	json_object_end(&writer);
}

bool agent_record_read(struct agent *agent, const struct json *value)
{
	const struct json *started = json_member(value, "started_ms");
	struct prompt_profile *profile = agent_monitor_habit(agent->monitor);

	if (!agent_spec_read(value, &agent->plan))
		return false;
	read_ref(value, "pane", &agent->pane);
	read_ref(value, "teller", &agent->teller);
	if (started != NULL)
		(void)json_int(started, &agent->started_ms); /* none: 0 */
	read_profile(json_member(value, "habit"), profile);
	agent_monitor_set_brackets(agent->monitor, read_bool(value, "brackets"));
	agent->was_ready = profile->is_known;
	return true;
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
