/* SPDX-License-Identifier: ISC */
/*
 * The floor of agents: an agent as it is inside, its tasks, and its state. The parts of agents
 * are built on it, and agent.c knows the parts: news for agent.c goes up by callback.
 */
#pragma once

#include "daemon/agent/classify.h"
#include "daemon/agent/question_text.h"
#include "daemon/event/event_log.h"
#include "daemon/input/submit.h"
#include "daemon/pane/maker.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/notification.h"

#define AGENT_NAME_MAX 64

struct agent_spec {
	char name[AGENT_NAME_MAX + 1];
	char **command; /* words, NULL-ended; one alone goes to the shell */
	char **env; /* "NAME=value", NULL-ended */
	char *cwd;
	bool has_cwd; /* the request named it; not kept */
	bool resumes; /* the request wants one that has ended to go on; not kept */
	char *prompt; /* a pattern; NULL: it is learned */
	int64_t width; /* cells */
	int64_t height;
	int64_t history_limit; /* lines */
	bool wants_notices; /* of its program, as notifications */
	int64_t startup_timeout_ms;
};

void agent_spec_finish(struct agent_spec *plan);
/* The first parameter that makes it another agent: its command, environment or directory, or NULL. */
const char *agent_spec_difference(const struct agent_spec *one, const struct agent_spec *other);

/* A list of strings, NULL-ended, of the heap. */
char **agent_strings_copy(const char *const *strings, size_t count);

#define AGENTS_MAX 64
#define AGENT_TEXT_MAX (64 * 1024) /* bytes of a task */
#define AGENT_TASKS_MAX 16 /* of one agent that wait or are at work */
#define AGENT_JOINED_MAX 8 /* repeated requests that wait for one task */
#define AGENT_RESTARTS_MAX 5 /* in a row */
#define AGENT_SETTLED_MS 60000 /* of life, after which a crash is not in a row with others */
#define AGENT_OUTPUT_MAX (1024 * 1024) /* bytes of output that one answer may be made of */

enum agent_state {
	AGENT_STARTING, /* its prompt has not been seen yet */
	AGENT_READY, /* at its prompt */
	AGENT_DRAFT, /* the same, with a draft in it */
	AGENT_BUSY,
	AGENT_BLOCKED, /* it asks something */
	AGENT_CRASHED, /* its program has ended; it may be started again by itself */
	AGENT_GONE, /* its pane was closed, or its server is gone */
	AGENT_STATE_COUNT_,
};

const char *agent_state_name(enum agent_state state);

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
	struct request *joined[AGENT_JOINED_MAX]; /* further ones that wait for its end */
	size_t joined_count; /* 0 while request is NULL */
	struct pane_ref teller; /* the pane to notify then */
	enum agent_task_stage stage;
	bool is_response; /* to a question */
	bool is_choice; /* text is the number of one, or empty: Enter alone, for the marked one */
	uint64_t asked; /* its number */
	struct agent_question question; /* as it was then: the agent's may be another one already */
	char *reply; /* as the agent has reported it; NULL: it has not */
	bool is_marked; /* a choice: it was the marked one when it was typed */
	bool is_refused; /* an answer has been begun */
	bool is_pasted; /* as a bracketed paste */
	bool wants_progress;
	bool is_resumed; /* an earlier daemon typed it */
	bool has_worked; /* a sign of work was seen since it was typed */
	int64_t created_ms, due_ms; /* CLOCK_REALTIME */
	int64_t typed_ms, due_boot_ms; /* CLOCK_BOOTTIME */
	int64_t max_bytes; /* of output that is reported */
	uint64_t turns; /* that its agent had reported when it was typed */
	uint64_t from; /* offset of what it said */
	uint64_t told; /* and of output that was not reported as progress yet */
	char held[AGENT_REASON_SIZE]; /* why it was not typed at the last try */
	struct submit_typing typing; /* once it was typed */
	struct loop_timer *deadline;
	struct loop_timer *progress_timer;
};

