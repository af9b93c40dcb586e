/* SPDX-License-Identifier: ISC */
/* Delivery: which notifications are typed in which order, and their outcome. */
#include "daemon/deliver/delivery.h"

#include <muxbus.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/deliver/on_notify.h"
#include "daemon/deliver/person.h"
#include "daemon/deliver/prompt_line.h"
#include "daemon/deliver/puller.h"
#include "daemon/deliver/queue_command.h"
#include "daemon/deliver/receipt.h"
#include "daemon/deliver/retry.h"
#include "daemon/deliver/show.h"
#include "daemon/deliver/typed_line.h"
#include "daemon/deliver/wake_policy.h"
#include "daemon/deliver/way.h"
#include "daemon/event/event_log.h"
#include "daemon/input/submit.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"
#include "wire/json.h"

enum {
	BATCH_MAX = 32, /* notifications that one notice tells of */
	POSTED_MS = 1, /* from a post to the look at its pane or thread */
	CHANGED_MS =
	    300, /* from the coming of a client to its message: its screen is drawn first */
	DEFER_MAX = 64, /* that get their receipt in one turn of the loop */
	REASON_SIZE = WAY_TEXT_SIZE,
};

/*
 * A thread that cannot be typed to is tried again after so long, at last every ten minutes; and
 * at once when its agent reports or calls.
 */
static const int64_t again_ms[] = {5000, 30000, 120000, 600000};
#define AGAIN_COUNT (sizeof again_ms / sizeof *again_ms)

/* The notifications that wait for one pane or thread. */
struct mail {
	struct list link;
	struct delivery_set *set;
	struct pane_ref pane;
	struct submit *submit;
	struct queue_command *command; /* of its agent, at work; NULL: none is */
	struct show *show; /* to the person in the pane, at work; NULL: none is */
	uint64_t shown_to; /* number of the last one that was shown */
	bool waits_for_person; /* until a client attaches */
	bool has_failed; /* that command: it is not asked again, but by again */
	size_t tries; /* of that command for a thread, all in vain */
	struct loop_timer *again;
	struct loop_timer *soon; /* looks at what was posted */
	uint64_t batch[BATCH_MAX]; /* numbers of the notifications being typed */
	size_t batch_count;
	uint64_t turns; /* of the agent, before it was typed */
	struct buf line; /* that was typed */
	char reason[REASON_SIZE]; /* of the deferral */
	const char *way; /* of the deferral: "none", or NULL: as usual, later */
	uint64_t deferred_to; /* number of the last one that got its receipt */
	bool is_new_reason; /* those that have a receipt get this one too */
	bool has_passed_over; /* some were not to be typed: they are looked at again */
	struct loop_timer *deferral; /* goes on with the receipts in the next turn */
};

struct delivery_set {
	struct delivery_parts parts;
	struct receipt_parts receipts;
	struct queue_listener listener;
	struct presence_listener reports;
	struct puller_listener pullers;
	struct wake_policy_listener policies;
	struct event_log_listener clients;
	struct retry_set *retries;
	struct list mails;
	void (*changed)(void *data); /* NULL: nothing is to be called */
	void *changed_data;
	int64_t shown_ms; /* CLOCK_MONOTONIC: when people last got a message */
};

/* Takes up what an earlier daemon was about to type. */
static void mail_resume(struct mail *mail)
{
	struct queue *queue = mail->set->parts.queue;
	struct typed_line typed;
	if (!typed_line_get(queue_store(queue), &mail->pane, &typed))
		return;
	for (size_t at = 0; at < typed.count && mail->batch_count < BATCH_MAX; at++) {
		if (queue_find(queue, typed.batch[at]) != NULL)
			mail->batch[mail->batch_count++] = typed.batch[at];
	}
	if (mail->batch_count > 0)
		submit_resume(mail->submit, typed.line, strlen(typed.line), typed.before);
	typed_line_finish(&typed);
}

static bool is_ours(const struct notification *note)
{
	return note != NULL && (note->state == NOTE_QUEUED || note->state == NOTE_DELIVERING);
}

