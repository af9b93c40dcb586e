/* SPDX-License-Identifier: ISC */
#include "daemon/pane/reporter.h"

#include <sys/random.h>

#include "base/tokenizer.h"
#include "daemon/core/counters.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"
#include "daemon/tmux/osc_report.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

enum { DATA_MAX = 16 * 1024, KEY_SIZE = NOTIFICATION_KEY_MAX };

struct reporter_set {
	const struct daemon *parts;
	struct list reporters;
	struct loop_timer *timer;
};

struct reporter {
	struct list link;
	struct reporter_set *set;
	uint32_t id; /* id of the pane */
	struct pane_ref pane; /* cleared: the program does not run yet */
	struct pane_ref parent;
	char token[REPORTER_TOKEN_SIZE];
	bool wants_notices, is_tapped;
	struct stream_tap tap;
	struct osc_reader reader;
	struct list pending; /* of struct reporter_pending, oldest first */
	int64_t paid_ms; /* CLOCK_MONOTONIC: the rate is used up until this time */
	unsigned slot; /* number for the key of the next notification */
	unsigned held; /* number of posts beyond the rate, which the next notification counts */
};

struct reporter_pending {
	struct list link;
	bool is_context;
	struct osc_context context;
	struct osc_report notice;
};

static const struct record_field reporter_fields[] = {
    {RECORD_ROW(PANE, struct reporter, pane, "pane")},
    {RECORD_ROW(PANE, struct reporter, parent, "parent"), .is_optional = true},
    {RECORD_ROW(WORD, struct reporter, token, "token")},
    {RECORD_ROW(BOOL, struct reporter, wants_notices, "notices"), .is_optional = true},
};

static const struct record_kind reporter_kind = {.prefix = "reporter/",
    .noun = "the token of a pane",
    .rows = RECORD_ROWS(reporter_fields, NULL),
    .source = SOURCE_PROGRAM};

void reporter_new_token(char ret_token[REPORTER_TOKEN_SIZE])
{
	uint8_t random[(REPORTER_TOKEN_SIZE - 1) / 2];
	size_t filled = 0;
	while (filled < sizeof random) {
		ssize_t got = getrandom(random + filled, sizeof random - filled, 0);
		filled += got > 0 ? (size_t)got : 0;
	}
	str_put_hex(ret_token, random, sizeof random);
}

/* Compares the token in constant time, so that the time does not reveal it. */
static bool is_token(const struct reporter *reporter, const char *token)
{
	uint8_t differs = 0;
	if (strlen(token) != REPORTER_TOKEN_SIZE - 1)
		return false;
	for (size_t at = 0; at < REPORTER_TOKEN_SIZE - 1; at++)
		differs |= (uint8_t)(token[at] ^ reporter->token[at]);
	return differs == 0;
}

static void reporter_free(struct reporter *reporter)
{
	if (reporter->is_tapped)
		stream_tap_remove(reporter->set->parts->streams, reporter->id, &reporter->tap);
	list_each_safe (struct reporter_pending, pending, &reporter->pending, link)
		mem_free(pending);
	osc_reader_finish(&reporter->reader);
	list_remove(&reporter->link);
	mem_free(reporter);
}

static void reporter_remove(struct reporter *reporter)
{
	char name[PANE_REF_TEXT_SIZE];
	if (reporter->pane.pane != MUXBUS_NO_ID) {
		pane_ref_format(&reporter->pane, name);
		record_delete(queue_store(reporter->set->parts->queue), &reporter_kind, name);
	}
	reporter_free(reporter);
}

/* Keeps the report for the timer: a callback of a tap must not change anything. */
static void on_osc(struct stream_tap *tap, const struct token *token)
{
	struct reporter *reporter = list_entry(tap, struct reporter, tap);
	struct counters *counters = reporter->set->parts->counters;
	struct reporter_pending *pending = xcalloc(1, sizeof *pending);
	bool is_wanted;
	pending->is_context = osc_context_read(token->text, token->len, &pending->context) &&
	    pending->context.token[0] != '\0';
	is_wanted = pending->is_context ? is_token(reporter, pending->context.token)
					: reporter->wants_notices &&
		osc_report_read(&reporter->reader, token->text, token->len, &pending->notice) ==
		    OSC_NOTICE;
	counters->reports_refused += pending->is_context && !is_wanted;
	if (is_wanted && list_count(&reporter->pending) >= REPORTER_PENDING_MAX) {
		counters->reports_dropped++;
		is_wanted = false;
	}
	if (!is_wanted) {
		mem_free(pending);
		return;
	}
	list_append(&reporter->pending, &pending->link);
	loop_timer_wake(reporter->set->timer);
}

static void on_gap(struct stream_tap *tap, uint64_t offset UNUSED, const char *reason UNUSED)
{
	osc_reader_finish(&list_entry(tap, struct reporter, tap)->reader);
}

