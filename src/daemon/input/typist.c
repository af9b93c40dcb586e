/* SPDX-License-Identifier: ISC */
/* A typist: when to screen, type, press Enter, and believe that it was taken. */
#include "daemon/input/typist.h"

#include <muxbus.h>

#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/agent/agent.h"
#include "daemon/core/config.h"
#include "daemon/core/loop_timer.h"
#include "daemon/input/typist_guard.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/presence.h"
#include "daemon/server/daemon.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/tmux.h"
#include "wire/json.h"

enum {
	RETRY_MIN_MS = 250,
	RETRY_MAX_MS = 10000,
	BUSY_MS = 10000, /* when a pane that is never quiet is worth a word */
	LOOK_STEP_MS = 40, /* between looks that no output asks for */
	OUTPUT_STEP_MS = 1, /* after output: what belongs together comes together */
	AGREE_STEP_MS = 20, /* between two looks that must agree */
	AGREE_LOOKS = 2,
	ECHO_MAX_MS = 5000,
	UNREAD_MAX_MS = 30000, /* the same, for a program that does not read */
	ENTER_AFTER_MS = 150, /* programs in raw mode take a faster Enter for part of a paste */
	SUBMIT_MAX_MS = 6000,
	LEAD_SIZE = sizeof((struct prompt *)0)->lead,
	GUARD_MAX = 4096,
	KEYS_MAX = MUXBUS_QUOTED_MAX(TYPIST_LINE_MAX),
};

/* After the first Enter, when it is pressed again if nothing came of it. */
static const int64_t enter_again_ms[] = {650, 1650, 3650};

enum stage {
	STAGE_RESTING, /* nothing is to be typed */
	STAGE_WAITING, /* until it is safe */
	STAGE_TYPING, /* tmux has been asked */
	STAGE_ECHO, /* looking for it on the prompt line */
	STAGE_SETTLING, /* before Enter */
	STAGE_SUBMITTING, /* looking for it to leave the prompt line */
};

struct typist {
	struct list link;
	struct typist_set *set;
	struct daemon *daemon;
	struct pane_ref pane;
	const struct typist_handlers *handlers;
	void *data;
	struct event *timer;
	enum stage stage;
	bool is_asking; /* tmux owes an answer: the timer rests */
	bool is_stale; /* nobody wants it any more; freed when tmux has answered */
	struct stream_tap tap;
	bool has_tap;
	int64_t last_output_ms; /* CLOCK_MONOTONIC, as all here; or since when it is watched */
	int64_t began_ms;
	struct buf line; /* what was typed, or may have been in an earlier life */
	unsigned before; /* times that it was typed, or may have been, and nobody saw the end */
	bool is_over; /* what was typed last has come to its end */
	bool has_lead;
	char lead[LEAD_SIZE]; /* of the prompt that it was typed at */
	unsigned lead_column; /* where the cursor was then */
	bool was_cooked;
	uint64_t human; /* seconds since 1970: the last key of a person before it */
	int64_t typed_ms; /* 0: nothing was typed */
	int64_t entered_ms; /* the first Enter; 0: none */
	unsigned enters;
	unsigned agreed; /* looks in a row that found it gone */
	bool is_echo_seen;
	bool is_altered; /* something else stands there too */
	unsigned entered_row, entered_column; /* the cursor before Enter */
	int64_t retry_ms;
	char reason[TYPIST_REASON_SIZE];
};

struct typist_set {
	struct daemon *daemon;
	struct presence_listener listener;
	struct list typists;
};

static void arm(struct typist *typist, int64_t ms)
{
	struct timeval timeout = {ms / 1000, ms % 1000 * 1000};

	(void)event_add(typist->timer, &timeout);
}

/* Forgets what was typed: the next line is another one. */
static void forget_line(struct typist *typist)
{
	typist->line.len = 0;
	typist->has_lead = false;
	typist->typed_ms = typist->entered_ms = 0;
	typist->enters = typist->agreed = 0;
	typist->is_echo_seen = typist->is_altered = false;
}

/* The reasons for a deferral are the same if they are up to a colon: details follow it. */
static bool is_same_reason(const char *one, const char *other)
{
	size_t len = strcspn(one, ":");

	return strcspn(other, ":") == len && strncmp(one, other, len) == 0;
}

