/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/way_promise.h"

#include "base/process.h"
#include "daemon/deliver/delivery.h"
#include "daemon/deliver/puller.h"
#include "daemon/event/event_log.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/presence.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_pidfd.h"
#include "io/loop_timer.h"

#define BIT(kind) (UINT64_C(1) << (kind))

/* Events that may change the way to a pane. */
#define FACTS                                                                           \
	(BIT(EVENT_COMMAND_CHANGED) | BIT(EVENT_PANE_CLOSED) | BIT(EVENT_PANE_EXITED) | \
	    BIT(EVENT_SERVER_FOUND) | BIT(EVENT_SERVER_LOST))

enum { EVENT_MAX = 4096 };

struct promise {
	struct list link;
	struct way_promises *set;
	struct pane_ref address;
	bool is_known; /* false: restored from an earlier daemon, and not looked up yet */
	struct way_found found;
	struct foreground_program program; /* the program whose end is watched; pid 0: none */
	struct loop_pidfd *end;
};

struct way_promises {
	const struct daemon *parts;
	struct event_log_listener events;
	struct presence_listener reports;
	struct puller_listener pullers;
	struct list promises; /* the least recently renewed promise first */
	struct loop_timer *timer;
	/* a fact has come since the timer was armed, so the ways are looked up twice */
	bool has_news;
};

/*
 * Looks the ways up soon. The effect of a fact that comes meanwhile may be seen only later, so the
 * ways are looked up once more then.
 */
static void look_soon(void *data)
{
	struct way_promises *set = data;
	if (list_is_empty(&set->promises))
		return;
	if (loop_timer_is_armed(set->timer))
		set->has_news = true;
	else
		loop_timer_arm(set->timer, WAY_PROMISE_CHECK_MS);
}

static void unwatch(struct promise *promise)
{
	if (promise->end == NULL)
		return;
	loop_pidfd_free(promise->end);
	promise->end = NULL;
	promise->program = (struct foreground_program){0};
}

static void on_end(void *data)
{
	struct promise *promise = data;
	unwatch(promise);
	look_soon(promise->set);
}

/* Watches for the end of the program to which the way leads, if a descriptor is free. */
static void watch(struct promise *promise)
{
	const struct way *way = promise->found.way;
	struct foreground_program program = {0};
	int pidfd;
	if (way->program != NULL)
		way->program(promise->set->parts, &promise->address, &program);
	if (promise->end != NULL && program.pid == promise->program.pid &&
	    program.start == promise->program.start)
		return;
	unwatch(promise);
	if (program.pid <= 0 || program.start == 0)
		return;
	pidfd = process_open(program.pid, program.start);
	if (pidfd < 0) {
		if (!foreground_lives(program.pid, program.start))
			look_soon(promise->set);
		return;
	}
	promise->program = program;
	promise->end = loop_pidfd_new(promise->set->parts->base, pidfd, on_end, promise);
}

static void promise_free(struct promise *promise)
{
	unwatch(promise);
	list_remove(&promise->link);
	mem_free(promise);
}

static void write_members(struct json_writer *writer, const struct promise *promise)
{
	const struct pane_ref *address = &promise->address;
	const struct way_found *found = &promise->found;
	json_put_id(writer, "pane", '%', address->pane);
	json_put_str(writer, "thread", address->thread[0] != '\0' ? address->thread : NULL);
	json_put_str(writer, "way", found->way->name);
	if (!way_wakes(found->way))
		(void)json_put_text(writer, "reason", found->text, strlen(found->text));
	else
		json_put_null(writer, "reason");
}

static void publish(const struct promise *promise, const char *before)
{
	const struct daemon *parts = promise->set->parts;
	struct json_writer writer;
	struct event_scope scope;
	struct buf members;
	tmux_scope_pane(parts->tmux, promise->address.pane, &scope);
	json_start(&writer, &members, EVENT_MAX);
	write_members(&writer, promise);
	json_put_str(&writer, "before", before);
	(void)event_log_publish(promise->set->parts->events, EVENT_WAY_CHANGED, &scope,
	    (const char *)members.data, members.len, true);
	buf_finish(&members);
}

/*
 * Takes a way that was looked up, and publishes a change: no way wakes any more, or one does again.
 * If nothing is pending, frees the promise instead.
 */
