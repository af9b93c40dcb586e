/* SPDX-License-Identifier: ISC */
/* take_notifications: for followers and hooks, which hand a pane's notifications to its agent. */
#include "daemon/deliver/puller.h"
#include "daemon/deliver/prompt_line.h"
#include "daemon/deliver/wake_policy.h"
#include "daemon/event/event_log.h"
#include "daemon/methods/tables.h"
#include "daemon/queue/queue.h"
#include "daemon/server/handler.h"
#include "io/loop_timer.h"

struct take_args {
	const char *pane;
	int way;
	bool keep;
	double timeout_sec;
	int64_t limit;
};

static const struct field take_fields[] = {
    {FIELD_ROW(BOOL, struct take_args, keep, "keep"),
	.help = "As long as the request waits, keep what was handed over before and is not "
		"acknowledged yet."},
    {FIELD_ROW(INT, struct take_args, limit, "limit"), .min = 1, .max = PULLER_LEASES_MAX,
	.preset = "32", .help = "How many at most."},
    {FIELD_ROW(STRING, struct take_args, pane, "pane"),
	.help = "The pane whose agent gets them; left out, the caller's own."},
    {FIELD_ROW(NUMBER, struct take_args, timeout_sec, "timeout_sec"), .unit = "s", .max = 86400,
	.preset = "0", .help = "Wait so long for one, then answer with an empty list."},
    {FIELD_ROW(CHOICE, struct take_args, way, "way"), .flags = FIELD_REQUIRED,
	.choices = puller_ways,
	.help = "How the agent gets them: by a stream that it follows, or by its hook."},
    {.name = NULL},
};

static const struct field_result take_results[] = {
    {"pane", "string", "the pane"},
    {"notifications", "array", "notifications for the agent, urgent ones first, then by age"},
    {"notifications[].seq", "integer", "the number to acknowledge"},
    {"notifications[].id", "string", "the id of the request that it answers"},
    {"notifications[].source", "string",
	"timer, watch, job, tool, condition, command, post or program"},
    {"notifications[].notice", "string",
	"one line of a fixed form, with text of strangers only as it would be typed"},
    {"loan_sec", "number", "acknowledge within that time: what is not is typed into the pane"},
    {NULL, NULL, NULL},
};

struct take_wait {
	struct request *request;
	struct daemon *daemon;
	struct queue_listener posted;
	struct event_log_listener events;
	struct wake_policy_listener policies;
	struct loop_timer *timer;
	struct pane_ref pane;
	struct puller *puller;
	int64_t end_ms; /* CLOCK_MONOTONIC */
	int64_t limit;
	bool keeps;
};

/* Ends the wait. has_gone: the peer has left or cancelled, or the pane is closed. */
static void take_free(struct take_wait *wait, bool has_gone)
{
	list_remove(&wait->posted.link);
	list_remove(&wait->events.link);
	list_remove(&wait->policies.link);
	loop_timer_free(wait->timer);
	if (wait->keeps)
		puller_keep(wait->puller, false);
	puller_end(wait->puller, has_gone);
	mem_free(wait);
}

static void put_note(struct take_wait *wait, struct json_writer *writer, uint64_t seq)
{
	const struct notification *note = queue_find(wait->daemon->queue, seq);
	struct buf notice = BUF(PROMPT_LINE_BYTES);
	prompt_line_compose(&notice, &note, 1, &wait->daemon->config->limits);
	json_object_begin(writer, NULL);
	json_put_int(writer, "seq", (int64_t)seq);
	json_put_str(writer, "id", note->id);
	json_put_str(writer, "source", notification_source_names[note->source]);
	(void)json_put_text(writer, "notice", notice.data, notice.len);
	json_object_end(writer);
	buf_finish(&notice);
}