static void tell_deferred(struct typist *typist, const char *reason)
{
	bool is_new = !is_same_reason(typist->reason, reason);

	if (is_new) {
		snprintf(typist->reason, sizeof typist->reason, "%s", reason);
		typist->retry_ms = RETRY_MIN_MS;
	}
	typist->handlers->deferred(typist->data, reason, is_new);
}

/* Not now. Tried again, less and less often. */
static void defer(struct typist *typist, const char *reason)
{
	/* Without its output the pane has just gone: the next look says so, and soon. */
	bool is_closed = !typist->has_tap && tmux_is_live(typist->daemon->tmux);

	typist->stage = STAGE_WAITING;
	tell_deferred(typist, reason);
	arm(typist, is_closed ? RETRY_MIN_MS : typist->retry_ms);
	typist->retry_ms =
	    typist->retry_ms * 2 < RETRY_MAX_MS ? typist->retry_ms * 2 : RETRY_MAX_MS;
}

static void drop_tap(struct typist *typist)
{
	if (typist->has_tap)
		stream_tap_remove(typist->daemon->streams, typist->pane.pane, &typist->tap);
	typist->has_tap = false;
}

/* The end of a line, whatever it is. Nothing is touched after the call: it may be freed. */
static void end(struct typist *typist, enum typist_result result, const char *reason)
{
	typist->stage = STAGE_RESTING;
	typist->line.len = 0;
	typist->is_over = true;
	typist->reason[0] = '\0';
	typist->retry_ms = RETRY_MIN_MS;
	(void)event_del(typist->timer);
	drop_tap(typist);
	typist->handlers->ended(typist->data, result, reason);
}

/* Gives up on a line that is typed, or may be. */
static void end_typed(struct typist *typist, const char *reason)
{
	end(typist, typist->typed_ms != 0 ? TYPIST_TYPED : TYPIST_REFUSED, reason);
}

/* ---- the output of the pane ---- */

static void on_output(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len)
{
	struct typist *typist = list_entry(tap, struct typist, tap);

	(void)offset;
	(void)bytes;
	(void)len;
	typist->last_output_ms = clock_mono_ms();
	if (!typist->is_asking &&
	    (typist->stage == STAGE_ECHO || typist->stage == STAGE_SUBMITTING))
		arm(typist, OUTPUT_STEP_MS);
}

static void on_closed(struct stream_tap *tap)
{
	struct typist *typist = list_entry(tap, struct typist, tap);

	typist->has_tap = false;
	if (!typist->is_asking && typist->stage != STAGE_RESTING)
		arm(typist, 0);
}

static void watch_output(struct typist *typist)
{
	if (typist->has_tap)
		return;
	typist->last_output_ms = clock_mono_ms();
	typist->has_tap =
	    stream_tap_add(typist->daemon->streams, typist->pane.pane, &typist->tap) == 0;
}

/* ---- asking tmux ---- */

/* Settles that tmux owes no answer any more. False if the typist is gone. */
static bool take_answer(struct typist *typist)
{
	typist->is_asking = false;
	if (!typist->is_stale)
		return true;
	typist_free(typist);
	return false;
}

/* Runs keys behind the guard: check and type are one command of tmux. */
static void run_guarded(struct typist *typist, const struct pane_screen *screen,
    const struct muxbus_pane *pane, const char *keys, muxbus_reply_fn *reply)
{
	struct muxbus_command *command;
	struct buf guard;
	int error = muxbus_command_new(&command);

	if (error < 0) {
		defer(typist, "out of memory");
		return;
	}
	buf_init(&guard, GUARD_MAX);
	typist_write_guard(&guard, &typist->pane, pane->command, screen);
	muxbus_command_args(command, "if-shell", "-F", "-t", (char *)NULL);
	muxbus_command_argf(command, "%%%" PRIu32, typist->pane.pane);
	muxbus_command_arg(command, guard.data, guard.len);
	muxbus_command_argf(command, "send-keys -t %%%" PRIu32 " %s ; display-message -p TYPED",
	    typist->pane.pane, keys);
	muxbus_command_args(command, "display-message -p HELD", (char *)NULL);
	buf_finish(&guard);
	typist->is_asking = true;
	if (muxbus_sync_run(tmux_sync(typist->daemon->tmux), command, false, reply, typist) < 0) {
		typist->is_asking = false;
		defer(typist, "tmux is not followed");
	}
}

static bool is_typed(const struct muxbus_reply *replies, size_t count)
{
	return count > 0 && strstr((const char *)replies[0].body, "TYPED") != NULL;
}

