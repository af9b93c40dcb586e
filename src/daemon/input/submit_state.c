/* SPDX-License-Identifier: ISC */
#include "daemon/input/submit_state.h"

#include "daemon/input/submit_guard.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"
#include "io/loop_timer.h"

enum { GUARD_MAX = 8192, PATTERNS_MAX = 2048 };

void submit_arm(struct submit *submit, int64_t ms)
{
	loop_timer_arm(submit->timer, ms);
}

/* Returns true if two reasons are the same up to the colon, after which details follow. */
static bool is_same_reason(const char *one, const char *other)
{
	size_t len = strcspn(one, ":");
	return strcspn(other, ":") == len && strncmp(one, other, len) == 0;
}

void submit_tell_deferred(struct submit *submit, const char *reason)
{
	bool is_new = !is_same_reason(submit->reason, reason);
	if (is_new) {
		snprintf(submit->reason, sizeof submit->reason, "%s", reason);
		submit->retry_ms = SUBMIT_RETRY_MIN_MS;
	}
	if (submit->handlers->deferred != NULL)
		submit->handlers->deferred(submit->data, reason, is_new);
}

void submit_defer(struct submit *submit, const char *reason)
{
	/* If the pane has just closed, the next look finds that out, so it comes soon. */
	bool is_closed = !submit->has_tap && tmux_is_live(submit->parts->tmux);

	if (submit->policy->is_once) {
		submit_end(submit, submit->line.typed_ms != 0 ? SUBMIT_TYPED : SUBMIT_HELD, reason);
		return;
	}
	submit->stage = STAGE_WAITING;
	submit_tell_deferred(submit, reason);
	submit_arm(submit, is_closed ? SUBMIT_RETRY_MIN_MS : submit->retry_ms);
	submit->retry_ms =
	    submit->retry_ms * 2 < SUBMIT_RETRY_MAX_MS ? submit->retry_ms * 2 : SUBMIT_RETRY_MAX_MS;
}

static void on_output(
    struct stream_tap *tap, uint64_t offset UNUSED, const uint8_t *bytes UNUSED, size_t len UNUSED)
{
	struct submit *submit = list_entry(tap, struct submit, tap);
	submit->last_output_ms = clock_mono_ms();
	if (!submit->is_asking &&
	    (submit->stage == STAGE_ECHO || submit->stage == STAGE_SUBMITTING))
		submit_arm(submit, SUBMIT_OUTPUT_STEP_MS);
}

static void on_closed(struct stream_tap *tap)
{
	struct submit *submit = list_entry(tap, struct submit, tap);
	submit->has_tap = false;
	if (!submit->is_asking && submit->stage != STAGE_RESTING)
		submit_arm(submit, 0);
}

void submit_watch_output(struct submit *submit)
{
	if (submit->has_tap)
		return;
	submit->tap.output = on_output;
	submit->tap.closed = on_closed;
	submit->last_output_ms = clock_mono_ms();
	submit->has_tap =
	    stream_tap_add(submit->parts->streams, submit->pane.pane, &submit->tap) == 0;
}

static void drop_tap(struct submit *submit)
{
	if (submit->has_tap)
		stream_tap_remove(submit->parts->streams, submit->pane.pane, &submit->tap);
	submit->has_tap = false;
}

bool submit_is_blocked(const struct submit *submit)
{
	bool is_raw = submit->policy->is_raw, is_older = true;
	list_each (const struct submit, other, &submit->set->submits, link) {
		bool is_before =
		    is_raw && is_older && other->policy->is_raw && other->stage == STAGE_WAITING;
		is_older &= other != submit;
		if (other != submit && !other->is_stale &&
		    pane_ref_same_pane(&other->pane, &submit->pane) &&
		    (other->stage > STAGE_WAITING || (other->is_keeping && !is_raw) || is_before))
			return true;
	}
	return false;
}

/* Wakes the raw texts that wait for this pane, in their order. */
static void submit_wake_others(const struct submit *submit)
{
	list_each (struct submit, other, &submit->set->submits, link)
		if (other != submit && !other->is_stale && other->policy->is_raw &&
		    other->stage == STAGE_WAITING &&
		    pane_ref_same_pane(&other->pane, &submit->pane))
			submit_arm(other, 0);
}

static void rest(struct submit *submit)
{
	submit->stage = STAGE_RESTING;
	submit->reason[0] = '\0';
	submit->retry_ms = SUBMIT_RETRY_MIN_MS;
	loop_timer_disarm(submit->timer);
	drop_tap(submit);
	submit_line_wipe(&submit->line);
	submit_wake_others(submit);
}

