/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/delivery.h"

#include <muxbus.h>

#include "daemon/deliver/mail.h"
#include "daemon/deliver/on_notify.h"
#include "daemon/deliver/puller.h"
#include "daemon/deliver/queue_command.h"
#include "daemon/deliver/typed.h"
#include "daemon/deliver/wake_policy.h"
#include "daemon/event/event_log.h"
#include "daemon/input/submit.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"

enum {
	POSTED_MS = 1, /* delay from a post until its pane or thread is looked at */
	/* delay after a client has attached (tmux draws its screen first) or a pane has closed */
	CHANGED_MS = 300,
};

struct delivery_set {
	struct mail_office office;
	struct queue_listener listener;
	struct presence_listener reports;
	struct puller_listener pullers;
	struct wake_policy_listener policies;
	struct event_log_listener clients;
};

static void find_way(const struct mail_office *office, const struct pane_ref *address,
    const struct mail *mail, bool needs_start, struct way_found *ret_found)
{
	const struct way_place place = {.parts = office->parts,
	    .address = address,
	    .failure = mail != NULL && mail->has_failed ? mail->reason : NULL,
	    .runs_on_notify = on_notify_is_set(office->parts->on_notify),
	    .needs_start = needs_start};
	way_find(&place, ret_found);
}

static void cancel(struct mail *mail)
{
	if (mail->way != NULL && mail->way->cancel != NULL)
		mail->way->cancel(mail);
	mail->way = NULL;
}

static void mail_free(struct mail *mail)
{
	list_remove(&mail->link);
	cancel(mail);
	typed_close(mail);
	loop_timer_free(mail->deferral);
	loop_timer_free(mail->again);
	loop_timer_free(mail->soon);
	mem_free(mail);
}

/*
 * Starts a way for a mail. A line that may already be at the prompt is finished first, by the way
 * "typed". For a closed pane, that way refuses the notifications.
 */
static void start(struct mail *mail)
{
	struct way_found found = {.way = &way_typed, .by = &way_typed};
	if (mail->batch_count == 0 && !submit_is_at_work(mail->submit) && mail_is_wanted(mail))
		find_way(mail->office, &mail->pane, mail, true, &found);
	if (found.by == &way_typed && mail->pane.pane == MUXBUS_NO_ID) {
		if (!mail->has_failed)
			mail_free(mail); /* otherwise the timer mail->again tries again */
		return;
	}
	if (found.by != mail->way)
		cancel(mail);
	mail->way = found.by;
	mail->waits_for_person = mail->waits_for_person && found.by->is_for_person;
	found.by->start(mail, &found);
}

static void go(struct mail *mail)
{
	if (mail->work != NULL)
		return;
	if (mail_is_wanted(mail))
		start(mail);
	else if (!submit_is_at_work(mail->submit))
		mail_free(mail);
}

static void on_soon(void *data)
{
	struct mail *mail = data;
	if (!mail_is_wanted(mail) &&
	    wake_policy_holds(mail->office->parts->wake_policies, &mail->pane)) {
		mail_defer(mail, NULL, "the wake policy holds it", false);
		mail_defer_rest(mail);
	}
	if (mail->work == NULL)
		start(mail);
}

static void on_again(void *data)
{
	struct mail *mail = data;
	struct mail_office *office = mail->office;
	bool had_failed = mail->has_failed;
	mail->has_failed = false;
	go(mail);
	if (had_failed && office->changed != NULL)
		office->changed(office->changed_data);
}

static struct mail *find_mail(const struct mail_office *office, const struct pane_ref *pane)
{
	list_each (struct mail, mail, &office->mails, link)
		if (pane_ref_equal(&mail->pane, pane))
			return mail;
	return NULL;
}

static struct mail *get_mail(struct mail_office *office, const struct pane_ref *pane)
{
	struct mail *mail = find_mail(office, pane);
	if (mail != NULL)
		return mail;
	mail = xcalloc(1, sizeof *mail);
	mail->office = office;
	mail->pane = *pane;
	mail->deferral = loop_timer_new(office->parts->base, mail_on_deferral, mail);
	mail->again = loop_timer_new(office->parts->base, on_again, mail);
	mail->soon = loop_timer_new(office->parts->base, on_soon, mail);
	list_append(&office->mails, &mail->link);
	typed_open(mail);
	queue_command_open(mail);
	return mail;
}

