/* SPDX-License-Identifier: ISC */
/* next_notification: a request that waits for a notification. */
#include "daemon/event/event_log.h"
#include "daemon/job/job.h"
#include "daemon/methods/queue_shared.h"
#include "daemon/methods/tables.h"
#include "daemon/pane/presence.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/handler.h"
#include "io/loop_timer.h"
#include "wire/page.h"

const struct field_result notification_list_results[] = {
    {"notifications", "array", "the entries, oldest first"},
    {"notifications[].seq", "integer", "its number, shared with the events"},
    {"notifications[].time", "string", "when it came true"},
    {"notifications[].source", "string",
	"timer, watch, job, tool, condition, command, post or program"},
    {"notifications[].id", "string", "the id of the request that it answers"},
    {"notifications[].pane", "string|null", "the pane it is addressed to"},
    {"notifications[].pane_gone", "boolean", "true: gone; another may have its id now"},
    {"notifications[].thread", "string",
	"the session of an agent, if it is addressed to one: \"codex:019a…\""},
    {"notifications[].text", "string", "one line for people"},
    {"notifications[].data", "object", "what happened, by source"},
    {"notifications[].state", "string",
	"queued, delivering, delivered, acknowledged, cancelled or failed"},
    {"notifications[].key", "string", "of a post: its key"},
    {"notifications[].urgency", "string", "high, if it is"},
    {"notifications[].count", "integer", "how many things it tells of, if not one"},
    {"notifications[].delivery", "object|null",
	"the receipt of its way to its pane: result (deferred, submitted, typed, handed_over, "
	"shown, refused), way (waited, follow, hook, queue_command, typed, shown, on_notify, "
	"none), time, reason, and what was seen; typed_before: so often, at most, daemons that "
	"were killed had submitted it; consumer: the one that took it"},
    {"notifications[].redelivered", "integer",
	"how often it was handed out again; a restart of the daemon forgets what readers had"},
    {"last", "integer", "ask for what comes after this"},
    {"more", "boolean", "whether more match than the answer holds: ask again"},
    {"gap", "object|null", "from, to and reason of what is missing before these"},
    {"parked", "integer",
	"how many the consumer had 10 times and did not acknowledge: ask with parked"},
    {NULL, NULL, NULL},
};

void queue_write_gap(struct json_writer *writer, uint64_t after, uint64_t to, const char *reason)
{
	if (to <= after) {
		json_put_null(writer, "gap");
		return;
	}
	json_object_begin(writer, "gap");
	json_put_int(writer, "from", (int64_t)after + 1);
	json_put_int(writer, "to", (int64_t)to);
	json_put_str(writer, "reason", reason);
	json_object_end(writer);
}

void notification_write_gap(struct json_writer *writer, const struct queue *queue, uint64_t after)
{
	const char *reason;
	uint64_t forgotten = queue_forgotten(queue, &reason);
	queue_write_gap(writer, after, forgotten, reason);
}

void notification_write_entry(
    struct json_writer *writer, struct tmux *tmux, const struct notification *note)
{
	json_object_begin(writer, NULL);
	notification_write_members(writer, note, false);
	pane_fate_write_gone(writer, tmux, "pane", &note->pane);
	json_object_end(writer);
}

/*
 * Refuses a number that was not given yet. It is probably from before the state was lost, and the
 * reader would miss all that comes up to it.
 */
bool queue_check_after(struct request *request, int64_t after)
{
	uint64_t last = event_log_last(request_daemon(request)->events);
	char data[96];
	if ((uint64_t)after <= last)
		return true;
	(void)snprintf(data, sizeof data, "\"field\":\"after\",\"last\":%" PRIu64, last);
	return request_fail_data(request, MESSAGE_PARAMS, data,
	    "after: the number %" PRId64 " was not given yet; the last one is %" PRIu64, after,
	    last);
}

struct consumer *queue_get_consumer(struct request *request, const char *name)
{
	struct consumer *consumer;
	if (!consumer_name_is_valid(name)) {
		request_fail_field(request, "consumer",
		    "must be 1 to %d characters of A-Z a-z 0-9 _ . : -", CONSUMER_NAME_MAX);
		return NULL;
	}
	consumer = consumer_get(request_daemon(request)->consumers, name);
	if (consumer == NULL)
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d consumers at work, the most there may be: use one of them",
		    CONSUMERS_MAX);
	return consumer;
}

