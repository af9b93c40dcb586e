/* SPDX-License-Identifier: ISC */
/* The structs and basic helpers of kept agents. */
#pragma once

#include "daemon/agent/classify.h"
#include "daemon/agent/question_text.h"
#include "daemon/core/boot_clock.h"
#include "daemon/event/event_log.h"
#include "daemon/input/submit.h"
#include "daemon/pane/maker.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/notification.h"

#define AGENT_NAME_MAX 64

struct agent_spec {
	char name[AGENT_NAME_MAX + 1];
	char **command; /* NULL-terminated; a single word is a shell command */
	char **env; /* "NAME=value", NULL-terminated */
	char *cwd;
	bool has_cwd; /* the request has named cwd; not stored */
	bool resumes; /* the request wants an ended agent to resume; not stored */
	char *prompt; /* pattern of the prompt; NULL: it is learned */
	int64_t width; /* cells */
	int64_t height;
	int64_t history_limit; /* lines */
	bool wants_notices; /* its program's notices (OSC 9, 99, 777) become notifications */
	int64_t startup_timeout_ms;
};

void agent_spec_finish(struct agent_spec *spec);
/* Returns the first parameter that differs ("command", "env" or "cwd"), or NULL. */
const char *agent_spec_difference(const struct agent_spec *one, const struct agent_spec *other);

/* Copies count strings into a list that ends with NULL, for mem_free_strings(). */
char **agent_strings_copy(const char *const *strings, size_t count);

#define AGENTS_MAX 64
#define AGENT_TEXT_MAX (64 * 1024) /* bytes of a task */
#define AGENT_TASKS_MAX 16
#define AGENT_JOINED_MAX 8 /* repeated requests that wait for a task */
#define AGENT_RESTARTS_MAX 5 /* restarts after crashes in a row */
#define AGENT_SETTLED_MS 60000 /* uptime after which a crash is the first in a row */
#define AGENT_OUTPUT_MAX (1024 * 1024) /* bytes of output that one answer can be made from */

enum agent_state {
	AGENT_STARTING,
	AGENT_READY, /* at its prompt */
	AGENT_DRAFT, /* at its prompt, with a draft in it */
	AGENT_BUSY,
	AGENT_BLOCKED, /* asks a question */
	AGENT_CRASHED, /* the program has ended or could not start; a restart may follow */
	AGENT_GONE, /* its pane was closed or is not found (yet), or it was stopped or released */
	AGENT_STATE_COUNT_,
};

extern const char *const agent_state_names[];

enum agent_task_stage {
	TASK_QUEUED,
	TASK_TYPING, /* being typed, or about to be */
	TASK_RUNNING, /* submitted */
};

struct agent_task {
	struct list link;
	struct agent *agent;
	char id[NOTIFICATION_ID_SIZE], *text;
	size_t len;
	struct request *request; /* waits for the end; NULL: the end becomes a notification */
	struct request *joined[AGENT_JOINED_MAX]; /* further requests that wait for the end */
	size_t joined_count; /* 0 while request is NULL */
	struct pane_ref teller; /* the pane to notify of the end */
	enum agent_task_stage stage;
	bool is_response; /* the task answers a question */
	bool is_choice; /* text is the number of a choice; "": Enter only, for the marked choice */
	uint64_t asked; /* number of the question */
	struct agent_question question; /* a copy, as the agent may ask another one later */
	char *reply; /* the reply that the agent reported; NULL: none */
	/* at the last look before typing, the menu had marked this choice */
	bool is_marked;
	bool is_refused; /* a person has begun an answer, or another question is asked */
	bool is_pasted; /* typed as a bracketed paste */
	bool wants_progress;
	bool is_resumed; /* an earlier daemon typed it */
	bool has_worked; /* a sign of work was seen since it was typed */
	int64_t created_ms, due_ms; /* CLOCK_REALTIME */
	int64_t typed_ms, due_boot_ms; /* CLOCK_BOOTTIME */
	char boot_id[BOOT_ID_SIZE]; /* of the boot in which the task was created */
	int64_t max_bytes; /* maximum bytes of output in the answer */
	uint64_t turns; /* turns that the agent had reported before typing */
	uint64_t from; /* output offset where the reply begins */
	uint64_t told; /* output offset up to which progress was reported */
	char held[AGENT_REASON_SIZE]; /* why the last try to type failed */
	struct submit_typing typing; /* how it was typed */
	struct loop_timer *deadline, *progress_timer;
};

