/* SPDX-License-Identifier: ISC */
/* Reports of an agent's task: progress, answer, refusal, notification; and the text of a reply. */
#pragma once

#include "daemon/agent/agent_state.h"
#include "wire/message.h"

struct reply_text_options {
	bool is_cut; /* earlier bytes are missing, so the first line is incomplete */
	/* The pasted text, which line editors draw again when it is submitted; NULL: none. */
	const char *pasted;
	size_t pasted_len;
	const char *prompt; /* the prompt at the end of the output; NULL: none */
};

/*
 * Writes a program's output as the lines that a person would read. Left out are at the start an
 * incomplete line, or the line end that Enter has echoed and the pasted text; and at the end the
 * prompt. out must be empty.
 */
void reply_text(
    struct buf *out, const void *bytes, size_t len, const struct reply_text_options *options);

void agent_report_answer(const struct agent_task *task, struct request *request,
    const char *outcome, const char *reason, const struct pane_screen *screen);
void agent_report_notify(const struct agent_task *task, const char *outcome, const char *reason,
    const struct pane_screen *screen);
/* Returns true if the output since the task was typed has a sign of work of any known agent. */
bool agent_report_shows_work(const struct agent_task *task, const struct pane_screen *screen);
void agent_report_accepted(const struct agent_task *task, struct request *request);
/* Timer callback: sends new output of a task to the peer that waits. data: struct agent_task. */
void agent_report_progress(void *data);
/*
 * Fails a request because of the agent's state. The data of the error has the agent, its evidence
 * and, unless task is NULL, how the task was typed.
 */
void agent_report_refuse(const struct agent *agent, struct request *request,
    enum message_error error, const char *advice, const struct agent_task *task);
