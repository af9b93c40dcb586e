/* SPDX-License-Identifier: ISC */
#include "daemon/wait/wait.h"

#include "daemon/queue/consumer.h"
#include "daemon/queue/store.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "daemon/wait/wait_private.h"
#include "io/loop_timer.h"

enum { TIMER_MAX_MS = 86400000 }; /* a day; a longer timeout arms the timer several times */

static void arm_deadline(struct wait *wait);
static void wait_arm_again(struct wait *wait, bool with_tmux);
static void on_settled(void *data);
static void on_deadline(void *data);

struct wait_set *wait_set_new(struct daemon *parts)
{
	struct wait_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	set->reader = json_reader_new(STORE_VALUE_MAX);
	list_init(&set->waits);
	set->settled = on_settled;
	set->deadline = on_deadline;
	if (parts->queue == NULL)
		return set;
	wait_record_load(set);
	wait_set_follow_clock(set);
	list_each (struct wait, wait, &set->waits, link)
		wait_arm_again(wait, false);
	return set;
}

void wait_set_follow_clock(struct wait_set *set)
{
	if (set == NULL)
		return;
	queue_begin(set->parts->queue);
	list_each (struct wait, wait, &set->waits, link) {
		int64_t due_ms = wait->due_ms;
		if (due_ms != 0)
			wait_align(wait, &wait->due_run_ms, &wait->due_ms);
		if (due_ms != wait->due_ms)
			wait_record_put(wait);
		arm_deadline(wait);
	}
	(void)queue_commit(set->parts->queue);
}

void wait_set_free(struct wait_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->waits))
		wait_drop(list_entry(set->waits.next, struct wait, link));
	json_reader_free(set->reader);
	mem_free(set);
}

void wait_set_wake(struct wait_set *set)
{
	list_each_safe (struct wait, wait, &set->waits, link)
		wait_arm_again(wait, true);
}

static void name_by_id(struct wait *wait)
{
	char id[NOTIFICATION_ID_SIZE];
	queue_new_id(wait->set->parts->queue, id);
	wait_set_name(wait, id, true);
}

static void wait_free(struct wait *wait)
{
	wait_record_delete(wait);
	wait_drop(wait);
}

static size_t count_in(const struct wait *wait, enum condition_state state)
{
	size_t count = 0;
	for (size_t at = 0; at < wait->count; at++)
		count += wait->parts[at].condition->state == state;
	return count;
}

/* any: one has matched, or all have ended. all: each has matched, or one has ended. */
static bool wait_is_over(const struct wait *wait)
{
	size_t matched = count_in(wait, CONDITION_MATCHED);
	size_t ended = count_in(wait, CONDITION_GONE) + count_in(wait, CONDITION_LIMIT);
	if (wait->is_all)
		return ended > 0 || matched == wait->count;
	return matched > 0 || ended == wait->count;
}

static bool wait_has_matched(const struct wait *wait)
{
	size_t matched = count_in(wait, CONDITION_MATCHED);
	return wait->is_all ? matched == wait->count : matched > 0;
}

static bool stays(const struct wait *wait)
{
	return wait->kind != WAIT_REQUEST && !wait->is_once;
}

static const char *reason_of(const struct wait *wait)
{
	if (wait->is_timed_out)
		return "timeout";
	if (wait_has_matched(wait))
		return "match";
	return wait->kind != WAIT_REQUEST && count_in(wait, CONDITION_LIMIT) > 0 ? "limit" : "gone";
}

static void wait_write(const struct wait *wait, struct json_writer *writer, int64_t now_ms)
{
	json_array_begin(writer, "matched");
	for (size_t at = 0; at < wait->count; at++)
		if (wait->parts[at].condition->state == CONDITION_MATCHED)
			json_put_int(writer, NULL, (int64_t)at);
	json_array_end(writer);
	json_array_begin(writer, "conditions");
	for (size_t at = 0; at < wait->count; at++)
		condition_write(writer, wait->parts[at].condition);
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
	request_done(request);
	if (wait->notified != 0)
		(void)queue_set_state(
		    wait->set->parts->queue, wait->notified, NOTE_ACKNOWLEDGED, NULL);
	wait_free(wait);
}

