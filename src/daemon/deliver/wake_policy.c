/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/wake_policy.h"

#include <time.h>

#include "daemon/queue/queue.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

enum {
	DAY_MINUTES = 24 * 60,
	DAY_MS = DAY_MINUTES * 60 * 1000,
	HOP = 15 * 60, /* seconds between the times at which a time zone may change its clock */
	HOPS_MAX = 2 * DAY_MINUTES / 15,
	LOOK_MS = 60000, /* longest time until the wall clock is read again, as it may be set */
	SOURCES_SIZE = 160,
	KEY_SIZE = PANE_REF_TEXT_SIZE + PRESENCE_NAME_MAX + 8,
};

#define AGENT_PREFIX "agent:"

struct wake_policy_set {
	const struct daemon *parts;
	struct list policies, listeners;
	struct loop_timer *timer;
	int64_t next_ms; /* CLOCK_REALTIME at which the next notification is due; 0: none */
};

struct policy_kept {
	char *sources; /* names, with a space before each */
	char *quiet; /* NULL: none */
	int64_t window_ms;
};

static const struct record_field kept_fields[] = {
    {RECORD_ROW(TEXT, struct policy_kept, sources, "sources")},
    {RECORD_ROW(TEXT, struct policy_kept, quiet, "quiet"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct policy_kept, window_ms, "window_ms")},
};

static const struct record_kind policy_kind = {.prefix = "wake/",
    .noun = "a wake policy",
    .rows = RECORD_ROWS(kept_fields, NULL),
    .source = SOURCE_POST};

void wake_policy_init(struct wake_policy *policy)
{
	*policy = (struct wake_policy){0};
	pane_ref_clear(&policy->pane);
	for (size_t at = 0; at < SOURCE_COUNT_; at++)
		policy->wakes[at] = true;
}

static bool has_quiet(const struct wake_policy *policy)
{
	return policy->quiet_from != policy->quiet_to;
}

bool wake_policy_is_default(const struct wake_policy *policy)
{
	for (size_t at = 0; at < SOURCE_COUNT_; at++)
		if (!policy->wakes[at])
			return false;
	return policy->window_ms == 0 && !has_quiet(policy);
}

bool wake_policy_read_quiet(struct wake_policy *policy, const char *text)
{
	unsigned hour[2], minute[2];
	char canonical[WAKE_QUIET_SIZE + 32];
	if (strlen(text) != WAKE_QUIET_SIZE - 1 ||
	    sscanf(text, "%2u:%2u-%2u:%2u", &hour[0], &minute[0], &hour[1], &minute[1]) != 4)
		return false;
	(void)snprintf(canonical, sizeof canonical, "%02u:%02u-%02u:%02u", hour[0], minute[0],
	    hour[1], minute[1]);
	if (strcmp(text, canonical) != 0 || hour[0] > 23 || hour[1] > 23 || minute[0] > 59 ||
	    minute[1] > 59)
		return false;
	policy->quiet_from = (int)(hour[0] * 60 + minute[0]);
	policy->quiet_to = (int)(hour[1] * 60 + minute[1]);
	return has_quiet(policy);
}

static void write_quiet(const struct wake_policy *policy, char out[WAKE_QUIET_SIZE])
{
	unsigned from = (unsigned)policy->quiet_from % DAY_MINUTES;
	unsigned to = (unsigned)policy->quiet_to % DAY_MINUTES;
	(void)snprintf(
	    out, WAKE_QUIET_SIZE, "%02u:%02u-%02u:%02u", from / 60, from % 60, to / 60, to % 60);
}

static bool is_quiet(const struct wake_policy *policy, int64_t real_ms)
{
	time_t seconds = (time_t)(real_ms / 1000);
	struct tm local;
	int minute;
	if (!has_quiet(policy) || localtime_r(&seconds, &local) == NULL)
		return false;
	minute = local.tm_hour * 60 + local.tm_min;
	if (policy->quiet_from < policy->quiet_to)
		return minute >= policy->quiet_from && minute < policy->quiet_to;
	return minute >= policy->quiet_from || minute < policy->quiet_to;
}

/*
 * Returns when the quiet hours end: when the local clock shows quiet_to next. At a change between
 * summer and winter time (daylight saving), the clock may skip the hour that has quiet_to, or show
 * it twice; then the first time counts that is not quiet. Time zones are taken to change their
 * clocks at full quarters of an hour. Returns real_ms if no end is found.
 */
