/* SPDX-License-Identifier: ISC */
#include "daemon/input/submit_past.h"

#include "daemon/input/submit_state.h"
#include "wire/json.h"

void submit_resume(struct submit *submit, const struct submit_past *past)
{
	submit_line_reset(&submit->line);
	submit->before = past->before;
	submit->line.activity = past->activity;
	submit->line.was_entered = past->was_entered;
	(void)buf_append_str(&submit->line.text.bytes, past->line);
}

void submit_read_past(const struct submit *submit, struct submit_past *ret_past)
{
	*ret_past = (struct submit_past){.line = (char *)submit->line.text.bytes.data,
	    .before = submit->before,
	    .activity = submit->line.activity,
	    .was_entered = submit->line.was_entered};
}

void submit_write_evidence(
    const struct submit *submit, enum submit_result result, struct json_writer *writer)
{
	const struct submit_line *line = &submit->line;
	if (line->typed_ms == 0)
		return;
	json_put_bool(writer, "echo_seen", line->is_echo_seen);
	json_put_bool(writer, "prompt_emptied", result == SUBMIT_SUBMITTED);
	json_put_int(writer, "enters", line->enters);
	if (submit->before > 0)
		json_put_int(writer, "typed_before", submit->before);
	json_put_int(writer, "elapsed_ms", clock_mono_ms() - line->typed_ms);
}

void submit_read_typing(const struct submit *submit, struct submit_typing *ret_typing)
{
	const struct submit_line *line = &submit->line;
	int64_t end_ms = line->entered_ms != 0 ? line->entered_ms : clock_mono_ms();
	*ret_typing = (struct submit_typing){.is_typed = line->typed_ms != 0,
	    .is_echo_seen = line->is_echo_seen,
	    .enters = line->enters,
	    .typing_ms = line->typed_ms != 0 ? end_ms - line->typed_ms : 0};
}