static struct mail *look(struct mail_office *office, const struct pane_ref *pane)
{
	on_soon(get_mail(office, pane));
	return find_mail(office, pane);
}

static void find(const struct mail *mail, struct way_found *ret_found)
{
	find_way(mail->office, &mail->pane, mail, false, ret_found);
}

static void on_posted(struct queue_listener *listener, const struct notification *note)
{
	struct delivery_set *set = list_entry(listener, struct delivery_set, listener);
	/* Waits a moment: a waiting request may take the notification in this turn of the loop. */
	if (pane_ref_is_set(&note->pane) && note->state == NOTE_QUEUED)
		loop_timer_arm(get_mail(&set->office, &note->pane)->soon, POSTED_MS);
}

/* Called when the pane's agent may be ready, or its puller may have left. */
static void wake_pane(struct delivery_set *set, const struct pane_ref *pane)
{
	const struct notification *note = NULL;
	while ((note = queue_next_for(set->office.parts->queue, pane, note)) != NULL) {
		if (note->state == NOTE_QUEUED) {
			on_posted(&set->listener, note);
			return;
		}
	}
}

/* Called after a report of an agent: the pane may be ready now, or the thread loaded again. */
static void on_reported(struct presence_listener *listener, const struct pane_ref *address)
{
	struct delivery_set *set = list_entry(listener, struct delivery_set, reports);
	struct pane_ref pane = *address;
	struct mail *mail = find_mail(&set->office, address);
	typed_reported(&set->office, address);
	if (mail != NULL && mail->pane.thread[0] != '\0' && mail->work == NULL)
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

/* Looks again at mails for persons: a client may show them now, or their pane has closed. */
static void on_event(struct event_log_listener *listener, struct event_entry *event)
{
	struct delivery_set *set = list_entry(listener, struct delivery_set, clients);
	if (event->kind != EVENT_CLIENT_ATTACHED && event->kind != EVENT_PANE_CLOSED &&
	    event->kind != EVENT_PANE_EXITED)
		return;
	list_each (struct mail, mail, &set->office.mails, link)
		if (mail->waits_for_person)
			loop_timer_arm(mail->soon, CHANGED_MS);
}

static void on_due(struct wake_policy_listener *listener)
{
	delivery_set_wake(list_entry(listener, struct delivery_set, policies));
}

struct delivery_set *delivery_set_new(const struct daemon *parts)
{
	struct delivery_set *set = xcalloc(1, sizeof *set);
	set->office = (struct mail_office){.parts = parts, .go = go, .find = find, .look = look};
	list_init(&set->office.mails);
	list_init(&set->office.retries);
	set->listener.posted = on_posted;
	typed_load(parts->queue);
	queue_command_load(parts->queue);
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
	if (set == NULL)
		return;
	list_remove(&set->listener.link);
	list_remove(&set->reports.link);
	list_remove(&set->pullers.link);
	list_remove(&set->policies.link);
	list_remove(&set->clients.link);
	typed_forget(&set->office);
	list_each_safe (struct mail, mail, &set->office.mails, link)
		mail_free(mail);
	mem_free(set);
}

void delivery_set_wake(struct delivery_set *set)
{
	next_each (const struct notification, note, queue_next, set->office.parts->queue)
		on_posted(&set->listener, note);
}

bool delivery_set_is_idle(const struct delivery_set *set)
{
	list_each (const struct mail, mail, &set->office.mails, link)
		if (!mail->waits_for_person)
			return false;
	return true;
}

bool delivery_set_has_mail(const struct delivery_set *set)
{
	return !list_is_empty(&set->office.mails);
}

void delivery_on_change(struct delivery_set *set, void (*fn)(void *data), void *data)
{
	set->office.changed = fn;
	set->office.changed_data = data;
}

void delivery_way(
    const struct delivery_set *set, const struct pane_ref *address, struct way_found *ret_found)
{
	find_way(&set->office, address, find_mail(&set->office, address), false, ret_found);
}
