/* SPDX-License-Identifier: ISC */
/* Tasks of agents: typed in order, waited for, and answered with the agent's reply. */
#pragma once

#include "base/base.h"

#define AGENT_REPLY_MAX (512 * 1024) /* bytes of a reply that an agent reports */

struct agent;
struct agent_set;
struct agent_verdict;
struct pane_screen;
struct request;

struct agent_order {
	const char *agent, *text;
	size_t len;
	int64_t timeout_ms;
	int64_t max_bytes; /* maximum bytes of output that the answer is made from */
	bool wait; /* false: the end becomes a notification */
	bool progress; /* report output to the peer meanwhile */
	bool is_response; /* the text answers the agent's question */
	const char *question_id; /* NULL: the present question */
	int64_t choice; /* of a response: number of the menu's choice to take; 0: takes the text */
	const struct pane_ref *teller;
	const struct once *once; /* the idempotency key of the request; NULL: none */
};
void agent_send(struct agent_set *set, struct request *request, const struct agent_order *order);

/* Lets a repeated request wait too. Returns false if the task has ended, or too many wait. */
bool agent_task_join(struct agent_set *set, struct request *request, const char *id);

/* Types the next task if the agent is ready for it. Ends tasks that the agent cannot take. */
void agent_tasks_step(struct agent *agent);
/*
 * Takes a verdict of the monitor. A prompt or a question ends the running task. Returns false if
 * the prompt may be older than this task.
 */
bool agent_tasks_judged(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen);
/* Stores the reply that the agent of a pane reports for its task. A later reply replaces it. */
void agent_tasks_replied(const struct agent_set *set, uint32_t pane, const char *reply);
void agent_tasks_wrote(struct agent *agent);
void agent_tasks_init(struct agent *agent);
/*
 * Ends the task that is typed or runs; if all, the queued tasks too. outcome as in the answer of
 * send_task.
 */
void agent_tasks_end(struct agent *agent, const char *outcome, bool all);
/* Frees the tasks in memory. They stay in the store. */
void agent_tasks_forget(struct agent *agent);
/*
 * Call this when the wall clock was set. Deadlines of tasks from an earlier boot follow the wall
 * clock; the others stay, and only their stored wall-clock time changes.
 */
void agent_tasks_follow_clock(struct agent_set *set);
void agent_tasks_load(struct agent_set *set);
