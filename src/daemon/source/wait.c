/* SPDX-License-Identifier: ISC */
/* Waits: conditions joined, answered once. */
#include "daemon/source/wait.h"

#include <muxbus.h>

#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/core/loop_timer.h"
#include "daemon/queue/consumer.h"
#include "daemon/queue/lost_record.h"
#include "daemon/queue/notification.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/server/daemon.h"
#include "daemon/server/request.h"
#include "daemon/source/condition.h"
#include "daemon/tmux/pane_fate.h"

#define PREFIX "wait/"

enum {
	KEY_SIZE = sizeof PREFIX + WAIT_NAME_MAX,
	DETAILS_KEPT = 16 * 1024, /* of one condition in the store */
	SPEC_MAX = 64 * 1024,
};

struct wait {
	struct list link;
	struct wait_set *set;
	char name[WAIT_NAME_MAX + 1]; /* "": none */
	struct request *request; /* NULL: nobody asks for it at the moment */
	struct condition *conditions[WAIT_CONDITIONS_MAX];
	char *specs[WAIT_CONDITIONS_MAX]; /* each as JSON, its pane by its id */
	struct pane_ref panes[WAIT_CONDITIONS_MAX]; /* that each looks at; cleared: none */
	int64_t due_ms; /* CLOCK_REALTIME */
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

static void wait_forget(struct wait *wait);
static void wait_load_all(struct wait_set *set);

struct wait_set *wait_set_new(struct daemon *daemon)
{
	struct wait_set *set = xcalloc(1, sizeof *set);

