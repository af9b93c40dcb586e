/* SPDX-License-Identifier: ISC */
#include "daemon/input/submit.h"

#include "daemon/input/submit_guard.h"
#include "daemon/input/submit_raw.h"
#include "daemon/input/submit_retract.h"
#include "daemon/input/submit_state.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

enum {
	BUSY_MS = 10000, /* after this time the caller gets the reason "its program is busy" */
	CHOICE_REST_MS = 400, /* time without output or keys after which a menu counts as drawn */
	/* time after which a missing menu counts as gone, or a number counts as not taken alone */
	CHOICE_GONE_MS = 1000,
	CHOICE_SAME_MS = 3000, /* after this time a menu that looks as before may be a new one */
};

static const char not_followed[] = "tmux is not followed";
static const char blocked[] = "something else is being typed there";

static void on_typed(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct submit *submit = data;
	if (error != 0)
		paste_remove(&submit->paste, submit->parts->tmux);
	if (!submit_take_answer(submit))
		return;
	if (error != 0) {
		/* The text may have been typed; the next look at the screen will tell. */
		submit_defer(submit, "tmux did not answer");
	} else if (!submit_was_typed(replies, count)) {
		submit_line_reset(&submit->line);
		submit_defer(submit, "something changed in the pane meanwhile");
	} else {
		submit->stage = STAGE_ECHO;
		submit_arm(submit, SUBMIT_OUTPUT_STEP_MS);
	}
}

static bool compose(struct submit *submit)
{
	if (submit->is_over)
		submit->before = 0;
	submit->is_over = false;
	submit->before += submit->line.text.bytes.len > 0;
	submit_line_reset(&submit->line);
	submit->line.activity = submit->activity;
	return submit->handlers->compose(submit->data, &submit->line.text);
}

static void step_type(struct submit *submit, const struct muxbus_pane *pane,
    const struct pane_screen *screen, const struct pane_tty *tty)
{
	if (submit_is_blocked(submit)) {
		submit_defer(submit, blocked);
		return;
	}
	if (submit->line.was_entered && submit->line.text.bytes.len > 0) {
		submit_end(submit, SUBMIT_SUBMITTED, NULL);
		return;
	}
	if (!compose(submit)) {
		submit_end(submit, SUBMIT_NOTHING, NULL);
		return;
	}
	submit_line_begin(&submit->line, screen, tty);
	submit_guard_note(submit->parts, &submit->pane, pane, &submit->typed_to);
	if (submit->line.text.bytes.len == 0) {
		submit->stage = STAGE_SETTLING;
		submit_arm(submit, 0);
		return;
	}
	submit->stage = STAGE_TYPING;
	if (submit_type(submit, SUBMIT_TEXT, screen, pane, on_typed) < 0) {
		submit_line_reset(&submit->line);
		submit_defer(submit, not_followed);
	}
}

/*
 * Continues with a line that stands at the prompt. An earlier daemon or submit has typed it, or a
 * try to which tmux did not reply.
 */
static void take_up(struct submit *submit, const struct muxbus_pane *pane,
    const struct pane_screen *screen, const struct pane_tty *tty)
{
	submit_line_resume(&submit->line, tty);
	submit_guard_note(submit->parts, &submit->pane, pane, &submit->typed_to);
	submit->stage = STAGE_SETTLING;
	submit_arm(submit, submit_line_rest_ms(&submit->line, tty));
	if (!submit->line.was_entered)
		return;
	submit->stage = STAGE_SUBMITTING; /* a slow program may just be taking the line */
	submit_line_press(&submit->line, screen);
	submit_line_pressed(&submit->line);
}

static int64_t quiet_ms(const struct submit *submit)
{
	return clock_mono_ms() - submit->last_output_ms;
}

/* Returns true if the guards but that of the screen allow typing. False with a reason. */
static bool may_look(const struct submit *submit, const struct muxbus_pane *pane,
    const struct pane_tty *tty, char reason[SUBMIT_REASON_SIZE])
{
	const struct submit_policy *policy = submit->policy;
	return submit_guard_pane(submit->parts, policy, &submit->pane, pane, reason) &&
	    submit_guard_terminal(submit->parts, policy, &submit->pane, pane, tty, reason) &&
	    submit_guard_done(policy, pane, quiet_ms(submit), reason);
}

