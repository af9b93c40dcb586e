/* SPDX-License-Identifier: ISC */
#include "daemon/input/submit_raw.h"

#include "daemon/input/submit_state.h"

/* Ends a text of which tmux did not type all keys, or did not say so. */
static void end_untyped(struct submit *submit, enum submit_result result, int error,
    const struct muxbus_reply *replies, size_t count)
{
	struct submit_end end = {
	    .result = result, .error = error, .replies = replies, .count = count};
	submit_end_with(submit, &end);
}

static void on_entered(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct submit *submit = data;
	if (!submit_take_answer(submit))
		return;
	if (error < 0 || !submit_was_typed(replies, count))
		end_untyped(submit, SUBMIT_TYPED, error, replies, count);
	else
		submit_end(submit, SUBMIT_SUBMITTED, NULL);
}

static void press_enter(struct submit *submit)
{
	int error;
	submit->stage = STAGE_SETTLING;
	error = submit_type(submit, SUBMIT_ENTER, NULL, NULL, on_entered);
	if (error < 0)
		end_untyped(submit, SUBMIT_TYPED, error, NULL, 0);
}

static void on_typed(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct submit *submit = data;
	if (error < 0)
		paste_remove(&submit->paste, submit->parts->tmux);
	if (!submit_take_answer(submit))
		return;
	if (error < 0 || !submit_was_typed(replies, count)) {
		end_untyped(submit, SUBMIT_HELD, error, replies, count);
	} else if (submit->line.text.has_no_enter) {
		submit_end(submit, SUBMIT_SUBMITTED, NULL);
	} else {
		submit->stage = STAGE_SETTLING;
		submit_arm(submit, SUBMIT_ENTER_AFTER_MS);
	}
}

static void type(struct submit *submit)
{
	int error;
	submit_line_reset(&submit->line);
	if (!submit->handlers->compose(submit->data, &submit->line.text)) {
		submit_end(submit, SUBMIT_NOTHING, NULL);
		return;
	}
	if (submit->line.text.bytes.len == 0) {
		press_enter(submit);
		return;
	}
	submit->stage = STAGE_TYPING;
	error = submit_type(submit, SUBMIT_TEXT, NULL, NULL, on_typed);
	if (error < 0)
		end_untyped(submit, SUBMIT_HELD, error, NULL, 0);
}

void submit_raw_step(struct submit *submit)
{
	if (submit->stage == STAGE_SETTLING)
		press_enter(submit);
	else if (submit_is_blocked(submit))
		submit->stage = STAGE_WAITING; /* submit_wake_others() will wake it */
	else
		type(submit);
}
