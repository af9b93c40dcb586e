/* SPDX-License-Identifier: ISC */
/* A task of an agent, and what is told of it: progress, its answer, its notification. */
#ifndef DAEMON_AGENT_AGENT_REPORT_H
#define DAEMON_AGENT_AGENT_REPORT_H

#include "daemon/agent/agent_private.h"
#include "wire/message.h"

#define TASK_STEP_MS 86400000 /* longer waits are looked at once a day */

enum agent_task_stage {
	TASK_QUEUED,
	TASK_TYPING, /* or about to be */
	TASK_RUNNING, /* submitted */
};

struct agent_task {
	struct list link;
	struct agent *agent;
	char id[NOTIFICATION_ID_SIZE];
	char *text;
	size_t len;
	struct request *request; /* NULL: its end is a notification */
	struct pane_ref teller; /* who is told then */
	enum agent_task_stage stage;
	bool is_response; /* to a question */
	bool is_pasted; /* as a bracketed paste */
	bool wants_progress;
	bool is_resumed; /* an earlier daemon typed it */
	int64_t created_ms, typed_ms, due_ms; /* CLOCK_REALTIME */
	int64_t max_bytes; /* of output that is told */
	uint64_t from; /* offset of what it said */
	uint64_t told; /* and of what was not told as progress yet */
	char held[AGENT_REASON_SIZE]; /* why it was not typed at the last try */
	struct event *deadline;
	struct event *progress_timer;
};

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

#endif
