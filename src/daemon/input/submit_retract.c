/* SPDX-License-Identifier: ISC */
#include "daemon/input/submit_retract.h"

#include "daemon/input/submit_guard.h"
#include "daemon/input/submit_state.h"

static const char left[] = "a person began to type: the text is left to them";

bool submit_has_person(const struct submit *submit, const struct muxbus_pane *pane)
{
	bool in_prefix;
	uint64_t human = submit_guard_human(submit->parts->tmux, pane, &in_prefix);
	return in_prefix || human != submit->human;
}

static void on_retracted(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct submit *submit = data;
	if (!submit_take_answer(submit))
		return;
	if (error != 0 || !submit_was_typed(replies, count)) {
		submit_give_up(submit, left);
		return;
	}
	submit_line_retract(&submit->line);
	submit_arm(submit, SUBMIT_OUTPUT_STEP_MS);
}

void submit_retract(struct submit *submit, const struct muxbus_pane *pane)
{
	submit->stage = STAGE_RETRACTING;
	if (submit->policy->answers_question || submit_line_characters(&submit->line) == 0 ||
	    !submit_guard_edits(submit->parts, &submit->pane, pane) ||
	    submit_type(submit, SUBMIT_RETRACT, NULL, pane, on_retracted) < 0)
		submit_give_up(submit, left);
}

void submit_retract_look(
    struct submit *submit, const struct pane_screen *screen, const struct pane_tty *tty)
{
	if (submit_line_is_retracted(&submit->line, screen, tty)) {
		submit_line_reset(&submit->line);
		submit->is_over = true;
		submit_defer(submit, "a person began to type: the text was taken back");
	} else if (submit_line_retract_is_late(&submit->line)) {
		submit_give_up(submit, left);
	} else {
		submit_arm(submit, submit_line_look_ms(&submit->line));
	}
}
