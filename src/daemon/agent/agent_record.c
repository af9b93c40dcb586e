/* SPDX-License-Identifier: ISC */
#include "daemon/agent/agent_record.h"

#include <muxbus.h>

#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/agent_state.h"
#include "daemon/queue/queue.h"

/* An agent as the store has it. */
struct kept_agent {
	struct agent_spec plan;
	struct pane_ref pane, teller, maker;
	int64_t started_ms;
	bool has_brackets, is_crash_told, is_restarting;
	unsigned restarts;
	char reason[AGENT_REASON_SIZE]; /* of the last crash */
	bool has_exit;
	int exit_status, exit_signal;
	char *output;
	struct prompt_profile profile[1];
	size_t profile_count; /* 0: its prompt is unknown */
	bool is_adopted;
	struct foreground_program program; /* if is_adopted */
	char *conversation;
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
    {RECORD_ROW(WORD, struct kept_agent, plan.name, "name")},
    {RECORD_ROW(STRINGS, struct kept_agent, plan.command, "command")},
    {RECORD_ROW(STRINGS, struct kept_agent, plan.env, "env")},
    {RECORD_ROW(TEXT, struct kept_agent, plan.cwd, "cwd")},
    {RECORD_ROW(TEXT, struct kept_agent, plan.prompt, "prompt"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_agent, plan.width, "width")},
    {RECORD_ROW(NATURAL, struct kept_agent, plan.height, "height")},
    {RECORD_ROW(NATURAL, struct kept_agent, plan.history_limit, "history_limit")},
    {RECORD_ROW(NATURAL, struct kept_agent, plan.startup_timeout_ms, "startup_timeout_ms")},
    {RECORD_ROW(BOOL, struct kept_agent, plan.wants_notices, "notices"), .is_optional = true},
    {RECORD_ROW(PANE, struct kept_agent, pane, "pane"), .is_optional = true},
    {RECORD_ROW(PANE, struct kept_agent, teller, "teller"), .is_optional = true},
    {RECORD_ROW(THREAD, struct kept_agent, teller, "teller_thread"), .is_optional = true},
    {RECORD_ROW(PANE, struct kept_agent, maker, "maker"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_agent, started_ms, "started_ms")},
    {RECORD_ROW(BOOL, struct kept_agent, has_brackets, "brackets")},
    {RECORD_ROW(BOOL, struct kept_agent, is_crash_told, "crashed"), .is_optional = true},
    {RECORD_ROW(BOOL, struct kept_agent, is_restarting, "restarting"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_agent, restarts, "restarts"), .is_optional = true},
    {RECORD_ROW(WORD, struct kept_agent, reason, "reason"), .is_optional = true},
    {RECORD_ROW(BOOL, struct kept_agent, has_exit, "ended"), .is_optional = true},
    {RECORD_ROW(INT, struct kept_agent, exit_status, "exit_status"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_agent, exit_signal, "signal"), .is_optional = true},
    {RECORD_ROW(TEXT, struct kept_agent, output, "output"), .is_optional = true},
    {RECORD_ROW(LIST, struct kept_agent, profile, "habit"), .is_optional = true, .values = 1,
	.count_offset = offsetof(struct kept_agent, profile_count),
	.rows = RECORD_ROWS(profile_fields, NULL)},
    {RECORD_ROW(BOOL, struct kept_agent, is_adopted, "adopted"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct kept_agent, program.pid, "program_pid"), .is_optional = true},
    {RECORD_ROW(UINT64, struct kept_agent, program.start, "program_start"), .is_optional = true},
    {RECORD_ROW(TEXT, struct kept_agent, conversation, "conversation"), .is_optional = true},
};

const struct record_kind agent_kind = {.prefix = "agent/",
    .noun = "an agent",
    .rows = RECORD_ROWS(agent_fields, NULL),
    .source = SOURCE_COMMAND};

void agent_store(const struct agent *agent)
{
	const struct prompt_profile *profile = agent_monitor_profile(agent->monitor);
	struct kept_agent kept = {
	    .plan = agent->plan,
	    .pane = agent->pane,
	    .teller = agent->teller,
	    .maker = agent->maker.pane,
	    .started_ms = agent->started_ms,
	    .has_brackets = agent_monitor_brackets(agent->monitor),
	    .is_crash_told = agent->is_crash_told,
	    .is_restarting = agent->is_restarting,
	    .restarts = agent->restarts,
	    .profile = {*profile},
	    .profile_count = profile->is_known,
	    .is_adopted = agent->is_adopted,
	    .program = agent->program,
	    .conversation = agent->conversation,
	};
	kept.has_exit = agent->is_crash_told && agent->pane.pane == MUXBUS_NO_ID;
	if (kept.has_exit) {
		kept.exit_status = agent->exit_status;
		kept.exit_signal = agent->exit_signal;
		kept.output = agent->output;
	}
	if (agent->is_crash_told)
		memcpy(kept.reason, agent->reason, sizeof kept.reason);
	record_put(queue_store(agent->set->parts->queue), &agent_kind, agent->plan.name, &kept);
}

bool agent_record_read(struct agent *agent, const struct json *value)
{
	struct kept_agent kept = {0};
	if (!record_read(agent_kind.rows, value, &kept))
		return false;
	agent->plan = kept.plan;
	agent->pane = kept.pane;
	agent->teller = kept.teller;
	agent->maker.pane = kept.maker;
	agent->output = kept.output;
	agent->conversation = kept.conversation;
	agent->started_ms = kept.started_ms;
	agent->was_ready = kept.profile_count > 0;
	kept.profile[0].is_known = agent->was_ready;
	*agent_monitor_profile(agent->monitor) = kept.profile[0];
	agent_monitor_set_brackets(agent->monitor, kept.has_brackets);
	if (kept.has_exit) {
		agent->exit_status = kept.exit_status;
		agent->exit_signal = kept.exit_signal;
	}
	agent->is_crash_told = kept.is_crash_told;
	agent->is_restarting = kept.is_restarting;
	agent->restarts = kept.restarts < AGENT_RESTARTS_MAX ? kept.restarts : AGENT_RESTARTS_MAX;
	if (kept.is_crash_told) {
		agent->state = AGENT_CRASHED;
		memcpy(agent->reason, kept.reason, sizeof agent->reason);
	}
	agent->is_adopted = kept.is_adopted;
	agent->program = kept.program;
	return kept.plan.command[0] != NULL &&
	    (kept.is_adopted || (kept.plan.width > 0 && kept.plan.height > 0));
}
