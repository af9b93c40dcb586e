/* SPDX-License-Identifier: ISC */
/* A hand types one text at the prompt of an agent and presses Enter. */
#include "daemon/input/agent_hand.h"

#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/core/loop_timer.h"
#include "daemon/input/typing.h"
#include "daemon/input/typist.h"
#include "daemon/input/typist_guard.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/server/daemon.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/tmux/tmux.h"
#include "wire/json.h"

enum {
	KEYS_MAX = 1000, /* bytes typed as keys; more is pasted where that is possible */
	LOOK_STEP_MS = 40,
	ENTER_AFTER_MS = 150, /* programs take a faster Enter for part of a paste */
	SETTLED_MS = 300, /* a pasted text that is shown in another form has been taken */
	ECHO_MAX_MS = 6000,
	UNREAD_MAX_MS = 30000, /* the same, for a program that does not read */
	SUBMIT_MAX_MS = 6000,
	PIECE_BYTES = 64 * 1024,
	GUARD_SIZE = 256,
};

/* After the first Enter, when it is pressed again if nothing came of it. */
static const int64_t enter_again_ms[] = {650, 1650, 3650};

enum { ENTERS_MAX = 1 + sizeof enter_again_ms / sizeof *enter_again_ms };

enum stage {
	STAGE_RESTING,
	STAGE_READING, /* the screen, before it is typed */
	STAGE_TYPING, /* tmux has been asked */
	STAGE_ECHO, /* looking for the text */
	STAGE_SETTLING, /* before Enter */
	STAGE_ENTERING, /* tmux has been asked */
	STAGE_SUBMITTING, /* looking for it to go */
};

struct agent_hand {
	struct daemon *daemon;
	agent_hand_fn *ended;
	void *data;
	struct event *timer;
	struct pane_ref pane;
	struct agent_hand_order order;
	enum stage stage;
	bool is_asking;
	bool is_stale; /* freed: the answer frees it */
	bool is_dropped; /* what tmux owes an answer to is not wanted any more */
	uint64_t human;
	int64_t typed_ms, entered_ms, changed_ms;
	unsigned enters;
	bool is_echo_seen, is_altered;
	uint64_t typed_offset; /* of the screen that it was typed at */
	uint64_t seen_offset; /* of the last look */
	uint64_t before_enter;
	unsigned row, column; /* the cursor before Enter */
};

static void look_soon(struct agent_hand *hand, int64_t ms)
{
	loop_timer_arm(hand->timer, ms);
}

static void end(struct agent_hand *hand, enum agent_hand_result result, const char *reason)
{
	hand->stage = STAGE_RESTING;
	(void)event_del(hand->timer);
	hand->ended(hand->data, result, reason, hand->before_enter);
}

/* Settles that tmux owes no answer. False if nobody wants it any more. */
static bool take_answer(struct agent_hand *hand)
{
	hand->is_asking = false;
	if (hand->is_stale) {
		mem_free(hand);
		return false;
	}
	if (!hand->is_dropped)
		return true;
	hand->is_dropped = false;
	if (hand->stage != STAGE_RESTING)
		look_soon(hand, 0); /* what is wanted now */
	return false;
}

/* The last line of a text: where the cursor is behind it. */
static const char *last_line(const struct agent_hand_order *order, size_t *ret_len)
{
	const char *newline = memrchr(order->text, '\n', order->len);
	const char *begin = newline != NULL ? newline + 1 : order->text;

	*ret_len = order->len - (size_t)(begin - order->text);
	return begin;
}

static bool has_several_lines(const struct agent_hand_order *order)
{
	return memchr(order->text, '\n', order->len) != NULL;
}

bool agent_hand_pastes(const struct agent_hand_order *order)
{
	return order->brackets &&
	    (has_several_lines(order) || order->len > KEYS_MAX ||
		memchr(order->text, '\t', order->len) != NULL);
}

/* ---- asking tmux ---- */

/*
 * Runs a list behind the guard, which is in the command that types: it is the same process of
 * the same server, and the cursor has not moved since the look.
 */
static void run_typing(struct agent_hand *hand, struct muxbus_command *command,
    struct typing *typing, const struct pane_screen *screen, const char *otherwise,
    muxbus_reply_fn *reply)
{
	char guard[GUARD_SIZE];

	snprintf(guard, sizeof guard,
	    "#{&&:#{==:#{cursor_x} #{cursor_y},%u %u},"
	    "#{==:#{pane_pid} #{pid} #{pane_synchronized},%d %d 0}}",
	    screen->cursor_column, screen->cursor_row, (int)hand->pane.pane_pid,
	    (int)hand->pane.server_pid);
	typing->condition = guard;
	typing_add(typing, command, otherwise);
	hand->is_asking = true;
	if (muxbus_sync_run(tmux_sync(hand->daemon->tmux), command, false, reply, hand) == 0)
		return;
	hand->is_asking = false;
	end(hand, hand->stage == STAGE_TYPING ? HAND_HELD : HAND_STUCK, "tmux is not followed");
}

