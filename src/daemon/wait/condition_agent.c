/* SPDX-License-Identifier: ISC */
/* The condition agent_state: an agent, kept or one that reports itself, reaches a state. */
#include "daemon/agent/agent.h"
#include "daemon/server/handler.h"
#include "daemon/wait/condition.h"
#include "io/loop_timer.h"

/* No event reports the end of a process that is not kept: it is looked for at this interval. */
enum { LOOK_MS = 5000, NAME_SIZE = 128 };

enum wanted_state { STATE_READY, STATE_IDLE, STATE_BUSY, STATE_ASKING, STATE_GONE, STATE_OTHER };

static const char *const state_names[] = {
    [STATE_READY] = "ready",
    [STATE_IDLE] = "idle",
    [STATE_BUSY] = "busy",
    [STATE_ASKING] = "asking",
    [STATE_GONE] = "gone",
    [STATE_OTHER] = NULL,
};

struct agent_watch {
	struct condition *condition;
	struct event_log_listener listener;
	struct loop_timer *timer;
	enum wanted_state wanted;
	char name[NAME_SIZE]; /* "": any agent in the pane */
	struct pane_ref pane; /* cleared: any pane */
	bool was_seen;
};

struct agent_args {
	int agent_state;
	const char *agent, *pane;
};

static const struct field agent_fields[] = {
    {FIELD_ROW(CHOICE, struct agent_args, agent_state, "agent_state"), .flags = FIELD_REQUIRED,
	.choices = state_names, .help = "The state to reach; idle is another word for ready."},
    {FIELD_ROW(STRING, struct agent_args, agent, "agent"), .min = 1, .max = NAME_SIZE - 1,
	.help = "The name that ensure_agent gave it, or under which it reports itself."},
    {FIELD_ROW(STRING, struct agent_args, pane, "pane"),
	.help = "The pane that the agent is in; with neither, the caller's own."},
    {.name = NULL},
};

static const struct agent *find_kept(const struct agent_watch *watch)
{
	const struct agent_set *agents = watch->condition->parts->agents;
	const struct agent *agent;
	if (watch->pane.pane == MUXBUS_NO_ID)
		return agent_get(agents, watch->name);
	agent = agent_of_pane(agents, watch->pane.pane);
	return agent != NULL && watch->name[0] != '\0' && agent != agent_get(agents, watch->name)
	    ? NULL
	    : agent;
}

static const struct presence *find_presence(const struct agent_watch *watch)
{
	struct presence_set *presences = watch->condition->parts->presences;
	const struct presence *presence = NULL;
	if (watch->pane.pane != MUXBUS_NO_ID) {
		presence = presence_of_pane(presences, &watch->pane);
		return presence != NULL && watch->name[0] != '\0' &&
			strcmp(presence->agent, watch->name) != 0
		    ? NULL
		    : presence;
	}
	while ((presence = presence_next(presences, presence)) != NULL)
		if (strcmp(presence->agent, watch->name) == 0)
			return presence;
	return NULL;
}

static enum wanted_state kept_state(const struct agent *agent)
{
	switch (agent->state) {
	case AGENT_READY:
		return agent_is_free(agent) ? STATE_READY : STATE_BUSY;
	case AGENT_BUSY:
		return STATE_BUSY;
	case AGENT_BLOCKED:
		return STATE_ASKING;
	default:
		return agent_has_ended(agent) ? STATE_GONE : STATE_OTHER;
	}
}

static const enum wanted_state presence_states[] = {
    [PRESENCE_UNKNOWN] = STATE_OTHER,
    [PRESENCE_IDLE] = STATE_READY,
    [PRESENCE_BUSY] = STATE_BUSY,
    [PRESENCE_ASKING] = STATE_ASKING,
    [PRESENCE_GONE] = STATE_GONE,
};

static void settle(struct agent_watch *watch, const struct agent *kept,
    const struct presence *presence, enum condition_state state)
{
	struct condition *condition = watch->condition;
	struct json_writer writer;
	condition_begin_details(condition, &writer);
	json_put_str(&writer, "by", kept != NULL ? "agent" : "report");
	if (kept != NULL) {
		agent_write(&writer, kept);
	} else {
		const char *name = presence != NULL ? presence->agent : watch->name;
		uint32_t pane = presence != NULL ? presence->pane.pane : watch->pane.pane;
		json_put_str(&writer, "agent", name[0] != '\0' ? name : NULL);
		json_put_str(&writer, "state",
		    presence != NULL ? presence_state_names[presence->state] : "gone");
		if (pane != MUXBUS_NO_ID)
			json_put_id(&writer, "pane", '%', pane);
	}
	condition_end_details(condition, &writer, state);
}

