/* SPDX-License-Identifier: ISC */
/* A task of an agent and its reports: progress, its answer, its notification. */
#pragma once

#include "daemon/agent/agent_state.h"
#include "wire/message.h"

/*
 * The reply of a program between two places of its output: its bytes as lines a person would
 * read, without the line end that Enter made and without the prompt behind it.
 */

struct reply_text_options {
	bool is_cut; /* the bytes begin in the midst: their first line is not whole */
	/* The pasted text: line editors draw it again when it is submitted. NULL: nothing. */
	const char *pasted;
	size_t pasted_len;
	const char *prompt; /* the row that the cursor stands in behind them; NULL: no prompt */
};

/* Appends to out, which must be empty. */
void reply_text(
    struct buf *out, const void *bytes, size_t len, const struct reply_text_options *options);

/* Answers a request with what came of a task. */
void agent_report_answer(const struct agent_task *task, struct request *request,
    const char *outcome, const char *reason, const struct pane_screen *screen);
/* Posts the same as a notification. */
void agent_report_notify(const struct agent_task *task, const char *outcome, const char *reason,
    const struct pane_screen *screen);
/* Whether the output since it was typed has a sign of work, of any agent. */
bool agent_report_shows_work(const struct agent_task *task, const struct pane_screen *screen);
/* Answers that it was accepted. */
void agent_report_accepted(const struct agent_task *task, struct request *request);
/* Tells the peer that waits what was said since the last time. */
void agent_report_progress(struct agent_task *task);
/* Fails a request because of the agent's state, with the evidence. */
void agent_report_refuse(const struct agent *agent, struct request *request,
    enum message_error error, const char *advice);