/* The text as a buffer of our own, which goes with the paste or without it. */
static void add_paste(struct agent_hand *hand, struct muxbus_command *command,
    struct typing *typing, char *otherwise, size_t size)
{
	static unsigned number;
	char buffer[64], line[256];
	bool has_vis = (tmux_caps(hand->daemon->tmux) & MUXBUS_CAP_PASTE_VIS) != 0;

	snprintf(buffer, sizeof buffer, "muxbus-agent-%d-%u", (int)getpid(), ++number);
	for (size_t at = 0; at < hand->order.len; at += PIECE_BYTES) {
		size_t len =
		    hand->order.len - at < PIECE_BYTES ? hand->order.len - at : PIECE_BYTES;

		muxbus_command_args(command, "set-buffer", (char *)NULL);
		if (at > 0)
			muxbus_command_args(command, "-a", (char *)NULL);
		muxbus_command_args(command, "-b", buffer, "--", (char *)NULL);
		muxbus_command_arg(command, hand->order.text + at, len);
		muxbus_command_next(command);
	}
	snprintf(line, sizeof line, "paste-buffer -d -r -p %s -b %s -t %%%" PRIu32,
	    has_vis ? "-S" : "", buffer, hand->pane.pane);
	typing_command(typing, line);
	snprintf(otherwise, size, "delete-buffer -b %s", buffer);
}

static void on_typed(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_hand *hand = data;

	if (!take_answer(hand))
		return;
	if (error != 0) {
		/* It may have been typed, or not: it is not typed again. */
		end(hand, HAND_STUCK, "tmux did not answer while it was typed");
	} else if (count == 0 || typing_was_held(&replies[count - 1])) {
		end(hand, HAND_HELD, "something changed in the pane meanwhile");
	} else {
		hand->stage = STAGE_ECHO;
		look_soon(hand, LOOK_STEP_MS);
	}
}

static void step_type(struct agent_hand *hand, const struct pane_screen *screen)
{
	struct muxbus_command *command;
	struct typing typing;
	char otherwise[96];
	bool pasted = agent_hand_pastes(&hand->order);

	hand->typed_ms = hand->changed_ms = clock_mono_ms();
	hand->typed_offset = hand->seen_offset = hand->before_enter = screen->offset;
	if (hand->order.len == 0) {
		hand->stage = STAGE_SETTLING;
		look_soon(hand, 0);
		return;
	}
	if (muxbus_command_new(&command) < 0) {
		end(hand, HAND_HELD, "out of memory");
		return;
	}
	hand->stage = STAGE_TYPING;
	typing_init(&typing, hand->pane.pane, false);
	if (pasted)
		add_paste(hand, command, &typing, otherwise, sizeof otherwise);
	else
		typing_bytes(&typing, hand->order.text, hand->order.len);
	run_typing(hand, command, &typing, screen, pasted ? otherwise : NULL, on_typed);
	typing_finish(&typing);
}

/* ---- what is seen ---- */

static enum prompt_echo find_text(const struct agent_hand *hand, const struct pane_screen *screen)
{
	size_t len;
	const char *line = last_line(&hand->order, &len);

	return prompt_find_line(&screen->view, line, len, NULL);
}

/* Whether nobody else has begun to type. */
static bool is_alone(struct agent_hand *hand, const struct muxbus_pane *pane)
{
	bool in_prefix;

	return typist_human(hand->daemon, pane, &in_prefix) == hand->human && !in_prefix;
}

static void settle_then_enter(struct agent_hand *hand)
{
	int64_t left_ms = hand->typed_ms + ENTER_AFTER_MS - clock_mono_ms();

	hand->is_echo_seen = !hand->order.is_unseen;
	hand->stage = STAGE_SETTLING;
	look_soon(hand, left_ms > LOOK_STEP_MS ? left_ms : LOOK_STEP_MS);
}

static void look_for_echo(
    struct agent_hand *hand, const struct pane_screen *screen, const struct pane_tty *tty)
{
	int64_t now_ms = clock_mono_ms();
	bool is_unread = tty->is_known && !tty->is_cooked && tty->unread > 0;
	/* The kernel echoes with a program that only reads: what precedes the text is its own. */
	bool is_echoed = tty->is_known && tty->is_cooked && tty->has_echo;
	enum prompt_echo echo = find_text(hand, screen);