struct next_args {
	int64_t after;
	bool has_after;
	const char *consumer;
	double timeout_sec;
	const struct json *filter;
	const char *id;
	int64_t limit;
	int64_t ack;
	bool has_ack;
	int64_t ack_up_to;
	bool has_ack_up_to;
	bool parked;
};

static const struct field next_fields[] = {
    {FIELD_ROW(STRING, struct next_args, id, "id"), .min = 1, .max = CONSUMER_FILTER_ID_MAX,
	.help = "The id of a request, such as A1B2: its notification, now or later."},
    {FIELD_ROW(INT, struct next_args, after, "after"),
	.given_offset = offsetof(struct next_args, has_after), .max = JSON_INT_MAX,
	.help = "Wait for one behind this number, 0: any; left out, and without consumer and "
		"id: for a new one."},
    {FIELD_ROW(STRING, struct next_args, consumer, "consumer"), .flags = FIELD_RARE | FIELD_KEPT,
	.help = "Take the next that this named consumer has not acknowledged."},
    {FIELD_ROW(NUMBER, struct next_args, timeout_sec, "timeout_sec"), .unit = "s", .max = 86400,
	.preset = "60", .help = "Answer with an empty list after this long."},
    {FIELD_ROW(VALUE, struct next_args, filter, "filter"), .flags = FIELD_RARE,
	.help = "Only those that match: an object of pane, source, id, urgent; or an id alone, "
		"of which a cancelled one counts too.",
	.members = consumer_filter_fields},
    {FIELD_ROW(INT, struct next_args, limit, "limit"), .flags = FIELD_RARE, .min = 1,
	.max = QUEUE_LIST_MAX, .preset = "100", .help = "How many at most, if several are there."},
    {FIELD_ROW(INT, struct next_args, ack, "ack"), .flags = FIELD_RARE | FIELD_KEPT,
	.given_offset = offsetof(struct next_args, has_ack), .max = JSON_INT_MAX,
	.help = "Acknowledge this one first, for the consumer."},
    {FIELD_ROW(INT, struct next_args, ack_up_to, "ack_up_to"), .flags = FIELD_RARE | FIELD_KEPT,
	.given_offset = offsetof(struct next_args, has_ack_up_to), .max = JSON_INT_MAX,
	.help = "Acknowledge all up to this one first, for the consumer."},
    {FIELD_ROW(BOOL, struct next_args, parked, "parked"), .flags = FIELD_RARE | FIELD_KEPT,
	.help = "Take those again, too, that the consumer had 10 times and did not acknowledge."},
    {.name = NULL},
};

struct next_wait {
	struct request *request;
	struct queue *queue;
	struct queue_listener listener;
	struct loop_timer *timer; /* rings at end_ms, or when a notification is handed out again */
	int64_t end_ms; /* CLOCK_MONOTONIC */
	struct consumer *consumer; /* NULL: reads by number */
	uint64_t after;
	int64_t limit;
	struct consumer_filter filter;
	char filter_id[CONSUMER_FILTER_ID_MAX + 1];
	struct pane_ref agent; /* the agent that requests; cleared: none */
	uint64_t shown; /* number of the last entry that the reader sees */
	bool has_acked; /* the request has acknowledged notifications */
	bool is_own; /* only notifications for this agent are wanted */
};

static bool is_for_agent(const struct next_wait *wait, const struct notification *note)
{
	if (!pane_ref_is_set(&wait->agent))
		return false;
	return pane_ref_equal(&note->pane, &wait->agent) ||
	    (note->pane.pane != MUXBUS_NO_ID && pane_ref_same_pane(&note->pane, &wait->agent));
}

static bool is_wanted(const struct next_wait *wait, const struct notification *note)
{
	return consumer_filter_matches(&wait->filter, note) &&
	    (!wait->is_own || is_for_agent(wait, note));
}

/* Notes that a reader has it. Acknowledges one for this agent that was delivered or has failed. */
static void note_read(const struct next_wait *wait, const struct notification *note)
{
	queue_note_told(wait->queue, note->seq);
	if (is_for_agent(wait, note) &&
	    (note->state == NOTE_DELIVERED || note->state == NOTE_FAILED))
		(void)queue_set_state(wait->queue, note->seq, NOTE_ACKNOWLEDGED, NULL);
}

static void next_free(void *data)
{
	struct next_wait *wait = data;
	list_remove(&wait->listener.link);
	if (wait->consumer != NULL)
		consumer_end_wait(wait->consumer);
	loop_timer_free(wait->timer);
	mem_free(wait);
}