static int64_t quiet_end_ms(const struct wake_policy *policy, int64_t real_ms)
{
	time_t at = (time_t)(real_ms / 1000), next;
	struct tm local, then;
	int left;
	for (int hops = 0; hops < HOPS_MAX && localtime_r(&at, &local) != NULL; hops++) {
		left = policy->quiet_to * 60 -
		    ((local.tm_hour * 60 + local.tm_min) * 60 + local.tm_sec);
		next = at + (left > 0 ? left : left + DAY_MINUTES * 60);
		if (localtime_r(&next, &then) == NULL)
			break;
		if (then.tm_gmtoff == local.tm_gmtoff)
			return (int64_t)next * 1000;
		at += HOP - at % HOP;
		at = at < next ? at : next;
		if (is_quiet(policy, (int64_t)(at - 1) * 1000) &&
		    !is_quiet(policy, (int64_t)at * 1000))
			return (int64_t)at * 1000;
	}
	return real_ms;
}

int64_t wake_policy_due_ms(
    const struct wake_policy *policy, const struct notification *note, int64_t now_ms)
{
	/*
	 * A notification from the future: the clock was set back, so its time is ignored. Quiet hours
	 * that have just ended count, else each look would find only the end of the next ones.
	 */
	bool is_back = note->time_ms > now_ms;
	int64_t due_ms = is_back ? now_ms : note->time_ms, at_ms;
	if (note->is_urgent)
		return due_ms;
	tzset(); /* the system's time zone may have changed */
	if (policy->wakes[note->source])
		due_ms += is_back ? 0 : policy->window_ms;
	else if (!has_quiet(policy))
		return INT64_MAX;
	else if (note->time_ms - now_ms < DAY_MS)
		due_ms = quiet_end_ms(policy, is_back ? now_ms - LOOK_MS : note->time_ms);
	at_ms = due_ms > now_ms ? due_ms : now_ms; /* a time in the past counts as now */
	return is_quiet(policy, at_ms) ? quiet_end_ms(policy, at_ms) : due_ms;
}

void wake_policy_write(struct json_writer *writer, const struct wake_policy *policy)
{
	char quiet[WAKE_QUIET_SIZE];
	if (policy->agent[0] != '\0')
		json_put_str(writer, "agent", policy->agent);
	else
		json_put_id(writer, "pane", '%', policy->pane.pane);
	json_array_begin(writer, "sources");
	for (size_t at = 0; at < SOURCE_COUNT_; at++) {
		if (policy->wakes[at])
			json_put_str(writer, NULL, notification_source_names[at]);
	}
	json_array_end(writer);
	json_put_int(writer, "window_ms", policy->window_ms);
	write_quiet(policy, quiet);
	json_put_str(writer, "quiet_hours", has_quiet(policy) ? quiet : NULL);
}

static void write_key(const struct wake_policy *policy, char out[KEY_SIZE])
{
	if (policy->agent[0] != '\0')
		(void)snprintf(out, KEY_SIZE, AGENT_PREFIX "%s", policy->agent);
	else
		pane_ref_format(&policy->pane, out);
}

static void keep(const struct wake_policy_set *set, const struct wake_policy *policy)
{
	char key[KEY_SIZE], sources[SOURCES_SIZE] = "", quiet[WAKE_QUIET_SIZE];
	struct policy_kept kept = {.sources = sources, .window_ms = policy->window_ms};
	size_t len = 0;
	for (size_t at = 0; at < SOURCE_COUNT_; at++) {
		if (policy->wakes[at] && len < sizeof sources)
			len += (size_t)snprintf(sources + len, sizeof sources - len, " %s",
			    notification_source_names[at]);
	}
	write_quiet(policy, quiet);
	kept.quiet = has_quiet(policy) ? quiet : NULL;
	write_key(policy, key);
	record_put(queue_store(set->parts->queue), &policy_kind, key, &kept);
}

static void add(struct wake_policy_set *set, const struct wake_policy *policy)
{
	struct wake_policy *copy = xcalloc(1, sizeof *copy);
	*copy = *policy;
	list_append(&set->policies, &copy->link);
}

static void remove_policy(struct wake_policy *policy)
{
	list_remove(&policy->link);
	mem_free(policy);
}

static bool load(void *data, const char *name, const struct json *value)
{
	struct wake_policy_set *set = data;
	struct wake_policy policy;
	struct policy_kept kept = {0};
	bool is_valid;
	char *left, *word;
	wake_policy_init(&policy);
	if (strncmp(name, AGENT_PREFIX, strlen(AGENT_PREFIX)) == 0)
		(void)snprintf(
		    policy.agent, sizeof policy.agent, "%s", name + strlen(AGENT_PREFIX));
	else if (!pane_ref_parse(name, &policy.pane))
		return false;
	if (list_count(&set->policies) >= WAKE_POLICIES_MAX ||
	    !record_read(policy_kind.rows, value, &kept))
		return false;
	memset(policy.wakes, 0, sizeof policy.wakes);
	word = strtok_r(kept.sources, " ", &left);
	for (; word != NULL; word = strtok_r(NULL, " ", &left)) {
		for (size_t at = 0; at < SOURCE_COUNT_; at++)
			policy.wakes[at] |= strcmp(word, notification_source_names[at]) == 0;
	}
	policy.window_ms = kept.window_ms;
	is_valid = kept.window_ms <= WAKE_WINDOW_MAX_MS &&
	    (kept.quiet == NULL || wake_policy_read_quiet(&policy, kept.quiet));
	record_finish(policy_kind.rows, &kept);
	if (is_valid)
		add(set, &policy);
	return is_valid;
}

