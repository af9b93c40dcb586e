/* SPDX-License-Identifier: ISC */
/* Methods of timers: sleep (gemini_sleep), list_timers, cancel_timer. */
#include "daemon/deliver/wake.h"
#include "daemon/queue/store.h"
#include "daemon/server/handler.h"
#include "daemon/server/repeat.h"
#include "daemon/timer/timer.h"
#include "wire/page.h"

enum { LIST_MAX = 1000 };

struct sleep_args {
	double seconds;
	bool recurring;
	const char *text;
	const char *pane;
};

static const struct field sleep_fields[] = {
    {FIELD_ROW(NUMBER, struct sleep_args, seconds, "seconds"), .flags = FIELD_REQUIRED, .unit = "s",
	.min = 0.001, .max = TIMER_SECONDS_MAX, .help = "How long; fractions are allowed."},
    {FIELD_ROW(BOOL, struct sleep_args, recurring, "recurring"),
	.help = "Wake again every so many seconds until cancelled; then at least 3600."},
    {FIELD_ROW(STRING, struct sleep_args, text, "text"), .flags = FIELD_RARE | FIELD_CONFIDENTIAL,
	.min = 1, .max = TIMER_TEXT_MAX,
	.help = "A reminder: the notification has this text. A pane has any number of these beside "
		"its sleep, at most 1000 in all."},
    {FIELD_ROW(STRING, struct sleep_args, pane, "pane"), .flags = FIELD_RARE,
	.help = "The pane to wake; left out: the caller's own."},
    {.name = NULL},
};

static const struct field_result sleep_results[] = {
    {"id", "string", "the timer, and its notification"},
    {"message", "string", "what was done, in words"},
    WAKE_RESULTS,
    {"due", "string", "when it ends"},
    {"replaced", "string|null", "the timer that ended later, and is gone"},
    {"ignored", "boolean", "true if one that ends earlier stands, which is this"},
    DURABLE_RESULTS,
    {NULL, NULL, NULL},
};

static const char *const verdict_texts[] = {
    [TIMER_SET] = "The sleep is set.",
    [TIMER_REPLACED] = "The sleep is set; it replaces one that would have ended later.",
    [TIMER_IGNORED] = "A sleep that ends earlier is set already, and stands.",
};

static void answer_sleep(struct request *request, const struct timer *timer,
    enum timer_verdict verdict, const char *old_id)
{
	struct json_writer *writer = request_result(request);
	json_put_str(writer, "id", timer->id);
	wake_write(request, timer->text != NULL ? "The reminder is set." : verdict_texts[verdict],
	    timer->id, &timer->pane);
	json_put_time(writer, "due", timer->real_due_ms);
	json_put_str(writer, "replaced", verdict == TIMER_REPLACED ? old_id : NULL);
	json_put_bool(writer, "ignored", verdict == TIMER_IGNORED);
	request_done(request);
}

/* Answers a repeated request: its timer was set, but the result was not stored. */
static void answer_begun(struct request *request, const void *data, const char *id)
{
	const struct timer_set *timers = request_daemon(request)->timers;
	const struct timer *timer = timer_find(timers, id);
	(void)data;
	if (timer != NULL)
		answer_sleep(request, timer, TIMER_SET, NULL);
	else
		repeat_answer_id(request, data, id);
}

static void remind(
    struct request *request, const struct sleep_args *args, const struct pane_ref *pane)
{
	const struct timer *timer = timer_remind(request_daemon(request)->timers, pane,
	    clock_seconds_to_ms(args->seconds), args->recurring, args->text, request_once(request));
	if (timer == NULL)
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d reminders or %d timers already, the most there may be; cancel "
		    "some",
		    REMINDERS_MAX, TIMERS_MAX);
	else
		answer_sleep(request, timer, TIMER_SET, NULL);
}

static void handle_sleep(struct request *request, const void *data)
{
	const struct sleep_args *args = data;
	struct timer_set *timers = request_daemon(request)->timers;
	char id[NOTIFICATION_ID_SIZE] = "";
	const struct timer *timer;
	enum timer_verdict verdict;
	struct pane_ref pane;
	if (args->recurring && args->seconds < TIMER_RECURRING_MIN_SEC) {
		request_fail_field(request, "seconds", "a recurring sleep must be of at least %d",
		    TIMER_RECURRING_MIN_SEC);
		return;
	}
	if (requester_look_first(request, args->pane) ||
	    !requester_pane(request, args->pane, &pane))
		return;
	if (args->text != NULL) {
		remind(request, args, &pane);
		return;
	}
	verdict = timer_sleep(timers, &pane, clock_seconds_to_ms(args->seconds), args->recurring,
	    request_once(request), &timer, id);
	if (verdict == TIMER_FULL) {
		request_fail(request, MESSAGE_LIMIT,
		    "there are %d timers already, the most there may be; cancel some", TIMERS_MAX);
		return;
	}
	answer_sleep(request, timer, verdict, id);
}

struct timer_list_args {
	int64_t limit;
	int64_t offset;
};

static const struct field list_fields[] = {
    {FIELD_ROW(INT, struct timer_list_args, limit, "limit"), .flags = FIELD_RARE, .min = 1,
	.max = LIST_MAX, .preset = "1000", .help = "How many at most."},
    PAGE_OFFSET(timer_list_args),
    {.name = NULL},
};