/* Finds the next notification. *ret_due_ms: when one will be handed out again; 0: not known. */
static const struct notification *next_peek(
    const struct next_wait *wait, uint64_t after, int64_t now_ms, int64_t *ret_due_ms)
{
	const struct notification *note;
	*ret_due_ms = 0;
	if (wait->consumer != NULL)
		return consumer_peek(wait->consumer, &wait->filter, now_ms, ret_due_ms);
	for (note = queue_after(wait->queue, after); note != NULL;
	     note = queue_next(wait->queue, note)) {
		/* A cancelled notification is returned only if the request asks for its id. */
		if ((note->state != NOTE_CANCELLED || wait->filter.id != NULL) &&
		    is_wanted(wait, note))
			return note;
	}
	return NULL;
}

/* Called if an answer was cut after the entry `last`. The next answer has the other entries. */
static void next_cut(void *data, uint64_t last)
{
	struct next_wait *wait = data;
	wait->shown = last;
}

static void settle_taken(const struct next_wait *wait, const uint64_t *taken, int64_t count)
{
	const struct notification *note;
	for (int64_t at = 0; at < count; at++)
		if (wait->consumer != NULL && taken[at] > wait->shown)
			consumer_put_back(wait->consumer, taken[at]);
		else if (wait->consumer == NULL && taken[at] <= wait->shown &&
		    (note = queue_find(wait->queue, taken[at])) != NULL)
			note_read(wait, note);
}

/* Answers if there is a notification or the time is over. Returns false if the request waits on. */
static bool next_answer(struct next_wait *wait, bool is_time)
{
	/* One now_ms for all entries: one that falls due meanwhile would be out of order. */
	int64_t count = 0, due_ms, wake_ms = wait->end_ms, now_ms = clock_mono_ms();
	const struct notification *note = next_peek(wait, wait->after, now_ms, &due_ms);
	struct request_view *view = request_view(wait->request);
	size_t max = view->bytes_max > 0
	    ? view->bytes_max
	    : (size_t)request_daemon(wait->request)->config->limits.result_bytes;
	uint64_t last, taken[QUEUE_LIST_MAX];
	struct json_writer *writer;
	struct page page;
	if (note == NULL && !is_time) {
		if (due_ms != 0 && due_ms < wake_ms)
			wake_ms = due_ms;
		loop_timer_arm(wait->timer, wake_ms - clock_mono_ms());
		return false;
	}
	writer = request_result(wait->request);
	page_begin(&page, writer, "notifications", max, 0, wait->limit);
	last = queue_last(wait->queue) > wait->after ? queue_last(wait->queue) : wait->after;
	for (; note != NULL && page_takes(&page);
	     note = next_peek(wait, note->seq, now_ms, &due_ms)) {
		if (wait->consumer != NULL)
			consumer_hand_out(wait->consumer, note, now_ms);
		notification_write_entry(writer, request_daemon(wait->request)->tmux, note);
		taken[count++] = note->seq;
		if (page_keeps(&page))
			last = note->seq;
	}
	json_array_end(writer);
	json_put_int(writer, "last", (int64_t)last);
	json_put_bool(writer, "more", page.has_more);
	notification_write_gap(writer, wait->queue, wait->after);
	if (wait->consumer != NULL)
		json_put_int(writer, "parked", (int64_t)consumer_parked(wait->consumer, false));
	if (wait->has_acked)
		request_note_durable(wait->request);
	wait->shown = page.has_more ? last : UINT64_MAX;
	view->cut = next_cut;
	view->data = wait;
	request_done(wait->request);
	settle_taken(wait, taken, count);
	next_free(wait);
	return true;
}

static void next_timer(void *data)
{
	struct next_wait *wait = data;
	(void)next_answer(wait, clock_mono_ms() >= wait->end_ms);
}

/* Answers at the end of the turn of the loop, together with later notifications of the turn. */
static void next_posted(struct queue_listener *listener, const struct notification *note)
{
	struct next_wait *wait = list_entry(listener, struct next_wait, listener);
	if (is_wanted(wait, note))
		loop_timer_wake(wait->timer);
}

/* Adds the pane that shows the thread: notifications for the pane are for the agent too. */
static void add_seat(struct presence_set *presences, struct pane_ref *agent)
{
	char name[PRESENCE_NAME_MAX + 1], thread[PANE_REF_THREAD_SIZE];
	const struct presence *presence;
	const char *session;
	if (agent->pane != MUXBUS_NO_ID || !presence_split(agent->thread, name, &session))
		return;
	presence = presence_of_session(presences, name, session);
	if (presence == NULL)
		return;
	memcpy(thread, agent->thread, sizeof thread);
	*agent = presence->pane;
	memcpy(agent->thread, thread, sizeof thread);
}

