/* SPDX-License-Identifier: ISC */
/* Errands: conditions with a notification at their end. */
#include "daemon/source/background_wait.h"

#include <muxbus.h>

#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/core/loop_timer.h"
#include "daemon/queue/lost_record.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/server/daemon.h"
#include "daemon/server/request.h"
#include "daemon/source/condition.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/tmux/tmux.h"

#define PREFIX "errand/"

enum {
	KEY_SIZE = sizeof PREFIX + NOTIFICATION_ID_SIZE,
	SPEC_MAX = 16 * 1024,
	TIMER_MAX_MS = 86400000, /* longer waits are looked at once a day */
};

/* An errand with what waits for it. The public part comes first. */
struct armed {
	struct errand errand;
	struct errand_set *set;
	struct condition *condition; /* NULL: tmux is not followed, or it is being settled */
	struct event *timer; /* the deadline, or a condition to be settled at the end of the turn */
	bool is_settled;
};

struct errand_set {
	struct daemon *daemon;
	struct json_reader *reader;
	struct list errands;
	size_t count;
};

static const char *const kind_names[] = {
    [ERRAND_IDLE] = "idle",
    [ERRAND_PANE] = "pane",
};

static const enum notification_source kind_sources[] = {
    [ERRAND_IDLE] = SOURCE_CONDITION,
    [ERRAND_PANE] = SOURCE_WATCH,
};

static void errand_key(const char *id, char out[KEY_SIZE])
{
	snprintf(out, KEY_SIZE, PREFIX "%s", id);
}

static void put_ref(struct json_writer *writer, const char *name, const struct pane_ref *ref)
{
	char text[PANE_REF_TEXT_SIZE];

	if (ref->pane == MUXBUS_NO_ID)
		return;
	pane_ref_format(ref, text);
	json_put_str(writer, name, text);
}

static void errand_store(struct errand_set *set, const struct errand *errand)
{
	struct json_writer writer;
	char key[KEY_SIZE];
	struct buf value;

	buf_init(&value, STORE_VALUE_MAX);
	json_writer_init(&writer, &value);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "kind", kind_names[errand->kind]);
	put_ref(&writer, "teller", &errand->teller);
	put_ref(&writer, "subject", &errand->subject);
	json_put_raw(&writer, "spec", errand->spec, strlen(errand->spec));
	json_put_bool(&writer, "once", errand->is_once);
	json_put_int(&writer, "deadline_ms", errand->deadline_ms);
	json_put_int(&writer, "matches", errand->matches);
	json_object_end(&writer);
	errand_key(errand->id, key);
	store_put(queue_store(set->daemon->queue), key, value.data, value.len);
	buf_finish(&value);
}

static void armed_free(struct armed *armed)
{
	condition_free(armed->condition);
	event_free(armed->timer);
	list_remove(&armed->errand.link);
	armed->set->count--;
	queue_release_id(armed->set->daemon->queue, armed->errand.id);
	mem_free(armed->errand.spec);
	mem_free(armed);
}

/* ---- telling ---- */

/* The data of a notification: what came true, and why. */
static char *write_data(const struct armed *armed, const char *reason)
{
	const struct condition *condition = armed->condition;
	struct json_writer writer;
	struct buf out;

	buf_init(&out, NOTIFICATION_DATA_MAX);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "reason", reason);
	if (armed->errand.subject.pane != MUXBUS_NO_ID)
		json_put_id(&writer, "watched_pane", '%', armed->errand.subject.pane);
	json_put_raw(&writer, "condition", armed->errand.spec, strlen(armed->errand.spec));
	if (condition != NULL && condition->details.len > 0 && condition->details.len < 8192)
		json_put_raw(&writer, "details", (const char *)condition->details.data,
		    condition->details.len);
	json_object_end(&writer);
	return (char *)buf_steal(&out, NULL);
}

/* One text for people, by kind and reason. */
static void write_text(const struct errand *errand, const char *reason, char *out, size_t size)
{
	const char *what = errand->kind == ERRAND_IDLE ? "the wait for idleness" : "the pane watch";

	if (strcmp(reason, "match") != 0)
		snprintf(out, size, "%s ended: %s", what, reason);
	else if (errand->kind == ERRAND_IDLE)
		snprintf(out, size, "the processors have been idle as asked");
	else
		snprintf(out, size, "pane %%%" PRIu32 " printed a line that matches",
		    errand->subject.pane);
}

