/* SPDX-License-Identifier: ISC */
/* The record of an agent in the store. */
#include "daemon/agent/agent_private.h"

#include <muxbus.h>

#include "daemon/agent/agent_monitor.h"
#include "daemon/queue/queue.h"

struct kept_agent {
	/* only its members with a row below are stored; reason is that of the last crash */
	struct agent agent;
	bool has_brackets;
	bool has_exit; /* exit_status, exit_signal and output are stored, as the pane is closed */
	struct prompt_profile profile[1];
	size_t profile_count; /* 0: unknown */
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
    {RECORD_ROW(NATURAL, struct prompt_profile, pid, "pid")},
    {RECORD_ROW(UINT64, struct prompt_profile, start, "start")},
    {RECORD_ROW(BYTES, struct prompt_profile, name, "name")},
};

static const struct record_field agent_fields[] = {
    {RECORD_ROW(WORD, struct kept_agent, agent.spec.name, "name")},
    {RECORD_ROW(STRINGS, struct kept_agent, agent.spec.command, "command")},
    {RECORD_ROW(STRINGS, struct kept_agent, agent.spec.env, "env")},
    {RECORD_ROW(TEXT, struct kept_agent, agent.spec.cwd, "cwd")},
    {RECORD_ROW(TEXT, struct kept_agent, agent.spec.prompt, "prompt"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_agent, agent.spec.width, "width")},
    {RECORD_ROW(NATURAL, struct kept_agent, agent.spec.height, "height")},
    {RECORD_ROW(NATURAL, struct kept_agent, agent.spec.history_limit, "history_limit")},
    {RECORD_ROW(NATURAL, struct kept_agent, agent.spec.startup_timeout_ms, "startup_timeout_ms")},
    {RECORD_ROW(BOOL, struct kept_agent, agent.spec.wants_notices, "notices"), .is_optional = true},
    {RECORD_ROW(PANE, struct kept_agent, agent.pane, "pane"), .is_optional = true},
    {RECORD_ROW(PANE, struct kept_agent, agent.teller, "teller"), .is_optional = true},
    {RECORD_ROW(THREAD, struct kept_agent, agent.teller, "teller_thread"), .is_optional = true},
    {RECORD_ROW(PANE, struct kept_agent, agent.maker.pane, "maker"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_agent, agent.started_ms, "started_ms")},
    {RECORD_ROW(BOOL, struct kept_agent, has_brackets, "brackets")},
    {RECORD_ROW(BOOL, struct kept_agent, agent.is_crash_told, "crashed"), .is_optional = true},
    {RECORD_ROW(BOOL, struct kept_agent, agent.is_restarting, "restarting"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_agent, agent.restarts, "restarts"), .is_optional = true},
    {RECORD_ROW(WORD, struct kept_agent, agent.reason, "reason"), .is_optional = true},
    {RECORD_ROW(BOOL, struct kept_agent, has_exit, "ended"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_agent, agent.exit_status, "exit_status"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_agent, agent.exit_signal, "signal"), .is_optional = true},
    {RECORD_ROW(TEXT, struct kept_agent, agent.output, "output"), .is_optional = true},
    {RECORD_ROW(LIST, struct kept_agent, profile, "habit"), .is_optional = true, .values = 1,
	.count_offset = offsetof(struct kept_agent, profile_count),
	.rows = RECORD_ROWS(profile_fields, NULL)},
    {RECORD_ROW(BOOL, struct kept_agent, agent.is_adopted, "adopted"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_agent, agent.program.pid, "program_pid"), .is_optional = true},
    {RECORD_ROW(UINT64, struct kept_agent, agent.program.start, "program_start"),
	.is_optional = true},
    {RECORD_ROW(TEXT, struct kept_agent, agent.conversation, "conversation"), .is_optional = true},
};

const struct record_kind agent_kind = {.prefix = "agent/",
    .noun = "an agent",
    .rows = RECORD_ROWS(agent_fields, NULL),
    .source = SOURCE_COMMAND};

void agent_store(const struct agent *agent)
{
	const struct prompt_profile *profile = agent_monitor_profile(agent->monitor);
	struct kept_agent kept = {.agent = *agent,
	    .has_brackets = agent_monitor_brackets(agent->monitor),
	    .has_exit = agent->is_crash_told && agent->pane.pane == MUXBUS_NO_ID,
	    .profile = {*profile},
	    .profile_count = profile->is_known};
	if (!kept.has_exit) {
		kept.agent.exit_status = kept.agent.exit_signal = 0;
		kept.agent.output = NULL;
	}
	if (!agent->is_crash_told)
		kept.agent.reason[0] = '\0';
	record_put(queue_store(agent->set->parts->queue), &agent_kind, agent->spec.name, &kept);
}

bool agent_record_read(struct agent *agent, const struct json *value)
{
	struct kept_agent kept = {.agent = *agent};
	if (!record_read(agent_kind.rows, value, &kept))
		return false;
	*agent = kept.agent;
	agent->was_ready = kept.profile_count > 0;
	kept.profile[0].is_known = agent->was_ready;
	*agent_monitor_profile(agent->monitor) = kept.profile[0];
	agent_monitor_set_brackets(agent->monitor, kept.has_brackets);
	if (!kept.has_exit) {
		agent->exit_status = -1;
		agent->exit_signal = 0;
	}
	if (agent->restarts > AGENT_RESTARTS_MAX)
		agent->restarts = AGENT_RESTARTS_MAX;
	if (agent->is_crash_told)
		agent->state = AGENT_CRASHED;
	return agent->spec.command[0] != NULL &&
	    (agent->is_adopted || (agent->spec.width > 0 && agent->spec.height > 0));
}