static void on_closed(struct stream_tap *tap)
{
	struct reporter *reporter = list_entry(tap, struct reporter, tap);
	reporter->is_tapped = false;
	loop_timer_wake(reporter->set->timer);
}

static void follow(struct reporter *reporter)
{
	reporter->tap.osc = on_osc;
	reporter->tap.gap = on_gap;
	reporter->tap.closed = on_closed;
	reporter->is_tapped =
	    stream_tap_add(reporter->set->parts->streams, reporter->id, &reporter->tap) == 0;
}

static bool may_post(struct reporter *reporter)
{
	int64_t now_ms = clock_mono_ms();
	int64_t full_ms = now_ms - (int64_t)REPORTER_BURST * REPORTER_EVERY_MS;
	if (reporter->paid_ms < full_ms)
		reporter->paid_ms = full_ms;
	if (reporter->paid_ms + REPORTER_EVERY_MS > now_ms)
		return false;
	reporter->paid_ms += REPORTER_EVERY_MS;
	return true;
}

/* Writes the key of a post. A post is counted into an unread notification with this key. */
static void write_key(const struct reporter *reporter, unsigned slot, char key[KEY_SIZE])
{
	char pane[PANE_REF_TEXT_SIZE];
	pane_ref_format(&reporter->pane, pane);
	snprintf(key, KEY_SIZE, "program/%s/%u", pane, slot % REPORTER_UNREAD_MAX);
}

static bool find_unread(const struct reporter *reporter, char key[KEY_SIZE])
{
	const struct notification_draft like = {.source = SOURCE_PROGRAM, .key = key};
	for (unsigned at = 0; at < REPORTER_UNREAD_MAX; at++) {
		write_key(reporter, reporter->slot + at, key);
		if (queue_unread(reporter->set->parts->queue, &like) != NULL)
			return true;
	}
	return false;
}

static void post(
    struct reporter *reporter, const struct pane_ref *pane, const char *text, const char *data)
{
	char key[KEY_SIZE];
	struct notification_draft draft = {
	    .source = SOURCE_PROGRAM, .pane = pane, .text = text, .data = data, .key = key};
	if (may_post(reporter)) {
		write_key(reporter, reporter->slot++, key);
	} else if (!find_unread(reporter, key)) {
		reporter->held++;
		reporter->set->parts->counters->reports_dropped++;
		return;
	}
	draft.count = 1 + reporter->held;
	reporter->held = 0;
	(void)queue_post(reporter->set->parts->queue, &draft);
}

static void notify(struct reporter *reporter, const struct osc_report *notice)
{
	bool has_both = notice->title[0] != '\0' && notice->text[0] != '\0';
	char text[sizeof notice->title + sizeof notice->text + 2];
	struct json_writer writer;
	struct buf data;
	snprintf(text, sizeof text, "%s%s%s", notice->title, has_both ? ": " : "", notice->text);
	json_start_object(&writer, &data, DATA_MAX);
	json_put_id(&writer, "pane", '%', reporter->id);
	json_put_int(&writer, "osc", notice->number);
	json_put_str(&writer, "title", notice->title[0] != '\0' ? notice->title : NULL);
	json_put_str(&writer, "text", notice->text[0] != '\0' ? notice->text : NULL);
	json_object_end(&writer);
	post(reporter, &reporter->parent, text, (const char *)data.data);
	buf_finish(&data);
}

static const struct {
	const char *word;
	enum presence_state state;
} states[] = {
    {"asking", PRESENCE_ASKING},
    {"busy", PRESENCE_BUSY},
    {"gone", PRESENCE_GONE},
    {"idle", PRESENCE_IDLE},
    {"ready", PRESENCE_IDLE},
    {"", PRESENCE_UNKNOWN},
};

static bool find_state(const struct osc_context *context, enum presence_state *ret_state)
{
	*ret_state = PRESENCE_GONE;
	for (size_t at = 0; !context->is_end && at < sizeof states / sizeof *states; at++) {
		if (strcmp(context->state, states[at].word) == 0) {
			*ret_state = states[at].state;
			return true;
		}
	}
	return context->is_end;
}

static void wake(struct reporter *reporter, const struct osc_context *context)
{
	struct json_writer writer;
	struct buf data;
	bool is_parent = strcmp(context->to, "parent") == 0;
	json_start_object(&writer, &data, DATA_MAX);
	json_put_id(&writer, "pane", '%', reporter->id);
	json_put_int(&writer, "osc", 3008);
	json_put_str(&writer, "context", context->id);
	json_put_str(&writer, "text", context->wake);
	json_object_end(&writer);
	post(reporter, is_parent ? &reporter->parent : &reporter->pane, context->wake,
	    (const char *)data.data);
	buf_finish(&data);
}

