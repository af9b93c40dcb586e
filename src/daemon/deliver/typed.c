/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/typed.h"

#include "daemon/core/config.h"
#include "daemon/deliver/mail.h"
#include "daemon/deliver/prompt_line.h"
#include "daemon/input/submit.h"
#include "daemon/pane/expected.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"

/* The record of a line that is being typed into a pane, for the next daemon. */
struct typed_kept {
	uint64_t *batch; /* numbers of the notifications that the line reports */
	size_t count;
	struct submit_past past;
};

static const struct record_field kept_fields[] = {
    {RECORD_ROW(NUMBERS, struct typed_kept, batch, "batch"),
	.count_offset = offsetof(struct typed_kept, count)},
    {RECORD_ROW(NATURAL, struct typed_kept, past.before, "before")},
    {RECORD_ROW(TEXT, struct typed_kept, past.line, "line")},
    {RECORD_ROW(UINT64, struct typed_kept, past.activity, "activity"), .is_optional = true},
    {RECORD_ROW(BOOL, struct typed_kept, past.was_entered, "entered"), .is_optional = true},
};

static const struct record_kind typed_kind = {
    .prefix = "typed/",
    .noun = "a line that was being typed",
    .rows = RECORD_ROWS(kept_fields, "&batch*#before\n=line"),
    .source = SOURCE_POST,
};

/* A typed line that the agent has not taken yet. The line may be typed again. */
struct retry {
	struct list link;
	struct mail_office *office;
	struct loop_timer *timer;
	struct pane_ref pane;
	uint64_t seqs[MAIL_BATCH_MAX];
	size_t count;
	uint64_t turns; /* turns of the pane's agent before the line was typed */
	struct submit_past past;
	struct buf line;
};

static bool check(void *data UNUSED, const char *name UNUSED, const struct json *value)
{
	struct typed_kept kept = {0};
	if (!record_read(typed_kind.rows, value, &kept))
		return false;
	record_finish(typed_kind.rows, &kept);
	return true;
}

void typed_load(struct queue *queue)
{
	queue_load(queue, &typed_kind, check, NULL);
}

static void keep(struct mail *mail)
{
	struct typed_kept kept = {.batch = mail->batch, .count = mail->batch_count};
	char name[PANE_REF_NAME_SIZE];
	submit_read_past(mail->submit, &kept.past);
	pane_ref_name(&mail->pane, name);
	record_put(queue_store(mail->office->parts->queue), &typed_kind, name, &kept);
}

static void resume(struct mail *mail)
{
	struct queue *queue = mail->office->parts->queue;
	char name[PANE_REF_NAME_SIZE];
	struct typed_kept kept = {0};
	pane_ref_name(&mail->pane, name);
	if (!record_get(queue_store(queue), &typed_kind, name, &kept))
		return;
	for (size_t at = 0; at < kept.count && mail->batch_count < MAIL_BATCH_MAX; at++)
		if (queue_find(queue, kept.batch[at]) != NULL)
			mail->batch[mail->batch_count++] = kept.batch[at];
	if (mail->batch_count > 0)
		submit_resume(mail->submit, &kept.past);
	record_finish(typed_kind.rows, &kept);
}

static const struct presence *presence_of(const struct mail *mail)
{
	return presence_of_pane(mail->office->parts->presences, &mail->pane);
}

/* Keeps the line and the agent's number of turns, to see later whether the line was taken. */
static void remember(struct mail *mail, const struct buf *line)
{
	const struct presence *presence = presence_of(mail);
	mail->turns = presence != NULL ? presence->turns : 0;
	mail->line.len = 0;
	(void)buf_append(&mail->line, line->data, line->len);
}

static void retry_free(struct retry *retry)
{
	list_remove(&retry->link);
	loop_timer_free(retry->timer);
	buf_finish(&retry->line);
	mem_free(retry);
}

void typed_forget(struct mail_office *office)
{
	list_each_safe (struct retry, retry, &office->retries, link)
		retry_free(retry);
}

/* Lets an idle mail type the line again, or only submit it if it still stands at the prompt. */
static void type_again(struct retry *retry)
{
	struct mail *mail = retry->office->look(retry->office, &retry->pane);
	if (mail == NULL || mail->work != NULL || mail->batch_count > 0 ||
	    submit_is_at_work(mail->submit))
		return;
	memcpy(mail->batch, retry->seqs, retry->count * sizeof *retry->seqs);
	mail->batch_count = retry->count;
	remember(mail, &retry->line);
	retry->past.line = (char *)retry->line.data;
	submit_resume(mail->submit, &retry->past);
}

static bool has_turned(const struct presence *presence, uint64_t turns)
{
	return presence != NULL && presence->has_turns && presence->turns > turns;
}