/* ---- typing ---- */

static void on_typed(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct typist *typist = data;

	if (!take_answer(typist))
		return;
	if (error != 0) {
		/* It may have been typed, or not: the next look at the screen tells. */
		defer(typist, "tmux did not answer");
	} else if (!is_typed(replies, count)) {
		forget_line(typist);
		defer(typist, "something changed in the pane meanwhile");
	} else {
		typist->stage = STAGE_ECHO;
		arm(typist, OUTPUT_STEP_MS);
	}
}

static void step_type(struct typist *typist, const struct muxbus_pane *pane,
    const struct pane_screen *screen, const struct pane_tty *tty)
{
	static char keys[16 + KEYS_MAX];
	bool in_prefix;
	ssize_t len;

	if (typist->is_over)
		typist->before = 0;
	typist->is_over = false;
	typist->before += typist->line.len > 0;
	forget_line(typist);
	typist->handlers->compose(typist->data, &typist->line);
	memcpy(keys, "-l -- ", 6);
	if (typist->line.len == 0) {
		end(typist, TYPIST_NOTHING, NULL);
		return;
	}
	len = muxbus_quote(keys + 6, typist->line.data, typist->line.len);
	if (len < 0) {
		end(typist, TYPIST_REFUSED, "its text cannot be typed");
		return;
	}
	keys[6 + len] = '\0';
	memcpy(typist->lead, screen->prompt.lead, sizeof typist->lead);
	typist->has_lead = true;
	typist->lead_column = screen->view.cursor_column;
	typist->was_cooked = tty->is_known && tty->is_cooked;
	typist->human = typist_human(typist->daemon, pane, &in_prefix);
	typist->typed_ms = clock_mono_ms();
	typist->stage = STAGE_TYPING;
	run_guarded(typist, screen, pane, keys, on_typed);
}

/*
 * How long to rest before Enter. Programs that take even the keys of signals for themselves
 * go by the time between keys; line editors leave those on, and need no rest: that their echo
 * is there, and stays, is enough.
 */
static int64_t enter_after_ms(const struct pane_tty *tty)
{
	return tty->is_known && tty->has_signals ? 0 : ENTER_AFTER_MS;
}

/* What was typed in an earlier life, or in an attempt that tmux did not answer. */
static void take_up(
    struct typist *typist, const struct muxbus_pane *pane, const struct pane_tty *tty)
{
	bool in_prefix;

	typist->was_cooked = tty->is_known && tty->is_cooked;
	typist->human = typist_human(typist->daemon, pane, &in_prefix);
	typist->typed_ms = clock_mono_ms();
	typist->is_echo_seen = true;
	typist->has_lead = false; /* where it begins is not known any more */
	typist->stage = STAGE_SETTLING;
	arm(typist, enter_after_ms(tty));
}

static enum prompt_echo find_line(const struct typist *typist, const struct pane_screen *screen)
{
	return prompt_find_line(&screen->view, (const char *)typist->line.data, typist->line.len,
	    typist->has_lead ? typist->lead : NULL);
}

/* Before typing: what does the prompt line say? */
static void look_at_prompt(struct typist *typist, const struct muxbus_pane *pane,
    const struct pane_screen *screen, const struct pane_tty *tty)
{
	char reason[TYPIST_REASON_SIZE];

	if (typist->line.len > 0 && find_line(typist, screen) == ECHO_EXACT) {
		take_up(typist, pane, tty);
		return;
	}
	if (!typist_screen_allows(typist->daemon, &typist->pane, pane, screen,
		clock_mono_ms() - typist->last_output_ms, reason))
		defer(typist, reason);
	else
		step_type(typist, pane, screen, tty);
}

/* ---- after typing ---- */

static void look_for_echo(
    struct typist *typist, const struct pane_screen *screen, const struct pane_tty *tty)
{
	int64_t since_ms = clock_mono_ms() - typist->typed_ms;
	enum prompt_echo echo = find_line(typist, screen);
	bool is_unread = tty->is_known && !tty->is_cooked && tty->unread > 0;