/* Notes whether Enter was pressed, or may have been. The caller stores this for the next daemon. */
static void set_entered(struct submit *submit, bool was_entered)
{
	if (submit->line.was_entered == was_entered || submit->handlers->entering == NULL)
		return;
	submit->line.was_entered = was_entered;
	submit->handlers->entering(submit->data);
}

/* Types or continues, if the guards allow it. Checks pane and terminal again, as keys may come. */
static void look_at_prompt(struct submit *submit, const struct muxbus_pane *pane,
    const struct pane_screen *screen, const struct pane_tty *tty)
{
	const struct submit_policy *policy = submit->policy;
	bool stands = submit_line_stands(&submit->line, screen);
	char reason[SUBMIT_REASON_SIZE];
	/* A draft may be this line in another form, which Enter has not submitted. */
	set_entered(submit,
	    submit->line.was_entered &&
		(submit_line_may_stand(&submit->line, screen) || !screen->prompt.has_draft ||
		    submit_guard_sight(submit->parts, &submit->pane, pane, screen) == SIGHT_FREE));
	if ((!stands &&
		(!may_look(submit, pane, tty, reason) ||
		    !submit_guard_screen(submit->parts, policy, &submit->pane, pane, screen,
			quiet_ms(submit), reason))) ||
	    !submit_guard_known(submit->parts, policy, &submit->pane, pane, reason))
		submit_defer(submit, reason);
	else if (stands)
		take_up(submit, pane, screen, tty);
	else if (policy->knows_prompt &&
	    !submit->handlers->judge(submit->data, pane, screen, reason))
		submit_defer(submit, reason);
	else
		step_type(submit, pane, screen, tty);
}

static bool is_at_rest(const struct submit *submit)
{
	return quiet_ms(submit) >= CHOICE_REST_MS &&
	    clock_mono_ms() - submit->line.typed_ms >= CHOICE_REST_MS;
}

/*
 * Returns true if the first key of an answer may be taken as the whole answer. Enter could then
 * answer the next question, so it is pressed only while the answer is on the screen.
 */
static bool is_read_by_key(const struct submit *submit)
{
	const struct submit_line *line = &submit->line;
	return submit->policy->answers_question && !line->text.is_unseen && !line->text.is_paste &&
	    !line->was_cooked;
}

static bool is_at_work(const struct muxbus_pane *pane, const struct pane_tty *tty)
{
	struct foreground front;
	foreground_read(pane->pid, &front);
	return (tty->is_known && tty->is_cooked) ||
	    (front.is_known && front.reads == AGENT_READS_NO);
}

static void look_for_echo(struct submit *submit, const struct muxbus_pane *pane,
    const struct pane_screen *screen, const struct pane_tty *tty)
{
	struct submit_line *line = &submit->line;
	bool by_key = is_read_by_key(submit);
	bool is_shown =
	    submit_line_is_shown(line, screen, tty, submit->policy->knows_prompt && !by_key);
	bool has_taken = by_key && is_shown && is_at_work(pane, tty);
	const char *reason;
	if (line->is_altered && submit_has_person(submit, pane)) {
		submit_retract(submit, pane);
		return;
	}
	if (is_shown && !has_taken) {
		submit->stage = STAGE_SETTLING;
		submit_arm(submit, submit_line_rest_ms(line, tty));
		return;
	}
	if (by_key && is_at_rest(submit) &&
	    (has_taken ? clock_mono_ms() - line->typed_ms >= CHOICE_GONE_MS
		       : submit->handlers->choice(submit->data, screen) == CHOICE_TAKEN)) {
		submit_end(submit, SUBMIT_SUBMITTED, NULL);
		return;
	}
	reason = submit_line_echo_late(line, tty);
	if (reason != NULL)
		submit_give_up(submit, reason);
	else
		submit_arm(submit, submit_line_look_ms(line));
}

static void on_entered(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct submit *submit = data;
	if (!submit_take_answer(submit))
		return;
	/* Without a reply, Enter may have been pressed, so it counts as pressed. */
	if (error == 0 && !submit_was_typed(replies, count)) {
		submit->stage = submit->line.enters > 0 ? STAGE_SUBMITTING : STAGE_SETTLING;
		set_entered(submit, submit->line.enters > 0);
	} else {
		submit_line_pressed(&submit->line);
		submit->stage = STAGE_SUBMITTING;
	}
	submit_arm(submit, submit_line_look_ms(&submit->line));
}

