/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/mail.h"

#include "daemon/deliver/puller.h"
#include "daemon/deliver/wake_policy.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"

const struct way way_none = {.name = "none"};

static bool is_ours(const struct notification *note)
{
	return note != NULL && (note->state == NOTE_QUEUED || note->state == NOTE_DELIVERING);
}

bool mail_is_for(const struct mail *mail, const struct notification *note)
{
	const struct puller_set *pullers = mail->office->parts->pullers;
	return is_ours(note) && pane_ref_equal(&note->pane, &mail->pane) &&
	    !puller_holds(pullers, note->seq) &&
	    (note->state == NOTE_DELIVERING || puller_gave_back(note) ||
		!puller_is_armed(pullers, &mail->pane));
}

bool mail_is_wanted(const struct mail *mail)
{
	const struct daemon *parts = mail->office->parts;
	const struct notification *note = NULL;
	bool is_held;
	if (mail->work != NULL)
		return false;
	/* A batch whose line may already be at the prompt is finished first. */
	for (size_t at = 0; at < mail->batch_count; at++)
		if (is_ours(queue_find(parts->queue, mail->batch[at])))
			return true;
	is_held = wake_policy_holds(parts->wake_policies, &mail->pane);
	while ((note = queue_next_for(parts->queue, &mail->pane, note)) != NULL)
		if (mail_is_for(mail, note) && (!is_held || note->state == NOTE_DELIVERING))
			return true;
	return false;
}

void mail_gather(struct mail *mail, const struct notification *ret_notes[MAIL_BATCH_MAX])
{
	struct queue *queue = mail->office->parts->queue;
	mail->batch_count = 0;
	for (int urgent = 1; urgent >= 0; urgent--) {
		const struct notification *note = NULL;
		while ((note = queue_next_for(queue, &mail->pane, note)) != NULL) {
			if (!mail_is_for(mail, note) || note->is_urgent != (urgent == 1) ||
			    mail->batch_count == MAIL_BATCH_MAX)
				continue;
			ret_notes[mail->batch_count] = note;
			mail->batch[mail->batch_count++] = note->seq;
		}
	}
}

void mail_set_delivering(const struct mail *mail)
{
	for (size_t at = 0; at < mail->batch_count; at++)
		(void)queue_set_state(
		    mail->office->parts->queue, mail->batch[at], NOTE_DELIVERING, NULL);
}

static const struct notification *first_to_defer(const struct mail *mail)
{
	struct queue *queue = mail->office->parts->queue;
	const struct notification *last = queue_find(queue, mail->deferred_to);
	if (last == NULL || !is_ours(last) || !pane_ref_equal(&last->pane, &mail->pane))
		return queue_next_for(queue, &mail->pane, NULL);
	return queue_next_for(queue, &mail->pane, last);
}

/* Gives up to MAIL_TURN_MAX receipts in a turn, so that requests are answered in between. */
void mail_on_deferral(void *data)
{
	struct mail *mail = data;
	struct queue *queue = mail->office->parts->queue;
	const struct notification *note = first_to_defer(mail);
	uint64_t seqs[MAIL_TURN_MAX];
	size_t count = 0;
	for (; note != NULL && count < MAIL_TURN_MAX;
	     note = queue_next_for(queue, &mail->pane, note)) {
		if (note->seq <= mail->deferred_to && mail->is_new_reason)
			continue;
		if (!mail_is_for(mail, note))
			mail->has_passed_over = true;
		else if (mail->is_new_reason || note->delivery == NULL)
			seqs[count++] = note->seq;
		mail->deferred_to = note->seq;
	}
	if (count > 0)
		receipt_put_all(mail->office->parts, seqs, count, NOTE_QUEUED, "deferred",
		    mail->reason_way, mail->reason);
	if (note != NULL)
		loop_timer_arm(mail->deferral, 0);
	else
		mail->is_new_reason = false;
}

void mail_end_deferral(struct mail *mail)
{
	loop_timer_disarm(mail->deferral);
	mail->deferred_to = 0;
	mail->is_new_reason = false;
}

void mail_defer(struct mail *mail, const char *way, const char *reason, bool is_new)
{
	snprintf(mail->reason, sizeof mail->reason, "%s", reason);
	mail->reason_way = way;
	mail->is_new_reason = mail->is_new_reason || is_new;
	if (is_new || mail->has_passed_over) {
		mail->deferred_to = 0;
		mail->has_passed_over = false;
	}
	mail_on_deferral(mail);
}

void mail_defer_rest(struct mail *mail)
{
	while (loop_timer_is_armed(mail->deferral)) {
		loop_timer_disarm(mail->deferral);
		mail_on_deferral(mail);
	}
}

void mail_try_again(struct mail *mail, size_t tries)
{
	static const int64_t again_ms[] = {5000, 30000, 120000, 600000};
	size_t last = sizeof again_ms / sizeof *again_ms - 1;
	loop_timer_arm(mail->again, again_ms[tries < last ? tries : last]);
}

void mail_wait_for_person(struct mail *mail, const struct way_found *found)
{
	bool is_new = !mail->waits_for_person;
	mail->waits_for_person = true;
	mail_defer(mail, found->way->name, found->text, is_new);
	mail_try_again(mail, mail->tries++);
}