void typed_reported(struct mail_office *office, const struct pane_ref *pane)
{
	const struct presence *presence = presence_of_pane(office->parts->presences, pane);
	list_each_safe (struct retry, retry, &office->retries, link)
		if (pane_ref_same_pane(&retry->pane, pane) && has_turned(presence, retry->turns))
			retry_free(retry);
}

static void on_retry(void *data)
{
	struct retry *retry = data;
	const struct daemon *parts = retry->office->parts;
	size_t count = retry->count;
	retry->count = 0;
	for (size_t at = 0; at < count; at++) {
		const struct notification *note = queue_find(parts->queue, retry->seqs[at]);
		/* Any other notification was taken or cancelled, or is being typed again. */
		if (note == NULL || (note->state != NOTE_DELIVERED && note->state != NOTE_FAILED))
			continue;
		queue_count_redelivery(parts->queue, note->seq, 1);
		(void)queue_set_state(parts->queue, note->seq, NOTE_QUEUED, NULL);
		retry->seqs[retry->count++] = note->seq;
	}
	if (retry->count > 0)
		type_again(retry);
	retry_free(retry);
}

static unsigned times(const struct mail *mail)
{
	unsigned most = 0;
	for (size_t at = 0; at < mail->batch_count; at++) {
		const struct notification *note =
		    queue_find(mail->office->parts->queue, mail->batch[at]);
		if (note != NULL && note->redelivered > most)
			most = note->redelivered;
	}
	return most;
}

/* Plans to type the line again, if nudges allow: after ack_wait_ms or a multiple (factors). */
static void retry_add(const struct mail *mail)
{
	static const int factors[] = {1, 5, 15};
	size_t last = sizeof factors / sizeof *factors - 1;
	struct mail_office *office = mail->office;
	const struct config *config = office->parts->config;
	unsigned most = times(mail);
	struct retry *retry;
	if (mail->batch_count == 0 || (int64_t)most >= config->limits.nudges)
		return;
	if (list_count(&office->retries) == TYPED_RETRIES_MAX)
		retry_free(list_entry(office->retries.next, struct retry, link));
	retry = xcalloc(1, sizeof *retry);
	retry->office = office;
	retry->pane = mail->pane;
	memcpy(retry->seqs, mail->batch, mail->batch_count * sizeof *mail->batch);
	retry->count = mail->batch_count;
	retry->turns = mail->turns;
	submit_read_past(mail->submit, &retry->past);
	retry->past.before = 0;
	retry->past.was_entered = false;
	buf_init(&retry->line, SUBMIT_LINE_MAX);
	(void)buf_append(&retry->line, mail->line.data, mail->line.len);
	retry->timer = loop_timer_new(office->parts->base, on_retry, retry);
	list_append(&office->retries, &retry->link);
	loop_timer_arm(
	    retry->timer, config->limits.ack_wait_ms * factors[most < last ? most : last]);
}

/* Returns true if the agent has taken a submitted line, or does not report turns. */
static bool is_taken(const struct mail *mail, enum submit_result result)
{
	const struct presence *presence = presence_of(mail);
	return result == SUBMIT_SUBMITTED &&
	    (presence == NULL || !presence->has_turns || presence->reported_ms == 0 ||
		has_turned(presence, mail->turns));
}

static bool on_is_wanted(void *data)
{
	return mail_is_wanted(data);
}

static bool on_compose(void *data, struct submit_text *text)
{
	struct mail *mail = data;
	struct queue *queue = mail->office->parts->queue;
	const struct notification *notes[MAIL_BATCH_MAX];
	struct buf line = BUF(SUBMIT_LINE_MAX);
	mail_gather(mail, notes);
	if (mail->batch_count == 0)
		return false; /* none is left */
	mail_end_deferral(mail);
	prompt_line_compose(&line, notes, mail->batch_count, &mail->office->parts->config->limits);
	remember(mail, &line);
	buf_finish(&line);
	(void)buf_append(&text->bytes, mail->line.data, mail->line.len);
	queue_begin(queue);
	mail_set_delivering(mail);
	keep(mail);
	(void)queue_commit(queue);
	return true;
}

/*
 * Stores whether Enter may have been pressed, so that the next daemon knows whether a line that it
 * does not find may have been submitted.
 */
static void on_entering(void *data)
{
	keep(data);
}