static void arm_deadline(struct wait *wait)
{
	int64_t left = wait->due_run_ms - wait_run_ms(wait),
		asked = wait->asked_due_ms - clock_mono_ms();
	if (wait->asked_due_ms != 0 && asked < left)
		left = asked;
	if (wait->is_over)
		loop_timer_arm(wait->deadline,
		    wait->over_ms + (int64_t)WAIT_KEEP_SEC * 1000 - clock_mono_ms());
	else if (wait->due_ms != 0)
		loop_timer_arm(wait->deadline, left < TIMER_MAX_MS ? left : TIMER_MAX_MS);
}

static void wait_end(struct wait *wait, bool is_timed_out)
{
	wait->is_timed_out = is_timed_out;
	if (wait->kind != WAIT_REQUEST) {
		(void)wait_post(wait, reason_of(wait), true);
		wait_drop(wait);
		return;
	}
	wait->is_over = true;
	wait->over_ms = clock_mono_ms();
	if (wait->request != NULL) {
		wait_answer(wait);
		return;
	}
	for (size_t at = 0; at < wait->count; at++)
		condition_disarm(wait->parts[at].condition);
	arm_deadline(wait);
	if (!pane_ref_is_set(&wait->pane)) {
		wait_record_put(wait);
		return;
	}
	wait->notified = wait_post(wait, reason_of(wait), true);
	pane_ref_clear(&wait->pane);
	wait_release_id(wait);
}

static void on_settled(void *data)
{
	struct wait *wait = data;
	wait_post_found(wait);
	if (wait->is_over)
		return;
	if (wait_is_over(wait))
		wait_end(wait, false);
	else if (!stays(wait))
		wait_record_put(wait); /* a condition of "all" has matched */
}

/* Answers the request that resumed the wait, if its timeout is over. The wait itself goes on. */
static void answer_asked(struct wait *wait)
{
	struct request *request = wait->request;
	if (wait->asked_due_ms == 0 || wait->asked_due_ms > clock_mono_ms())
		return;
	wait->asked_due_ms = 0;
	wait->request = NULL;
	if (request == NULL)
		return;
	wait->is_timed_out = true;
	wait_write(wait, request_result(request), clock_mono_ms());
	wait->is_timed_out = false;
	request_done(request);
	wait_record_put(wait);
}

static void on_deadline(void *data)
{
	struct wait *wait = data;
	if (wait->is_over)
		wait_free(wait); /* no request has resumed it in time */
	else if (wait->due_run_ms > wait_run_ms(wait)) {
		answer_asked(wait);
		arm_deadline(wait);
	} else
		wait_end(wait, !wait_is_over(wait));
}

/* A condition has changed. All changes of this turn of the loop are answered together. */
static void on_changed(struct condition *condition, void *data)
{
	struct wait *wait = data;
	if (condition->state == CONDITION_PENDING)
		wait_note_match(wait);
	else
		loop_timer_wake(wait->settled);
}

/* Called when the request is cancelled, as when its peer disconnects. A named wait goes on. */
static void on_cancelled(void *data)
{
	struct wait *wait = data;
	wait->request = NULL;
	if (wait->name[0] == '\0')
		wait_free(wait);
	else
		wait_record_put(wait);
}

/* Returns true for a member in whose place the id of the pane or window is stored. */
static bool is_found(const struct condition *condition, const char *member)
{
	const char *pane = condition->kind->pane_member;
	return (condition->pane != MUXBUS_NO_ID && strcmp(member, pane) == 0) ||
	    (condition->window != MUXBUS_NO_ID && strcmp(member, "window") == 0);
}

/* Returns a condition as JSON, with pane and window as ids; "{}": too long. The caller frees it. */
static char *write_spec(const struct condition *condition, const struct json *spec)
{
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, WAIT_SPEC_MAX);
	json_each_member (member, spec)
		if (!is_found(condition, member->name))
			json_put_value(&writer, member->name, member);
	if (condition->pane != MUXBUS_NO_ID)
		json_put_id(&writer, condition->kind->pane_member, '%', condition->pane);
	if (condition->window != MUXBUS_NO_ID)
		json_put_id(&writer, "window", '@', condition->window);
	json_object_end(&writer);
	if (writer.is_cut) {
		buf_finish(&out);
		return xstrdup("{}");
	}
	return (char *)buf_steal(&out, NULL);
}