static bool is_same_front(
    const struct submit *submit, const struct muxbus_pane *pane, char reason[SUBMIT_REASON_SIZE])
{
	if (submit->policy->knows_prompt)
		return true;
	if (!submit_guard_front(submit->parts, &submit->pane, pane, reason))
		return false;
	snprintf(
	    reason, SUBMIT_REASON_SIZE, "the program that was typed to is not in front any more");
	return submit->typed_to.pid == 0 ||
	    foreground_find(pane->pid, &submit->typed_to) == FOREGROUND_IN_FRONT;
}

static void step_enter(
    struct submit *submit, const struct muxbus_pane *pane, const struct pane_screen *screen)
{
	struct submit_line *line = &submit->line;
	char reason[SUBMIT_REASON_SIZE];
	if (submit_has_person(submit, pane)) {
		submit_retract(submit, pane);
	} else if (!is_same_front(submit, pane, reason)) {
		submit_give_up(submit, reason);
	} else if (line->is_exact && !submit_line_stands(line, screen)) {
		submit->stage = line->enters > 0 ? STAGE_SUBMITTING : STAGE_ECHO;
		submit_arm(submit, submit_line_look_ms(line));
	} else if (submit_line_is_late(line)) {
		submit_give_up(submit, "the pane kept changing before Enter");
	} else {
		submit_line_press(line, screen);
		set_entered(submit, true);
		if (submit_type(submit, SUBMIT_ENTER, screen, pane, on_entered) < 0) {
			set_entered(submit, line->enters > 0);
			submit_defer(submit, not_followed);
		}
	}
}

/* Returns true if Enter must be pressed again: the program has handled Enter, and left the text. */
static bool is_enter_due(struct submit *submit, const struct muxbus_pane *pane,
    const struct pane_screen *screen, const struct pane_tty *tty)
{
	struct foreground front;
	if (!submit_line_needs_enter(&submit->line, screen, tty))
		return false;
	foreground_read(pane->pid, &front);
	return submit_line_is_left(&submit->line, screen, front.is_known && front.is_computing);
}

static void look_for_taken(struct submit *submit, const struct muxbus_pane *pane,
    const struct pane_screen *screen, const struct pane_tty *tty)
{
	struct submit_line *line = &submit->line;
	const char *reason;
	enum submit_sight sight = submit_guard_sight(submit->parts, &submit->pane, pane, screen);
	if (submit_line_is_taken(line, screen, tty, sight)) {
		submit_end(submit, SUBMIT_SUBMITTED, NULL);
		return;
	}
	reason = submit_line_taken_late(line, tty);
	if (reason != NULL) {
		submit_give_up(submit, reason);
	} else if (is_enter_due(submit, pane, screen, tty)) {
		submit->stage = STAGE_SETTLING;
		submit_arm(submit, 0);
	} else {
		submit_arm(submit, submit_line_look_ms(line));
	}
}

/*
 * Goes on with a choice of a menu. Enter takes the choice that is marked. For another one its
 * number is typed: many programs take it at once, others only mark it and need Enter. Enter after
 * the menu has gone would answer something else, so it is pressed only if the same menu was there
 * all the time, and its drawing is complete.
 */