	if (echo == ECHO_EXACT) {
		typist->is_echo_seen = true;
		typist->stage = STAGE_SETTLING;
		arm(typist, enter_after_ms(tty));
		return;
	}
	typist->is_altered = echo == ECHO_ALTERED;
	if (since_ms < (is_unread ? UNREAD_MAX_MS : ECHO_MAX_MS))
		arm(typist, LOOK_STEP_MS * (1 + since_ms / 500));
	else if (typist->is_altered)
		end_typed(typist, "something else stands on the prompt line too");
	else
		end_typed(typist, "it was not seen on the prompt line");
}

static void on_entered(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct typist *typist = data;

	if (!take_answer(typist))
		return;
	/* Not pressed: what changed is looked at. No answer: it counts as pressed. */
	if (error == 0 && !is_typed(replies, count)) {
		typist->stage = typist->enters > 0 ? STAGE_SUBMITTING : STAGE_SETTLING;
		arm(typist, LOOK_STEP_MS);
		return;
	}
	typist->enters++;
	typist->agreed = 0;
	if (typist->entered_ms == 0)
		typist->entered_ms = clock_mono_ms();
	typist->stage = STAGE_SUBMITTING;
	arm(typist, LOOK_STEP_MS);
}

/* Presses Enter if what stands there is still the line, and nobody has come. */
static void step_enter(
    struct typist *typist, const struct muxbus_pane *pane, const struct pane_screen *screen)
{
	bool in_prefix;

	if (typist_human(typist->daemon, pane, &in_prefix) != typist->human || in_prefix) {
		end_typed(typist, "somebody began to type: it is left to them");
		return;
	}
	if (find_line(typist, screen) != ECHO_EXACT) {
		typist->stage = typist->enters > 0 ? STAGE_SUBMITTING : STAGE_ECHO;
		arm(typist, LOOK_STEP_MS);
		return;
	}
	if (clock_mono_ms() - typist->typed_ms > UNREAD_MAX_MS + SUBMIT_MAX_MS) {
		end_typed(typist, "the pane kept changing before Enter");
		return;
	}
	typist->entered_row = screen->cursor_row;
	typist->entered_column = screen->cursor_column;
	run_guarded(typist, screen, pane, "Enter", on_entered);
}

/* Whether the line has been taken, as far as one look tells. */
static bool is_taken(
    const struct typist *typist, const struct pane_screen *screen, const struct pane_tty *tty)
{
	bool has_moved = screen->cursor_row != typist->entered_row ||
	    screen->cursor_column != typist->entered_column;

	if (tty->is_known && tty->unread > 0)
		return false;
	/* The kernel edits: Enter ends the line, and none of it is left unread. */
	if (typist->was_cooked)
		return has_moved;
	/* A line editor has let go of the terminal: it has its line. */
	if (tty->is_known && tty->is_cooked)
		return has_moved;
	/* The prompt is as it was before. */
	if (typist->has_lead && typist->lead[0] != '\0' &&
	    screen->view.cursor_column == typist->lead_column &&
	    strcmp(screen->prompt.lead, typist->lead) == 0)
		return true;
	return find_line(typist, screen) != ECHO_EXACT;
}

static void look_for_emptied(
    struct typist *typist, const struct pane_screen *screen, const struct pane_tty *tty)
{
	int64_t since_ms = clock_mono_ms() - typist->entered_ms;
	bool is_unread = tty->is_known && tty->unread > 0;

	if (is_taken(typist, screen, tty)) {
		if (++typist->agreed >= AGREE_LOOKS)
			end(typist, TYPIST_SUBMITTED, NULL);
		else
			arm(typist, AGREE_STEP_MS);
		return;
	}
	typist->agreed = 0;
	if (since_ms > (is_unread ? UNREAD_MAX_MS : SUBMIT_MAX_MS)) {
		end_typed(
		    typist, is_unread ? "its program has not read it" : "Enter did not submit it");
		return;
	}
	if (!is_unread && !typist->was_cooked &&
	    typist->enters <= sizeof enter_again_ms / sizeof *enter_again_ms &&
	    since_ms >= enter_again_ms[typist->enters - 1]) {
		typist->stage = STAGE_SETTLING;
		arm(typist, 0);
		return;
	}
	arm(typist, LOOK_STEP_MS);
}

/* ---- looking ---- */

