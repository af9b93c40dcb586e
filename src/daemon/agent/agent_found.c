/* SPDX-License-Identifier: ISC */
/*
 * Lists agents that are not kept. Many do not report that Escape ended a turn or a dialog, so the
 * screens of known agents are read too, if an agent has not reported, or has reported work or a
 * question by a hook. The screen overrules the report in three cases: it shows a dialog; it shows a
 * prompt, and the report is at least REPORT_MS old; or it shows work, and a question was reported
 * at least ASKED_MS ago.
 */
#include "daemon/agent/agent_private.h"

#include "daemon/agent/agent.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/tmux/tmux.h"

static const char *const states[] = {
    [PRESENCE_UNKNOWN] = "unknown",
    [PRESENCE_IDLE] = "ready",
    [PRESENCE_BUSY] = "busy",
    [PRESENCE_ASKING] = "blocked",
    [PRESENCE_GONE] = "gone",
};

enum {
	LOOKS_MAX = 32,
	REPORT_MS = 3000, /* a younger report has precedence over a prompt on the screen */
	ASKED_MS = 1000, /* a younger report of a question has precedence over work on the screen */
};

struct sight {
	struct agent_look *look;
	uint32_t pane;
	char name[AGENT_ARGV_NAME_SIZE];
	enum presence_state state;
	int64_t reported_ms; /* 0: no report */
	enum screen_sign_kind sign;
};

struct named {
	uint32_t pane;
	char name[AGENT_ARGV_NAME_SIZE];
};

struct agent_look {
	struct agent_set *set;
	agent_look_fn *done;
	void *data;
	size_t count, pending;
	struct sight sights[LOOKS_MAX];
	struct named *named; /* one for each pane with an agent without a presence */
	size_t named_count;
};

/* presence_has_pane() is a fast check, which is enough for most panes. */
static const struct presence *presence_in(const struct agent_set *set, uint32_t pane)
{
	struct pane_ref ref;
	if (!presence_has_pane(set->parts->presences, pane))
		return NULL;
	pane_ref_of(set->parts->tmux, pane, &ref);
	return presence_of_pane(set->parts->presences, &ref);
}

static void finish(struct agent_look *look)
{
	if (--look->pending > 0)
		return;
	look->done(look->data, look);
	mem_free(look->named);
	mem_free(look);
}

static void on_screen(void *data, int error, const struct pane_screen *screen)
{
	struct sight *sight = data;
	if (error == 0)
		sight->sign =
		    screen_verdict(sight->look->set->parts->signs, sight->name, &screen->view);
	finish(sight->look);
}

static bool name_agent(const struct agent_set *set, const struct muxbus_pane *pane,
    const struct presence *presence, char name[AGENT_ARGV_NAME_SIZE])
{
	if (presence == NULL || presence->state == PRESENCE_UNKNOWN)
		return foreground_agent(pane->pid, set->parts->signs, name);
	snprintf(name, AGENT_ARGV_NAME_SIZE, "%s", presence->agent);
	return true;
}

static void remember(struct agent_look *look, uint32_t pane, const char *name)
{
	struct named *named;
	look->named = xrealloc(look->named, (look->named_count + 1) * sizeof *look->named);
	named = &look->named[look->named_count++];
	named->pane = pane;
	snprintf(named->name, sizeof named->name, "%s", name);
}

static const char *recall(const struct agent_look *look, uint32_t pane)
{
	for (size_t at = 0; at < look->named_count; at++)
		if (look->named[at].pane == pane)
			return look->named[at].name;
	return NULL;
}

static bool is_doubted(
    const struct agent_set *set, const struct presence *presence, const char *name)
{
	bool has_reported = presence != NULL && presence->state != PRESENCE_UNKNOWN;
	return (!has_reported ||
		   (!presence->is_by_mark &&
		       (presence->state == PRESENCE_BUSY || presence->state == PRESENCE_ASKING))) &&
	    screen_sign_has(set->parts->signs, name, SIGN_DIALOG);
}

void agent_found_look(struct agent_set *set, agent_look_fn *done, void *data)
{
	struct agent_look *look = xcalloc(1, sizeof *look);
	struct tmux *tmux = set->parts->tmux;
	const struct muxbus_pane *pane = NULL;
	*look = (struct agent_look){.set = set, .done = done, .data = data, .pending = 1};
	while (tmux_model(tmux) != NULL &&
	    (pane = muxbus_model_next_pane(tmux_model(tmux), pane)) != NULL) {
		const struct presence *presence = presence_in(set, pane->id);
		struct sight *sight = &look->sights[look->count];
		char name[AGENT_ARGV_NAME_SIZE];
		if (pane->is_dead || agent_of_pane(set, pane->id) != NULL ||
		    !name_agent(set, pane, presence, name))
			continue;
		if (presence == NULL)
			remember(look, pane->id, name);
		if (look->count == LOOKS_MAX || !is_doubted(set, presence, name))
			continue;
		memcpy(sight->name, name, sizeof name);
		sight->look = look;
		sight->pane = pane->id;
		sight->state = presence != NULL ? presence->state : PRESENCE_UNKNOWN;
		sight->reported_ms = presence != NULL ? presence->reported_ms : 0;
		sight->sign = SIGN_NONE;
		look->count++;
	}
	look->pending += look->count;
	for (size_t at = 0; at < look->count; at++)
		if (pane_screen_read(tmux, look->sights[at].pane, on_screen, &look->sights[at]) < 0)
			look->pending--;
	finish(look);
}

