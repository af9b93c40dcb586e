/* SPDX-License-Identifier: ISC */
/* Why a control client has ended, as well as can be known. */
#include "lib/ending.h"

#include <muxbus.h>

#include <string.h>
#include <unistd.h>

#include "lib/greeting.h"

void ending_copy_line(char out[ENDING_TEXT_SIZE], const char *text, size_t len)
{
	if (len >= ENDING_TEXT_SIZE)
		len = ENDING_TEXT_SIZE - 1;
	for (size_t i = 0; i < len; i++)
		out[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i];
	while (len > 0 && out[len - 1] == ' ')
		len--;
	out[len] = '\0';
}

bool ending_read_errors(struct ending *ending, const struct process *process)
{
	char bytes[ENDING_TEXT_SIZE];
	ssize_t got;

	while ((got = read(process->errors, bytes, sizeof bytes)) > 0) {
		size_t room = sizeof ending->errors - 1 - ending->errors_len;
		size_t take = (size_t)got < room ? (size_t)got : room;

		memcpy(ending->errors + ending->errors_len, bytes, take);
		ending->errors_len += take;
		ending->errors[ending->errors_len] = '\0';
	}
	return got != 0;
}

int ending_explain(const struct ending *ending, const struct process *process, bool was_greeted,
    const char **ret_reason)
{
	const char *said = ending->exit_reason;

	if (*said == '\0')
		said = ending->errors;
	if (*said != '\0') {
		*ret_reason = said;
		/* Later on, anything that tmux is made to print could have said it. */
		return was_greeted ? MUXBUS_ERR_CLOSED : greeting_error(said, MUXBUS_ERR_CLOSED);
	}
	if (!was_greeted && ending->stray[0] != '\0') {
		*ret_reason = ending->stray;
		return greeting_error(ending->stray, MUXBUS_ERR_PROTOCOL);
	}
	if (process->exit_signal != 0)
		*ret_reason = "the control client was killed";
	else if (!was_greeted)
		*ret_reason = "tmux ended without a greeting";
	else
		*ret_reason = "tmux detached the control client";
	return MUXBUS_ERR_CLOSED;
}