static void on_screen(void *data, int error, const struct pane_screen *screen)
{
	struct typist *typist = data;
	const struct muxbus_pane *pane;
	struct pane_tty tty;

	if (!take_answer(typist))
		return;
	pane = muxbus_model_pane(tmux_model(typist->daemon->tmux), typist->pane.pane);
	if (error != 0 || pane == NULL) {
		/* Its fate is looked at first, the next time. */
		if (typist->stage == STAGE_WAITING)
			defer(typist, "the screen cannot be read");
		else
			arm(typist, RETRY_MIN_MS);
		return;
	}
	pane_tty_read(pane->tty, pane->pid, &tty);
	switch (typist->stage) {
	case STAGE_RESTING:
	case STAGE_TYPING:
		break;
	case STAGE_WAITING:
		look_at_prompt(typist, pane, screen, &tty);
		break;
	case STAGE_ECHO:
		look_for_echo(typist, screen, &tty);
		break;
	case STAGE_SETTLING:
		step_enter(typist, pane, screen);
		break;
	case STAGE_SUBMITTING:
		look_for_emptied(typist, screen, &tty);
		break;
	}
}

static void read_screen(struct typist *typist)
{
	typist->is_asking = true;
	if (pane_screen_read(typist->daemon->tmux, typist->pane.pane, on_screen, typist) < 0) {
		typist->is_asking = false;
		defer(typist, "tmux is not followed");
	}
}

static bool is_typing(
    const struct typist_set *set, const struct pane_ref *pane, const struct typist *typist)
{
	const struct list *link;

	list_for_each (link, &set->typists) {
		const struct typist *other = list_entry(link, const struct typist, link);

		if (other != typist && !other->is_stale && other->stage > STAGE_WAITING &&
		    pane_ref_equal(&other->pane, pane))
			return true;
	}
	return false;
}

static bool is_another_typing(const struct typist *typist)
{
	return is_typing(typist->set, &typist->pane, typist) ||
	    agent_set_holds(typist->daemon->agents, &typist->pane);
}

/* The model is fresh: is it safe? */
static void on_fresh(void *data, int error)
{
	struct typist *typist = data;
	const struct muxbus_pane *pane;
	char reason[TYPIST_REASON_SIZE];
	struct pane_tty tty;

	if (!take_answer(typist))
		return;
	pane = muxbus_model_pane(tmux_model(typist->daemon->tmux), typist->pane.pane);
	if (error != 0 || pane == NULL ||
	    pane_fate(typist->daemon->tmux, &typist->pane) != PANE_THERE) {
		arm(typist, RETRY_MIN_MS);
		return;
	}
	if (pane->is_dead) {
		end_typed(typist, "the pane's program has ended");
		return;
	}
	if (typist->stage != STAGE_WAITING) {
		read_screen(typist);
		return;
	}
	pane_tty_read(pane->tty, pane->pid, &tty);
	if (is_another_typing(typist))
		defer(typist, "something else is being typed there");
	else if (!typist_may_type(typist->daemon, &typist->pane, pane, reason) ||
	    !typist_terminal_allows(typist->daemon, &typist->pane, pane, &tty, reason))
		defer(typist, reason);
	else
		read_screen(typist);
}

static void refresh(struct typist *typist)
{
	typist->is_asking = true;
	if (muxbus_sync_refresh(tmux_sync(typist->daemon->tmux), 0, on_fresh, typist) < 0) {
		typist->is_asking = false;
		defer(typist, "tmux is not followed");
	}
}

/* Waits for quiet without asking anybody anything. */
static void look_from_afar(struct typist *typist)
{
	char reason[TYPIST_REASON_SIZE];
	int64_t quiet_ms, left_ms;

	if (!typist->handlers->is_wanted(typist->data)) {
		end(typist, TYPIST_NOTHING, NULL);
		return;
	}
	watch_output(typist);
	quiet_ms = typist_quiet_ms(typist->daemon, &typist->pane, reason);
	if (quiet_ms < 0) {
		defer(typist, reason);
		return;
	}
	left_ms = quiet_ms - (clock_mono_ms() - typist->last_output_ms);
	if (left_ms <= 0) {
		refresh(typist);
		return;
	}
	if (reason[0] != '\0')
		tell_deferred(typist, reason);
	else if (clock_mono_ms() - typist->began_ms > BUSY_MS)
		tell_deferred(typist, "its program is busy");
	arm(typist, left_ms);
}

