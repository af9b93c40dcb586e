/* SPDX-License-Identifier: ISC */
#include "daemon/pane/presence.h"

#include "base/process.h"
#include "daemon/event/event_log.h"
#include "daemon/pane/expected.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/queue/queue.h"
#include "daemon/tmux/tmux.h"

enum { NAME_SIZE = 200, EVENT_MAX = 4096 };

struct presence_set {
	struct tmux *tmux;
	struct event_log *events;
	struct store *store;
	struct list listeners;
	struct list presences; /* by their last report, oldest first */
};

const char *const presence_state_names[] = {
    [PRESENCE_UNKNOWN] = "unknown",
    [PRESENCE_IDLE] = "idle",
    [PRESENCE_BUSY] = "busy",
    [PRESENCE_ASKING] = "asking",
    [PRESENCE_GONE] = "gone",
};

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

static bool is_word(const char *text, size_t max, const char *allowed)
{
	size_t len = strlen(text);
	return len > 0 && len <= max && strspn(text, allowed) == len && text[0] != '-';
}

const char *presence_check(const char *agent, const char *session)
{
	if (!is_word(agent, PRESENCE_NAME_MAX, LETTERS))
		return "agent: must be 1 to 32 characters of A-Z a-z 0-9 _ . -";
	if (session != NULL && !is_word(session, PRESENCE_SESSION_MAX, LETTERS ":"))
		return "session: must be 1 to 128 characters of A-Z a-z 0-9 _ . : -";
	return NULL;
}

void presence_thread(const char *agent, const char *session, char out[PANE_REF_THREAD_SIZE])
{
	int len = snprintf(out, PANE_REF_THREAD_SIZE, "%s:%s", agent, session);
	if (session[0] == '\0' || len >= PANE_REF_THREAD_SIZE)
		out[0] = '\0';
}

/* Writes an agent's address: its pane, if known, and its thread, if that is not too long. */
static void presence_address(const struct presence *presence, struct pane_ref *ret_address)
{
	*ret_address = presence->pane;
	presence_thread(presence->agent, presence->session, ret_address->thread);
}

bool presence_split(const char *thread, char agent[PRESENCE_NAME_MAX + 1], const char **ret_session)
{
	const char *colon = strchr(thread, ':');
	if (colon == NULL || colon - thread > PRESENCE_NAME_MAX)
		return false;
	snprintf(agent, PRESENCE_NAME_MAX + 1, "%.*s", (int)(colon - thread), thread);
	*ret_session = colon + 1;
	return presence_check(agent, colon + 1) == NULL;
}

static const struct record_field presence_fields[] = {
    {RECORD_ROW(PANE, struct presence, pane, "pane"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct presence, pid, "pid")},
    {RECORD_ROW(UINT64, struct presence, pid_start, "pid_start")},
    {RECORD_ROW(BOOL, struct presence, has_turns, "has_turns")},
    {RECORD_ROW(BOOL, struct presence, is_by_mark, "by_mark"), .is_optional = true},
    {RECORD_ROW(WORD, struct presence, agent, "agent")},
    {RECORD_ROW(WORD, struct presence, session, "session"), .is_optional = true},
};

static const struct record_kind presence_kind = {
    .prefix = "presence/",
    .noun = "the presence of an agent",
    .rows = RECORD_ROWS(presence_fields, "$pane #pid #pid_start ?has_turns $agent $session"),
    .source = SOURCE_POST,
};

/* Returns the name of the record: the pane; without a pane, the agent and its session. */
static const char *presence_name(const struct presence *presence, char out[NAME_SIZE])
{
	char pane[PANE_REF_TEXT_SIZE];
	pane_ref_format(&presence->pane, pane);
	if (presence->pane.pane != MUXBUS_NO_ID)
		snprintf(out, NAME_SIZE, "%s", pane);
	else
		snprintf(out, NAME_SIZE, "-/%s/%s", presence->agent, presence->session);
	return out;
}

static bool is_there(const struct presence_set *set, const struct presence *presence)
{
	if (presence->pid > 0 && process_start_ticks(presence->pid) != presence->pid_start)
		return false;
	return presence->pane.pane == MUXBUS_NO_ID ||
	    pane_fate(set->tmux, &presence->pane) != PANE_GONE;
}

static void presence_remove(struct presence_set *set, struct presence *presence)
{
	char name[NAME_SIZE];
	record_delete(set->store, &presence_kind, presence_name(presence, name));
	list_remove(&presence->link);
	mem_free(presence);
}

static void sweep(struct presence_set *set)
{
	list_each_safe (struct presence, presence, &set->presences, link)
		if (!is_there(set, presence))
			presence_remove(set, presence);
	if (list_count(&set->presences) >= PRESENCES_MAX)
		presence_remove(set, list_entry(set->presences.next, struct presence, link));
}

