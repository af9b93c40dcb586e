/* SPDX-License-Identifier: ISC */
/* Waits: conditions joined, answered once. */
#include "daemon/wait.h"

#include <muxbus.h>

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/list.h"
#include "daemon/condition.h"
#include "daemon/consumer.h"
#include "daemon/daemon.h"
#include "daemon/loop_timer.h"
#include "daemon/notification.h"
#include "daemon/pane_ref.h"
#include "daemon/queue.h"
#include "daemon/request.h"
#include "daemon/store.h"

#define PREFIX "wait/"

enum { KEY_SIZE = sizeof PREFIX + WAIT_NAME_MAX };

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
	struct pane_ref pane; /* is told when it is over and nobody asks; cleared: nobody */
	uint64_t told; /* the notification that did; 0: none yet */
	bool holds_id; /* its name is one of the queue's ids */
	struct event *deadline;
	struct event *settled; /* answers at the end of the turn */
};

struct wait_set {
	struct daemon *daemon;
	struct list waits;
	size_t count;
	size_t named;
};

static void tell_lost(struct wait_set *set);
static void wait_forget(struct wait *wait);

struct wait_set *wait_set_new(struct daemon *daemon)
{
	struct wait_set *set = xcalloc(1, sizeof *set);

	set->daemon = daemon;
	list_init(&set->waits);
	if (daemon->queue != NULL)
		tell_lost(set);
	return set;
}

/* ---- parked waits, which tell a pane ---- */

static void wait_key(const struct wait *wait, char out[KEY_SIZE])
{
	snprintf(out, KEY_SIZE, PREFIX "%s", wait->name);
}

/* The store says whom to tell should we not live to see the end of it. */
static void wait_remember(struct wait *wait)
{
	char key[KEY_SIZE], text[PANE_REF_TEXT_SIZE];

	wait_key(wait, key);
	pane_ref_format(&wait->pane, text);
	store_put(queue_store(wait->set->daemon->queue), key, text, strlen(text));
}

static void wait_forget(struct wait *wait)
{
	char key[KEY_SIZE];

	if (wait->pane.pane != MUXBUS_NO_ID) {
		wait_key(wait, key);
		store_delete(queue_store(wait->set->daemon->queue), key);
	}
	pane_ref_clear(&wait->pane);
	if (wait->holds_id)
		queue_release_id(wait->set->daemon->queue, wait->name);
	wait->holds_id = false;
}

/* Tells a pane of a wait by name. Returns the number of the notification. */
static uint64_t tell(
    struct queue *queue, const char *name, const struct pane_ref *pane, const char *reason)
{
	struct json_writer writer;
	struct buf data;
	char text[256];
	uint64_t seq;

	if (strcmp(reason, "match") == 0)
		snprintf(text, sizeof text, "the wait %s is over: it came true", name);
	else
		snprintf(text, sizeof text, "the wait %s ended: %s", name, reason);
	buf_init(&data, 4096);
	json_writer_init(&writer, &data);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "reason", reason);
	json_put_str(&writer, "wait", name);
	json_object_end(&writer);
	seq = queue_post(queue,
	    &(struct notification_draft){.source = SOURCE_CONDITION,
		.id = strlen(name) < NOTIFICATION_ID_SIZE ? name : NULL,
		.pane = pane,
		.text = text,
		.data = (const char *)data.data});
	buf_finish(&data);
	return seq;
}

/* Waits that were to tell a pane, and that a restart has ended. */
static void tell_lost(struct wait_set *set)
{
	struct queue *queue = set->daemon->queue;
	struct store *store = queue_store(queue);
	struct pane_ref panes[WAIT_NAMED_MAX];
	char *keys[WAIT_NAMED_MAX];
	const char *key, *value;
	size_t cursor = 0, count = 0, len;

	/* Telling changes the table that is walked. */
	while (count < WAIT_NAMED_MAX && store_next(store, PREFIX, &cursor, &key, &value, &len)) {
		if (!pane_ref_parse(value, &panes[count]))
			pane_ref_clear(&panes[count]);
		keys[count++] = xstrdup(key);
	}
	queue_begin(queue);
	while (count-- > 0) {
		if (panes[count].pane != MUXBUS_NO_ID)
			(void)tell(queue, keys[count] + strlen(PREFIX), &panes[count],
			    "lost in a restart");
		store_delete(store, keys[count]);
		mem_free(keys[count]);
	}
	(void)queue_commit(queue);
}