static void look_at_choice(
    struct submit *submit, const struct muxbus_pane *pane, const struct pane_screen *screen)
{
	struct submit_line *line = &submit->line;
	enum submit_choice choice = submit->handlers->choice(submit->data, screen);
	int64_t now_ms = clock_mono_ms();
	bool is_typed = line->text.bytes.len > 0 || line->enters > 0, is_lost;
	bool rests = is_at_rest(submit);
	bool has_moved =
	    /* Enter was pressed, and another choice is marked now */
	    line->enters > 0 && choice == CHOICE_OPEN;
	bool is_same = is_typed && rests && screen->offset > line->typed_offset &&
	    now_ms - line->typed_ms >= CHOICE_SAME_MS;
	if (choice < CHOICE_TAKEN)
		line->changed_ms = now_ms;
	else if (is_typed)
		line->was_gone = true;
	line->has_stayed |= choice == CHOICE_MARKED || choice == CHOICE_ASTRAY ||
	    (choice == CHOICE_OPEN && rests && now_ms - line->typed_ms >= CHOICE_GONE_MS);
	/* If the program works now, it took the choice, though it showed the mark for a while. */
	line->has_stayed &= choice != CHOICE_WORKS;
	is_lost = line->enters == 0 && line->has_stayed;
	if (choice > CHOICE_TAKEN)
		choice = CHOICE_TAKEN;
	if (choice == CHOICE_TAKEN && !is_typed)
		submit_end(submit, SUBMIT_HELD, "the menu has gone");
	else if (choice == CHOICE_TAKEN && is_lost && now_ms - line->changed_ms >= CHOICE_GONE_MS)
		submit_give_up(submit, "its number was typed, and the menu went before Enter");
	else if (choice == CHOICE_TAKEN && is_lost)
		submit_arm(submit, submit_line_look_ms(line));
	else if ((choice == CHOICE_TAKEN &&
		     (rests || now_ms - line->changed_ms >= CHOICE_GONE_MS)) ||
	    (rests && (line->was_gone || has_moved)))
		submit_end(submit, SUBMIT_SUBMITTED, NULL);
	else if (choice == CHOICE_MARKED && submit->stage == STAGE_SETTLING && !line->was_gone)
		step_enter(submit, pane, screen);
	else if (is_same && (choice == CHOICE_OPEN || line->enters > 0))
		submit_give_up(submit,
		    "the menu stands there as before: it was not taken, or is asked for again");
	else if (submit_line_choice_is_late(line))
		submit_give_up(submit, "the menu that it chooses from still stands there");
	else if (choice == CHOICE_MARKED && line->enters == 0 && rests && !line->was_gone) {
		submit->stage = STAGE_SETTLING;
		submit_arm(submit, 0);
	} else {
		if (line->enters == 0)
			submit->stage = STAGE_ECHO;
		submit_arm(submit, submit_line_look_ms(line));
	}
}

static void on_screen(void *data, int error, const struct pane_screen *screen)
{
	struct submit *submit = data;
	const struct muxbus_pane *pane;
	struct pane_tty tty;
	if (!submit_take_answer(submit))
		return;
	pane = muxbus_model_pane(tmux_model(submit->parts->tmux), submit->pane.pane);
	if (error != 0 || pane == NULL) {
		/* The next look will check whether the pane still exists. */
		if (submit->stage == STAGE_WAITING)
			submit_defer(submit, "the screen cannot be read");
		else
			submit_arm(submit, SUBMIT_RETRY_MIN_MS);
		return;
	}
	pane_tty_read(pane->tty, pane->pid, &tty);
	if (submit->line.text.is_choice && submit->stage > STAGE_TYPING) {
		look_at_choice(submit, pane, screen);
		return;
	}
	switch (submit->stage) {
	case STAGE_RESTING:
	case STAGE_TYPING:
		break;
	case STAGE_WAITING:
		look_at_prompt(submit, pane, screen, &tty);
		break;
	case STAGE_ECHO:
		look_for_echo(submit, pane, screen, &tty);
		break;
	case STAGE_SETTLING:
		step_enter(submit, pane, screen);
		break;
	case STAGE_SUBMITTING:
		look_for_taken(submit, pane, screen, &tty);
		break;
	case STAGE_RETRACTING:
		submit_retract_look(submit, screen, &tty);
		break;
	}
}

static void read_screen(struct submit *submit, bool is_listed)
{
	int (*read)(struct tmux *, uint32_t, pane_screen_fn *, void *) =
	    is_listed ? pane_screen_read_listed : pane_screen_read;
	submit->is_asking = true;
	if (read(submit->parts->tmux, submit->pane.pane, on_screen, submit) < 0) {
		submit->is_asking = false;
		submit_defer(submit, not_followed);
	}
}