/* Tells, and ends the errand if is_end; both or neither. */
static uint64_t errand_tell(struct armed *armed, const char *reason, bool is_end)
{
	struct errand *errand = &armed->errand;
	struct queue *queue = armed->set->daemon->queue;
	char key[KEY_SIZE], text[160], coalesce[32];
	char *data = write_data(armed, reason);
	struct notification_draft draft = {
	    .source = kind_sources[errand->kind],
	    .id = errand->id,
	    .pane = &errand->teller,
	    .text = text,
	    .data = data,
	};
	uint64_t seq;

	write_text(errand, reason, text, sizeof text);
	snprintf(coalesce, sizeof coalesce, "errand:%s", errand->id);
	errand_key(errand->id, key);
	queue_begin(queue);
	if (is_end) {
		store_delete(queue_store(queue), key);
	} else {
		draft.key = coalesce;
		errand_store(armed->set, errand);
	}
	seq = queue_post(queue, &draft);
	(void)queue_commit(queue);
	mem_free(data);
	return seq;
}

/* ---- arming ---- */

static void on_changed(struct condition *condition, void *data)
{
	struct armed *armed = data;

	(void)condition;
	armed->is_settled = true;
	event_active(armed->timer, EV_TIMEOUT, 0);
}

static void arm_deadline(struct armed *armed)
{
	int64_t left_ms = armed->errand.deadline_ms - clock_real_ms();
	struct timeval timeout;

	if (armed->errand.deadline_ms == 0)
		return;
	left_ms = left_ms < 0 ? 0 : left_ms > TIMER_MAX_MS ? TIMER_MAX_MS : left_ms;
	timeout = (struct timeval){left_ms / 1000, left_ms % 1000 * 1000};
	event_add(armed->timer, &timeout);
}

/* Arms the condition. request gets its errors. False after failing it. */
static bool arm(struct armed *armed, struct request *request)
{
	struct errand_set *set = armed->set;
	struct json_error error;
	const struct json *spec =
	    json_read(set->reader, armed->errand.spec, strlen(armed->errand.spec), &error);

	if (spec == NULL) {
		request_fail(
		    request, MESSAGE_INTERNAL, "a condition that was kept: %s", error.text);
		return false;
	}
	armed->condition = condition_new(set->daemon, request, spec, on_changed, armed);
	if (armed->condition == NULL)
		return false;
	if (armed->condition->state != CONDITION_PENDING)
		on_changed(armed->condition, armed);
	return true;
}

/* Arms what was kept: nobody hears of errors, but the notification tells. */
static void arm_again(struct armed *armed)
{
	struct request *request = request_new(armed->set->daemon->parts, NULL, NULL, NULL);
	enum pane_fate fate = armed->errand.subject.pane == MUXBUS_NO_ID
	    ? PANE_THERE
	    : pane_fate(armed->set->daemon->tmux, &armed->errand.subject);

	if (fate == PANE_THERE && arm(armed, request)) {
		request_done(request);
		return;
	}
	if (fate != PANE_THERE)
		request_done(request);
	if (fate == PANE_UNKNOWN)
		return;
	(void)errand_tell(armed, "gone", true);
	armed_free(armed);
}

/* The condition has come true, or is gone; or the time is up. */
static void on_timer(evutil_socket_t fd, short what, void *data)
{
	struct armed *armed = data;
	struct errand *errand = &armed->errand;
	bool is_match = armed->is_settled && armed->condition->state == CONDITION_MATCHED;

	(void)fd;
	(void)what;
	if (!armed->is_settled && clock_real_ms() < errand->deadline_ms) {
		arm_deadline(armed);
		return;
	}
	if (is_match && !errand->is_once) {
		errand->matches++;
		(void)errand_tell(armed, "match", false);
		condition_free(armed->condition);
		armed->condition = NULL;
		armed->is_settled = false;
		arm_deadline(armed);
		arm_again(armed);
		return;
	}
	if (is_match)
		(void)errand_tell(armed, "match", true);
	else if (!armed->is_settled)
		(void)errand_tell(armed, "timeout", true);
	else
		(void)errand_tell(
		    armed, armed->condition->state == CONDITION_LIMIT ? "limit" : "gone", true);
	armed_free(armed);
}

static struct armed *armed_new(struct errand_set *set)
{
	struct armed *armed = xcalloc(1, sizeof *armed);

	armed->set = set;
	armed->timer = loop_timer_new(set->daemon->base, on_timer, armed);
	pane_ref_clear(&armed->errand.teller);
	pane_ref_clear(&armed->errand.subject);
	list_append(&set->errands, &armed->errand.link);
	set->count++;
	return armed;
}

/* ---- the set ---- */

static void load_ref(const struct json *value, const char *name, struct pane_ref *ref)
{
	const struct json *member = json_member(value, name);

	if (member != NULL && member->type == JSON_STRING)
		(void)pane_ref_parse(member->text, ref); /* else it stays cleared */
}