static bool wait_add(struct wait *wait, struct request *request, const struct json *spec)
{
	struct wait_part *part = &wait->parts[wait->count];
	part->condition = condition_new(request, wait->set->parts, spec,
	    wait->is_all ? "all" : "any", stays(wait), on_changed, wait);
	if (part->condition == NULL)
		return false;
	part->spec = write_spec(part->condition, spec);
	pane_ref_clear(&part->pane);
	if (part->condition->pane != MUXBUS_NO_ID)
		pane_ref_of(wait->set->parts->tmux, part->condition->pane, &part->pane);
	wait->count++;
	return true;
}

/* Writes a condition; "sec" gets the time that is left. */
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

static bool part_arm_again(struct wait *wait, struct wait_part *part)
{
	struct wait_set *set = wait->set;
	struct request *request = request_new(set->parts, NULL, NULL, NULL);
	struct condition *condition = NULL;
	struct json_error error;
	struct buf text = BUF(WAIT_SPEC_MAX);
	const struct json *spec = json_read(set->reader, part->spec, strlen(part->spec), &error);
	if (spec != NULL) {
		shorten(wait, spec, &text);
		spec = json_read(set->reader, (const char *)text.data, text.len, &error);
	}
	if (spec != NULL)
		condition =
		    condition_new(request, set->parts, spec, "any", stays(wait), on_changed, wait);
	else
		request_done(request);
	if (condition != NULL) {
		request_done(request);
		condition_free(part->condition);
		part->condition = condition;
	}
	buf_finish(&text);
	return condition != NULL;
}

static bool needs_tmux(const struct wait_part *part)
{
	return part->pane.pane != MUXBUS_NO_ID || part->condition->needs_tmux;
}

static void wait_arm_again(struct wait *wait, bool with_tmux)
{
	for (size_t at = 0; at < wait->count && !wait->is_over; at++) {
		struct wait_part *part = &wait->parts[at];
		struct condition *condition = part->condition;
		enum pane_fate fate = PANE_THERE;
		if (!condition->is_unarmed || condition->state != CONDITION_PENDING ||
		    (needs_tmux(part) && !with_tmux))
			continue;
		if (part->pane.pane != MUXBUS_NO_ID)
			fate = pane_fate(wait->set->parts->tmux, &part->pane);
		if (fate == PANE_UNKNOWN)
			continue;
		if (fate == PANE_GONE || !part_arm_again(wait, part))
			condition->state = CONDITION_GONE;
	}
	if (!wait->is_over && wait_is_over(wait))
		loop_timer_wake(wait->settled);
}

static struct wait *find_wait(struct wait_set *set, const char *name)
{
	list_each (struct wait, wait, &set->waits, link)
		if (name != NULL && wait->kind == WAIT_REQUEST && strcmp(wait->name, name) == 0)
			return wait;
	return NULL;
}

static void wait_resume(struct wait *wait, struct request *request, double timeout_sec)
{
	if (wait->request != NULL) {
		struct request *before = wait->request;
		request_fail(before, MESSAGE_CANCELLED, "another request resumed the wait \"%s\"",
		    wait->name);
	}
	wait->request = request;
	wait->asked_due_ms =
	    timeout_sec > 0 ? clock_mono_ms() + clock_seconds_to_ms(timeout_sec) : 0;
	wait_record_put(wait);
	if (wait->is_over)
		wait_answer(wait);
	else {
		request_on_cancel(request, on_cancelled, wait, NULL);
		arm_deadline(wait);
	}
}

/* Returns true if a wait is forgotten before another: notified ones first, then older ones. */
static bool goes_before(const struct wait *wait, const struct wait *other)
{
	bool is_notified = wait->notified != 0, other_is = other->notified != 0;
	return is_notified != other_is ? is_notified : wait->over_ms < other->over_ms;
}

/* Returns true if there is room for a new wait; the result of an old one may be removed for it. */
static bool has_place(struct wait_set *set)
{
	struct wait *first = NULL;
	if (set->named < WAIT_NAMED_MAX)
		return true;
	list_each (struct wait, wait, &set->waits, link) {
		if (wait->kind != WAIT_REQUEST || !wait->is_over || wait->request != NULL)
			continue;
		if (first == NULL || goes_before(wait, first))
			first = wait;
	}
	if (first != NULL)
		wait_free(first);
	return first != NULL;
}