static void write_receipt(struct mail *mail, uint64_t seq, enum notification_state state,
    const char *name, enum submit_result result, const char *reason)
{
	bool is_typed = result == SUBMIT_SUBMITTED || result == SUBMIT_TYPED;
	const struct notification *note = queue_find(mail->set->parts.queue, seq);
	struct json_writer writer;
	struct buf receipt;
	if (note == NULL)
		return;
	buf_init(&receipt, RECEIPT_MAX);
	receipt_begin(&receipt, &writer, name, is_typed ? "typed" : NULL, reason);
	if (result != SUBMIT_NOTHING)
		submit_write_evidence(mail->submit, result, &writer);
	receipt_give(
	    &mail->set->receipts, seq, is_ours(note) ? state : note->state, &receipt, &writer);
}

/*
 * Whether a notification is for the pane of a mail, and to be typed: it is not delivered, and
 * no puller holds it, or one has tried in vain.
 */
static bool is_for(const struct mail *mail, const struct notification *note)
{
	const struct puller_set *pullers = mail->set->parts.pullers;
	return is_ours(note) && pane_ref_equal(&note->pane, &mail->pane) &&
	    !puller_holds(pullers, note->seq) &&
	    (note->state == NOTE_DELIVERING || note->redelivered > 0 ||
		!puller_is_armed(pullers, &mail->pane));
}

/* Gathers what is due for a pane, urgent ones first. */
static void mail_gather(struct mail *mail)
{
	struct queue *queue = mail->set->parts.queue;
	mail->batch_count = 0;
	for (int urgent = 1; urgent >= 0; urgent--) {
		const struct notification *note = NULL;
		while ((note = queue_next_for(queue, &mail->pane, note)) != NULL) {
			if (is_for(mail, note) && note->is_urgent == (urgent == 1) &&
			    mail->batch_count < BATCH_MAX)
				mail->batch[mail->batch_count++] = note->seq;
		}
	}
}

static bool on_is_wanted(void *data)
{
	const struct mail *mail = data;
	const struct notification *note = NULL;
	bool is_held;
	if (mail->command != NULL || mail->show != NULL)
		return false;
	/* A text that may stand at the prompt already is finished first. */
	for (size_t at = 0; at < mail->batch_count; at++) {
		if (is_ours(queue_find(mail->set->parts.queue, mail->batch[at])))
			return true;
	}
	is_held = wake_policy_holds(mail->set->parts.wake_policies, &mail->pane);
	while ((note = queue_next_for(mail->set->parts.queue, &mail->pane, note)) != NULL) {
		if (is_for(mail, note) && (!is_held || note->state == NOTE_DELIVERING))
			return true;
	}
	return false;
}

/* The facts before it is typed, to see afterwards whether it was taken. */
static void mail_remember(struct mail *mail, const struct buf *line)
{
	const struct presence *presence = presence_of_pane(mail->set->parts.presences, &mail->pane);
	mail->turns = presence != NULL ? presence->turns : 0;
	mail->line.len = 0;
	(void)buf_append(&mail->line, line->data, line->len);
}

/* Has a typed notice retried, unless it is seen to be taken. */
static void mail_retry(struct mail *mail, enum submit_result result)
{
	const struct presence *presence = presence_of_pane(mail->set->parts.presences, &mail->pane);
	struct retry_line line = {
	    .pane = &mail->pane,
	    .seqs = mail->batch,
	    .count = mail->batch_count,
	    .turns = mail->turns,
	    .line = mail->line.data,
	    .len = mail->line.len,
	};
	bool is_taken = result == SUBMIT_SUBMITTED &&
	    (presence == NULL || !presence->has_turns || presence->turns > mail->turns ||
		presence->reported_ms == 0);
	if ((result == SUBMIT_SUBMITTED || result == SUBMIT_TYPED) && !is_taken &&
	    mail->line.len > 0)
		retry_add(mail->set->retries, &line);
}

/* The first notification of a pane that may lack the receipt of a deferral. */
static const struct notification *first_to_defer(const struct mail *mail)
{
	struct queue *queue = mail->set->parts.queue;
	const struct notification *last = queue_find(queue, mail->deferred_to);
	if (last == NULL || !is_ours(last) || !pane_ref_equal(&last->pane, &mail->pane))
		return queue_next_for(queue, &mail->pane, NULL);
	return queue_next_for(queue, &mail->pane, last);
}

/*
 * Gives receipts of the deferral, as one record for the turn. The rest of a long queue follows in the
 * next turns, so that requests are answered in between.
 */
