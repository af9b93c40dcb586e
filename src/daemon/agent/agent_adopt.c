/* SPDX-License-Identifier: ISC */
/* Adopts an agent that a person started in a pane. The pane stays as it is. */
#include "daemon/agent/agent_private.h"

#include "base/process.h"
#include "daemon/agent/agent_monitor.h"
#include "daemon/queue/consumer.h"
#include "daemon/server/handler.h"
#include "daemon/server/peer.h"
#include "io/loop_pidfd.h"

enum { NUMBER_SIZE = 4, EXIT_JSON_MAX = 4096 };

/* Sets the name, cut to size, with '_' for characters that names cannot have; never empty. */
static void set_name(struct agent_adoptee *adoptee, const char *name)
{
	snprintf(adoptee->name, sizeof adoptee->name, "%.*s", AGENT_NAME_MAX - NUMBER_SIZE, name);
	for (char *at = adoptee->name; *at != '\0'; at++) {
		const char letter[] = {*at, '\0'};
		if (!consumer_name_is_valid(letter))
			*at = '_';
	}
	if (adoptee->name[0] == '\0')
		snprintf(adoptee->name, sizeof adoptee->name, "agent");
}

/*
 * Returns true if a program such as ssh is in front, which hides the agent's process, and the agent
 * has reported by a mark in its output less than AGENT_MARK_LIVE_MS ago.
 */
static bool is_live_mark(const struct presence *presence, const struct agent_adoptee *adoptee)
{
	return foreground_is_carrier(adoptee->front.name) && presence->reported_ms > 0 &&
	    clock_mono_ms() - presence->reported_ms < AGENT_MARK_LIVE_MS;
}

static bool find_agent(
    const struct daemon *parts, const struct muxbus_pane *pane, struct agent_adoptee *adoptee)
{
	const struct presence *presence;
	char name[AGENT_ARGV_NAME_SIZE];
	struct pane_ref ref;
	if (foreground_agent(pane->pid, parts->signs, name)) {
		set_name(adoptee, name);
		return true;
	}
	pane_ref_of(parts->tmux, pane->id, &ref);
	presence = presence_of_pane(parts->presences, &ref);
	if (presence == NULL || presence->pid != adoptee->front.pid)
		return false;
	if (presence->is_by_mark && adoptee->front.is_shell && !is_live_mark(presence, adoptee))
		return false;
	set_name(adoptee, presence->agent);
	return true;
}

bool agent_adopt_look(const struct daemon *parts, struct request *request,
    const struct muxbus_pane *pane, struct agent_adoptee *ret_adoptee)
{
	const struct peer *peer = request_peer(request);
	pid_t asker = peer != NULL ? peer_pid(peer) : 0;
	struct foreground *front = &ret_adoptee->front;
	foreground_read(pane->pid, front);
	if (pane->is_dead || !front->is_known)
		return request_fail(request, MESSAGE_REFUSED,
		    pane->is_dead ? "the program of pane %%%" PRIu32 " has ended"
				  : "the program in front of pane %%%" PRIu32 " cannot be seen",
		    pane->id);
	set_name(ret_adoptee, front->name);
	ret_adoptee->is_known_agent = find_agent(parts, pane, ret_adoptee);
	if (ret_adoptee->is_known_agent)
		return true;
	if (front->is_shell)
		return request_fail(request, MESSAGE_REFUSED,
		    "no agent is in front of pane %%%" PRIu32
		    ", only %.40s: start one there first, or give its command without a pane",
		    pane->id, front->name);
	if (asker == front->pid || foreground_is_below(asker, front->pid))
		return request_fail(request, MESSAGE_REFUSED,
		    "in front of pane %%%" PRIu32 " is %.40s, which asks this itself", pane->id,
		    front->name);
	return true;
}

