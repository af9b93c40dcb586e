/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/subscription.h"

#include "daemon/event/published.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"

#define BIT(kind) (UINT64_C(1) << (kind))

/* Kinds for which the daemon asks tmux for details regularly. */
#define DETAIL_KINDS                                                                     \
	(BIT(EVENT_COMMAND_CHANGED) | BIT(EVENT_MODE_CHANGED) | BIT(EVENT_PANE_EXITED) | \
	    BIT(EVENT_PATH_CHANGED) | BIT(EVENT_TITLE_CHANGED))

/*
 * Kinds that are made from the output of panes. Output costs tmux work, so it is not followed for
 * these kinds if a filter has kinds 0.
 */
#define MARK_KINDS                                                                    \
	(BIT(EVENT_BELL) | BIT(EVENT_COMMAND_FINISHED) | BIT(EVENT_COMMAND_STARTED) | \
	    BIT(EVENT_PANE_QUIET) | BIT(EVENT_PROGRAM_NOTIFIED) | BIT(EVENT_PROGRESS_CHANGED))

/* Kinds that are about the whole server, so they pass filters of panes, windows and sessions. */
#define COMMON_KINDS (BIT(EVENT_SERVER_FOUND) | BIT(EVENT_SERVER_LOST))

#define OWN_KINDS                                                                                 \
	(COMMON_KINDS | EVENT_KINDS_PUBLISHED | BIT(EVENT_AGENT_REPORTED) | BIT(EVENT_DELIVERY) | \
	    BIT(EVENT_GAP) | BIT(EVENT_HOST_STATE) | BIT(EVENT_NOTIFICATION) |                    \
	    BIT(EVENT_WAY_CHANGED))

/* Kinds that need no client of tmux if panes are piped. */
#define PIPED_KINDS                                                          \
	(OWN_KINDS | MARK_KINDS | BIT(EVENT_AGENT_STATE) | BIT(EVENT_LINE) | \
	    BIT(EVENT_PANE_EXITED) | BIT(EVENT_PANE_OUTPUT))

/* A sorted set of ids, which are removed when their tmux server ends. */
struct id_set {
	uint32_t *ids;
	size_t count;
	bool is_limited; /* false: all ids are in the set */
};

struct subscription {
	struct list link;
	char name[SUBSCRIPTION_NAME_SIZE];
	uint64_t kinds; /* as in struct subscription_filter */
	bool wants_output;
	bool is_passive;
	bool is_started;
	struct id_set panes;
	struct id_set sessions;
	struct id_set windows;
	uint64_t cursor; /* number of the event after which the subscription begins */
	uint64_t dropped_from; /* number of the first event that was dropped; 0: none */
	uint64_t dropped_to;
};

struct subscription_set {
	struct list link; /* in the list all_sets */
	struct event_log_listener listener;
	const struct daemon *parts;
	struct subscription_sink sink;
	struct list subscriptions;
	size_t count;
	unsigned last_number;
};

static struct list all_sets = {&all_sets, &all_sets};

size_t subscription_set_count(const struct subscription_set *set)
{
	return set->count;
}

bool subscription_follows(uint64_t kinds, bool wants_output, bool by_pipe)
{
	uint64_t others = OWN_KINDS;
	if (by_pipe)
		others = PIPED_KINDS;
	/* The end of a pipe shows the end of its pane, so pane_closed needs no client. */
	if (by_pipe && (wants_output || kinds & (MARK_KINDS | BIT(EVENT_LINE))))
		others |= BIT(EVENT_PANE_CLOSED);
	return kinds == 0 || (wants_output && !by_pipe) || (kinds & ~others) != 0;
}

bool subscription_any_follows(bool by_pipe)
{
	list_each (const struct subscription_set, set, &all_sets, link)
		list_each (const struct subscription, one, &set->subscriptions, link)
			if (!one->is_passive && !set->sink.is_internal &&
			    subscription_follows(
				one->kinds, one->wants_output, by_pipe && one->panes.is_limited))
				return true;
	return false;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a;
	uint32_t right = *(const uint32_t *)b;
	return (left > right) - (left < right);
}

static struct id_set id_set_of(const uint32_t *ids, size_t count)
{
	struct id_set set = {.is_limited = count > 0};
	if (count == 0)
		return set;
	set.ids = xmemdup(ids, count * sizeof *ids);
	qsort(set.ids, count, sizeof *ids, compare_ids);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || set.ids[i] != set.ids[set.count - 1])
			set.ids[set.count++] = set.ids[i];
	return set;
}