const char *wait_park(struct wait_set *set, struct request *request, const struct pane_ref *pane)
{
	struct wait *wait = NULL;
	list_each (struct wait, other, &set->waits, link)
		if (other->request == request)
			wait = other;
	if (wait == NULL || (wait->name[0] == '\0' && !has_place(set)))
		return NULL;
	if (wait->name[0] == '\0')
		name_by_id(wait);
	wait->request = NULL;
	wait->pane = *pane;
	wait_record_put(wait);
	wait_write(wait, request_result(request), clock_mono_ms());
	return wait->name;
}

/* A list of conditions. A single object, or a string with JSON, is accepted too. */
struct condition_list {
	struct json_reader *reader; /* NULL: the value is no string */
	struct json one, list;
};

static const struct json *read_list(struct condition_list *read, const struct json *value)
{
	struct json_error error;
	if (value->type == JSON_STRING && value->len > 0) {
		const struct json *held;
		read->reader = json_reader_new(value->len);
		held = json_read(read->reader, value->text, value->len, &error);
		value = held != NULL ? held : value;
	}
	if (value->type != JSON_OBJECT)
		return value;
	read->one = *value;
	read->one.next = NULL;
	read->list = (struct json){.type = JSON_ARRAY, .child = &read->one, .count = 1};
	return &read->list;
}

bool wait_put_off(struct request *request, const struct json *specs)
{
	struct condition_list read = {0};
	bool is_put_off;
	if (specs == NULL)
		return false;
	specs = read_list(&read, specs);
	is_put_off = specs->type == JSON_ARRAY &&
	    ((condition_any_follows(specs, config_pipes(request_daemon(request)->config)) &&
		 dispatch_attach_first(request)) ||
		(condition_any_looks(specs) && dispatch_look_first(request)));
	json_reader_free(read.reader);
	return is_put_off;
}

static bool is_valid_list(struct request *request, const struct json *list, bool is_all)
{
	if (list->type == JSON_ARRAY && list->count > 0 && list->count <= WAIT_CONDITIONS_MAX)
		return true;
	return request_fail_data(request, MESSAGE_PARAMS,
	    is_all ? "\"field\":\"all\"" : "\"field\":\"any\"",
	    "any, all: must be an array of 1 to %d conditions, such as [{\"job\":\"A1B2\"}], or "
	    "one",
	    WAIT_CONDITIONS_MAX);
}

static bool is_valid_name(struct request *request, const char *name)
{
	if (name == NULL || consumer_name_is_valid(name))
		return true;
	return request_fail_field(
	    request, "wait", "must be 1 to %d characters of A-Z a-z 0-9 _ . : -", WAIT_NAME_MAX);
}

/* Checks the limit of conditions for the role read_only, in all waits together. */
static bool has_room(const struct wait_set *set, struct request *request, size_t count)
{
	if (request_role(request) != ROLE_READ_ONLY)
		return true;
	list_each (struct wait, wait, &set->waits, link)
		if (wait->request != NULL && request_role(wait->request) == ROLE_READ_ONLY)
			count += wait->count;
	if (count <= WAIT_READERS_MAX)
		return true;
	return request_fail(request, MESSAGE_LIMIT,
	    "the role read_only waits for %d conditions already, the most it may",
	    WAIT_READERS_MAX);
}

/* Adds the conditions. Those of a named wait must fit into the store. */
static bool add_all(
    struct wait *wait, struct request *request, const struct json *list, const char *name)
{
	size_t size = 0;
	json_each (spec, list) {
		if (!wait_add(wait, request, spec))
			return false;
		size += strlen(wait->parts[wait->count - 1].spec);
	}
	if (name != NULL && size > WAIT_SPECS_MAX)
		return request_fail(request, MESSAGE_LIMIT,
		    "the conditions have %zu bytes, more than the %d that are kept of a wait with "
		    "a name",
		    size, WAIT_SPECS_MAX);
	/* This check is the last, since has_place() may remove the result of another wait. */
	if (name == NULL || has_place(wait->set))
		return true;
	return request_fail(
	    request, MESSAGE_LIMIT, "there are %d named waits already", WAIT_NAMED_MAX);
}