static const struct field_result list_results[] = {
    {"count", "integer", "how many timers there are"},
    {"timers", "array", "the timers, soonest first"},
    {"timers[].id", "string", "its id"},
    {"timers[].pane", "string|null", "the pane it wakes"},
    {"timers[].pane_gone", "boolean", "true: gone; another may have its id now"},
    {"timers[].due", "string", "when it ends"},
    {"timers[].recurring", "boolean", "whether it comes again"},
    {"timers[].text", "string|null", "the text of a reminder"},
    {"timers[].period_sec", "number|null", "how often it comes again"},
    {"timers[].durable", "boolean", "false: in memory only, because the disk is full or fails"},
    PAGE_RESULTS,
    {NULL, NULL, NULL},
};

static void handle_list(struct request *request, const void *data)
{
	const struct timer_list_args *args = data;
	const struct timer_set *timers = request_daemon(request)->timers;
	struct json_writer *writer = request_result(request);
	const struct timer *timer = NULL;
	struct page page;
	json_put_int(writer, "count", (int64_t)timer_count(timers));
	page_begin(&page, writer, "timers",
	    (size_t)request_daemon(request)->config->limits.result_bytes, args->offset,
	    args->limit);
	while (!page.has_more && (timer = timer_next(timers, timer)) != NULL) {
		if (!page_takes(&page))
			continue;
		if (requester_look_for(request, &timer->pane))
			return;
		json_object_begin(writer, NULL);
		json_put_str(writer, "id", timer->id);
		pane_fate_write(writer, request_daemon(request)->tmux, "pane", &timer->pane);
		json_put_time(writer, "due", timer->real_due_ms);
		json_put_str(writer, "text", timer->text);
		json_put_bool(writer, "recurring", timer->period_ms > 0);
		if (timer->period_ms > 0)
			json_put_double(writer, "period_sec", (double)timer->period_ms / 1000);
		else
			json_put_null(writer, "period_sec");
		store_put_durable(writer, timer_is_durable(timers, timer));
		json_object_end(writer);
		(void)page_keeps(&page);
	}
	page_end(&page);
	request_done(request);
}

struct timer_cancel_args {
	const char *timer;
};

static const struct field cancel_fields[] = {
    {FIELD_ROW(STRING, struct timer_cancel_args, timer, "timer"), .flags = FIELD_REQUIRED,
	.help = "Its id."},
    {FIELD_ROW(STRING, struct timer_cancel_args, timer, "id"), .flags = FIELD_ALIAS},
    {.name = NULL},
};

static const struct field_result cancel_results[] = {
    {"id", "string", "the timer that is cancelled"},
    {"durable", "boolean", "false: it may come back if muxbusd is killed, as the disk is full"},
    {NULL, NULL, NULL},
};

static bool affects_timer(struct request *request, const void *data, struct pane_ref *ret_pane)
{
	const struct timer_cancel_args *args = data;
	const struct timer *timer = timer_find(request_daemon(request)->timers, args->timer);
	if (timer == NULL)
		/* no such timer: the call affects no pane but the requester's */
		return role_affects_caller(request, data, ret_pane);
	*ret_pane = timer->pane;
	return true;
}

static void handle_cancel(struct request *request, const void *data)
{
	const struct timer_cancel_args *args = data;
	bool is_durable;
	if (!timer_cancel(request_daemon(request)->timers, args->timer, &is_durable)) {
		request_fail(request, MESSAGE_NO_SUCH_TIMER,
		    "there is no timer \"%.40s\": see list_timers", args->timer);
		return;
	}
	json_put_str(request_result(request), "id", args->timer);
	store_put_durable(request_result(request), is_durable);
	request_done(request);
}

#define SLEEP_ROW                                                                                 \
	.title = "Sleep", .summary = "Wakes the caller's pane after a while; returns at once.",   \
	.help = "A pane has one sleep: of two, the one that ends earlier stands. It survives a "  \
		"restart; what came due meanwhile wakes once, and says how late.",                \
	.fields = sleep_fields, .args_size = sizeof(struct sleep_args), .results = sleep_results, \
	.recheck = "list_timers", .handle = handle_sleep, .begun = answer_begun,                  \
	.affects = role_affects_pane, .example = "{\"seconds\":600}"

const struct method methods_timer[] = {
    {.name = METHOD("cancel_timer", METHOD_TYPES | METHOD_WRITES),
	.title = "Cancel a timer",
	.summary = "Ends a timer before its time.",
	METHOD_CALL(handle_cancel, timer_cancel_args, cancel_fields, cancel_results),
	.flags = METHOD_IDEMPOTENT | METHOD_LOOKS_ITSELF,
	.recheck = "list_timers",
	.affects = affects_timer,
	.example = "{\"timer\":\"A1B2\"}"},
    {.name = METHOD("gemini_sleep", METHOD_TYPES | METHOD_WRITES),
	.flags = METHOD_LOOKS_ITSELF | METHOD_TOOL,
	SLEEP_ROW},
    {.name = METHOD("list_timers", METHOD_READS),
	.title = "List timers",
	.summary = "Lists the timers that are set, soonest first.",
	METHOD_CALL(handle_list, timer_list_args, list_fields, list_results),
	.flags = METHOD_LOOKS_ITSELF,
	.example = "{}"},
    {.name = METHOD("sleep", METHOD_TYPES | METHOD_WRITES),
	.flags = METHOD_LOOKS_ITSELF,
	SLEEP_ROW},
    {.name = NULL},
};
