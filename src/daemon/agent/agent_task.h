/* SPDX-License-Identifier: ISC */
/* Tasks of agents: typed in order, waited for, and answered with what was said. */
#pragma once

#include "base/base.h"

#define AGENT_REPLY_MAX (512 * 1024) /* bytes of what an agent reports to have said */

struct agent;
struct agent_set;
struct agent_verdict;
struct pane_screen;
struct request;

struct agent_order {
	const char *agent;
	const char *text;
	size_t len;
	int64_t timeout_ms;
	int64_t max_bytes; /* of output that the answer is made of */
	bool wait; /* else the end is a notification */
	bool progress; /* tell the peer what is said meanwhile */
	bool is_response; /* to what it asks */
	const char *question_id; /* that is answered; NULL: whatever it asks now */
	unsigned choice; /* of a menu; 0: text is the answer */
	const struct pane_ref *teller;
	const struct once *once; /* of the request; NULL: it has no key */
};
void agent_send(struct agent_set *set, struct request *request, const struct agent_order *order);

/*
 * A request for a task that was sent already: waits for its end too. False if the task has ended,
 * or too many wait for it.
 */
bool agent_task_join(struct agent_set *set, struct request *request, const char *id);

/* Looks whether the next task can be typed. */
void agent_tasks_step(struct agent *agent);
/* A verdict, before the state follows from it. False: the prompt is not that behind its task yet. */
bool agent_tasks_judged(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen);
/*
 * The agent in a pane reports what it said: the text of the task that it works on, which the
 * screen can only guess at. The last report counts.
 */
void agent_tasks_replied(const struct agent_set *set, uint32_t pane, const char *reply);
/* Output came. */
void agent_tasks_wrote(struct agent *agent);
/* Its tasks can be typed from now on. */
void agent_tasks_init(struct agent *agent);
/* Its program has ended, or will not be back: what is at work ends; all: what waits, too. */
void agent_tasks_end(struct agent *agent, const char *outcome, bool all);
/* The daemon ends: they stay in the store. */
void agent_tasks_forget(struct agent *agent);
/* After another daemon's life. */
void agent_tasks_load(struct agent_set *set);
