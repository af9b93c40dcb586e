/* SPDX-License-Identifier: ISC */
/* Waits: conditions joined, answered once. */
#include "daemon/wait.h"

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/list.h"
#include "daemon/condition.h"
#include "daemon/consumer.h"
#include "daemon/daemon.h"
#include "daemon/request.h"

struct wait {
	struct list link;
	struct wait_set *set;
	char name[WAIT_NAME_MAX + 1]; /* "": none */
	struct request *request; /* NULL: nobody asks for it at the moment */
	struct condition *conditions[WAIT_CONDITIONS_MAX];
	size_t count;
	bool is_all;
	bool is_over;
	bool is_timed_out;
	int64_t began_ms; /* CLOCK_MONOTONIC */
	int64_t over_ms;
	struct event *deadline;
	struct event *settled; /* answers at the end of the turn */
};

struct wait_set {
	struct daemon *daemon;
	struct list waits;
	size_t count;
	size_t named;
};

struct wait_set *wait_set_new(struct daemon *daemon)
{
	struct wait_set *set = xcalloc(1, sizeof *set);

	set->daemon = daemon;
	list_init(&set->waits);
	return set;
}

static void wait_free(struct wait *wait)
{
	list_remove(&wait->link);
	wait->set->count--;
	wait->set->named -= wait->name[0] != '\0';
	for (size_t at = 0; at < wait->count; at++)
		condition_free(wait->conditions[at]);
	if (wait->deadline != NULL)
		event_free(wait->deadline);
	if (wait->settled != NULL)
		event_free(wait->settled);
	mem_free(wait);
}

void wait_set_free(struct wait_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->waits))
		wait_free(list_entry(set->waits.next, struct wait, link));
	mem_free(set);
}

size_t wait_count(const struct wait_set *set)
{
	return set->count;
}

/*
 * Whether nothing more is to be waited for: any: one has come true, or all are gone; all:
 * each has come true, or one is gone.
 */
static bool wait_is_over(const struct wait *wait)
{
	size_t matched = 0, ended = 0;

	for (size_t at = 0; at < wait->count; at++) {
		matched += wait->conditions[at]->state == CONDITION_MATCHED;
		ended += wait->conditions[at]->state > CONDITION_MATCHED;
	}
	if (wait->is_all)
		return ended > 0 || matched == wait->count;
	return matched > 0 || ended == wait->count;
}

static void wait_answer(struct wait *wait)
{
	struct request *request = wait->request;
	struct json_writer *writer = request_result(request);

	json_array_begin(writer, "matched");
	for (size_t at = 0; at < wait->count; at++) {
		if (wait->conditions[at]->state == CONDITION_MATCHED)
			json_put_int(writer, NULL, (int64_t)at);
	}
	json_array_end(writer);
	json_array_begin(writer, "conditions");
	for (size_t at = 0; at < wait->count; at++)
		condition_write(writer, wait->conditions[at]);
	json_array_end(writer);
	json_put_double(writer, "elapsed_sec", (double)(wait->over_ms - wait->began_ms) / 1000);
	json_put_bool(writer, "timed_out", wait->is_timed_out);
	if (wait->name[0] != '\0')
		json_put_str(writer, "wait", wait->name);
	request_on_cancel(request, NULL, NULL);
	request_done(request);
	wait_free(wait);
}

/* The wait is over: tell who asks, or keep it for who will ask. */
static void wait_end(struct wait *wait, bool is_timed_out)
{
	struct timeval keep = {WAIT_KEEP_SEC, 0};

	wait->is_over = true;
	wait->is_timed_out = is_timed_out;
	wait->over_ms = clock_mono_ms();
	if (wait->request != NULL)
		wait_answer(wait);
	else
		event_add(wait->deadline, &keep);
}

static void on_settled(evutil_socket_t fd, short what, void *data)
{
	struct wait *wait = data;

	(void)fd;
	(void)what;
	if (!wait->is_over && wait_is_over(wait))
		wait_end(wait, false);
}

static void on_deadline(evutil_socket_t fd, short what, void *data)
{
	struct wait *wait = data;

	(void)fd;
	(void)what;
	if (wait->is_over)
		wait_free(wait); /* nobody has asked for what became of it */
	else
		wait_end(wait, true);
}