static void take_answer(void *data)
{
	struct take_wait *wait = data;
	struct request *request = wait->request;
	int64_t left_ms = wait->end_ms - clock_mono_ms(), count = 0;
	bool is_gone = pane_fate(wait->daemon->tmux, &wait->pane) == PANE_GONE;
	bool is_held = wake_policy_holds(wait->daemon->wake_policies, &wait->pane);
	uint64_t seq = is_gone || is_held ? 0 : puller_take(wait->puller);
	struct json_writer *writer;
	if (seq == 0 && !is_gone && left_ms > 0) {
		loop_timer_arm(wait->timer, left_ms);
		return;
	}
	if (is_gone) {
		request_fail(request, MESSAGE_GONE, "the pane is gone");
		take_free(wait, true);
		return;
	}
	writer = request_result(request);
	json_put_id(writer, "pane", '%', wait->pane.pane);
	json_array_begin(writer, "notifications");
	for (; seq != 0; seq = ++count < wait->limit ? puller_take(wait->puller) : 0)
		put_note(wait, writer, seq);
	json_array_end(writer);
	json_put_double(writer, "loan_sec", (double)wait->daemon->config->limits.loan_ms / 1000);
	request_done(request);
	take_free(wait, false);
}

/* Answers at the end of the turn of the loop, together with later notifications of the turn. */
static void on_posted(struct queue_listener *listener, const struct notification *note)
{
	struct take_wait *wait = list_entry(listener, struct take_wait, posted);
	if (pane_ref_equal(&note->pane, &wait->pane))
		loop_timer_wake(wait->timer);
}

static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct take_wait *wait = list_entry(listener, struct take_wait, events);
	if (event->kind == EVENT_SERVER_FOUND ||
	    (event->kind == EVENT_PANE_CLOSED && event->scope.pane == wait->pane.pane))
		loop_timer_wake(wait->timer);
}

static void on_due(struct wake_policy_listener *listener)
{
	loop_timer_wake(list_entry(listener, struct take_wait, policies)->timer);
}

static void on_cancelled(void *data)
{
	take_free(data, true);
}

static void take_notifications(struct request *request, const void *data)
{
	const struct take_args *args = data;
	struct daemon *daemon = request_daemon(request);
	struct puller *puller;
	struct take_wait *wait;
	struct pane_ref pane;
	if (!requester_pane(request, args->pane, &pane))
		return;
	if (pane.pane == MUXBUS_NO_ID) {
		request_fail_field(request, "pane",
		    "you are in no pane of this tmux server: name the one whose agent gets them");
		return;
	}
	puller = puller_begin(daemon->pullers, &pane, (enum puller_way)args->way);
	if (puller == NULL) {
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d followers and hooks at work already, the most there may be",
		    PULLERS_MAX);
		return;
	}
	wait = xcalloc(1, sizeof *wait);
	wait->request = request;
	wait->daemon = daemon;
	wait->pane = pane;
	wait->puller = puller;
	wait->limit = args->limit;
	wait->keeps = args->keep;
	if (wait->keeps)
		puller_keep(puller, true);
	wait->end_ms = clock_mono_ms() + clock_seconds_to_ms(args->timeout_sec);
	wait->timer = loop_timer_new(daemon->base, take_answer, wait);
	wait->posted.posted = on_posted;
	wait->events.event = on_event;
	queue_listen(daemon->queue, &wait->posted);
	event_log_listen(daemon->events, &wait->events);
	wait->policies.due = on_due;
	wake_policy_listen(daemon->wake_policies, &wait->policies);
	request_on_cancel(request, on_cancelled, wait, NULL);
	take_answer(wait);
}

const struct method methods_puller[] = {
    {.name = METHOD(
	 "take_notifications", METHOD_READS | METHOD_SEES | METHOD_TYPES | METHOD_SPEAKS_FOR),
	.title = "Take notifications over",
	.summary = "Takes the notifications of a pane, to hand them to its agent without typing.",
	.help = "For followers and hooks. While a follower waits, nothing is typed into the "
		"pane. Acknowledge each with ack_notification when the agent has it.",
	FIELDS_OF(take_args, take_fields),
	.results = take_results,
	.flags = METHOD_WAITS | METHOD_OPEN_WORLD | METHOD_NEEDS_TMUX,
	.recheck = "list_notifications",
	.handle = take_notifications,
	.affects = role_affects_pane,
	.example = "{\"pane\":\"%3\",\"way\":\"follow\",\"timeout_sec\":60}"},
    {.name = NULL},
};
