/* SPDX-License-Identifier: ISC */
/* What the files of agents share: an agent as it is inside, and its tasks. */
#ifndef DAEMON_AGENT_AGENT_PRIVATE_H
#define DAEMON_AGENT_AGENT_PRIVATE_H

#include <event2/event.h>

#include "daemon/agent/agent.h"
#include "daemon/agent/agent_launch.h"
#include "daemon/agent/agent_monitor.h"
#include "daemon/event/event_log.h"
#include "daemon/input/submit.h"
#include "daemon/queue/record.h"
#include "wire/json.h"

struct agent {
	struct list link;
	struct agent_set *set;
	struct agent_spec plan;
	struct pane_ref pane; /* cleared: none yet */
	struct pane_ref teller;
	struct pattern *regex; /* of the prompt; NULL: it is learned */
	struct agent_monitor *monitor;
	struct submit *submit; /* types the tasks */
	struct agent_launch *launch; /* NULL: none under way */
	struct event *timer; /* back-off, steps of the end, or another try to type */
	enum agent_state state;
	char reason[AGENT_REASON_SIZE];
	int64_t since_ms; /* CLOCK_REALTIME: of the state */
	int64_t started_ms; /* CLOCK_REALTIME: of the program */
	bool was_ready; /* since its program was started */
	bool is_secret; /* what it asks is not to be shown */
	char *question; /* what it asks; NULL: nothing */
	char asked_row[AGENT_ROW_SIZE]; /* the row that the answer goes behind; "": not known */
	unsigned restarts; /* in a row */
	bool is_restarting; /* the timer will start it again */
	int exit_status, exit_signal; /* of the last program; -1 and 0: not known */
	struct list waiters; /* of ensure_agent */
	struct list tasks; /* in order; the first may be at work */
	size_t task_count;
	struct agent_ending *ending; /* it is being stopped */
};

struct agent_set {
	struct daemon *daemon;
	struct list agents;
	size_t count;
	struct list listeners;
	struct event_log_listener listener;
};

/* ---- agent.c ---- */

struct agent *agent_get(const struct agent_set *set, const char *name);
void agent_set_state(struct agent *agent, enum agent_state state, const char *reason);
/* Starts its program; the pane of an earlier one is closed. */
void agent_launch_program(struct agent *agent);
/* Takes it out of everything, and frees it. */
void agent_remove(struct agent *agent);

/* ---- agent_record.c ---- */

/* Agents in the store. */
extern const struct record_kind agent_kind;
/* Writes it to the store. */
void agent_store(const struct agent *agent);
/* Fills plan, pane, teller and what was learned. False if it is none; the plan is to be finished. */
bool agent_record_read(struct agent *agent, const struct json *value);

/* ---- agent_task.c ---- */

/* Looks whether the next task can be typed. */
void agent_tasks_step(struct agent *agent);
/* A verdict, before the state follows from it. */
void agent_tasks_judged(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen);
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
bool agent_has_task(const struct agent *agent); /* one is typed, or worked at */
void agent_tasks_write(struct json_writer *writer, const struct agent *agent);

/* ---- agent_end.c ---- */

void agent_ending_free(struct agent_ending *ending);
/* The program has ended, the pane is closed, or the time is up: from the agent's timer. */
void agent_ending_step(struct agent *agent);

#endif
