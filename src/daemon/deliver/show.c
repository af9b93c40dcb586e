/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/show.h"

#include "daemon/core/config.h"
#include "daemon/deliver/mail.h"
#include "daemon/deliver/person.h"
#include "daemon/deliver/prompt_line.h"
#include "daemon/queue/queue.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"
#include "io/loop_timer.h"

struct show {
	struct mail *mail; /* NULL: cancelled */
	struct loop_timer *timer; /* gives the rest of the receipts in later turns of the loop */
	uint64_t last; /* number of the last notification in the message */
	size_t waiting; /* pending replies of tmux */
	size_t clients; /* clients that show the message */
};

void show_escape(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		/*
		 * For tmux '#' begins formats, commands and styles, and '%' conversions of
		 * strftime(3). A doubled character stands for itself.
		 */
		if (*text == '#' || *text == '%')
			(void)buf_append_byte(out, (uint8_t)*text);
		(void)buf_append_byte(out, (uint8_t)*text);
	}
}

void show_compose(struct buf *out, const struct notification *last, size_t count)
{
	if (count > 1)
		(void)buf_printf(
		    out, "%zu notifications: muxbus list_notifications. The last: ", count);
	prompt_line_show(out, last);
}

/* Forgets a show. If replies of tmux are pending, the last reply frees the show. */
static void show_cancel(struct show *show)
{
	loop_timer_free(show->timer);
	show->timer = NULL;
	show->mail = NULL;
	if (show->waiting == 0)
		mem_free(show);
}

/* Gives receipts, up to MAIL_TURN_MAX in a turn of the loop. */
static void give_shown(void *data)
{
	struct show *show = data;
	struct mail *mail = show->mail;
	struct queue *queue = mail->office->parts->queue;
	const struct notification *note = NULL;
	uint64_t seqs[MAIL_TURN_MAX];
	size_t count = 0;
	while (count < MAIL_TURN_MAX && (note = queue_next_for(queue, &mail->pane, note)) != NULL &&
	    note->seq <= show->last)
		if (mail_is_for(mail, note))
			seqs[count++] = note->seq;
	if (count > 0)
		receipt_put_all(mail->office->parts, seqs, count, NOTE_DELIVERED, way_shown.result,
		    way_shown.name, NULL);
	if (count == MAIL_TURN_MAX) {
		loop_timer_arm(show->timer, 0);
		return;
	}
	mail->work = NULL;
	show_cancel(show);
	loop_timer_arm(mail->soon, 0);
}

/* Returns true if a client can show a message. tmux calls a locked client suspended too. */
static bool can_see(const struct muxbus_reply *flags)
{
	static const char away[] = "suspended";
	return flags->body_len > 1 &&
	    memmem(flags->body, flags->body_len, away, sizeof away - 1) == NULL;
}

static void on_shown(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct show *show = data;
	struct mail *mail = show->mail;
	struct way_found found;
	if (error == 0 && count > 0 && can_see(&replies[0]))
		show->clients++;
	if (--show->waiting > 0)
		return;
	if (mail == NULL) {
		mem_free(show);
	} else if (show->clients > 0) {
		mail->tries = 0;
		mail->office->shown_ms = clock_mono_ms();
		give_shown(show);
	} else {
		mail->work = NULL;
		show_cancel(show);
		mail->office->find(mail, &found);
		mail_wait_for_person(mail, &found);
	}
}

/* Returns true if tmux draws panes while it shows a message: since tmux 3.6, by the option -C. */
static bool can_draw_on(struct tmux *tmux)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(tmux_sync(tmux), &info);
	return info.version.major > 3 || (info.version.major == 3 && info.version.minor >= 6);
}

/* Shows the message to one client: a command for several fails if one of them has left. */
static void show_at(struct show *show, struct tmux *tmux, const char *client, int64_t show_ms,
    const struct buf *message)
{
	struct muxbus_command *command =
	    tmux_command("display-message", "-p", "-c", client, "#{client_flags}", NULL);
	muxbus_command_next(command);
	muxbus_command_args(command, "display-message", "-c", client, "-d", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, show_ms);
	if (can_draw_on(tmux))
		muxbus_command_args(command, "-C", (char *)NULL);
	muxbus_command_args(command, "--", (char *)NULL);
	muxbus_command_arg(command, message->data, message->len);
	if (muxbus_sync_run(tmux_sync(tmux), command, false, on_shown, show) == 0)
		show->waiting++;
}

/* Returns for how long the last message is still shown: another one would hide it. */
static int64_t message_left_ms(const struct mail_office *office)
{
	int64_t since_ms = clock_mono_ms() - office->shown_ms;
	return office->shown_ms == 0 ? 0 : office->parts->config->limits.show_ms - since_ms;
}

static bool show_line(struct mail *mail, const char *line, uint64_t last)
{
	const struct daemon *parts = mail->office->parts;
	const char *clients[PERSON_CLIENTS_MAX];
	size_t count = person_clients(parts, &mail->pane, clients);
	struct show *show = xcalloc(1, sizeof *show);
	struct buf message = BUF(2 * SHOW_LINE_MAX + 1);
	show->mail = mail;
	show->last = last;
	show->timer = loop_timer_new(parts->base, give_shown, show);
	show_escape(&message, line);
	for (size_t at = 0; at < count; at++)
		show_at(show, parts->tmux, clients[at], parts->config->limits.show_ms, &message);
	buf_finish(&message);
	if (show->waiting > 0)
		mail->work = show;
	else
		show_cancel(show);
	return mail->work != NULL;
}

/* Shows in one message how many notifications wait, and the last. Returns false if none can. */
static bool show_all(struct mail *mail)
{
	const struct notification *note = NULL, *last = NULL;
	struct buf line = BUF(SHOW_LINE_MAX);
	size_t count = 0;
	bool is_shown;
	while ((note = queue_next_for(mail->office->parts->queue, &mail->pane, note)) != NULL) {
		if (!mail_is_for(mail, note))
			continue;
		last = note;
		count++;
	}
	if (last == NULL)
		return false;
	show_compose(&line, last, count);
	is_shown = show_line(mail, (const char *)line.data, last->seq);
	buf_finish(&line);
	return is_shown;
}

static enum way_use use(const struct way_place *place, struct way_found *found)
{
	const char *clients[PERSON_CLIENTS_MAX];
	size_t count = person_clients(place->parts, place->address, clients);
	if (place->parts->config->shows_nothing || (count == 0 && place->runs_on_notify))
		return WAY_PASSES;
	if (count > 0)
		snprintf(found->text, WAY_TEXT_SIZE, "shown in the status line of %s%s",
		    count == 1 ? clients[0] : "all attached clients",
		    place->runs_on_notify ? ", and on_notify runs" : "");
	else
		snprintf(found->text, WAY_TEXT_SIZE,
		    "shown in the status line when a client attaches, and none is attached now");
	return WAY_TAKES;
}

static void start(struct mail *mail, const struct way_found *found)
{
	int64_t left_ms = message_left_ms(mail->office);
	mail_end_deferral(mail);
	if (left_ms > 0)
		loop_timer_arm(mail->soon, left_ms);
	else if (show_all(mail))
		mail->waits_for_person = false;
	else
		mail_wait_for_person(mail, found);
}

static void cancel(struct mail *mail)
{
	if (mail->work != NULL)
		show_cancel(mail->work);
}

const struct way way_shown = {.name = "shown",
    .result = "shown",
    .is_for_person = true,
    .use = use,
    .start = start,
    .cancel = cancel};