static void defer_some(void *data)
{
	struct mail *mail = data;
	struct queue *queue = mail->set->parts.queue;
	const struct notification *note = first_to_defer(mail);
	uint64_t seqs[DEFER_MAX];
	size_t count = 0;
	for (; note != NULL && count < DEFER_MAX; note = queue_next_for(queue, &mail->pane, note)) {
		if (note->seq <= mail->deferred_to && mail->is_new_reason)
			continue;
		if (!is_for(mail, note))
			mail->has_passed_over = true;
		else if (mail->is_new_reason || note->delivery == NULL)
			seqs[count++] = note->seq;
		mail->deferred_to = note->seq;
	}
	if (count > 0)
		receipt_put_all(&mail->set->receipts, seqs, count, NOTE_QUEUED, "deferred",
		    mail->way, mail->reason);
	if (note != NULL)
		loop_timer_arm(mail->deferral, 0);
	else
		mail->is_new_reason = false;
}

/* The pane is ready: its notifications are on their way. */
static void end_deferral(struct mail *mail)
{
	loop_timer_disarm(mail->deferral);
	mail->deferred_to = 0;
	mail->is_new_reason = false;
}

/* Gives the receipts of a deferral. */
static void defer(struct mail *mail, const char *way, const char *reason, bool is_new)
{
	snprintf(mail->reason, sizeof mail->reason, "%s", reason);
	mail->way = way;
	mail->is_new_reason = mail->is_new_reason || is_new;
	if (is_new || mail->has_passed_over) {
		mail->deferred_to = 0;
		mail->has_passed_over = false;
	}
	defer_some(mail);
}

/* A deferral for a new reason is published; a notification that was not typed is queued again. */
static void on_deferred(void *data, const char *reason, bool is_new)
{
	struct mail *mail = data;
	struct queue *queue = mail->set->parts.queue;
	struct way_found found;
	queue_begin(queue);
	for (size_t at = 0; at < mail->batch_count; at++) {
		const struct notification *note = queue_find(queue, mail->batch[at]);
		if (note != NULL && note->state == NOTE_DELIVERING && is_for(mail, note))
			(void)queue_set_state(queue, note->seq, NOTE_QUEUED, NULL);
	}
	(void)queue_commit(queue);
	delivery_way(mail->set, &mail->pane, &found);
	defer(mail, found.way == WAY_NONE ? "none" : NULL, reason, is_new);
	if (found.way == WAY_SHOWN || found.way == WAY_ON_NOTIFY || found.is_final)
		loop_timer_arm(mail->soon, 0); /* the agent has gone while tmux was asked */
}

static bool on_compose(void *data, struct submit_text *text)
{
	struct mail *mail = data;
	struct queue *queue = mail->set->parts.queue;
	const struct notification *notes[BATCH_MAX];
	struct buf line;
	mail_gather(mail);
	if (mail->batch_count == 0)
		return false; /* settled within this turn of the loop: nothing is typed */
	end_deferral(mail);
	for (size_t at = 0; at < mail->batch_count; at++)
		notes[at] = queue_find(queue, mail->batch[at]);
	buf_init(&line, SUBMIT_LINE_MAX);
	prompt_line_compose(&line, notes, mail->batch_count, &mail->set->parts.config->limits);
	mail_remember(mail, &line);
	queue_begin(queue);
	for (size_t at = 0; at < mail->batch_count; at++)
		(void)queue_set_state(queue, mail->batch[at], NOTE_DELIVERING, NULL);
	typed_line_put(queue_store(queue), &mail->pane,
	    &(struct typed_line){
		.batch = mail->batch,
		.count = mail->batch_count,
		.before = submit_typed_before(mail->submit),
		.line = (char *)line.data,
	    });
	(void)queue_commit(queue);
	(void)buf_append(&text->bytes, line.data, line.len);
	buf_finish(&line);
	return true;
}

static void mail_go(struct mail *mail);

static void mail_free(struct mail *mail)
{
	list_remove(&mail->link);
	queue_command_free(mail->command);
	show_free(mail->show);
	submit_free(mail->submit);
	loop_timer_free(mail->deferral);
	loop_timer_free(mail->again);
	loop_timer_free(mail->soon);
	buf_finish(&mail->line);
	mem_free(mail);
}