void agent_adopt_name(const struct agent_set *set, const char *kind, char out[AGENT_NAME_MAX + 1])
{
	const struct agent *agent;
	unsigned number = 1;
	snprintf(out, AGENT_NAME_MAX + 1, "%s", kind);
	while ((agent = agent_get(set, out)) != NULL &&
	    (!agent->is_adopted || agent->program.pid != 0) && number < AGENTS_MAX)
		snprintf(out, AGENT_NAME_MAX + 1, "%s-%u", kind, ++number);
}

void agent_adopt_spec(
    const struct agent_adoptee *adoptee, const struct muxbus_pane *pane, struct agent_spec *spec)
{
	char identity[AGENT_ARGV_IDENTITY_SIZE];
	const char *command[] = {identity};
	if (!foreground_identity_of(adoptee->front.pid, identity))
		snprintf(identity, sizeof identity, "%s", adoptee->name);
	spec->command = agent_strings_copy(command, 1);
	spec->env = agent_strings_copy(NULL, 0);
	spec->cwd = xstrdup(pane->path != NULL ? pane->path : "");
}

void agent_adopt_take(struct agent *agent, const struct agent_adoptee *adoptee, uint32_t pane)
{
	const struct foreground *front = &adoptee->front;
	pane_ref_of(agent->set->parts->tmux, pane, &agent->pane);
	agent->is_adopted = true;
	agent->program = (struct foreground_program){front->pid, front->start};
	agent->started_ms = clock_real_ms() - process_age_ms(front->start);
	agent->restarts = 0;
	agent->was_ready = agent->is_restarting = agent->is_crash_told = false;
	agent->exit_status = -1;
	agent->exit_signal = 0;
	*agent_monitor_profile(agent->monitor) = (struct prompt_profile){0};
	/* Known agents take bracketed paste. */
	agent_monitor_set_brackets(agent->monitor, adoptee->is_known_agent);
}

static void on_end(void *data)
{
	struct agent *agent = data;
	agent->set->callbacks->ended(agent);
}

bool agent_adopt_watch(struct agent *agent)
{
	struct prompt_profile *profile = agent_monitor_profile(agent->monitor);
	profile->is_fixed = true;
	profile->pid = agent->program.pid;
	profile->start = agent->program.start;
	if (profile->name[0] == '\0' &&
	    !pane_tty_program(profile->pid, profile->name, sizeof profile->name))
		profile->name[0] = '\0';
	if (agent->end_watch != NULL)
		return true;
	if (!foreground_lives(agent->program.pid, agent->program.start))
		return false;
	/* tmux reports the end of the pane's first process. */
	if (agent->program.pid == agent->pane.pane_pid)
		return true;
	/* If no descriptor is free, the looks at the screen find the end instead. */
	agent->end_watch = loop_pidfd_new(agent->set->parts->base,
	    process_open(agent->program.pid, agent->program.start), on_end, agent);
	return true;
}

void agent_adopt_note_exit(struct agent *agent, const struct event_entry *event)
{
	struct json_reader *reader;
	const struct json *members;
	struct json_error error;
	struct buf text = BUF(EXIT_JSON_MAX);
	int64_t number;
	if (!agent->is_adopted || agent->program.pid != agent->pane.pane_pid)
		return;
	reader = json_reader_new(EXIT_JSON_MAX);
	(void)buf_printf(&text, "{%.*s}", (int)event->json_len, event->json);
	members = json_read(reader, (const char *)text.data, text.len, &error);
	if (json_int(json_member(members, "exit_status"), &number))
		agent->exit_status = (int)number;
	if (json_int(json_member(members, "signal"), &number))
		agent->exit_signal = (int)number;
	json_reader_free(reader);
	buf_finish(&text);
}

void agent_adopt_forget(struct agent *agent)
{
	loop_pidfd_free(agent->end_watch);
	agent->end_watch = NULL;
	agent->program = (struct foreground_program){0};
	agent_monitor_drop(agent->monitor);
	pane_ref_clear(&agent->pane);
}