static void id_set_clear(struct id_set *set)
{
	mem_free(set->ids);
	set->ids = NULL;
	set->count = 0;
}

static bool id_set_has(const struct id_set *set, uint32_t id)
{
	return !set->is_limited ||
	    (set->count > 0 && bsearch(&id, set->ids, set->count, sizeof id, compare_ids));
}

static bool concerns_sessions(const struct id_set *set, const struct event_scope *scope)
{
	size_t size = sizeof scope->sessions / sizeof *scope->sessions;
	size_t i = 0;
	for (; i < size && scope->sessions[i] != MUXBUS_NO_ID; i++)
		if (id_set_has(set, scope->sessions[i]))
			return true;
	/* A full list may lack sessions of the event, so the event is passed on. */
	return !set->is_limited || (i == size && set->count > 0);
}

bool subscription_wants_kind(uint64_t kinds, bool wants_output, const struct event_entry *event)
{
	if (event->kind == EVENT_PANE_OUTPUT)
		return wants_output;
	if (event->kind == EVENT_LINE)
		return kinds & BIT(EVENT_LINE);
	if (event->kind == EVENT_GAP && (wants_output || kinds & BIT(EVENT_LINE)))
		return true;
	return kinds == 0 || (kinds & BIT(event->kind));
}

static bool matches(const struct subscription *subscription, const struct event_entry *event)
{
	if (!subscription_wants_kind(subscription->kinds, subscription->wants_output, event))
		return false;
	if (BIT(event->kind) & COMMON_KINDS)
		return true;
	return id_set_has(&subscription->panes, event->scope.pane) &&
	    id_set_has(&subscription->windows, event->scope.window) &&
	    concerns_sessions(&subscription->sessions, &event->scope);
}

static void want_streams(struct subscription_set *set, const struct subscription *subscription,
    enum stream_interest interest, bool on)
{
	struct stream_set *streams = set->parts->streams;
	if (!subscription->panes.is_limited)
		stream_want(streams, MUXBUS_NO_ID, interest, on);
	for (size_t i = 0; i < subscription->panes.count; i++)
		stream_want(streams, subscription->panes.ids[i], interest, on);
}

static void want(struct subscription_set *set, const struct subscription *subscription, bool on)
{
	if (set->parts->streams != NULL && subscription->wants_output)
		want_streams(set, subscription, STREAM_TEXT, on);
	if (set->parts->streams != NULL && subscription->kinds & MARK_KINDS)
		want_streams(set, subscription, STREAM_MARKS, on);
	if (set->parts->streams != NULL && subscription->kinds & BIT(EVENT_LINE))
		want_streams(set, subscription, STREAM_LINES, on);
	if (set->parts->tmux != NULL && subscription->kinds & DETAIL_KINDS)
		tmux_want_details(set->parts->tmux, on);
	tmux_followed(set->parts->tmux);
}

int subscription_add(
    struct subscription_set *set, const struct subscription_filter *filter, char *ret_name)
{
	struct subscription *subscription;
	if (set->count >= SUBSCRIPTIONS_MAX)
		return -1;
	subscription = xcalloc(1, sizeof *subscription);
	(void)snprintf(subscription->name, sizeof subscription->name, "S%u", ++set->last_number);
	subscription->kinds = filter->kinds;
	subscription->wants_output = filter->wants_output || filter->kinds & BIT(EVENT_PANE_OUTPUT);
	subscription->is_passive = filter->is_passive;
	subscription->panes = id_set_of(filter->panes, filter->panes_count);
	subscription->sessions = id_set_of(filter->sessions, filter->sessions_count);
	subscription->windows = id_set_of(filter->windows, filter->windows_count);
	subscription->cursor =
	    filter->has_after ? filter->after : event_log_last(set->parts->events);
	list_append(&set->subscriptions, &subscription->link);
	if (set->count++ == 0)
		event_log_listen(set->parts->events, &set->listener);
	published_hold(subscription->kinds, 1);
	want(set, subscription, true);
	(void)snprintf(ret_name, SUBSCRIPTION_NAME_SIZE, "%s", subscription->name);
	return 0;
}

static void forget_ids(struct subscription *subscription)
{
	id_set_clear(&subscription->panes);
	id_set_clear(&subscription->sessions);
	id_set_clear(&subscription->windows);
}

static void subscription_free(struct subscription_set *set, struct subscription *subscription)
{
	published_hold(subscription->kinds, -1);
	want(set, subscription, false);
	list_remove(&subscription->link);
	forget_ids(subscription);
	mem_free(subscription);
	if (--set->count == 0)
		list_remove(&set->listener.link);
}