	set->daemon = daemon;
	list_init(&set->waits);
	if (daemon->queue != NULL)
		wait_load_all(set);
	return set;
}

/* ---- parked waits, which tell a pane ---- */

static void wait_key(const struct wait *wait, char out[KEY_SIZE])
{
	snprintf(out, KEY_SIZE, PREFIX "%s", wait->name);
}

static void write_ref(struct json_writer *writer, const char *name, const struct pane_ref *ref)
{
	char text[PANE_REF_TEXT_SIZE];

	if (ref->pane == MUXBUS_NO_ID)
		return;
	pane_ref_format(ref, text);
	json_put_str(writer, name, text);
}

/* Puts a wait with a name into the store, as it stands. */
static void wait_remember(struct wait *wait)
{
	char key[KEY_SIZE];
	struct json_writer writer;
	struct buf value;

	if (wait->name[0] == '\0' || wait->set->daemon->queue == NULL)
		return;
	buf_init(&value, STORE_VALUE_MAX);
	json_writer_init(&writer, &value);
	json_object_begin(&writer, NULL);
	write_ref(&writer, "teller", &wait->pane);
	json_put_bool(&writer, "all", wait->is_all);
	json_put_bool(&writer, "over", wait->is_over);
	json_put_bool(&writer, "timed_out", wait->is_timed_out);
	json_put_int(&writer, "began_ms", clock_real_ms() - (clock_mono_ms() - wait->began_ms));
	json_put_int(&writer, "due_ms", wait->due_ms);
	json_array_begin(&writer, "conditions");
	for (size_t at = 0; at < wait->count; at++) {
		const struct condition *condition = wait->conditions[at];

		json_object_begin(&writer, NULL);
		json_put_raw(&writer, "spec", wait->specs[at], strlen(wait->specs[at]));
		write_ref(&writer, "pane", &wait->panes[at]);
		json_put_str(&writer, "state", condition_state_name(condition->state));
		if (condition->state != CONDITION_PENDING && condition->details.len > 0 &&
		    condition->details.len < DETAILS_KEPT)
			json_put_raw(
			    &writer, "details", condition->details.data, condition->details.len);
		json_object_end(&writer);
	}
	json_array_end(&writer);
	json_object_end(&writer);
	wait_key(wait, key);
	if (!writer.is_full)
		store_put(queue_store(wait->set->daemon->queue), key, value.data, value.len);
	buf_finish(&value);
}

static void wait_forget(struct wait *wait)
{
	char key[KEY_SIZE];

	if (wait->name[0] != '\0' && wait->set->daemon->queue != NULL) {
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

/* Takes it out of memory; the store keeps what it has of it. */
static void wait_drop(struct wait *wait)
{
	list_remove(&wait->link);
	wait->set->count--;
	wait->set->named -= wait->name[0] != '\0';
	for (size_t at = 0; at < wait->count; at++)
		condition_free(wait->conditions[at]);
	for (size_t at = 0; at < wait->count; at++)
		mem_free(wait->specs[at]);
	if (wait->deadline != NULL)
		event_free(wait->deadline);
	if (wait->settled != NULL)
		event_free(wait->settled);
	mem_free(wait);
}

static void wait_free(struct wait *wait)
{
	wait_forget(wait);
	wait_drop(wait);
}

void wait_set_free(struct wait_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->waits))
		wait_drop(list_entry(set->waits.next, struct wait, link));
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
	wait_remember(wait);
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
	if (wait->is_over)
		return;
	if (wait_is_over(wait))
		wait_end(wait, false);
	else
		wait_remember(wait); /* one of all that are waited for */
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
	pane_ref_clear(&wait->pane); /* who asks is told */
	wait_remember(wait);
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
	wait_remember(wait);
	wait_write(wait, request_result(request), clock_mono_ms());
	return wait->name;
}

/* A condition as JSON, for another life: its pane by its id. The caller frees. */
static char *write_spec(const struct condition *condition, const struct json *spec)
{
	const char *name = condition->kind->pane_member;
	struct json_writer writer;
	struct buf out;

	buf_init(&out, SPEC_MAX);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	for (const struct json *member = spec->child; member != NULL; member = member->next) {
		if (condition->pane == MUXBUS_NO_ID || strcmp(member->name, name) != 0)
			json_put_value(&writer, member->name, member);
	}
	if (condition->pane != MUXBUS_NO_ID)
		json_put_id(&writer, name, '%', condition->pane);
	json_object_end(&writer);
	if (writer.is_full) {
		buf_finish(&out);
		return xstrdup("{}");
	}
	return (char *)buf_steal(&out, NULL);
}

/* Arms all conditions; false after failing the request. */
static bool wait_arm(struct wait *wait, struct request *request, const struct json *list)
{
	for (const struct json *spec = list->child; spec != NULL; spec = spec->next) {
		struct condition *condition =
		    condition_new(wait->set->daemon, request, spec, on_changed, wait);

		if (condition == NULL)
			return false;
		wait->specs[wait->count] = write_spec(condition, spec);
		pane_ref_clear(&wait->panes[wait->count]);
		if (condition->pane != MUXBUS_NO_ID)
			pane_ref_of(
			    wait->set->daemon->tmux, condition->pane, &wait->panes[wait->count]);
		wait->conditions[wait->count++] = condition;
	}
	return true;
}

/* ---- after another daemon's life ---- */

/* So much time of a condition on it has passed already. */
static void shorten(const struct wait *wait, const struct json *spec, struct buf *out)
{
	const struct json *sec = json_member(spec, "sec");
	struct json_writer writer;
	double left;

	json_writer_init(&writer, out);
	if (sec == NULL || !json_double(sec, &left)) {
		json_put_value(&writer, NULL, spec);
		return;
	}
	left -= (double)(clock_mono_ms() - wait->began_ms) / 1000;
	json_object_begin(&writer, NULL);
	json_put_double(&writer, "sec", left > 0 ? left : 0);
	json_object_end(&writer);
}

/* Arms one of an earlier life. False if that cannot be any more. */
static bool arm_again(struct wait *wait, size_t at)
{
	struct daemon *daemon = wait->set->daemon;
	struct json_reader *reader = json_reader_new(STORE_VALUE_MAX);
	struct request *request = request_new(daemon->parts, NULL, NULL, NULL);
	struct condition *condition = NULL;
	struct json_error error;
	struct buf text;
	const struct json *spec =
	    json_read(reader, wait->specs[at], strlen(wait->specs[at]), &error);

	buf_init(&text, SPEC_MAX);
	if (spec != NULL) {
		shorten(wait, spec, &text);
		spec = json_read(reader, (const char *)text.data, text.len, &error);
	}
	if (spec != NULL)
		condition = condition_new(daemon, request, spec, on_changed, wait);
	else
		request_done(request);
	if (condition != NULL) {
		request_done(request);
		condition_free(wait->conditions[at]);
		wait->conditions[at] = condition;
	}
	buf_finish(&text);
	json_reader_free(reader);
	return condition != NULL;
}

/* Whether tmux must be followed before a condition can be armed. */
static bool needs_tmux(const struct condition *condition, const struct pane_ref *pane)
{
	return pane->pane != MUXBUS_NO_ID || condition->kind->needs_tmux;
}

/* Arms what can be; with_tmux says that the rest can be, too. */
static void wait_arm_again(struct wait *wait, bool with_tmux)
{
	struct tmux *tmux = wait->set->daemon->tmux;

	for (size_t at = 0; at < wait->count; at++) {
		struct condition *condition = wait->conditions[at];
		const struct pane_ref *pane = &wait->panes[at];
		bool is_there;

		if (!condition->is_restored || condition->state != CONDITION_PENDING ||
		    (needs_tmux(condition, pane) && !with_tmux))
			continue;
		is_there = pane->pane == MUXBUS_NO_ID || pane_fate(tmux, pane) == PANE_THERE;
		if (!is_there || !arm_again(wait, at))
			condition->state = CONDITION_GONE;
	}
	if (wait_is_over(wait))
		event_active(wait->settled, EV_TIMEOUT, 0);
}

void wait_set_wake(struct wait_set *set)
{
	struct list *link, *after;

	list_for_each_safe (link, after, &set->waits) {
		struct wait *wait = list_entry(link, struct wait, link);

		if (!wait->is_over)
			wait_arm_again(wait, true);
	}
}

static int64_t load_int(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	int64_t number = 0;

	return member != NULL && json_int(member, &number) ? number : 0;
}

static bool load_bool(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);