static void on_fresh(void *data, int error)
{
	struct submit *submit = data;
	const struct muxbus_pane *pane;
	char reason[SUBMIT_REASON_SIZE];
	struct pane_tty tty;
	bool in_prefix;
	if (!submit_take_answer(submit))
		return;
	pane = muxbus_model_pane(tmux_model(submit->parts->tmux), submit->pane.pane);
	pane_tty_read(pane != NULL ? pane->tty : NULL, pane != NULL ? pane->pid : 0, &tty);
	submit->activity = pane != NULL ? submit_guard_activity(submit->parts->tmux, pane) : 0;
	submit_line_note(
	    &submit->line, submit->activity, pane == NULL || submit_has_person(submit, pane));
	if (pane != NULL && submit->stage == STAGE_WAITING)
		submit->human = submit_guard_human(submit->parts->tmux, pane, &in_prefix);
	if (error != 0 || pane == NULL ||
	    pane_fate(submit->parts->tmux, &submit->pane) != PANE_THERE)
		submit_arm(submit, SUBMIT_RETRY_MIN_MS);
	else if (pane->is_dead)
		submit_give_up(submit, "the pane's program has ended");
	else if (submit->stage != STAGE_WAITING)
		read_screen(submit, true);
	else if (submit_is_blocked(submit))
		submit_defer(submit, blocked);
	else if (!may_look(submit, pane, &tty, reason))
		submit_defer(submit, reason);
	else if (submit_guard_is_blind(submit->activity))
		submit_arm(submit, SUBMIT_BLIND_MS);
	else
		read_screen(submit, true);
}

static void refresh(struct submit *submit)
{
	struct muxbus_sync *sync = tmux_sync(submit->parts->tmux);
	const struct muxbus_pane *pane =
	    muxbus_model_pane(tmux_model(submit->parts->tmux), submit->pane.pane);
	int error;
	submit->is_asking = true;
	if (pane != NULL)
		error = muxbus_sync_refresh_window(sync, pane->window,
		    MUXBUS_PART_CLIENTS | MUXBUS_PART_SESSIONS, on_fresh, submit);
	else
		error = muxbus_sync_refresh(sync, MUXBUS_PART_ALL, 0, on_fresh, submit);
	if (error < 0) {
		submit->is_asking = false;
		submit_defer(submit, not_followed);
	}
}

static bool is_quiet(struct submit *submit)
{
	char reason[SUBMIT_REASON_SIZE];
	int64_t quiet_ms = submit_guard_quiet_ms(submit->parts, &submit->pane, reason);
	int64_t left_ms = quiet_ms - (clock_mono_ms() - submit->last_output_ms);
	if (quiet_ms < 0) {
		submit_defer(submit, reason);
		return false;
	}
	if (left_ms <= 0)
		return true;
	if (reason[0] != '\0')
		submit_tell_deferred(submit, reason);
	else if (clock_mono_ms() - submit->began_ms > BUSY_MS)
		submit_tell_deferred(submit, "its program is busy");
	submit_arm(submit, left_ms);
	return false;
}

static void look_from_afar(struct submit *submit)
{
	if (submit->handlers->is_wanted != NULL && !submit->handlers->is_wanted(submit->data)) {
		submit_end(submit, SUBMIT_NOTHING, NULL);
		return;
	}
	submit_watch_output(submit);
	if (submit->policy->is_once || is_quiet(submit))
		refresh(submit);
}

static void look(struct submit *submit)
{
	switch (submit->stage) {
	case STAGE_RESTING:
	case STAGE_TYPING:
		break;
	case STAGE_WAITING:
		look_from_afar(submit);
		break;
	case STAGE_SETTLING:
		refresh(submit); /* shows whether a person has typed */
		break;
	case STAGE_ECHO:
	case STAGE_SUBMITTING:
		if (submit_line_note_is_due(&submit->line) ||
		    (submit->stage == STAGE_ECHO && submit->line.is_altered)) {
			refresh(submit);
			break;
		}
		/* fall through */
	case STAGE_RETRACTING:
		read_screen(submit, false);
		break;
	}
}

static void on_timer(void *data)
{
	struct submit *submit = data;
	if (submit->stage == STAGE_RESTING || submit->is_asking)
		return;
	if (submit->policy->is_raw) {
		submit_raw_step(submit);
		return;
	}
	switch (pane_fate(submit->parts->tmux, &submit->pane)) {
	case PANE_THERE:
		look(submit);
		break;
	case PANE_UNKNOWN:
		submit->retry_ms = SUBMIT_RETRY_MAX_MS; /* submit_wake() may end the wait */
		submit_defer(submit, not_followed);
		break;
	case PANE_GONE:
		submit_give_up(submit, "the pane is gone");
		break;
	}
}