static void notify(void *data)
{
	struct wake_policy_set *set = data;
	set->next_ms = 0;
	list_each_safe (struct wake_policy_listener, listener, &set->listeners, link)
		listener->due(listener);
}

static void forget(struct wake_policy_set *set, const struct wake_policy *same)
{
	list_each_safe (struct wake_policy, policy, &set->policies, link) {
		bool is_same = strcmp(policy->agent, same->agent) == 0 &&
		    pane_ref_same_pane(&policy->pane, &same->pane);
		char key[KEY_SIZE];
		if (!is_same &&
		    (policy->agent[0] != '\0' ||
			pane_fate(set->parts->tmux, &policy->pane) != PANE_GONE))
			continue;
		write_key(policy, key);
		record_delete(queue_store(set->parts->queue), &policy_kind, key);
		remove_policy(policy);
	}
}

bool wake_policy_put(struct wake_policy_set *set, const struct wake_policy *policy)
{
	bool is_kept = !wake_policy_is_default(policy), has_room;
	queue_begin(set->parts->queue);
	forget(set, policy);
	has_room = list_count(&set->policies) < WAKE_POLICIES_MAX;
	if (is_kept && has_room) {
		add(set, policy);
		keep(set, policy);
	}
	(void)queue_commit(set->parts->queue);
	loop_timer_wake(set->timer);
	return !is_kept || has_room;
}

const struct wake_policy *wake_policy_next(
    const struct wake_policy_set *set, const struct wake_policy *previous)
{
	const struct list *link = previous != NULL ? previous->link.next : set->policies.next;
	return link != &set->policies ? list_entry(link, const struct wake_policy, link) : NULL;
}

static const struct wake_policy *find(
    const struct wake_policy_set *set, const struct pane_ref *pane)
{
	const struct presence *presence;
	const struct wake_policy *policy = NULL, *found = NULL;
	char agent[PRESENCE_NAME_MAX + 1] = "";
	const char *session;
	if (list_is_empty(&set->policies))
		return NULL;
	presence = presence_of_pane(set->parts->presences, pane);
	if ((pane->thread[0] == '\0' || !presence_split(pane->thread, agent, &session)) &&
	    presence != NULL)
		(void)snprintf(agent, sizeof agent, "%s", presence->agent);
	while ((policy = wake_policy_next(set, policy)) != NULL) {
		if (policy->agent[0] == '\0' && pane_ref_same_pane(&policy->pane, pane))
			return policy;
		if (policy->agent[0] != '\0' && strcmp(policy->agent, agent) == 0)
			found = policy;
	}
	return found;
}

bool wake_policy_holds(struct wake_policy_set *set, const struct pane_ref *pane)
{
	const struct wake_policy *policy = find(set, pane);
	const struct notification *note = NULL;
	int64_t now_ms = clock_real_ms(), due_ms = INT64_MAX, left_ms;
	if (policy == NULL)
		return false;
	while ((note = queue_next_for(set->parts->queue, pane, note)) != NULL) {
		int64_t note_ms = note->state == NOTE_QUEUED
		    ? wake_policy_due_ms(policy, note, now_ms)
		    : INT64_MAX;
		due_ms = note_ms < due_ms ? note_ms : due_ms;
	}
	if (due_ms <= now_ms)
		return false;
	if (due_ms != INT64_MAX && (set->next_ms == 0 || due_ms < set->next_ms)) {
		set->next_ms = due_ms;
		left_ms = due_ms - now_ms;
		loop_timer_arm(set->timer, left_ms < LOOK_MS ? left_ms : LOOK_MS);
	}
	return true;
}

void wake_policy_listen(struct wake_policy_set *set, struct wake_policy_listener *listener)
{
	list_append(&set->listeners, &listener->link);
}

struct wake_policy_set *wake_policy_set_new(const struct daemon *parts)
{
	struct wake_policy_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	list_init(&set->policies);
	list_init(&set->listeners);
	set->timer = loop_timer_new(parts->base, notify, set);
	queue_load(parts->queue, &policy_kind, load, set);
	return set;
}

void wake_policy_set_free(struct wake_policy_set *set)
{
	if (set == NULL)
		return;
	loop_timer_free(set->timer);
	list_each_safe (struct wake_policy, wake_policy, &set->policies, link)
		remove_policy(wake_policy);
	mem_free(set);
}
