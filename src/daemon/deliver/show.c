/* SPDX-License-Identifier: ISC */
/* Messages in the status lines of clients. */
#include "daemon/deliver/show.h"

#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/deliver/person.h"
#include "daemon/deliver/prompt_line.h"
#include "daemon/queue/notification.h"
#include "daemon/tmux/tmux.h"

struct show {
	show_fn *done;
	void *data; /* of the caller; unused when done is NULL */
	size_t waiting; /* replies that tmux owes */
	size_t clients; /* that show the message */
	bool is_stale; /* freed by its owner */
};

void show_escape(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		/* '#' begins formats, commands and styles, '%' conversions of strftime(3). */
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

static void on_shown(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct show *show = data;
	(void)replies;
	(void)count;
	if (error == 0)
		show->clients++;
	if (--show->waiting > 0)
		return;
	if (show->is_stale)
		mem_free(show);
	else
		show->done(show->data, show->clients);
}

/* Since 3.6 tmux can go on drawing panes while a message is shown; before they stand still. */
static bool can_draw_on(struct tmux *tmux)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(tmux_sync(tmux), &info);
	return info.version.major > 3 || (info.version.major == 3 && info.version.minor >= 6);
}

/* Has one client show it: a command of its own, so that the next one gets it if this one leaves. */
static void show_at(struct show *show, struct tmux *tmux, const char *client, int64_t show_ms,
    const struct buf *message)
{
	struct muxbus_command *command;
	if (muxbus_command_new(&command) < 0)
		return;
	muxbus_command_args(command, "display-message", "-c", client, "-d", (char *)NULL);
	muxbus_command_argf(command, "%" PRId64, show_ms);
	if (can_draw_on(tmux))
		muxbus_command_args(command, "-C", (char *)NULL);
	muxbus_command_args(command, "--", (char *)NULL);
	muxbus_command_arg(command, message->data, message->len);
	if (muxbus_sync_run(tmux_sync(tmux), command, false, on_shown, show) == 0)
		show->waiting++;
}

struct show *show_start(const struct person_parts *person, const struct config *config,
    const struct pane_ref *pane, const char *line, show_fn *done, void *data)
{
	const char *clients[PERSON_CLIENTS_MAX];
	size_t count = person_clients(person, pane, clients);
	struct show *show;
	struct buf message;
	if (count == 0)
		return NULL;
	show = xcalloc(1, sizeof *show);
	show->done = done;
	show->data = data;
	buf_init(&message, 2 * SHOW_LINE_MAX + 1);
	show_escape(&message, line);
	for (size_t at = 0; at < count; at++)
		show_at(show, person->tmux, clients[at], config->limits.show_ms, &message);
	buf_finish(&message);
	if (show->waiting > 0)
		return show;
	mem_free(show);
	return NULL;
}

void show_free(struct show *show)
{
	if (show == NULL)
		return;
	if (show->waiting == 0)
		mem_free(show);
	else
		show->is_stale = true;
}