void submit_end_with(struct submit *submit, const struct submit_end *end)
{
	submit->is_over = true;
	submit->is_keeping = submit->policy->keeps_pane && end->result == SUBMIT_SUBMITTED;
	rest(submit);
	submit->handlers->ended(submit->data, end);
}

void submit_end(struct submit *submit, enum submit_result result, const char *reason)
{
	struct submit_end end = {
	    .result = result, .reason = reason, .before_enter = submit->line.before_enter};
	submit_end_with(submit, &end);
}

void submit_give_up(struct submit *submit, const char *reason)
{
	submit_end(submit, submit->line.typed_ms != 0 ? SUBMIT_TYPED : SUBMIT_REFUSED, reason);
}

void submit_let_go(struct submit *submit)
{
	submit->is_keeping = false;
	if (submit->stage != STAGE_RESTING)
		submit->is_dropped = submit->is_asking;
	rest(submit);
}

void submit_destroy(struct submit *submit)
{
	if (!submit->is_stale) {
		submit_let_go(submit);
		loop_timer_free(submit->timer);
		submit->is_stale = true;
	}
	if (submit->is_asking)
		return; /* submit_take_answer() will free the submit */
	list_remove(&submit->link);
	submit_line_finish(&submit->line);
	mem_free(submit);
}

bool submit_take_answer(struct submit *submit)
{
	submit->is_asking = false;
	if (submit->is_stale) {
		submit_destroy(submit);
		return false;
	}
	if (!submit->is_dropped)
		return true;
	submit->is_dropped = false;
	if (submit->stage != STAGE_RESTING)
		submit_arm(submit, 0);
	return false;
}

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct submit *submit = data;
	submit->reply(submit, typing_error(error, replies, count), replies, count);
}

/* Runs the command of submit_type(). */
static int run(struct submit *submit, struct muxbus_command *command, struct typing *typing,
    const char *otherwise, const struct pane_screen *screen, const struct muxbus_pane *pane,
    muxbus_reply_fn *reply)
{
	struct buf guard = BUF(GUARD_MAX), patterns = BUF(PATTERNS_MAX);
	int error;
	if (pane != NULL) {
		struct submit_moment moment = {.command = pane->command,
		    .screen = screen,
		    .patterns = &patterns,
		    .activity = screen != NULL ? submit->activity : 0};
		if (screen != NULL && submit->policy->answers_question &&
		    submit->handlers->stands != NULL)
			submit->handlers->stands(submit->data, screen, &patterns);
		submit_guard_write(&guard, &submit->pane, &moment);
		typing->condition = (const char *)guard.data;
	}
	typing_add(typing, command, otherwise);
	if (!submit->line.text.is_unseen)
		typing_note(typing, submit->parts->streams,
		    muxbus_model_pane(tmux_model(submit->parts->tmux), submit->pane.pane));
	typing_finish(typing);
	buf_finish(&guard);
	buf_finish(&patterns);
	submit->is_asking = true;
	submit->reply = reply;
	error = muxbus_sync_run(tmux_sync(submit->parts->tmux), command, false, on_reply, submit);
	if (error < 0)
		submit->is_asking = false;
	return error;
}

bool submit_has_shortcut(const char *text, size_t len)
{
	return memchr(text, '?', len) != NULL || memchr(text, '!', len) != NULL;
}

int submit_type(struct submit *submit, enum submit_keys keys, const struct pane_screen *screen,
    const struct muxbus_pane *pane, muxbus_reply_fn *reply)
{
	const struct submit_text *text = &submit->line.text;
	const char *otherwise = NULL;
	struct muxbus_command *command = tmux_command_new();
	struct typing typing;
	submit->paste = (struct paste){0};
	typing_init(&typing, submit->pane.pane, submit->policy->leaves_mode);
	typing.only = submit->policy->only;
	if (keys == SUBMIT_ENTER) {
		typing_key(&typing, "Enter");
	} else if (keys == SUBMIT_RETRACT) {
		typing_retract(&typing, submit_line_characters(&submit->line), pane->width);
	} else if (text->is_paste) {
		paste_add(&submit->paste, submit->parts->tmux, command, &typing, text->bytes.data,
		    text->bytes.len, text->is_bracketed);
		otherwise = submit->paste.otherwise;
	} else {
		typing_bytes(&typing, text->bytes.data, text->bytes.len);
	}
	return run(submit, command, &typing, otherwise, screen, pane, reply);
}

bool submit_was_typed(const struct muxbus_reply *replies, size_t count)
{
	return count > 0 && !typing_was_held(&replies[count - 1]);
}