static void wait_free(struct wait *wait)
{
	list_remove(&wait->link);
	wait_forget(wait);
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

/* Whether it is over because it came true, not because that cannot happen any more. */
static bool wait_has_matched(const struct wait *wait)
{
	size_t matched = 0;

	for (size_t at = 0; at < wait->count; at++)
		matched += wait->conditions[at]->state == CONDITION_MATCHED;
	return wait->is_all ? matched == wait->count : matched > 0;
}

/* What is known of it by now. */
static void wait_write(const struct wait *wait, struct json_writer *writer, int64_t now_ms)
{
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
	json_put_double(writer, "elapsed_sec", (double)(now_ms - wait->began_ms) / 1000);
	json_put_bool(writer, "timed_out", wait->is_timed_out);
	if (wait->name[0] != '\0')
		json_put_str(writer, "wait", wait->name);
}

static void wait_answer(struct wait *wait)
{
	struct request *request = wait->request;

	wait_write(wait, request_result(request), wait->over_ms);
	request_on_cancel(request, NULL, NULL);
	request_done(request);
	if (wait->told != 0)
		(void)queue_set_state(
		    wait->set->daemon->queue, wait->told, NOTE_ACKNOWLEDGED, NULL);
	wait_free(wait);
}

/* The wait is over: tell who asks, or keep it for who will ask. */
static void wait_end(struct wait *wait, bool is_timed_out)
{
	struct timeval keep = {WAIT_KEEP_SEC, 0};

	wait->is_over = true;
	wait->is_timed_out = is_timed_out;
	wait->over_ms = clock_mono_ms();
	if (wait->request != NULL) {
		wait_answer(wait);
		return;
	}
	event_add(wait->deadline, &keep);
	if (wait->pane.pane == MUXBUS_NO_ID)
		return;
	queue_begin(wait->set->daemon->queue);
	wait->told = tell(wait->set->daemon->queue, wait->name, &wait->pane,
	    is_timed_out                 ? "timeout"
		: wait_has_matched(wait) ? "match"
					 : "gone");
	wait_forget(wait);
	(void)queue_commit(wait->set->daemon->queue);
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
	wait_forget(wait); /* who asks is told */
	if (wait->is_over)
		wait_answer(wait);
	else
		request_on_cancel(request, on_cancelled, wait);
}

const char *wait_park(struct wait_set *set, struct request *request, const struct pane_ref *pane)
{
	struct wait *wait = NULL;
	struct list *link;

	list_for_each (link, &set->waits) {
		if (list_entry(link, struct wait, link)->request == request)
			wait = list_entry(link, struct wait, link);
	}
	if (wait == NULL || (wait->name[0] == '\0' && set->named >= WAIT_NAMED_MAX))
		return NULL;
	if (wait->name[0] == '\0') {
		char id[NOTIFICATION_ID_SIZE];

		queue_new_id(set->daemon->queue, id);
		snprintf(wait->name, sizeof wait->name, "%s", id);
		wait->holds_id = true;
		set->named++;
	}
	wait->request = NULL;
	request_on_cancel(request, NULL, NULL);
	wait->pane = *pane;
	if (pane->pane != MUXBUS_NO_ID)
		wait_remember(wait);
	wait_write(wait, request_result(request), clock_mono_ms());
	return wait->name;
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
	pane_ref_clear(&wait->pane);
	wait->is_all = any == NULL;
	wait->began_ms = clock_mono_ms();
	list_append(&set->waits, &wait->link);
	set->count++;
	wait->settled = loop_timer_new(set->daemon->base, on_settled, wait);
	wait->deadline = loop_timer_new(set->daemon->base, on_deadline, wait);
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