	if (screen->offset != hand->seen_offset)
		hand->changed_ms = now_ms;
	hand->seen_offset = screen->offset;
	hand->is_altered = echo == ECHO_ALTERED;
	if (echo == ECHO_EXACT || (hand->order.is_unseen && !is_unread) ||
	    (echo == ECHO_ALTERED && !is_unread && screen->offset > hand->typed_offset &&
		(is_echoed || now_ms - hand->changed_ms > SETTLED_MS)) ||
	    (agent_hand_pastes(&hand->order) && !is_unread && screen->offset > hand->typed_offset &&
		now_ms - hand->changed_ms > SETTLED_MS)) {
		hand->before_enter = screen->offset;
		settle_then_enter(hand);
		return;
	}
	if (now_ms - hand->typed_ms < (is_unread ? UNREAD_MAX_MS : ECHO_MAX_MS))
		look_soon(hand, LOOK_STEP_MS);
	else
		end(hand, HAND_STUCK,
		    is_unread ? "its program does not read it" : "it was not seen at the cursor");
}

static void on_entered(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct agent_hand *hand = data;

	if (!take_answer(hand))
		return;
	if (error == 0 && (count == 0 || typing_was_held(&replies[count - 1]))) {
		/* Not pressed: what changed is looked at. */
		hand->stage = hand->enters > 0 ? STAGE_SUBMITTING : STAGE_SETTLING;
		look_soon(hand, LOOK_STEP_MS);
		return;
	}
	hand->enters++; /* without an answer it counts as pressed */
	if (hand->entered_ms == 0)
		hand->entered_ms = clock_mono_ms();
	hand->stage = STAGE_SUBMITTING;
	look_soon(hand, LOOK_STEP_MS);
}

static void step_enter(
    struct agent_hand *hand, const struct pane_screen *screen, const struct muxbus_pane *pane)
{
	struct muxbus_command *command;
	struct typing typing;

	if (!is_alone(hand, pane)) {
		end(hand, HAND_STUCK, "somebody began to type: it is left to them");
		return;
	}
	if (clock_mono_ms() - hand->typed_ms > UNREAD_MAX_MS + SUBMIT_MAX_MS) {
		end(hand, HAND_STUCK, "the pane kept changing before Enter");
		return;
	}
	if (muxbus_command_new(&command) < 0) {
		look_soon(hand, LOOK_STEP_MS);
		return;
	}
	hand->row = screen->cursor_row;
	hand->column = screen->cursor_column;
	if (hand->enters == 0)
		hand->before_enter = screen->offset;
	hand->stage = STAGE_ENTERING;
	typing_init(&typing, hand->pane.pane, false);
	typing_key(&typing, "Enter");
	run_typing(hand, command, &typing, screen, NULL, on_entered);
	typing_finish(&typing);
}

/* Whether the text has been taken, as far as one look tells. */
static bool is_taken(
    const struct agent_hand *hand, const struct pane_screen *screen, const struct pane_tty *tty)
{
	bool has_moved = screen->cursor_row != hand->row || screen->cursor_column != hand->column ||
	    screen->offset > hand->before_enter;

	if (tty->is_known && tty->unread > 0)
		return false;
	if (hand->order.len == 0 || hand->order.is_unseen)
		return has_moved;
	if (tty->is_known && tty->is_cooked)
		return has_moved;
	return has_moved &&
	    (agent_hand_pastes(&hand->order) || find_text(hand, screen) != ECHO_EXACT);
}

static void look_for_taken(
    struct agent_hand *hand, const struct pane_screen *screen, const struct pane_tty *tty)
{
	int64_t since_ms = clock_mono_ms() - hand->entered_ms;
	bool is_unread = tty->is_known && tty->unread > 0;

	if (is_taken(hand, screen, tty)) {
		end(hand, HAND_SUBMITTED, NULL);
	} else if (since_ms > (is_unread ? UNREAD_MAX_MS : SUBMIT_MAX_MS)) {
		end(hand, HAND_STUCK,
		    is_unread ? "its program does not read it" : "Enter did not submit it");
	} else if (!is_unread && hand->enters < ENTERS_MAX &&
	    since_ms >= enter_again_ms[hand->enters - 1] && !(tty->is_known && tty->is_cooked) &&
	    find_text(hand, screen) == ECHO_EXACT) {
		hand->stage = STAGE_SETTLING;
		look_soon(hand, 0);
	} else {
		look_soon(hand, LOOK_STEP_MS * (1 + since_ms / 500));
	}
}

/* Before anything is typed: what speaks against it just now? */
static void look_first(
    struct agent_hand *hand, const struct pane_screen *screen, const struct muxbus_pane *pane)
{
	bool in_prefix;
	struct foreground front;
	uint64_t human = typist_human(hand->daemon, pane, &in_prefix);
	bool is_fresh = human > 0 && clock_real_ms() - (int64_t)human * 1000 < TYPIST_HUMAN_MS;

