/* SPDX-License-Identifier: ISC */
/* A task of an agent and its reports: progress, its answer, its notification. */
#pragma once

#include "daemon/agent/agent_state.h"
#include "wire/message.h"

/* Answers a request with what came of a task. */
void agent_report_answer(const struct agent_task *task, struct request *request,
    const char *outcome, const char *reason, const struct pane_screen *screen);
/* Posts the same as a notification. */
void agent_report_notify(const struct agent_task *task, const char *outcome, const char *reason,
    const struct pane_screen *screen);
/* Answers that it was accepted. */
void agent_report_accepted(const struct agent_task *task, struct request *request);
/* Tells the peer that waits what was said since the last time. */
void agent_report_progress(struct agent_task *task);
/* Fails a request because of the agent's state, with the evidence. */
void agent_report_refuse(const struct agent *agent, struct request *request,
    enum message_error error, const char *advice);