/* The place of a question before an answer was begun in it. */
struct agent_asked {
	uint64_t number; /* of the question */
	int64_t since_ms; /* CLOCK_REALTIME */
	char row[AGENT_ROW_SIZE]; /* the answer goes behind it */
	bool has_right; /* text stood right of the cursor */
	uint64_t newlines; /* in the output up to it */
	bool is_begun; /* an answer is there now */
};

struct agent {
	struct list link;
	struct agent_set *set;
	struct agent_spec plan;
	struct pane_ref pane; /* cleared: none yet */
	struct pane_ref teller;
	struct pane_caller maker; /* of its pane */
	char *conversation; /* that its program last reported; NULL: none */
	struct pattern *regex; /* of the prompt; NULL: it is learned */
	struct agent_monitor *monitor;
	struct submit *submit; /* types the tasks */
	struct agent_launch *launch; /* NULL: none under way */
	struct loop_timer *timer; /* back-off, steps of the end, or another try to type */
	enum agent_state state;
	char reason[AGENT_REASON_SIZE];
	int64_t since_ms; /* CLOCK_REALTIME: of the state */
	int64_t started_ms; /* CLOCK_REALTIME: of the program */
	bool was_ready; /* since its program was started */
	bool is_secret; /* what it asks is not to be shown */
	struct agent_question question; /* what it asks */
	char *place; /* the rows down to the cursor's, with the question; NULL: nothing is asked */
	struct agent_asked asked;
	struct agent_asked seen; /* the cursor's row at the last look, question or not */
	bool seen_reading; /* its program waited for input then */
	unsigned restarts; /* in a row */
	bool is_restarting; /* the timer will start it again */
	bool is_crash_told; /* of this program: it is not reported again, by any daemon */
	int exit_status, exit_signal; /* of the last program; -1 and 0: not known */
	char *output; /* the last lines of one that never was ready; NULL: none */
	struct agent_last_words *last_words; /* they are being read; NULL: they are not */
	struct list waiters; /* of ensure_agent */
	struct list tasks; /* in order; the first may be at work */
	size_t task_count;
	struct agent_ending *ending; /* it is being stopped */
	bool is_adopted; /* a person started it, in their pane, which is left as it is */
	struct foreground_program program; /* of an adopted one; pid 0: it has ended */
	struct loop_pidfd *end_watch; /* of that; NULL: none */
};

/* The callbacks of agent.c. */
struct agent_roof {
	/* The state is another one. */
	void (*changed)(struct agent *agent);
	/* The agent is no more: takes it out of everything, and frees it. */
	void (*remove)(struct agent *agent, const char *reason);
	/* The program of an adopted agent has ended. */
	void (*ended)(struct agent *agent);
};

struct agent_set {
	const struct daemon *parts;
	const struct agent_roof *roof;
	struct list agents;
	size_t count;
	struct list listeners;
	struct event_log_listener listener;
	struct presence_listener reports;
};

/* NULL if there is none of this name. set may be NULL. */
struct agent *agent_get(const struct agent_set *set, const char *name);
/* Oldest first: NULL starts, NULL ends. */
const struct agent *agent_next(const struct agent_set *set, const struct agent *previous);
const struct agent *agent_find(const struct agent_set *set, const char *name);
/* The one in a pane, NULL if none is. */
const struct agent *agent_of_pane(const struct agent_set *set, uint32_t pane);
void agent_set_state(struct agent *agent, enum agent_state state, const char *reason);

enum agent_state agent_state(const struct agent *agent);
/* Whether it is ready, and nothing waits to be typed. */
bool agent_is_free(const struct agent *agent);
const struct pane_ref *agent_pane(const struct agent *agent);
/* Whether it has a pane, and that is there. */
bool agent_has_pane(const struct agent *agent);
/* Whether its program has ended, and is not started again by itself. */
bool agent_has_ended(const struct agent *agent);
bool agent_is_adopted(const struct agent *agent);