static void start_list(struct wait_set *set, struct request *request, const struct json *list,
    bool is_all, double timeout_sec, const char *name)
{
	struct wait *wait;
	if (!is_valid_list(request, list, is_all) || !is_valid_name(request, name) ||
	    !has_room(set, request, list->count))
		return;
	wait = wait_new(set, WAIT_REQUEST, list->count);
	wait->is_all = is_all;
	wait_set_due(wait, clock_seconds_to_ms(timeout_sec));
	if (!add_all(wait, request, list, name)) {
		wait_drop(wait);
		return;
	}
	if (name != NULL)
		wait_set_name(wait, name, false);
	wait->request = request;
	if (wait_is_over(wait)) {
		wait_end(wait, false);
		return;
	}
	request_on_cancel(request, on_cancelled, wait, NULL);
	arm_deadline(wait);
	wait_record_put(wait);
}

void wait_start(struct wait_set *set, struct request *request, const struct json *any,
    const struct json *all, double timeout_sec, bool is_timed, const char *name)
{
	const struct json *list = any != NULL ? any : all;
	struct wait *wait = find_wait(set, name);
	struct condition_list read = {0};
	if (list != NULL)
		list = read_list(&read, list);
	if (wait != NULL && (list == NULL || wait_asks(wait, list, any == NULL)))
		wait_resume(wait, request, is_timed ? timeout_sec : 0);
	else if (wait != NULL)
		request_fail_field(request, "wait",
		    "this name has a wait with other conditions: leave them out to resume it, or "
		    "choose another name");
	else if (list == NULL)
		request_fail_field(request, "wait",
		    "there is no wait of this name to resume, and no conditions are given");
	else
		start_list(set, request, list, any == NULL, timeout_sec, name);
	json_reader_free(read.reader);
}

const struct wait *wait_start_background(
    struct wait_set *set, struct request *request, const struct wait_background *order)
{
	struct json_error error;
	const struct json *spec = json_read(set->reader, order->spec, strlen(order->spec), &error);
	struct wait *wait;
	if (spec == NULL) {
		request_fail(request, MESSAGE_INTERNAL, "the condition: %s", error.text);
		return NULL;
	}
	if (set->backgrounds == WAIT_BACKGROUND_MAX) {
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d watches and waits already, the most there may be",
		    WAIT_BACKGROUND_MAX);
		return NULL;
	}
	wait = wait_new(set, order->kind, 1);
	wait->pane = order->pane;
	wait->is_once = order->is_once;
	if (order->timeout_ms > 0)
		wait_set_due(wait, order->timeout_ms);
	if (!wait_add(wait, request, spec)) {
		wait_drop(wait);
		return NULL;
	}
	name_by_id(wait);
	queue_begin(set->parts->queue);
	wait_record_put(wait);
	once_keep(order->once, wait->name);
	(void)queue_commit(set->parts->queue);
	arm_deadline(wait);
	if (wait_is_over(wait))
		loop_timer_wake(wait->settled);
	return wait;
}

const struct wait *wait_next_background(const struct wait_set *set, const struct wait *previous)
{
	const struct list *link = previous == NULL ? set->waits.next : previous->link.next;
	for (; link != &set->waits; link = link->next) {
		const struct wait *wait = list_entry(link, const struct wait, link);
		if (wait->kind != WAIT_REQUEST)
			return wait;
	}
	return NULL;
}

bool wait_cancel_background(struct wait_set *set, const char *id)
{
	list_each (struct wait, wait, &set->waits, link) {
		uint64_t seq;
		if (wait->kind == WAIT_REQUEST || strcmp(wait->name, id) != 0)
			continue;
		queue_begin(set->parts->queue);
		seq = wait_post(wait, "cancelled", true);
		(void)queue_set_state(set->parts->queue, seq, NOTE_CANCELLED, NULL);
		(void)queue_commit(set->parts->queue);
		wait_drop(wait);
		return true;
	}
	return false;
}

bool wait_cancel_named(struct wait_set *set, const char *name)
{
	struct wait *wait = find_wait(set, name);
	if (wait == NULL)
		return false;
	if (wait->request != NULL) {
		request_fail(
		    wait->request, MESSAGE_CANCELLED, "the wait \"%s\" was cancelled", wait->name);
	}
	wait_free(wait);
	return true;
}

bool wait_set_follows(const struct wait_set *set)
{
	list_each (const struct wait, wait, &set->waits, link) {
		for (size_t at = 0; at < wait->count && !wait->is_over; at++) {
			const struct condition *condition = wait->parts[at].condition;
			if (condition->state == CONDITION_PENDING &&
			    condition_follows(condition->kind, config_pipes(set->parts->config)))
				return true;
		}
	}
	return false;
}