	return member != NULL && member->type == JSON_BOOL && member->boolean;
}

static void load_ref(const struct json *value, const char *name, struct pane_ref *ref)
{
	const struct json *member = json_member(value, name);

	pane_ref_clear(ref);
	if (member != NULL && member->type == JSON_STRING && !pane_ref_parse(member->text, ref))
		pane_ref_clear(ref);
}

static char *load_text(const struct json *value)
{
	struct json_writer writer;
	struct buf out;

	buf_init(&out, SPEC_MAX);
	json_writer_init(&writer, &out);
	json_put_value(&writer, NULL, value);
	return (char *)buf_steal(&out, NULL);
}

/* Takes up one condition. False if it is none. */
static bool load_condition(struct wait *wait, const struct json *value)
{
	const struct json *spec = json_member(value, "spec");
	const struct json *details = json_member(value, "details");
	const struct json *state = json_member(value, "state");
	struct condition *condition;
	char *text = details != NULL ? load_text(details) : NULL;

	condition =
	    wait->count == WAIT_CONDITIONS_MAX || state == NULL || state->type != JSON_STRING
	    ? NULL
	    : condition_restore(wait->set->daemon, spec, condition_state_find(state->text), text);
	mem_free(text);
	if (condition == NULL)
		return false;
	load_ref(value, "pane", &wait->panes[wait->count]);
	wait->specs[wait->count] = load_text(spec);
	wait->conditions[wait->count++] = condition;
	return true;
}

static bool load_conditions(struct wait *wait, const struct json *list)
{
	if (list == NULL || list->type != JSON_ARRAY || list->count == 0)
		return false;
	for (const struct json *value = list->child; value != NULL; value = value->next) {
		if (!load_condition(wait, value))
			return false;
	}
	return true;
}

static struct wait *wait_new(struct wait_set *set)
{
	struct wait *wait = xcalloc(1, sizeof *wait);

	wait->set = set;
	pane_ref_clear(&wait->pane);
	wait->began_ms = clock_mono_ms();
	list_append(&set->waits, &wait->link);
	set->count++;
	wait->settled = loop_timer_new(set->daemon->base, on_settled, wait);
	wait->deadline = loop_timer_new(set->daemon->base, on_deadline, wait);
	return wait;
}

static bool wait_load(struct wait_set *set, const char *name, const struct json *value)
{
	int64_t now_ms = clock_real_ms();
	struct wait *wait;

	if (value == NULL || strlen(name) > WAIT_NAME_MAX || set->named == WAIT_NAMED_MAX)
		return false;
	wait = wait_new(set);
	if (!load_conditions(wait, json_member(value, "conditions"))) {
		wait_drop(wait);
		return false;
	}
	snprintf(wait->name, sizeof wait->name, "%s", name);
	set->named++;
	load_ref(value, "teller", &wait->pane);
	wait->is_all = load_bool(value, "all");
	wait->is_over = load_bool(value, "over");
	wait->is_timed_out = load_bool(value, "timed_out");
	wait->due_ms = load_int(value, "due_ms");
	wait->began_ms = clock_mono_ms() - (now_ms - load_int(value, "began_ms"));
	wait->over_ms = clock_mono_ms();
	if (strlen(name) < NOTIFICATION_ID_SIZE) {
		queue_hold_id(set->daemon->queue, name);
		wait->holds_id = true;
	}
	if (wait->is_over)
		loop_timer_arm(wait->deadline, (int64_t)WAIT_KEEP_SEC * 1000);
	else
		loop_timer_arm(wait->deadline, wait->due_ms - now_ms);
	return true;
}

static void wait_load_all(struct wait_set *set)
{
	struct store *store = queue_store(set->daemon->queue);
	struct json_reader *reader = json_reader_new(STORE_VALUE_MAX);
	struct lost_records lost = {.count = 0};
	const char *key, *value;
	size_t cursor = 0, len;
	struct json_error error;
	struct list *link;

	while (store_next(store, PREFIX, &cursor, &key, &value, &len)) {
		if (!wait_load(set, key + strlen(PREFIX), json_read(reader, value, len, &error)))
			lost_record_add(&lost, key, "wait");
	}
	json_reader_free(reader);
	lost_records_tell(&lost, set->daemon->queue, SOURCE_CONDITION, "wait");
	list_for_each (link, &set->waits) {
		struct wait *wait = list_entry(link, struct wait, link);

		if (!wait->is_over)
			wait_arm_again(wait, false);
	}
}

/* ---- asking ---- */

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
	wait = wait_new(set);
	wait->is_all = any == NULL;
	wait->due_ms = clock_real_ms() + timeout_ms;
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
	loop_timer_arm(wait->deadline, timeout_ms);
	wait_remember(wait);
}