/* One has changed. What more changes in this turn is answered together. */
static void on_changed(struct condition *condition, void *data)
{
	struct wait *wait = data;

	(void)condition;
	event_active(wait->settled, EV_TIMEOUT, 0);
}

/* Who asked has gone: a wait with a name stays. */
static void on_cancelled(struct request *request, void *data)
{
	struct wait *wait = data;

	wait->request = NULL;
	request_fail(request, MESSAGE_CANCELLED, "the peer has gone");
	if (wait->name[0] == '\0')
		wait_free(wait);
}

static struct wait *find_wait(struct wait_set *set, const char *name)
{
	struct list *link;

	list_for_each (link, &set->waits) {
		struct wait *wait = list_entry(link, struct wait, link);

		if (name != NULL && strcmp(wait->name, name) == 0)
			return wait;
	}
	return NULL;
}

/* Goes on with a wait that has a name: whoever asked for it before is answered. */
static void wait_resume(struct wait *wait, struct request *request)
{
	if (wait->request != NULL) {
		struct request *before = wait->request;

		request_on_cancel(before, NULL, NULL);
		request_fail(before, MESSAGE_CANCELLED,
		    "another request goes on with the wait \"%s\"", wait->name);
	}
	wait->request = request;
	if (wait->is_over)
		wait_answer(wait);
	else
		request_on_cancel(request, on_cancelled, wait);
}

/* Arms all conditions; false after failing the request. */
static bool wait_arm(struct wait *wait, struct request *request, const struct json *list)
{
	for (const struct json *spec = list->child; spec != NULL; spec = spec->next) {
		struct condition *condition =
		    condition_new(wait->set->daemon, request, spec, on_changed, wait);

		if (condition == NULL)
			return false;
		wait->conditions[wait->count++] = condition;
	}
	return true;
}

static bool is_valid_list(struct request *request, const struct json *list)
{
	if (list->type == JSON_ARRAY && list->count > 0 && list->count <= WAIT_CONDITIONS_MAX)
		return true;
	request_fail_data(request, MESSAGE_PARAMS, "\"field\":\"any\"",
	    "any, all: must be an array of 1 to %d conditions", WAIT_CONDITIONS_MAX);
	return false;
}

/* Whether a new wait may have this name; fails the request if not. */
static bool is_valid_name(const struct wait_set *set, struct request *request, const char *name)
{
	if (name == NULL)
		return true;
	if (!consumer_name_is_valid(name)) {
		request_fail_data(request, MESSAGE_PARAMS, "\"field\":\"wait\"",
		    "wait: must be 1 to %d characters of A-Z a-z 0-9 _ . : -", WAIT_NAME_MAX);
		return false;
	}
	if (set->named < WAIT_NAMED_MAX)
		return true;
	request_fail(request, MESSAGE_LIMIT, "there are %d named waits already", WAIT_NAMED_MAX);
	return false;
}

void wait_start(struct wait_set *set, struct request *request, const struct json *any,
    const struct json *all, double timeout_sec, const char *name)
{
	const struct json *list = any != NULL ? any : all;
	struct wait *wait = find_wait(set, name);
	int64_t timeout_ms = clock_seconds_to_ms(timeout_sec);
	struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};

	if (wait != NULL) {
		wait_resume(wait, request);
		return;
	}
	if (list == NULL) {
		request_fail_data(request, MESSAGE_PARAMS, "\"field\":\"wait\"",
		    "wait: there is no wait of this name to go on with, and no conditions are "
		    "given");
		return;
	}
	if (!is_valid_list(request, list) || !is_valid_name(set, request, name))
		return;
	wait = xcalloc(1, sizeof *wait);
	wait->set = set;
	wait->is_all = any == NULL;
	wait->began_ms = clock_mono_ms();
	list_append(&set->waits, &wait->link);
	set->count++;
	wait->settled = evtimer_new(set->daemon->base, on_settled, wait);
	wait->deadline = evtimer_new(set->daemon->base, on_deadline, wait);
	if (!wait_arm(wait, request, list)) {
		wait_free(wait);
		return;
	}
	if (name != NULL) {
		snprintf(wait->name, sizeof wait->name, "%s", name);
		set->named++;
	}
	wait->request = request;
	if (wait_is_over(wait)) {
		wait_end(wait, false);
		return;
	}
	request_on_cancel(request, on_cancelled, wait);
	event_add(wait->deadline, &timeout);
}
