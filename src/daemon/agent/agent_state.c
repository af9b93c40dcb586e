/* SPDX-License-Identifier: ISC */
/* The lowest part of agents: names, states, and finding agents. */
#include "daemon/agent/agent_state.h"

#include "daemon/tmux/tmux.h"

char **agent_strings_copy(const char *const *strings, size_t count)
{
	char **copy = xcalloc(count + 1, sizeof *copy);
	for (size_t at = 0; at < count; at++)
		copy[at] = xstrdup(strings[at]);
	return copy;
}

void agent_spec_finish(struct agent_spec *spec)
{
	mem_free_strings(spec->command);
	mem_free_strings(spec->env);
	mem_free(spec->cwd);
	mem_free(spec->prompt);
	*spec = (struct agent_spec){0};
}

static bool is_equal(char *const *one, char *const *other)
{
	for (; *one != NULL && *other != NULL; one++, other++)
		if (strcmp(*one, *other) != 0)
			return false;
	return *one == NULL && *other == NULL;
}

static bool is_same_directory(const char *one, const char *other)
{
	struct stat status, other_status;
	return strcmp(one, other) == 0 ||
	    (stat(one, &status) == 0 && stat(other, &other_status) == 0 &&
		status.st_dev == other_status.st_dev && status.st_ino == other_status.st_ino);
}

const char *agent_spec_difference(const struct agent_spec *one, const struct agent_spec *other)
{
	if (!is_equal(one->command, other->command))
		return "command";
	if (!is_equal(one->env, other->env))
		return "env";
	return is_same_directory(one->cwd, other->cwd) ? NULL : "cwd";
}

const char *const agent_state_names[AGENT_STATE_COUNT_] = {
    [AGENT_STARTING] = "starting",
    [AGENT_READY] = "ready",
    [AGENT_DRAFT] = "draft",
    [AGENT_BUSY] = "busy",
    [AGENT_BLOCKED] = "blocked",
    [AGENT_CRASHED] = "crashed",
    [AGENT_GONE] = "gone",
};

void agent_set_state(struct agent *agent, enum agent_state state, const char *reason)
{
	bool is_new = agent->state != state;
	snprintf(agent->reason, sizeof agent->reason, "%s", reason);
	if (state != AGENT_BLOCKED) {
		agent_question_clear(&agent->question);
		mem_free(agent->place);
		agent->place = NULL;
		agent->asked.is_begun = false;
		agent->is_secret = false;
	}
	if (!is_new)
		return;
	log_debug("agent %s: %s, was %s: %s", agent->spec.name, agent_state_names[state],
	    agent_state_names[agent->state], reason);
	agent->state = state;
	agent->since_ms = clock_real_ms();
	agent->set->callbacks->changed(agent);
}

struct agent *agent_get(const struct agent_set *set, const char *name)
{
	if (set == NULL)
		return NULL;
	list_each (struct agent, agent, &set->agents, link)
		if (strcmp(agent->spec.name, name) == 0)
			return agent;
	return NULL;
}

const struct agent *agent_of_pane(const struct agent_set *set, uint32_t pane)
{
	if (set == NULL)
		return NULL;
	list_each (const struct agent, agent, &set->agents, link)
		if (agent->pane.pane == pane &&
		    pane_fate(set->parts->tmux, &agent->pane) == PANE_THERE)
			return agent;
	return NULL;
}

bool agent_is_free(const struct agent *agent)
{
	return agent->state == AGENT_READY && agent->task_count == 0;
}

bool agent_has_pane(const struct agent *agent)
{
	return agent->pane.pane != MUXBUS_NO_ID &&
	    pane_fate(agent->set->parts->tmux, &agent->pane) == PANE_THERE;
}

bool agent_has_ended(const struct agent *agent)
{
	return agent->state == AGENT_GONE ||
	    (agent->state == AGENT_CRASHED && !agent->is_restarting);
}