void subscription_set_free(struct subscription_set *set)
{
	if (set == NULL)
		return;
	list_each_safe (struct subscription, subscription, &set->subscriptions, link)
		subscription_free(set, subscription);
	list_remove(&set->link);
	mem_free(set);
}

static struct subscription *find(struct subscription_set *set, const char *name)
{
	list_each (struct subscription, subscription, &set->subscriptions, link)
		if (strcmp(subscription->name, name) == 0)
			return subscription;
	return NULL;
}

int subscription_remove(struct subscription_set *set, const char *name)
{
	struct subscription *subscription = find(set, name);
	if (subscription == NULL)
		return -1;
	subscription_free(set, subscription);
	return 0;
}

/* Adds dropped events to one range, until the receiver can take a gap. */
static void note_dropped(struct subscription *subscription, uint64_t from, uint64_t to)
{
	if (subscription->dropped_from == 0 || from < subscription->dropped_from)
		subscription->dropped_from = from;
	if (to > subscription->dropped_to)
		subscription->dropped_to = to;
}

bool subscription_set_has(struct subscription_set *set, const char *name)
{
	return find(set, name) != NULL;
}

void subscription_set_dropped(struct subscription_set *set, const char *name, uint64_t seq)
{
	struct subscription *subscription = find(set, name);
	if (subscription != NULL)
		note_dropped(subscription, seq, seq);
}

static void send_gap(struct subscription_set *set, struct subscription *subscription, uint64_t from,
    uint64_t to, const char *reason)
{
	if (subscription->dropped_from > 0 ||
	    !set->sink.gap(set->sink.data, subscription->name, from, to, reason))
		note_dropped(subscription, from, to);
}

static void send(
    struct subscription_set *set, struct subscription *subscription, struct event_entry *event)
{
	/* After an event was dropped, nothing is sent before the gap. */
	if (subscription->dropped_from > 0 ||
	    !set->sink.event(set->sink.data, subscription->name, event))
		note_dropped(subscription, event->seq, event->seq);
	else if (!set->sink.is_internal)
		event->is_sent = true;
}

static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct subscription_set *set = list_entry(listener, struct subscription_set, listener);
	list_each (struct subscription, subscription, &set->subscriptions, link) {
		if (subscription->is_started && matches(subscription, event))
			send(set, subscription, event);
		if (event->kind == EVENT_SERVER_LOST) /* the next tmux server has other objects */
			forget_ids(subscription);
	}
}

struct subscription_set *subscription_set_new(
    const struct daemon *parts, const struct subscription_sink *sink)
{
	struct subscription_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	set->sink = *sink;
	set->listener.event = on_event;
	list_init(&set->listener.link);
	list_init(&set->subscriptions);
	list_append(&all_sets, &set->link);
	return set;
}

void subscription_start(struct subscription_set *set, const char *name)
{
	struct subscription *subscription = find(set, name);
	uint64_t unkept, cursor, missed;
	struct event_entry *event;
	struct event_log *log;
	const char *reason;
	if (subscription == NULL || subscription->is_started)
		return;
	log = set->parts->events;
	cursor = subscription->cursor;
	missed = event_log_missed(log, cursor, &reason);
	if (missed > 0) {
		send_gap(set, subscription, cursor + 1, missed, reason);
		cursor = missed;
	}
	/* Output events are not kept: a gap stands for them among the old events. */
	unkept = subscription->wants_output || subscription->kinds & BIT(EVENT_LINE)
	    ? event_log_unkept(log)
	    : 0;
	while ((event = event_log_after(log, cursor)) != NULL) {
		if (unkept > cursor && unkept < event->seq) {
			send_gap(set, subscription, cursor + 1, unkept, "output_not_kept");
			unkept = 0;
		}
		cursor = event->seq;
		if (matches(subscription, event))
			send(set, subscription, event);
	}
	if (unkept > cursor)
		send_gap(set, subscription, cursor + 1, unkept, "output_not_kept");
	subscription->is_started = true;
}

void subscription_set_catch_up(struct subscription_set *set)
{
	list_each (struct subscription, subscription, &set->subscriptions, link) {
		uint64_t from = subscription->dropped_from;
		if (from == 0)
			continue;
		if (set->sink.gap(
			set->sink.data, subscription->name, from, subscription->dropped_to, "slow"))
			subscription->dropped_from = subscription->dropped_to = 0;
	}
}