static void on_timer(evutil_socket_t fd, short what, void *data)
{
	struct typist *typist = data;

	(void)fd;
	(void)what;
	if (typist->stage == STAGE_RESTING)
		return;
	switch (pane_fate(typist->daemon->tmux, &typist->pane)) {
	case PANE_THERE:
		break;
	case PANE_UNKNOWN:
		typist->retry_ms = RETRY_MAX_MS; /* its return wakes us */
		defer(typist, "tmux is not followed");
		return;
	case PANE_GONE:
		end_typed(typist, "the pane is gone");
		return;
	}
	switch (typist->stage) {
	case STAGE_RESTING:
	case STAGE_TYPING:
		break;
	case STAGE_WAITING:
		look_from_afar(typist);
		break;
	case STAGE_SETTLING:
		refresh(typist); /* whether somebody has come */
		break;
	case STAGE_ECHO:
	case STAGE_SUBMITTING:
		read_screen(typist);
		break;
	}
}

/* ---- typists ---- */

/* An agent has reported: typists that wait to type into its pane look at once. */
static void on_reported(struct presence_listener *listener, const struct pane_ref *pane)
{
	struct typist_set *set = list_entry(listener, struct typist_set, listener);
	struct list *link;

	list_for_each (link, &set->typists) {
		struct typist *typist = list_entry(link, struct typist, link);

		if (typist->is_stale || typist->is_asking || typist->stage != STAGE_WAITING ||
		    !pane_ref_equal(&typist->pane, pane))
			continue;
		typist->retry_ms = RETRY_MIN_MS;
		arm(typist, 0);
	}
}

struct typist_set *typist_set_new(struct daemon *daemon)
{
	struct typist_set *set = xcalloc(1, sizeof *set);

	set->daemon = daemon;
	list_init(&set->typists);
	set->listener.reported = on_reported;
	presence_listen(daemon->presences, &set->listener);
	return set;
}

void typist_set_free(struct typist_set *set)
{
	struct list *link, *after;

	if (set == NULL)
		return;
	presence_unlisten(&set->listener);
	list_for_each_safe (link, after, &set->typists)
		list_remove(link);
	mem_free(set);
}

struct typist *typist_new(struct typist_set *set, const struct pane_ref *pane,
    const struct typist_handlers *handlers, void *data)
{
	struct typist *typist = xcalloc(1, sizeof *typist);

	typist->set = set;
	typist->daemon = set->daemon;
	typist->pane = *pane;
	typist->handlers = handlers;
	typist->data = data;
	typist->retry_ms = RETRY_MIN_MS;
	typist->tap.output = on_output;
	typist->tap.closed = on_closed;
	buf_init(&typist->line, TYPIST_LINE_MAX);
	typist->timer = loop_timer_new(set->daemon->base, on_timer, typist);
	list_append(&set->typists, &typist->link);
	return typist;
}

void typist_free(struct typist *typist)
{
	if (typist == NULL)
		return;
	if (!typist->is_stale) {
		drop_tap(typist);
		event_free(typist->timer);
		typist->is_stale = true;
	}
	if (typist->is_asking)
		return; /* the answer frees it */
	list_remove(&typist->link);
	buf_finish(&typist->line);
	mem_free(typist);
}

void typist_wake(struct typist *typist)
{
	if (typist->stage > STAGE_WAITING || typist->is_asking)
		return;
	if (typist->stage == STAGE_RESTING)
		typist->began_ms = clock_mono_ms();
	typist->stage = STAGE_WAITING;
	arm(typist, 0);
}

bool typist_is_at_work(const struct typist *typist)
{
	return typist->stage > STAGE_WAITING || typist->is_asking;
}

void typist_resume(struct typist *typist, const char *line, size_t len, unsigned before)
{
	forget_line(typist);
	typist->before = before;
	(void)buf_append(&typist->line, line, len);
}

unsigned typist_typed_before(const struct typist *typist)
{
	return typist->before;
}

bool typist_set_holds(const struct typist_set *set, const struct pane_ref *pane)
{
	return is_typing(set, pane, NULL);
}

void typist_write_evidence(
    const struct typist *typist, enum typist_result result, struct json_writer *writer)
{
	if (typist->typed_ms == 0)
		return;
	json_put_bool(writer, "echo_seen", typist->is_echo_seen);
	json_put_bool(writer, "prompt_emptied", result == TYPIST_SUBMITTED);
	json_put_int(writer, "enters", typist->enters);
	if (typist->before > 0)
		json_put_int(writer, "typed_before", typist->before);
	json_put_int(writer, "elapsed_ms", clock_mono_ms() - typist->typed_ms);
}