static struct presence *find(const struct presence_set *set, const struct pane_ref *pane,
    const char *agent, const char *session)
{
	list_each (struct presence, presence, &set->presences, link)
		if (pane->pane != MUXBUS_NO_ID ? pane_ref_same_pane(&presence->pane, pane)
					       : presence->pane.pane == MUXBUS_NO_ID &&
			    strcmp(presence->agent, agent) == 0 &&
			    strcmp(presence->session, session) == 0)
			return presence;
	return NULL;
}

bool presence_has_pane(const struct presence_set *set, uint32_t pane)
{
	list_each (const struct presence, presence, &set->presences, link)
		if (presence->pane.pane == pane)
			return true;
	return false;
}

const struct presence *presence_of_pane(struct presence_set *set, const struct pane_ref *pane)
{
	const struct presence *presence =
	    pane->pane != MUXBUS_NO_ID ? find(set, pane, "", "") : NULL;
	return presence != NULL && is_there(set, presence) ? presence : NULL;
}

const struct presence *presence_of_session(
    struct presence_set *set, const char *agent, const char *session)
{
	const struct presence *presence = NULL, *found = NULL;
	while ((presence = presence_next(set, presence)) != NULL) {
		if (strcmp(presence->agent, agent) != 0 || strcmp(presence->session, session) != 0)
			continue;
		found = presence;
		if (!presence->is_by_mark)
			break;
	}
	return found;
}

const struct presence *presence_next(struct presence_set *set, const struct presence *previous)
{
	const struct list *link = previous == NULL ? set->presences.next : previous->link.next;
	for (; link != &set->presences; link = link->next) {
		const struct presence *presence = list_entry(link, const struct presence, link);
		if (is_there(set, presence))
			return presence;
	}
	return NULL;
}

static void tell(
    struct presence_set *set, const struct presence *presence, enum presence_state before)
{
	struct event_scope scope;
	struct json_writer writer;
	struct buf members;
	tmux_scope_pane(set->tmux, presence->pane.pane, &scope);
	json_start(&writer, &members, EVENT_MAX);
	json_put_id(&writer, "pane", '%', presence->pane.pane);
	json_put_str(&writer, "agent", presence->agent);
	json_put_str(&writer, "session", presence->session[0] != '\0' ? presence->session : NULL);
	json_put_str(&writer, "state", presence_state_names[presence->state]);
	json_put_str(&writer, "before", presence_state_names[before]);
	if (presence->is_by_mark)
		json_put_str(&writer, "by", "mark");
	if (presence->question[0] != '\0')
		json_put_str(&writer, "question", presence->question);
	(void)event_log_publish(set->events, EVENT_AGENT_REPORTED, &scope,
	    (const char *)members.data, members.len, true);
	buf_finish(&members);
}

/*
 * Returns the process for which a mark reports. A messenger in front, such as "muxbus mark" at a
 * shell's prompt, reports for the pane's first process.
 */
static pid_t marker_pid(const struct muxbus_pane *pane)
{
	pid_t front = pane_tty_front_pid(pane->pid);
	char name[64];
	if (front == 0 || !pane_tty_program(front, name, sizeof name) ||
	    foreground_is_messenger(name))
		return pane->pid;
	return front;
}

static pid_t report_pid(const struct presence_set *set, const struct presence_report *report)
{
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(set->tmux), report->pane->pane);
	struct expected expected;
	if (report->pid > 0 || pane == NULL)
		return report->pid;
	/* The agent counts, not the shell that waits for it and lives longer. */
	if (expected_find(set->store, report->pane, &expected) &&
	    expected_place(&expected, pane->pid) == FOREGROUND_IN_FRONT)
		return expected.program.pid;
	return report->is_by_mark ? marker_pid(pane) : pane_tty_front_pid(pane->pid);
}

/*
 * Returns true if a busy or asking agent in the pane has started the session that reports: another
 * session of the same process.
 */
static bool is_nested(
    const struct presence *presence, const struct presence_report *report, pid_t pid)
{
	bool is_same = strcmp(presence->agent, report->agent) == 0 &&
	    (report->session == NULL || presence->session[0] == '\0' ||
		strcmp(presence->session, report->session) == 0);
	return !is_same && pid == presence->pid && presence->state >= PRESENCE_BUSY &&
	    !presence->is_by_mark;
}

static bool is_refused(
    const struct presence *presence, const struct presence_report *report, pid_t pid)
{
	return is_nested(presence, report, pid) || (report->is_by_mark && !presence->is_by_mark);
}