/* Called if the line is not typed now: queues its notifications with the receipt "deferred". */
static void on_deferred(void *data, const char *reason, bool is_new)
{
	struct mail *mail = data;
	struct queue *queue = mail->office->parts->queue;
	struct way_found found;
	queue_begin(queue);
	for (size_t at = 0; at < mail->batch_count; at++) {
		const struct notification *note = queue_find(queue, mail->batch[at]);
		if (note != NULL && note->state == NOTE_DELIVERING && mail_is_for(mail, note))
			(void)queue_set_state(queue, note->seq, NOTE_QUEUED, NULL);
	}
	(void)queue_commit(queue);
	mail->office->find(mail, &found);
	mail_defer(mail, found.way == &way_none ? way_none.name : NULL, reason, is_new);
	/* If the agent has ended, another way is sought, unless a line may be at the prompt. */
	if (found.by->is_for_person && mail->batch_count == 0)
		loop_timer_arm(mail->soon, 0);
}

static void put_receipt(struct mail *mail, uint64_t seq, const struct submit_end *end)
{
	static const struct {
		const char *name;
		enum notification_state state;
		const struct way *way;
	} outcomes[] = {
	    [SUBMIT_SUBMITTED] = {"submitted", NOTE_DELIVERED, &way_typed},
	    [SUBMIT_TYPED] = {"typed", NOTE_FAILED, &way_typed},
	    [SUBMIT_REFUSED] = {"refused", NOTE_FAILED, NULL},
	};
	const struct notification *note = queue_find(mail->office->parts->queue, seq);
	enum notification_state state = outcomes[end->result].state;
	const struct way *way = outcomes[end->result].way;
	struct json_writer writer;
	struct buf receipt = BUF(RECEIPT_MAX);
	if (note == NULL)
		return;
	if (note->state != NOTE_QUEUED && note->state != NOTE_DELIVERING)
		state = note->state;
	receipt_begin(&receipt, &writer, outcomes[end->result].name, way != NULL ? way->name : NULL,
	    end->reason);
	submit_write_evidence(mail->submit, end->result, &writer);
	receipt_give(mail->office->parts, seq, state, &receipt, &writer);
}

static void on_ended(void *data, const struct submit_end *end)
{
	const struct notification *notes[MAIL_BATCH_MAX];
	enum submit_result result = end->result;
	struct mail *mail = data;
	char name[PANE_REF_NAME_SIZE];
	if (result == SUBMIT_REFUSED)
		mail_gather(mail, notes); /* notifications that came later are refused too */
	for (size_t at = 0; at < mail->batch_count && result != SUBMIT_NOTHING; at++)
		put_receipt(mail, mail->batch[at], end);
	if (mail->batch_count > 0) {
		pane_ref_name(&mail->pane, name);
		record_delete(queue_store(mail->office->parts->queue), &typed_kind, name);
	}
	if ((result == SUBMIT_SUBMITTED || result == SUBMIT_TYPED) && mail->line.len > 0 &&
	    !is_taken(mail, result))
		retry_add(mail);
	mail->batch_count = 0;
	mail->office->go(mail);
}

void typed_open(struct mail *mail)
{
	/* The submit engine checks all guards, and tries again while they forbid typing. */
	static const struct submit_policy policy = {0};
	static const struct submit_handlers handlers = {.is_wanted = on_is_wanted,
	    .compose = on_compose,
	    .entering = on_entering,
	    .deferred = on_deferred,
	    .ended = on_ended};
	buf_init(&mail->line, SUBMIT_LINE_MAX);
	mail->submit =
	    submit_new(mail->office->parts->submits, &mail->pane, &policy, &handlers, mail);
	resume(mail);
}

void typed_close(struct mail *mail)
{
	submit_free(mail->submit);
	buf_finish(&mail->line);
}

static enum way_use use(const struct way_place *place, struct way_found *found)
{
	unsigned pane = (unsigned)place->address->pane;
	char guard[SUBMIT_REASON_SIZE];
	if (!submit_can_type(place->parts->submits, place->address, guard)) {
		snprintf(found->text, WAY_TEXT_SIZE, "pane %%%u: %s", pane, guard);
		return WAY_WAITS;
	}
	snprintf(found->text, WAY_TEXT_SIZE, "typed into pane %%%u", pane);
	return WAY_TAKES;
}

/* Starts typing. The submit engine waits while a guard forbids it, and calls on_deferred(). */
static void start(struct mail *mail, const struct way_found *found UNUSED)
{
	submit_wake(mail->submit);
}

static void cancel(struct mail *mail)
{
	submit_drop(mail->submit);
}

static void find_program(const struct daemon *parts, const struct pane_ref *address,
    struct foreground_program *ret_program)
{
	struct expected expected;
	if (expected_find(queue_store(parts->queue), address, &expected) &&
	    foreground_lives(expected.program.pid, expected.program.start))
		*ret_program = expected.program;
	else
		foreground_leader(address->pane_pid, ret_program);
}

const struct way way_typed = {.name = "typed",
    .result = "submitted",
    .when = " when that is ready",
    .use = use,
    .start = start,
    .cancel = cancel,
    .program = find_program};