static void take(struct promise *promise, const struct way_found *found)
{
	const struct daemon *parts = promise->set->parts;
	const struct way *before = promise->found.way;
	bool was_known = promise->is_known;
	/* If an earlier daemon promised, its way is not known: no way now counts as a change. */
	bool has_changed =
	    was_known ? way_wakes(before) != way_wakes(found->way) : found->way == &way_none;
	promise->found = *found;
	promise->is_known = true;
	if (has_changed) {
		if (!parts->is_pending(parts, &promise->address)) {
			promise_free(promise);
			return;
		}
		publish(promise, was_known ? before->name : NULL);
	}
	watch(promise);
}

static void look(struct way_promises *set)
{
	list_each_safe (struct promise, promise, &set->promises, link) {
		struct way_found found;
		delivery_way(set->parts->deliveries, &promise->address, &found);
		take(promise, &found);
	}
}

static void on_time(void *data)
{
	struct way_promises *set = data;
	bool has_news = set->has_news;
	set->has_news = false;
	look(set);
	if (has_news)
		look_soon(set);
}

static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	if (FACTS & BIT(event->kind))
		look_soon(list_entry(listener, struct way_promises, events));
}

static void on_reported(struct presence_listener *listener, const struct pane_ref *address UNUSED)
{
	look_soon(list_entry(listener, struct way_promises, reports));
}

static void on_puller(struct puller_listener *listener, const struct pane_ref *pane UNUSED)
{
	look_soon(list_entry(listener, struct way_promises, pullers));
}

struct way_promises *way_promises_new(const struct daemon *parts)
{
	struct way_promises *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	list_init(&set->promises);
	set->timer = loop_timer_new(set->parts->base, on_time, set);
	set->events.event = on_event;
	event_log_listen(set->parts->events, &set->events);
	set->reports.reported = on_reported;
	presence_listen(set->parts->presences, &set->reports);
	set->pullers.begun = on_puller;
	set->pullers.settled = on_puller;
	puller_listen(set->parts->pullers, &set->pullers);
	delivery_on_change(parts->deliveries, look_soon, set);
	return set;
}

void way_promises_free(struct way_promises *set)
{
	if (set == NULL)
		return;
	list_remove(&set->events.link);
	list_remove(&set->reports.link);
	list_remove(&set->pullers.link);
	delivery_on_change(set->parts->deliveries, NULL, NULL);
	loop_timer_free(set->timer);
	list_each_safe (struct promise, promise, &set->promises, link)
		promise_free(promise);
	mem_free(set);
}

static struct promise *find(const struct way_promises *set, const struct pane_ref *address)
{
	list_each (struct promise, promise, &set->promises, link)
		if (pane_ref_equal(&promise->address, address))
			return promise;
	return NULL;
}

static struct promise *add(struct way_promises *set, const struct pane_ref *address)
{
	struct promise *promise = xcalloc(1, sizeof *promise);
	if (list_count(&set->promises) == WAY_PROMISES_MAX)
		promise_free(list_entry(set->promises.next, struct promise, link));
	promise->set = set;
	promise->address = *address;
	promise->found.way = &way_none;
	list_append(&set->promises, &promise->link);
	return promise;
}

void way_promise_give(
    struct way_promises *set, const struct pane_ref *address, const struct way_found *found)
{
	struct promise *promise;
	if (!pane_ref_is_set(address))
		return;
	promise = find(set, address);
	if (promise == NULL) {
		promise = add(set, address);
		promise->found = *found;
		promise->is_known = true;
	}
	list_move(&set->promises, &promise->link);
	take(promise, found);
}

void way_promise_restore(struct way_promises *set, const struct pane_ref *address)
{
	if (!pane_ref_is_set(address) || find(set, address) != NULL)
		return;
	(void)add(set, address);
	look_soon(set);
}

void way_promises_write(struct way_promises *set, struct json_writer *writer, const char *name)
{
	look(set);
	json_array_begin(writer, name);
	list_each (const struct promise, promise, &set->promises, link) {
		if (!set->parts->is_pending(set->parts, &promise->address))
			continue;
		json_object_begin(writer, NULL);
		write_members(writer, promise);
		json_object_end(writer);
	}
	json_array_end(writer);
}