/* Called after a report of a pane's agent: submits that wait for this pane look at once. */
static void on_reported(struct presence_listener *listener, const struct pane_ref *pane)
{
	struct submit_set *set = list_entry(listener, struct submit_set, listener);
	list_each (struct submit, submit, &set->submits, link) {
		if (submit->is_stale || submit->is_asking || submit->stage != STAGE_WAITING ||
		    !pane_ref_same_pane(&submit->pane, pane))
			continue;
		submit->retry_ms = SUBMIT_RETRY_MIN_MS;
		submit_arm(submit, 0);
	}
}

struct submit_set *submit_set_new(const struct daemon *parts)
{
	struct submit_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	list_init(&set->submits);
	set->listener.reported = on_reported;
	presence_listen(parts->presences, &set->listener);
	return set;
}

void submit_set_free(struct submit_set *set)
{
	if (set == NULL)
		return;
	list_remove(&set->listener.link);
	list_each_safe (struct submit, submit, &set->submits, link)
		list_remove(&submit->link);
	mem_free(set);
}

struct submit *submit_new(struct submit_set *set, const struct pane_ref *pane,
    const struct submit_policy *policy, const struct submit_handlers *handlers, void *data)
{
	struct submit *submit = xcalloc(1, sizeof *submit);
	submit->set = set;
	submit->parts = set->parts;
	submit->pane = *pane;
	submit->policy = policy;
	submit->handlers = handlers;
	submit->data = data;
	submit->retry_ms = SUBMIT_RETRY_MIN_MS;
	submit_line_init(&submit->line);
	submit->timer = loop_timer_new(set->parts->base, on_timer, submit);
	list_append(&set->submits, &submit->link);
	return submit;
}

void submit_free(struct submit *submit)
{
	if (submit != NULL)
		submit_destroy(submit);
}

void submit_drop(struct submit *submit)
{
	submit_let_go(submit);
}

void submit_aim(
    struct submit *submit, const struct pane_ref *pane, const struct submit_policy *policy)
{
	submit->pane = *pane;
	submit->policy = policy;
	submit->is_keeping = false;
}

static void begin(struct submit *submit)
{
	submit->began_ms = clock_mono_ms();
	/* Drops what was seen of the last text, but not a line that submit_resume() has set. */
	if (submit->line.text.bytes.len == 0)
		submit_line_reset(&submit->line);
}

void submit_wake(struct submit *submit)
{
	if (submit->stage > STAGE_WAITING || (submit->is_asking && !submit->is_dropped))
		return;
	if (submit->stage == STAGE_RESTING)
		begin(submit);
	submit->stage = STAGE_WAITING;
	if (submit->is_asking)
		return; /* the handler of the pending reply will go on */
	if (submit->policy->is_raw)
		submit_raw_step(submit); /* types now, so that keys of later requests come after */
	else
		submit_arm(submit, 0);
}

bool submit_is_at_work(const struct submit *submit)
{
	return submit->stage > STAGE_WAITING || submit->is_asking;
}

bool submit_is_resting(const struct submit *submit)
{
	return submit->stage == STAGE_RESTING;
}

void submit_keep(struct submit *submit)
{
	submit->is_keeping = true;
}

void submit_release(struct submit *submit)
{
	submit->is_keeping = false;
}

bool submit_set_is_idle(const struct submit_set *set)
{
	return list_is_empty(&set->submits);
}

bool submit_can_type(
    const struct submit_set *set, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE])
{
	const struct muxbus_pane *pane;
	enum pane_fate fate = pane_fate(set->parts->tmux, ref);
	ret_reason[0] = '\0';
	if (fate == PANE_UNKNOWN)
		return true; /* the pane counts as existing until tmux is connected */
	pane = muxbus_model_pane(tmux_model(set->parts->tmux), ref->pane);
	if (fate == PANE_GONE || pane == NULL)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "the pane is gone");
	else if (pane->is_dead)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "the pane's program has ended");
	else
		return submit_guard_lasting(set->parts, ref, pane, ret_reason);
	return false;
}