static void take_context(struct reporter *reporter, const struct osc_context *context)
{
	struct counters *counters = reporter->set->parts->counters;
	bool has_report = context->is_end || context->state[0] != '\0' || context->agent[0] != '\0';
	struct presence_report report = {.pane = &reporter->pane,
	    .agent = context->agent[0] != '\0' ? context->agent : "agent",
	    .session = context->session[0] != '\0' ? context->session : NULL,
	    .is_by_mark = true};
	if (!find_state(context, &report.state) ||
	    presence_check(report.agent, report.session) != NULL) {
		counters->reports_refused++;
		return;
	}
	if (report.state == PRESENCE_ASKING)
		report.question = context->question;
	if (has_report && !presence_report(reporter->set->parts->presences, &report))
		counters->reports_refused++;
	else
		counters->reports++;
	if (context->wake[0] != '\0')
		wake(reporter, context);
}

static void take_pending(struct reporter *reporter)
{
	while (!list_is_empty(&reporter->pending)) {
		struct reporter_pending *pending =
		    list_entry(reporter->pending.next, struct reporter_pending, link);
		list_remove(&pending->link);
		if (pending->is_context)
			take_context(reporter, &pending->context);
		else
			notify(reporter, &pending->notice);
		mem_free(pending);
	}
}

static void on_timer(void *data)
{
	struct reporter_set *set = data;
	list_each_safe (struct reporter, reporter, &set->reporters, link) {
		bool is_settled = reporter->pane.pane != MUXBUS_NO_ID;
		enum pane_fate fate =
		    is_settled ? pane_fate(set->parts->tmux, &reporter->pane) : PANE_UNKNOWN;
		if (is_settled && (fate == PANE_THERE || !reporter->is_tapped))
			take_pending(reporter);
		if (fate == PANE_GONE || (!is_settled && !reporter->is_tapped))
			reporter_remove(reporter);
	}
}

static struct reporter *reporter_new(struct reporter_set *set)
{
	struct reporter *reporter = xcalloc(1, sizeof *reporter);
	reporter->set = set;
	pane_ref_clear(&reporter->pane);
	pane_ref_clear(&reporter->parent);
	osc_reader_init(&reporter->reader);
	list_init(&reporter->pending);
	list_append(&set->reporters, &reporter->link);
	return reporter;
}

void reporter_add(struct reporter_set *set, uint32_t pane, const struct pane_ref *parent,
    const char *token, bool wants_notices)
{
	struct reporter *reporter;
	if (set == NULL || list_count(&set->reporters) >= REPORTERS_MAX) {
		log_warning("there are too many panes that report: pane %%%u has no token", pane);
		return;
	}
	reporter = reporter_new(set);
	reporter->id = pane;
	reporter->parent = *parent;
	reporter->wants_notices = wants_notices;
	snprintf(reporter->token, sizeof reporter->token, "%s", token);
	follow(reporter);
}

void reporter_settle(struct reporter_set *set, uint32_t pane)
{
	if (set == NULL)
		return;
	list_each (struct reporter, reporter, &set->reporters, link) {
		char name[PANE_REF_TEXT_SIZE];
		if (reporter->id != pane || reporter->pane.pane != MUXBUS_NO_ID)
			continue;
		pane_ref_of(set->parts->tmux, pane, &reporter->pane);
		if (reporter->pane.pane == MUXBUS_NO_ID)
			continue;
		pane_ref_format(&reporter->pane, name);
		record_put(queue_store(set->parts->queue), &reporter_kind, name, reporter);
	}
	loop_timer_wake(set->timer);
}

static bool load(void *data, const char *name UNUSED, const struct json *value)
{
	struct reporter *reporter = reporter_new(data);
	if (record_read(reporter_kind.rows, value, reporter) &&
	    strlen(reporter->token) == REPORTER_TOKEN_SIZE - 1 &&
	    reporter->pane.pane != MUXBUS_NO_ID) {
		reporter->id = reporter->pane.pane;
		return true;
	}
	reporter_free(reporter);
	return false;
}

struct reporter_set *reporter_set_new(const struct daemon *parts)
{
	struct reporter_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	list_init(&set->reporters);
	set->timer = loop_timer_new(parts->base, on_timer, set);
	queue_load(parts->queue, &reporter_kind, load, set);
	return set;
}

void reporter_set_free(struct reporter_set *set)
{
	if (set == NULL)
		return;
	list_each_safe (struct reporter, reporter, &set->reporters, link)
		reporter_free(reporter);
	loop_timer_free(set->timer);
	mem_free(set);
}

void reporter_set_wake(struct reporter_set *set)
{
	list_each (struct reporter, reporter, &set->reporters, link)
		if (!reporter->is_tapped &&
		    pane_fate(set->parts->tmux, &reporter->pane) == PANE_THERE)
			follow(reporter);
	loop_timer_wake(set->timer);
}

bool reporter_set_is_idle(const struct reporter_set *set)
{
	return list_is_empty(&set->reporters);
}