static void on_ended(void *data, const struct submit_end *end)
{
	static const struct {
		const char *name;
		enum notification_state state;
	} outcomes[] = {
	    [SUBMIT_SUBMITTED] = {"submitted", NOTE_DELIVERED},
	    [SUBMIT_TYPED] = {"typed", NOTE_FAILED},
	    [SUBMIT_REFUSED] = {"refused", NOTE_FAILED},
	};
	enum submit_result result = end->result;
	struct mail *mail = data;

	if (mail->command != NULL)
		return; /* which goes on when it has ended */
	if (result == SUBMIT_REFUSED)
		mail_gather(mail); /* also what came since the last look */
	for (size_t at = 0; at < mail->batch_count && result != SUBMIT_NOTHING; at++)
		write_receipt(mail, mail->batch[at], outcomes[result].state, outcomes[result].name,
		    result, end->reason);
	if (mail->batch_count > 0)
		typed_line_delete(queue_store(mail->set->parts.queue), &mail->pane);
	mail_retry(mail, result);
	mail->batch_count = 0;
	mail_go(mail);
}

/* All guards, and it is tried again. */
static const struct submit_policy policy = {0};

static const struct submit_handlers handlers = {
    .is_wanted = on_is_wanted,
    .compose = on_compose,
    .deferred = on_deferred,
    .ended = on_ended,
};

static struct mail *find_mail(const struct delivery_set *set, const struct pane_ref *pane)
{
	struct list *link;
	list_for_each (link, &set->mails) {
		struct mail *mail = list_entry(link, struct mail, link);
		if (pane_ref_equal(&mail->pane, pane))
			return mail;
	}
	return NULL;
}

/* Whether it can be typed, where no command of the agent takes it. */
static bool has_pane(const struct mail *mail)
{
	return mail->pane.pane != MUXBUS_NO_ID;
}

/* Tells of what was given to the agent's command, and goes on with what came meanwhile. */
static void on_command(void *data, bool is_taken, const char *reason)
{
	struct mail *mail = data;
	const struct receipt_parts *receipts = &mail->set->receipts;
	struct queue_command *command = mail->command; /* the reason is its */
	mail->command = NULL;
	mail->has_failed = !is_taken;
	mail->tries = is_taken ? 0 : mail->tries + 1;
	for (size_t at = 0; at < mail->batch_count; at++) {
		if (is_taken)
			receipt_put(receipts, mail->batch[at], NOTE_DELIVERED, "handed_over",
			    "queue_command", NULL);
		else
			receipt_put(receipts, mail->batch[at], NOTE_QUEUED, "deferred",
			    has_pane(mail) ? "queue_command" : "none", reason);
	}
	snprintf(mail->reason, sizeof mail->reason, "%s", is_taken ? "" : reason);
	mail->way = has_pane(mail) ? NULL : "none";
	queue_command_free(command);
	mail->batch_count = 0;
	if (!is_taken && mail->set->changed != NULL)
		mail->set->changed(mail->set->changed_data);
	mail_go(mail);
}

/* Has the agent's own command tell it, if it has one. False if it is to be typed. */
static bool mail_command(struct mail *mail)
{
	const struct delivery_parts *parts = &mail->set->parts;
	const struct notification *notes[BATCH_MAX];
	char reason[QUEUE_REASON_SIZE];
	struct queue_target target;
	struct buf text;
	if (mail->has_failed || mail->batch_count > 0 || submit_is_at_work(mail->submit) ||
	    !on_is_wanted(mail) ||
	    !queue_command_find(parts->presences, &mail->pane, &target, reason))
		return false;
	end_deferral(mail);
	mail_gather(mail);
	for (size_t at = 0; at < mail->batch_count; at++)
		notes[at] = queue_find(parts->queue, mail->batch[at]);
	/* Other users can see the arguments of programs. */
	buf_init(&text, SUBMIT_LINE_MAX);
	prompt_line_compose(&text, notes, mail->batch_count, NULL);
	for (size_t at = 0; at < mail->batch_count; at++)
		(void)queue_set_state(parts->queue, mail->batch[at], NOTE_DELIVERING, NULL);
	mail->command =
	    queue_command_start(parts->base, &target, (const char *)text.data, on_command, mail);
	buf_finish(&text);
	return true;
}