static int64_t load_int(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	int64_t number = 0;

	if (member != NULL)
		(void)json_int(member, &number); /* none: 0 */
	return number;
}

/* Takes up one of an earlier life. False if it is none. */
static bool errand_load(struct errand_set *set, const char *id, const char *text, size_t len)
{
	struct json_error error;
	const struct json *value = json_read(set->reader, text, len, &error);
	const struct json *spec = json_member(value, "spec");
	const struct json *kind = json_member(value, "kind");
	const struct json *once = json_member(value, "once");
	struct json_writer writer;
	struct armed *armed;
	struct buf out;

	if (spec == NULL || spec->type != JSON_OBJECT || kind == NULL ||
	    strlen(id) >= NOTIFICATION_ID_SIZE)
		return false;
	armed = armed_new(set);
	strcpy(armed->errand.id, id);
	queue_hold_id(set->daemon->queue, id);
	armed->errand.kind =
	    strcmp(kind->text, kind_names[ERRAND_PANE]) == 0 ? ERRAND_PANE : ERRAND_IDLE;
	load_ref(value, "teller", &armed->errand.teller);
	load_ref(value, "subject", &armed->errand.subject);
	armed->errand.is_once = once != NULL && once->boolean;
	armed->errand.deadline_ms = load_int(value, "deadline_ms");
	armed->errand.matches = (unsigned)load_int(value, "matches");
	buf_init(&out, SPEC_MAX);
	json_writer_init(&writer, &out);
	json_put_value(&writer, NULL, spec);
	armed->errand.spec = (char *)buf_steal(&out, NULL);
	arm_deadline(armed);
	return true;
}

struct errand_set *errand_set_new(struct daemon *daemon)
{
	struct errand_set *set = xcalloc(1, sizeof *set);
	struct lost_records lost = {.count = 0};
	const char *key, *value;
	size_t cursor = 0, len;

	set->daemon = daemon;
	set->reader = json_reader_new(STORE_VALUE_MAX);
	list_init(&set->errands);
	while (store_next(queue_store(daemon->queue), PREFIX, &cursor, &key, &value, &len)) {
		if (!errand_load(set, key + strlen(PREFIX), value, len))
			lost_record_add(&lost, key, "pane watch or wait");
	}
	lost_records_tell(&lost, daemon->queue, SOURCE_CONDITION, "pane watch or wait");
	return set;
}

void errand_set_free(struct errand_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->errands))
		armed_free((struct armed *)list_entry(set->errands.next, struct errand, link));
	json_reader_free(set->reader);
	mem_free(set);
}

void errand_set_wake(struct errand_set *set)
{
	struct list *link, *after;

	list_for_each_safe (link, after, &set->errands) {
		struct armed *armed = (struct armed *)list_entry(link, struct errand, link);

		if (armed->condition == NULL)
			arm_again(armed);
	}
}

const struct errand *errand_start(
    struct errand_set *set, struct request *request, const struct errand_order *order)
{
	struct armed *armed;

	if (set->count == ERRANDS_MAX) {
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d watches and waits already, the most there may be", ERRANDS_MAX);
		return NULL;
	}
	armed = armed_new(set);
	armed->errand.kind = order->kind;
	armed->errand.teller = *order->teller;
	if (order->subject != NULL)
		armed->errand.subject = *order->subject;
	armed->errand.spec = xstrdup(order->spec);
	armed->errand.is_once = order->is_once;
	if (order->timeout_ms > 0)
		armed->errand.deadline_ms = clock_real_ms() + order->timeout_ms;
	queue_new_id(set->daemon->queue, armed->errand.id);
	if (!arm(armed, request)) {
		armed_free(armed);
		return NULL;
	}
	errand_store(set, &armed->errand);
	arm_deadline(armed);
	return &armed->errand;
}

bool errand_cancel(struct errand_set *set, const char *id)
{
	struct list *link;

	list_for_each (link, &set->errands) {
		struct armed *armed = (struct armed *)list_entry(link, struct errand, link);
		uint64_t seq;

		if (strcmp(armed->errand.id, id) != 0)
			continue;
		queue_begin(set->daemon->queue);
		seq = errand_tell(armed, "cancelled", true);
		(void)queue_set_state(set->daemon->queue, seq, NOTE_CANCELLED, NULL);
		(void)queue_commit(set->daemon->queue);
		armed_free(armed);
		return true;
	}
	return false;
}

const struct errand *errand_next(const struct errand_set *set, const struct errand *previous)
{
	const struct list *link = previous == NULL ? set->errands.next : previous->link.next;

	return link == &set->errands ? NULL : list_entry(link, const struct errand, link);
}

size_t errand_count(const struct errand_set *set)
{
	return set->count;
}
