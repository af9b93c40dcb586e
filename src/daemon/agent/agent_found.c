/* SPDX-License-Identifier: ISC */
/* Agents that are not kept, for list_agents. */
#include "daemon/agent/agent_found.h"

#include <muxbus.h>

#include <stdio.h>
#include <string.h>

#include "daemon/agent/agent.h"
#include "daemon/agent/agent_json.h"
#include "daemon/agent/agent_state.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/presence.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/tmux/tmux.h"
#include "wire/json.h"

/* The states of presences in the words of list_agents. */
static const char *const states[] = {
    [PRESENCE_UNKNOWN] = "unknown",
    [PRESENCE_IDLE] = "ready",
    [PRESENCE_BUSY] = "busy",
    [PRESENCE_ASKING] = "blocked",
    [PRESENCE_GONE] = "gone",
};

/* pane: NULL if it is in none. presence: NULL if it has reported nothing. */
static void write_found(struct json_writer *writer, const struct agent_set *set, const char *name,
    const struct muxbus_pane *pane, const struct presence *presence)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "agent", name);
	json_put_str(
	    writer, "state", states[presence != NULL ? presence->state : PRESENCE_UNKNOWN]);
	json_put_str(writer, "reason",
	    presence == NULL           ? "its command line names it, and it has not reported"
		: presence->is_by_mark ? "it reports so by marks"
				       : "it reports so by hooks");
	if (presence != NULL)
		json_put_time(writer, "since", presence->since_ms);
	agent_write_place(writer, set->parts.tmux, pane);
	if (pane != NULL && pane->command != NULL)
		(void)json_put_text(writer, "command", pane->command, strlen(pane->command));
	json_put_bool(writer, "kept", false);
	if (presence != NULL && presence->session[0] != '\0')
		json_put_str(writer, "thread", presence->session);
	if (presence != NULL && presence->question[0] != '\0')
		json_put_str(writer, "question", presence->question);
	json_object_end(writer);
}

static void write_in_panes(struct json_writer *writer, struct agent_set *set, bool is_blocked)
{
	const struct agent_parts *parts = &set->parts;
	const struct muxbus_pane *pane = NULL;
	while ((pane = muxbus_model_next_pane(tmux_model(parts->tmux), pane)) != NULL) {
		char name[AGENT_ARGV_NAME_SIZE];
		const struct presence *presence;
		struct pane_ref ref;
		if (pane->is_dead || agent_is_kept(&set, pane->id))
			continue;
		pane_ref_of(parts->tmux, pane->id, &ref);
		presence = presence_of_pane(parts->presences, &ref);
		if (is_blocked != (presence != NULL && presence->state == PRESENCE_ASKING))
			continue;
		if (presence != NULL)
			snprintf(name, sizeof name, "%s", presence->agent);
		else if (!foreground_agent(pane->pid, parts->signs, name))
			continue;
		write_found(writer, set, name, pane, presence);
	}
}

void agent_write_found(struct json_writer *writer, struct agent_set *set, bool is_blocked)
{
	const struct presence *presence = NULL;
	if (tmux_model(set->parts.tmux) != NULL)
		write_in_panes(writer, set, is_blocked);
	/* One process of an agent may serve threads whose panes are not known. */
	while ((presence = presence_next(set->parts.presences, presence)) != NULL) {
		if (presence->pane.pane == MUXBUS_NO_ID &&
		    is_blocked == (presence->state == PRESENCE_ASKING))
			write_found(writer, set, presence->agent, NULL, presence);
	}
}