/* Returns a given parameter that needs a consumer, or NULL. */
static const char *consumers_field(const struct next_args *args)
{
	const char *acks = args->has_ack_up_to ? "ack_up_to" : NULL;
	return args->parked ? "parked" : args->has_ack ? "ack" : acks;
}

static void do_first(const struct next_args *args, struct consumer *consumer)
{
	if (args->has_ack)
		(void)consumer_acknowledge(consumer, (uint64_t)args->ack, false);
	if (args->has_ack_up_to)
		(void)consumer_acknowledge(consumer, (uint64_t)args->ack_up_to, true);
	if (args->parked)
		(void)consumer_parked(consumer, true);
}

static void next_notification(struct request *request, const void *data)
{
	const struct next_args *args = data;
	struct daemon *daemon = request_daemon(request);
	struct consumer *consumer = NULL;
	struct consumer_filter filter;
	struct pane_ref agent;
	struct next_wait *wait;
	bool is_narrow = request_role(request) != ROLE_FULL;
	pane_ref_clear(&agent);
	if (args->filter != NULL && dispatch_look_first(request))
		return;
	if (args->consumer == NULL && !queue_check_after(request, args->after))
		return;
	if ((is_narrow || request_is_formatted(request)) &&
	    (requester_look_first(request, NULL) || !requester_pane(request, NULL, &agent)))
		return;
	add_seat(daemon->presences, &agent);
	if (!target_filter(request, "filter", args->filter, &filter))
		return;
	if (args->id != NULL)
		filter.id = args->id;
	if (filter.id != NULL)
		filter.id = job_name_id(daemon->jobs, filter.id);
	if (args->consumer != NULL &&
	    (consumer = queue_get_consumer(request, args->consumer)) == NULL)
		return;
	if (consumer == NULL && consumers_field(args) != NULL) {
		request_fail_field(request, consumers_field(args), "goes with consumer");
		return;
	}
	do_first(args, consumer);
	wait = xcalloc(1, sizeof *wait);
	wait->request = request;
	wait->queue = daemon->queue;
	wait->consumer = consumer;
	wait->limit = args->limit;
	wait->has_acked = args->has_ack || args->has_ack_up_to;
	wait->filter = filter;
	wait->agent = agent;
	wait->is_own = is_narrow ||
	    (pane_ref_is_set(&agent) && consumer == NULL && args->id == NULL &&
		args->filter == NULL);
	if (filter.id != NULL) {
		snprintf(wait->filter_id, sizeof wait->filter_id, "%s", filter.id);
		wait->filter.id = wait->filter_id;
	}
	wait->after = consumer != NULL ? consumer_floor(consumer)
	    : args->has_after          ? (uint64_t)args->after
	    : filter.id != NULL        ? 0
				       : queue_last(daemon->queue);
	wait->end_ms = clock_mono_ms() + clock_seconds_to_ms(args->timeout_sec);
	wait->timer = loop_timer_new(daemon->base, next_timer, wait);
	wait->listener.posted = next_posted;
	queue_listen(wait->queue, &wait->listener);
	if (consumer != NULL)
		consumer_begin_wait(consumer);
	request_on_cancel(request, next_free, wait, NULL);
	(void)next_answer(wait, args->timeout_sec <= 0);
}

const struct method methods_consumer[] = {
    {.name = METHOD(
	 "next_notification", METHOD_READS | METHOD_SEES | METHOD_TYPES | METHOD_SPEAKS_FOR),
	.title = "Wait for a notification",
	.summary = "Waits until there is a notification, and answers with it.",
	.help =
	    "A consumer gets each one at least once, in order; what it does not acknowledge "
	    "comes again after ack_wait_ms, and says so. An answer that was sent is no "
	    "acknowledgement: let ack ride on the next call, so that one that was lost on its way "
	    "comes again. An answer holds as many as fit, and says \"more\" if others wait. An "
	    "agent's tool call without id, consumer and filter gets those for its own pane; with "
	    "after 0 it acknowledges those typed there.",
	FIELDS_OF(next_args, next_fields),
	.results = notification_list_results,
	.flags = METHOD_IDEMPOTENT | METHOD_LOOKS_ITSELF | METHOD_WAITS | METHOD_OPEN_WORLD |
	    METHOD_TOOL,
	.handle = next_notification,
	.affects = role_affects_caller,
	.example = "{\"id\":\"A1B2\",\"timeout_sec\":2}"},
    {.name = NULL},
};