/* A thread that is not there, and in no pane: what it is to get stays queued, and says why. */
static void mail_strand(struct mail *mail)
{
	size_t last = AGAIN_COUNT - 1, at = mail->tries > 0 ? mail->tries - 1 : 0;
	char reason[REASON_SIZE];
	struct queue_target target;
	if (mail->has_failed) {
		memcpy(reason, mail->reason, sizeof reason);
		loop_timer_arm(mail->again, again_ms[at < last ? at : last]);
	} else {
		/* Until its agent reports or calls. */
		(void)queue_command_find(mail->set->parts.presences, &mail->pane, &target, reason);
	}
	defer(mail, "none", reason, strcmp(reason, mail->reason) != 0);
}

/* Gives the receipts of what was shown: of many, some in each turn. */
static void give_shown(struct mail *mail)
{
	struct queue *queue = mail->set->parts.queue;
	const struct notification *note = NULL;
	uint64_t seqs[DEFER_MAX];
	size_t count = 0;
	while (count < DEFER_MAX && (note = queue_next_for(queue, &mail->pane, note)) != NULL &&
	    note->seq <= mail->shown_to) {
		if (is_for(mail, note))
			seqs[count++] = note->seq;
	}
	if (count > 0)
		receipt_put_all(
		    &mail->set->receipts, seqs, count, NOTE_DELIVERED, "shown", "shown", NULL);
	if (count < DEFER_MAX)
		mail->shown_to = 0;
	loop_timer_arm(mail->soon, 0);
}

/* Without a client the notifications wait for one; or for the program of on_notify. */
static void wait_for_person(struct mail *mail)
{
	size_t last = AGAIN_COUNT - 1;
	struct way_found found;
	bool is_new = !mail->waits_for_person;
	delivery_way(mail->set, &mail->pane, &found);
	mail->waits_for_person = true;
	defer(mail, way_name(found.way), found.text, is_new);
	loop_timer_arm(mail->again, again_ms[mail->tries < last ? mail->tries++ : last]);
}

static void on_shown(void *data, size_t clients)
{
	struct mail *mail = data;
	show_free(mail->show);
	mail->show = NULL;
	if (clients > 0) {
		mail->tries = 0;
		mail->set->shown_ms = clock_mono_ms();
		give_shown(mail);
		return;
	}
	mail->shown_to = 0;
	wait_for_person(mail);
}

/* How long the last message is still to be seen: the next one would hide it. */
static int64_t message_left_ms(const struct delivery_set *set)
{
	int64_t since_ms = clock_mono_ms() - set->shown_ms;
	return set->shown_ms == 0 ? 0 : set->parts.config->limits.show_ms - since_ms;
}

/* Shows all that waits for the pane, as one message. False if there is no client. */
static bool show_all(struct mail *mail)
{
	const struct delivery_parts *parts = &mail->set->parts;
	const struct notification *note = NULL, *last = NULL;
	struct buf line;
	size_t count = 0;
	while ((note = queue_next_for(parts->queue, &mail->pane, note)) != NULL) {
		if (!is_for(mail, note))
			continue;
		last = note;
		count++;
	}
	if (last == NULL || parts->config->shows_nothing)
		return false;
	buf_init(&line, SHOW_LINE_MAX);
	show_compose(&line, last, count);
	mail->show = show_start(
	    parts->person, parts->config, &mail->pane, (const char *)line.data, on_shown, mail);
	buf_finish(&line);
	mail->shown_to = mail->show != NULL ? last->seq : 0;
	return mail->show != NULL;
}

/* Where neither a message nor a program tells a person, no later reader is waited for. */
static void refuse_all(struct mail *mail)
{
	struct way_found found;
	delivery_way(mail->set, &mail->pane, &found);
	mail_gather(mail);
	receipt_put_all(&mail->set->receipts, mail->batch, mail->batch_count, NOTE_FAILED,
	    "refused", "none", found.text);
	mail->batch_count = 0;
	loop_timer_arm(mail->soon, 0);
}

/* Has the person see it in whose pane no agent lives. False if it is to be typed. */
static bool mail_show(struct mail *mail)
{
	const struct delivery_parts *parts = &mail->set->parts;
	if (mail->shown_to > 0) {
		give_shown(mail);
		return true;
	}
	if (mail->batch_count > 0 || submit_is_at_work(mail->submit) || !on_is_wanted(mail) ||
	    !person_has_pane(parts->person, &mail->pane)) {
		mail->waits_for_person = false;
		return false;
	}
	end_deferral(mail);
	submit_drop(mail->submit);
	if (!parts->config->shows_nothing && message_left_ms(mail->set) > 0)
		loop_timer_arm(mail->soon, message_left_ms(mail->set));
	else if (show_all(mail))
		mail->waits_for_person = false;
	else if (parts->config->shows_nothing && !on_notify_is_set(parts->on_notify))
		refuse_all(mail);
	else
		wait_for_person(mail);
	return true;
}