/* The cursor's row where a question is or may be asked, before an answer was begun there. */
struct agent_asked {
	uint64_t number; /* of the question */
	int64_t since_ms; /* CLOCK_REALTIME */
	char row[AGENT_ROW_SIZE]; /* the cursor's row; the answer is typed behind this text */
	bool has_right; /* text was right of the cursor */
	uint64_t newlines; /* newlines in the output up to then */
	bool is_begun; /* a part of the answer is on the screen now */
};

struct agent {
	struct list link;
	struct agent_set *set;
	struct agent_spec spec;
	struct pane_ref pane; /* cleared: no pane */
	struct pane_ref teller;
	struct pane_caller maker; /* who made its pane */
	char *conversation; /* its id, as the program reported it last; or NULL */
	struct pattern *regex; /* pattern of the prompt; NULL: it is learned */
	struct agent_monitor *monitor;
	struct submit *submit; /* types the tasks */
	struct agent_launch *launch; /* NULL: no launch is running */
	struct loop_timer *timer; /* for the next restart, step of stopping, or try to type */
	enum agent_state state;
	char reason[AGENT_REASON_SIZE];
	int64_t since_ms; /* CLOCK_REALTIME: start of the state */
	int64_t started_ms; /* CLOCK_REALTIME: start of the program */
	bool was_ready; /* the prompt was seen since the start of the program */
	bool is_secret; /* the terminal does not show the answer */
	struct agent_question question; /* the present question */
	char *place; /* rows at and above the cursor, with the question; NULL: nothing is asked */
	struct agent_asked asked;
	struct agent_asked seen; /* the cursor's row at a look, before an answer was typed there */
	bool seen_reading; /* the program waited for input at the last look */
	bool seen_asking; /* the row in `seen` looked like the row of a question */
	unsigned restarts; /* restarts after crashes in a row */
	bool is_restarting; /* the program will be started again */
	/* the crash was notified; stored, so that the next daemon does not repeat this */
	bool is_crash_told;
	int exit_status, exit_signal; /* of the last program; -1 and 0: unknown */
	char *output; /* last lines of a program that never was ready; NULL: none */
	struct agent_last_words *last_words; /* while the last lines are read; or NULL */
	struct list waiters; /* requests of ensure_agent */
	struct list tasks; /* in order; the first may be typed now, or be running */
	size_t task_count;
	struct agent_ending *ending; /* while the agent is being stopped; or NULL */
	/* a person started the agent in their own pane, whose options and size stay */
	bool is_adopted;
	struct foreground_program program; /* of an adopted agent; pid 0: none, or it has ended */
	struct loop_pidfd *end_watch; /* for the end of program; or NULL */
};

struct agent_callbacks {
	void (*changed)(struct agent *agent);
	/* Deletes the agent and its record. */
	void (*remove)(struct agent *agent, const char *reason);
	void (*ended)(struct agent *agent);
};

struct agent_set {
	const struct daemon *parts;
	const struct agent_callbacks *callbacks;
	struct list agents;
	size_t count;
	struct list listeners; /* of struct agent_listener */
	struct event_log_listener listener;
	struct presence_listener reports;
};

/* Returns NULL if no agent has this name. set may be NULL. */
struct agent *agent_get(const struct agent_set *set, const char *name);
const struct agent *agent_of_pane(const struct agent_set *set, uint32_t pane);
/* Sets the state and its reason. A new state publishes an event, and may end requests that wait. */
void agent_set_state(struct agent *agent, enum agent_state state, const char *reason);

/* Returns true if the agent is ready and has no task. */
bool agent_is_free(const struct agent *agent);
bool agent_has_pane(const struct agent *agent);
bool agent_has_ended(const struct agent *agent);

/* agent_json.c: agents as JSON. */

#define AGENT_JSON_MAX (16 * 1024) /* bytes of an agent in an event or a notification */

void agent_write(struct json_writer *writer, const struct agent *agent);
/* Writes where an agent is. pane may be NULL: in no pane. */
void agent_write_place(
    struct json_writer *writer, const struct tmux *tmux, const struct muxbus_pane *pane);
void agent_write_evidence(struct json_writer *writer, const struct agent *agent);
void agent_publish(const struct agent *agent);