/* Returns the sight of a pane's screen. NULL: none, or the report has precedence or is newer. */
static const struct sight *find_sight(
    const struct agent_look *look, const struct muxbus_pane *pane, const struct presence *presence)
{
	enum presence_state state = presence != NULL ? presence->state : PRESENCE_UNKNOWN;
	for (size_t at = 0; pane != NULL && at < look->count; at++) {
		const struct sight *sight = &look->sights[at];
		int64_t age_ms = clock_mono_ms() - sight->reported_ms;
		if (sight->pane != pane->id || sight->state != state ||
		    sight->reported_ms != (presence != NULL ? presence->reported_ms : 0))
			continue;
		return sight->sign == SIGN_DIALOG ||
			(age_ms >= REPORT_MS &&
			    (sight->sign == SIGN_IDLE || sight->sign == SIGN_DRAFT)) ||
			(age_ms >= ASKED_MS && sight->sign == SIGN_WORK && state != PRESENCE_BUSY)
		    ? sight
		    : NULL;
	}
	return NULL;
}

static const char *state_of(const struct presence *presence, const struct sight *sight)
{
	if (sight == NULL)
		return states[presence != NULL ? presence->state : PRESENCE_UNKNOWN];
	return sight->sign == SIGN_DIALOG ? states[PRESENCE_ASKING]
	    : sight->sign == SIGN_WORK    ? states[PRESENCE_BUSY]
	    : sight->sign == SIGN_DRAFT   ? "draft"
					  : states[PRESENCE_IDLE];
}

static const char *reason_of(const struct presence *presence, const struct sight *sight)
{
	if (sight != NULL && sight->state == PRESENCE_UNKNOWN)
		return "its screen says so, and it has not reported";
	if (presence == NULL)
		return "its command line names it, and it has not reported";
	if (presence->is_by_mark)
		return "it reports so by marks";
	if (sight == NULL)
		return "it reports so by hooks";
	return sight->sign == SIGN_DIALOG ? "its screen asks a person something"
	    : sight->sign == SIGN_WORK
	    ? "its screen shows work, and its report of a question is older"
	    : "its screen shows its prompt, and its report is older";
}

/*
 * pane NULL: not known. presence NULL: the agent has not reported. sight NULL: the report has
 * precedence over the screen, or the screen was not read.
 */
static void write_found(struct json_writer *writer, const struct agent_set *set, const char *name,
    const struct muxbus_pane *pane, const struct presence *presence, const struct sight *sight)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "agent", name);
	json_put_str(writer, "state", state_of(presence, sight));
	json_put_str(writer, "reason", reason_of(presence, sight));
	if (presence != NULL || sight != NULL)
		json_put_str(writer, "source",
		    sight != NULL              ? "screen"
			: presence->is_by_mark ? "mark"
					       : "hook");
	if (presence != NULL)
		json_put_time(writer, "since", presence->since_ms);
	agent_write_place(writer, set->parts->tmux, pane);
	if (pane != NULL && pane->command != NULL)
		(void)json_put_text(writer, "command", pane->command, strlen(pane->command));
	json_put_bool(writer, "kept", false);
	if (presence != NULL && presence->session[0] != '\0')
		json_put_str(writer, "thread", presence->session);
	if (presence != NULL && presence->question[0] != '\0')
		json_put_str(writer, "question", presence->question);
	json_object_end(writer);
}

static void write_in_panes(struct json_writer *writer, struct agent_set *set,
    const struct agent_look *look, bool is_blocked)
{
	const struct daemon *parts = set->parts;
	next_each (
	    const struct muxbus_pane, pane, muxbus_model_next_pane, tmux_model(parts->tmux)) {
		const struct presence *presence = presence_in(set, pane->id);
		const struct sight *sight = find_sight(look, pane, presence);
		const char *name = presence != NULL ? presence->agent : recall(look, pane->id);
		if (pane->is_dead || name == NULL || agent_of_pane(set, pane->id) != NULL ||
		    is_blocked != (strcmp(state_of(presence, sight), states[PRESENCE_ASKING]) == 0))
			continue;
		write_found(writer, set, name, pane, presence, sight);
	}
}

void agent_write_found(struct json_writer *writer, struct agent_set *set,
    const struct agent_look *look, bool is_blocked)
{
	if (tmux_model(set->parts->tmux) != NULL)
		write_in_panes(writer, set, look, is_blocked);
	/* A process may serve several threads without a known pane; each is listed. */
	next_each (const struct presence, presence, presence_next, set->parts->presences)
		if (presence->pane.pane == MUXBUS_NO_ID &&
		    is_blocked == (presence->state == PRESENCE_ASKING))
			write_found(writer, set, presence->agent, NULL, presence, NULL);
}