/* Types what is wanted where that can be done. */
static void mail_type(struct mail *mail)
{
	if (has_pane(mail))
		submit_wake(mail->submit);
	else if (on_is_wanted(mail))
		mail_strand(mail);
}

static void on_again(void *data)
{
	struct mail *mail = data;
	struct delivery_set *set = mail->set;
	bool had_failed = mail->has_failed;
	mail->has_failed = false;
	mail_go(mail);
	if (had_failed && set->changed != NULL)
		set->changed(set->changed_data);
}

/* Goes on with a pane or thread: in the best way there is, or not at all. */
static void mail_go(struct mail *mail)
{
	if (mail->command != NULL || mail->show != NULL || mail_command(mail) || mail_show(mail))
		return;
	if (on_is_wanted(mail))
		mail_type(mail);
	else if (!submit_is_at_work(mail->submit))
		mail_free(mail);
}

/* Gives the receipts of what a wake policy holds; of many at once, in one turn. */
static void mail_hold(struct mail *mail)
{
	defer(mail, NULL, "the wake policy holds it", false);
	while (loop_timer_is_armed(mail->deferral)) {
		loop_timer_disarm(mail->deferral);
		defer_some(mail);
	}
}

static void on_soon(void *data)
{
	struct mail *mail = data;
	if (!on_is_wanted(mail) && wake_policy_holds(mail->set->parts.wake_policies, &mail->pane))
		mail_hold(mail);
	if (mail->command == NULL && mail->show == NULL && !mail_command(mail) && !mail_show(mail))
		mail_type(mail);
}

/* Finds or makes the mail of a pane or thread. */
static struct mail *get_mail(struct delivery_set *set, const struct pane_ref *pane)
{
	struct mail *mail = find_mail(set, pane);
	if (mail != NULL)
		return mail;
	mail = xcalloc(1, sizeof *mail);
	mail->set = set;
	mail->pane = *pane;
	buf_init(&mail->line, SUBMIT_LINE_MAX);
	mail->submit = submit_new(set->parts.submits, pane, &policy, &handlers, mail);
	mail->deferral = loop_timer_new(set->parts.base, defer_some, mail);
	mail->again = loop_timer_new(set->parts.base, on_again, mail);
	mail->soon = loop_timer_new(set->parts.base, on_soon, mail);
	list_append(&set->mails, &mail->link);
	mail_resume(mail);
	return mail;
}

/* Looks at a pane or thread: something is addressed to it. */
static void mail_wake(struct delivery_set *set, const struct pane_ref *pane)
{
	on_soon(get_mail(set, pane));
}

static void on_posted(struct queue_listener *listener, const struct notification *note)
{
	struct delivery_set *set = list_entry(listener, struct delivery_set, listener);
	/* Requests that wait for the notification come first, and settle it in this turn. */
	if (pane_ref_is_set(&note->pane) && note->state == NOTE_QUEUED)
		loop_timer_arm(get_mail(set, &note->pane)->soon, POSTED_MS);
}

/* A line that was not taken: if it still stands at the prompt, it is not typed but sent off. */
static void on_retry(void *data, const struct retry_line *line)
{
	struct delivery_set *set = data;
	struct mail *mail;
	mail_wake(set, line->pane);
	mail = find_mail(set, line->pane);
	if (mail == NULL || mail->command != NULL || mail->batch_count > 0 ||
	    submit_is_at_work(mail->submit))
		return;
	memcpy(mail->batch, line->seqs, line->count * sizeof *line->seqs);
	mail->batch_count = line->count;
	mail_remember(
	    mail, &(struct buf){.data = (uint8_t *)(uintptr_t)line->line, .len = line->len});
	submit_resume(mail->submit, line->line, line->len, 0);
}

/* The same for one pane: its agent may be ready now, or no puller tells it any more. */
static void wake_pane(struct delivery_set *set, const struct pane_ref *pane)
{
	const struct notification *note = NULL;
	while ((note = queue_next_for(set->parts.queue, pane, note)) != NULL) {
		if (note->state == NOTE_QUEUED) {
			on_posted(&set->listener, note);
			return;
		}
	}
}