static void set_report(struct presence *presence, const struct presence_report *report, pid_t pid)
{
	snprintf(presence->agent, sizeof presence->agent, "%s", report->agent);
	if (report->session != NULL)
		snprintf(presence->session, sizeof presence->session, "%s", report->session);
	if (report->state != PRESENCE_UNKNOWN || report->question != NULL)
		snprintf(presence->question, sizeof presence->question, "%s",
		    report->question != NULL ? report->question : "");
	presence->is_by_mark = report->is_by_mark;
	/* A hook without a pane may not know its process: keep that of an earlier report. */
	if (pid > 0 || presence->pane.pane != MUXBUS_NO_ID) {
		presence->pid = pid;
		presence->pid_start = pid > 0 ? process_start_ticks(pid) : 0;
	}
	presence->reported_ms = clock_mono_ms();
}

static void set_state(struct presence *presence, enum presence_state state)
{
	if (state == PRESENCE_BUSY) {
		presence->has_turns = true;
		presence->turns +=
		    presence->state == PRESENCE_IDLE || presence->state == PRESENCE_UNKNOWN;
	}
	if (presence->state != state)
		presence->since_ms = clock_real_ms();
	presence->state = state;
}

static struct presence *presence_add(struct presence_set *set, const struct pane_ref *pane)
{
	struct presence *presence = xcalloc(1, sizeof *presence);
	presence->pane = *pane;
	presence->since_ms = clock_real_ms();
	list_append(&set->presences, &presence->link);
	return presence;
}

static void tell_listeners(struct presence_set *set, const struct pane_ref *pane)
{
	list_each_safe (struct presence_listener, listener, &set->listeners, link)
		listener->reported(listener, pane);
}

/* Gives a session without a pane the pane of its report. Returns the pane's presence, or NULL. */
static struct presence *take_seat(struct presence_set *set, struct presence *there,
    const struct pane_ref *pane, const char *agent, const char *session)
{
	struct pane_ref none;
	struct presence *before;
	char name[NAME_SIZE];
	pane_ref_clear(&none);
	before = pane->pane != MUXBUS_NO_ID && session[0] != '\0' ? find(set, &none, agent, session)
								  : NULL;
	if (before == NULL)
		return there;
	if (there != NULL) {
		presence_remove(set, before);
		return there;
	}
	record_delete(set->store, &presence_kind, presence_name(before, name));
	before->pane = *pane;
	return before;
}

bool presence_report(struct presence_set *set, const struct presence_report *report)
{
	const char *session = report->session != NULL ? report->session : "";
	struct presence *presence;
	struct pane_ref address;
	enum presence_state before;
	bool is_new, asks_anew;
	char name[NAME_SIZE];
	pid_t pid;
	sweep(set);
	pid = report_pid(set, report);
	presence = find(set, report->pane, report->agent, session);
	if (presence != NULL && is_refused(presence, report, pid))
		return false;
	if (presence == NULL && report->state == PRESENCE_GONE)
		return true;
	presence = take_seat(set, presence, report->pane, report->agent, session);
	is_new = presence == NULL || strcmp(presence->agent, report->agent) != 0;
	if (presence == NULL)
		presence = presence_add(set, report->pane);
	if (is_new) {
		presence->state = PRESENCE_UNKNOWN;
		presence->has_turns = false;
	}
	asks_anew = report->question != NULL && strcmp(presence->question, report->question) != 0;
	set_report(presence, report, pid);
	list_move(&set->presences, &presence->link);
	before = presence->state;
	if (report->state != PRESENCE_UNKNOWN)
		set_state(presence, report->state);
	record_put(set->store, &presence_kind, presence_name(presence, name), presence);
	presence_address(presence, &address);
	if (report->is_found)
		return true;
	if (is_new || asks_anew || before != presence->state)
		tell(set, presence, before);
	if (presence->state == PRESENCE_GONE)
		presence_remove(set, presence);
	tell_listeners(set, &address);
	return true;
}

void presence_listen(struct presence_set *set, struct presence_listener *listener)
{
	list_append(&set->listeners, &listener->link);
}

static bool presence_load(void *data, const char *name UNUSED, const struct json *value)
{
	struct presence read = {0}, *presence;
	struct list link;
	if (!record_read(presence_kind.rows, value, &read) ||
	    presence_check(read.agent, read.session[0] != '\0' ? read.session : NULL) != NULL)
		return false;
	presence = presence_add(data, &read.pane);
	link = presence->link;
	*presence = read;
	presence->link = link;
	presence->since_ms = clock_real_ms();
	return true;
}

struct presence_set *presence_set_new(
    struct tmux *tmux, struct event_log *events, struct queue *queue)
{
	struct presence_set *set = xcalloc(1, sizeof *set);
	set->tmux = tmux;
	set->events = events;
	set->store = queue_store(queue);
	list_init(&set->listeners);
	list_init(&set->presences);
	queue_load(queue, &presence_kind, presence_load, set);
	return set;
}

struct tmux *presence_set_tmux(const struct presence_set *set)
{
	return set->tmux;
}

void presence_set_free(struct presence_set *set)
{
	if (set == NULL)
		return;
	list_each_safe (struct presence, presence, &set->presences, link)
		mem_free(presence);
	mem_free(set);
}