static void look(struct agent_watch *watch)
{
	const struct agent *kept = find_kept(watch);
	const struct presence *presence = kept == NULL ? find_presence(watch) : NULL;
	bool is_seen = kept != NULL || presence != NULL;
	enum wanted_state state = STATE_OTHER;
	if (watch->condition->state != CONDITION_PENDING)
		return;
	if (kept != NULL)
		state = kept_state(kept);
	else if (presence != NULL)
		state = presence_states[presence->state];
	else if (watch->was_seen || watch->wanted == STATE_GONE)
		state = STATE_GONE;
	watch->was_seen |= is_seen;
	if (state == watch->wanted)
		settle(watch, kept, presence, CONDITION_MATCHED);
	else if (state == STATE_GONE)
		settle(watch, kept, presence, CONDITION_GONE);
}

static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct agent_watch *watch = list_entry(listener, struct agent_watch, listener);
	bool is_lost = event->kind == EVENT_SERVER_LOST ||
	    (event->kind == EVENT_PANE_CLOSED && watch->pane.pane != MUXBUS_NO_ID &&
		event->scope.pane == watch->pane.pane);
	if (event->kind == EVENT_AGENT_STATE || event->kind == EVENT_AGENT_REPORTED)
		look(watch);
	else if (is_lost && watch->condition->state == CONDITION_PENDING)
		settle(watch, NULL, NULL,
		    watch->wanted == STATE_GONE ? CONDITION_MATCHED : CONDITION_GONE);
}

static void on_timer(void *data)
{
	struct agent_watch *watch = data;
	look(watch);
	if (watch->condition->state == CONDITION_PENDING)
		loop_timer_arm(watch->timer, LOOK_MS);
}

static bool check_name(const struct agent_watch *watch, struct request *request)
{
	const struct presence *first = NULL, *other = NULL;
	if (watch->pane.pane != MUXBUS_NO_ID || find_kept(watch) != NULL)
		return true;
	first = other = find_presence(watch);
	if (first == NULL)
		return request_fail(request, MESSAGE_NO_SUCH_AGENT,
		    "there is no agent \"%.40s\": see list_agents, or give its pane", watch->name);
	while ((other = presence_next(watch->condition->parts->presences, other)) != NULL) {
		if (strcmp(other->agent, watch->name) != 0)
			continue;
		return request_fail_field(request, "agent",
		    "several agents report themselves as \"%.40s\": give the pane of one",
		    watch->name);
	}
	return true;
}

static bool agent_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct agent_args *args = data;
	struct agent_watch *watch = xcalloc(1, sizeof *watch);
	const struct muxbus_pane *pane;
	bool is_good, has_pane = args->pane != NULL || args->agent == NULL;
	watch->condition = condition;
	watch->wanted =
	    args->agent_state == STATE_IDLE ? STATE_READY : (enum wanted_state)args->agent_state;
	pane_ref_clear(&watch->pane);
	snprintf(watch->name, sizeof watch->name, "%s", args->agent != NULL ? args->agent : "");
	is_good = !has_pane || target_pane(request, args->pane, &pane);
	if (has_pane && is_good)
		pane_ref_of(condition->parts->tmux, pane->id, &watch->pane);
	if (!is_good || !check_name(watch, request)) {
		mem_free(watch);
		return false;
	}
	condition->pane = watch->pane.pane;
	condition->watch = watch;
	watch->listener.event = on_event;
	event_log_listen(condition->parts->events, &watch->listener);
	watch->timer = loop_timer_new(condition->parts->base, on_timer, watch);
	loop_timer_arm(watch->timer, LOOK_MS);
	look(watch);
	return true;
}

static void agent_disarm(struct condition *condition)
{
	struct agent_watch *watch = condition->watch;
	list_remove(&watch->listener.link);
	loop_timer_free(watch->timer);
	mem_free(watch);
}

const struct condition_kind condition_kinds_agent[] = {
    {.name = "agent_state",
	.help = "An agent is ready (also: idle), busy, asking or gone.",
	.about = "The state is that of list_agents for an agent kept by ensure_agent (asking "
		 "stands for blocked, gone also for crashed if it is not started again, and "
		 "ready says that no task waits for it), else the one "
		 "that the agent reports by its hooks. by says which: agent or report. In a pane "
		 "without an agent, the first report is waited for. A process that ends without "
		 "a word is gone within five seconds; then other states can no more be reached.",
	.example = "{\"agent_state\":\"asking\",\"agent\":\"builder\"}",
	CONDITION_OF_PANE("pane"),
	FIELDS_OF(agent_args, agent_fields),
	.arm = agent_arm,
	.disarm = agent_disarm},
    {.name = NULL},
};