/* An agent has reported or called: its pane may be ready, and its thread loaded again. */
static void on_reported(struct presence_listener *listener, const struct pane_ref *address)
{
	struct delivery_set *set = list_entry(listener, struct delivery_set, reports);
	struct pane_ref pane = *address;
	struct mail *mail = find_mail(set, address);
	if (mail != NULL && mail->pane.thread[0] != '\0' && mail->command == NULL)
		mail->has_failed = false;
	wake_pane(set, address);
	pane.thread[0] = '\0';
	if (pane_ref_is_set(&pane) && address->thread[0] != '\0')
		wake_pane(set, &pane);
}

static void on_settled(struct puller_listener *listener, const struct pane_ref *pane)
{
	wake_pane(list_entry(listener, struct delivery_set, pullers), pane);
}

/* A client has come: messages that wait for one are shown. Those of a closed pane are refused. */
static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct delivery_set *set = list_entry(listener, struct delivery_set, clients);
	struct list *link;
	if (event->kind != EVENT_CLIENT_ATTACHED && event->kind != EVENT_PANE_CLOSED &&
	    event->kind != EVENT_PANE_EXITED)
		return;
	list_for_each (link, &set->mails) {
		struct mail *mail = list_entry(link, struct mail, link);
		if (mail->waits_for_person)
			loop_timer_arm(mail->soon, CHANGED_MS);
	}
}

static void on_due(struct wake_policy_listener *listener)
{
	delivery_set_wake(list_entry(listener, struct delivery_set, policies));
}

struct delivery_set *delivery_set_new(const struct delivery_parts *parts)
{
	struct retry_parts retries = {
	    .base = parts->base,
	    .config = parts->config,
	    .presences = parts->presences,
	    .queue = parts->queue,
	};
	struct delivery_set *set = xcalloc(1, sizeof *set);
	set->parts = *parts;
	set->receipts = (struct receipt_parts){.queue = parts->queue, .events = parts->events};
	list_init(&set->mails);
	set->retries = retry_set_new(&retries, on_retry, set);
	set->listener.posted = on_posted;
	typed_line_load(parts->queue);
	queue_listen(parts->queue, &set->listener);
	set->reports.reported = on_reported;
	presence_listen(parts->presences, &set->reports);
	set->pullers.settled = on_settled;
	puller_listen(parts->pullers, &set->pullers);
	set->policies.due = on_due;
	wake_policy_listen(parts->wake_policies, &set->policies);
	set->clients.event = on_event;
	event_log_listen(parts->events, &set->clients);
	return set;
}

void delivery_set_free(struct delivery_set *set)
{
	struct list *link, *after;
	if (set == NULL)
		return;
	queue_unlisten(set->parts.queue, &set->listener);
	presence_unlisten(&set->reports);
	puller_unlisten(&set->pullers);
	wake_policy_unlisten(&set->policies);
	event_log_unlisten(set->parts.events, &set->clients);
	retry_set_free(set->retries);
	list_for_each_safe (link, after, &set->mails)
		mail_free(list_entry(link, struct mail, link));
	mem_free(set);
}

void delivery_set_wake(struct delivery_set *set)
{
	const struct notification *note = NULL;
	while ((note = queue_next(set->parts.queue, note)) != NULL)
		on_posted(&set->listener, note);
}

bool delivery_set_is_idle(const struct delivery_set *set)
{
	const struct list *link;
	list_for_each (link, &set->mails) {
		if (!list_entry(link, const struct mail, link)->waits_for_person)
			return false;
	}
	return true;
}

void delivery_on_change(struct delivery_set *set, void (*fn)(void *data), void *data)
{
	set->changed = fn;
	set->changed_data = data;
}

void delivery_way(
    const struct delivery_set *set, const struct pane_ref *address, struct way_found *ret_found)
{
	const struct mail *mail = find_mail(set, address);
	const struct way_parts parts = {
	    .presences = set->parts.presences,
	    .pullers = set->parts.pullers,
	    .submits = set->parts.submits,
	    .queue_failure = mail != NULL && mail->has_failed ? mail->reason : NULL,
	    .config = set->parts.config,
	    .person = set->parts.person,
	    .runs_on_notify = on_notify_is_set(set->parts.on_notify),
	};
	way_find(&parts, address, ret_found);
}