	foreground_read(pane->pid, &front);
	hand->human = human;
	if (pane->is_dead)
		end(hand, HAND_HELD, "its program has ended");
	else if (pane->in_mode)
		end(hand, HAND_HELD, "the pane is in a mode");
	else if (pane->input_off)
		end(hand, HAND_HELD, "the pane's input is off");
	else if (pane->is_synchronized)
		end(hand, HAND_HELD, "the pane's input is synchronised with others");
	else if (in_prefix || is_fresh)
		end(hand, HAND_HELD, "somebody is typing");
	else if (hand->order.front != 0 && front.is_known && front.pid != hand->order.front)
		end(hand, HAND_HELD, "another program is in front");
	else if (typist_set_holds(hand->daemon->typists, &hand->pane))
		end(hand, HAND_HELD, "a notification is being typed");
	else
		step_type(hand, screen);
}

static void on_look(void *data, int error, const struct pane_screen *screen)
{
	struct agent_hand *hand = data;
	const struct muxbus_pane *pane;
	struct pane_tty tty;

	if (!take_answer(hand))
		return;
	pane = muxbus_model_pane(tmux_model(hand->daemon->tmux), hand->pane.pane);
	if (error != 0 || pane == NULL) {
		look_soon(hand, 5 * LOOK_STEP_MS);
		return;
	}
	pane_tty_read(pane->tty, pane->pid, &tty);
	switch (hand->stage) {
	case STAGE_READING:
		look_first(hand, screen, pane);
		break;
	case STAGE_ECHO:
		look_for_echo(hand, screen, &tty);
		break;
	case STAGE_SETTLING:
		step_enter(hand, screen, pane);
		break;
	case STAGE_SUBMITTING:
		look_for_taken(hand, screen, &tty);
		break;
	case STAGE_RESTING:
	case STAGE_TYPING:
	case STAGE_ENTERING:
		break;
	}
}

static void on_timer(evutil_socket_t fd, short what, void *data)
{
	struct agent_hand *hand = data;
	const char *reason = NULL;

	(void)fd;
	(void)what;
	if (hand->stage == STAGE_RESTING || hand->is_asking)
		return;
	switch (pane_fate(hand->daemon->tmux, &hand->pane)) {
	case PANE_THERE:
		break;
	case PANE_UNKNOWN:
		reason = "tmux is not followed";
		break;
	case PANE_GONE:
		reason = "the pane is gone";
		break;
	}
	if (reason == NULL) {
		hand->is_asking = true;
		if (pane_screen_read(hand->daemon->tmux, hand->pane.pane, on_look, hand) == 0)
			return;
		hand->is_asking = false;
		reason = "tmux is not followed";
	}
	end(hand, hand->stage == STAGE_READING ? HAND_HELD : HAND_STUCK, reason);
}

/* ---- hands ---- */

struct agent_hand *agent_hand_new(struct daemon *daemon, agent_hand_fn *ended, void *data)
{
	struct agent_hand *hand = xcalloc(1, sizeof *hand);

	hand->daemon = daemon;
	hand->ended = ended;
	hand->data = data;
	hand->timer = loop_timer_new(daemon->base, on_timer, hand);
	return hand;
}

void agent_hand_free(struct agent_hand *hand)
{
	if (hand == NULL)
		return;
	event_free(hand->timer);
	if (hand->is_asking)
		hand->is_stale = true;
	else
		mem_free(hand);
}

void agent_hand_type(
    struct agent_hand *hand, const struct pane_ref *pane, const struct agent_hand_order *order)
{
	hand->pane = *pane;
	hand->order = *order;
	hand->stage = STAGE_READING;
	hand->enters = 0;
	hand->typed_ms = hand->entered_ms = 0;
	hand->before_enter = 0;
	hand->is_echo_seen = hand->is_altered = false;
	if (hand->is_asking)
		hand->is_dropped = true; /* what was asked before is not about this */
	look_soon(hand, hand->is_asking ? LOOK_STEP_MS : 0);
}

void agent_hand_drop(struct agent_hand *hand)
{
	if (hand->stage == STAGE_RESTING)
		return;
	hand->stage = STAGE_RESTING;
	hand->is_dropped = hand->is_asking;
	(void)event_del(hand->timer);
}

bool agent_hand_is_busy(const struct agent_hand *hand)
{
	return hand->stage != STAGE_RESTING;
}

void agent_hand_write(const struct agent_hand *hand, struct json_writer *writer)
{
	if (hand->typed_ms == 0)
		return;
	json_put_bool(writer, "echo_seen", hand->is_echo_seen);
	json_put_int(writer, "enters", hand->enters);
	json_put_int(writer, "typing_ms",
	    (hand->entered_ms != 0 ? hand->entered_ms : clock_mono_ms()) - hand->typed_ms);
}
