/* SPDX-License-Identifier: ISC */
/* Functions and structs that the files of this room share. */
#pragma once

#include "daemon/agent/agent_state.h"
#include "daemon/queue/record.h"

extern const struct record_kind agent_kind;
void agent_store(const struct agent *agent);
/*
 * Fills a new agent from a record of the store. Returns false if the record is invalid; then the
 * caller frees the agent.
 */
bool agent_record_read(struct agent *agent, const struct json *value);

/* Returns how many turns the agent has reported to this daemon; 0 if it reports by marks. */
uint64_t agent_turns(const struct agent *agent);

/*
 * Returns true if the prompt on the screen may be older than the task's turn, so that the task goes
 * on. A turn is the work of an agent from a task until its prompt is back. The agent's reports
 * decide; without reports, signs of work on the screen decide. After a limited time the prompt
 * counts in any case.
 */
bool agent_turn_is_due(
    struct agent_task *task, const struct agent_verdict *verdict, const struct pane_screen *screen);

/*
 * Answers the request when the agent has started, asks something, is gone or has failed for good,
 * at the latest at a timeout. is_started: the program was started for this request.
 */
void agent_wait_add(struct agent *agent, struct request *request, bool is_started);
void agent_waiters_step(struct agent *agent);
void agent_waiters_end(struct agent *agent);

/*
 * Stops an agent, and then answers the request. grace_ms is the time from SIGHUP to SIGKILL.
 * Without force, an adopted agent that runs is only released: its program goes on.
 */
void agent_stop(
    struct agent_set *set, struct request *request, const char *name, int64_t grace_ms, bool force);

void agent_ending_free(struct agent_ending *ending);
void agent_ending_step(struct agent *agent);
void agent_resume_listen(struct agent_set *set);

/*
 * Returns the command that resumes the agent's conversation; the caller frees it with
 * mem_free_strings(). Returns NULL if no such command is known, or if the agent's own command is
 * the right one.
 */
char **agent_resume_command(const struct agent *agent);

/* Returns true if the agent's pane was in another tmux server. */
bool agent_resume_is_needed(const struct agent *agent);

/* Writes that the tmux server has ended and, if there is one, agent_resume_problem(). */
void agent_resume_describe(const struct agent *agent, char *out, size_t size);

/* Returns why the agent's conversation cannot be resumed. NULL: it can, or there is none. */
const char *agent_resume_problem(const struct agent *agent);

/* Adoption of an agent that a person started: agent_adopt.c. */

/* How long an agent behind a program such as ssh counts as running after a report by a mark. */
#define AGENT_MARK_LIVE_MS (5 * 60 * 1000)

struct agent_adoptee {
	struct foreground front;
	/* the name of the program, as "claude": the default for the agent's name */
	char name[AGENT_NAME_MAX + 1];
	bool is_known_agent;
};

/* Finds the program in front of a pane, to adopt it. Returns false after failing the request. */
bool agent_adopt_look(const struct daemon *parts, struct request *request,
    const struct muxbus_pane *pane, struct agent_adoptee *ret_adoptee);

/* Writes a name for a new agent that begins with kind, the program's name: "claude-2". */
void agent_adopt_name(const struct agent_set *set, const char *kind, char out[AGENT_NAME_MAX + 1]);

void agent_adopt_spec(
    const struct agent_adoptee *adoptee, const struct muxbus_pane *pane, struct agent_spec *spec);

/* Gives the agent the pane, and the program of adoptee. */
void agent_adopt_take(struct agent *agent, const struct agent_adoptee *adoptee, uint32_t pane);

/* Watches for the end of an adopted program. Returns false if the program has ended already. */
bool agent_adopt_watch(struct agent *agent);

/*
 * Call this when the first process of a pane has ended. Stores the exit status if this process was
 * the adopted agent.
 */
void agent_adopt_note_exit(struct agent *agent, const struct event_entry *event);

/* Stops watching the agent, and clears its program and its pane. */
void agent_adopt_forget(struct agent *agent);

struct agent_look;

/* look is valid only until this function returns. */
typedef void agent_look_fn(void *data, const struct agent_look *look);

/*
 * Reads the screens of panes with agents that are not kept, up to a maximum, where the screen may
 * know more than the report. Calls done once, perhaps before this function returns.
 */
void agent_found_look(struct agent_set *set, agent_look_fn *done, void *data);

/*
 * Writes the agents that are not kept as elements of a JSON array: those that ask something if
 * is_blocked, else the others.
 */
void agent_write_found(struct json_writer *writer, struct agent_set *set,
    const struct agent_look *look, bool is_blocked);

struct agent_launch_handlers {
	/*
	 * Called when the pane exists and its program does not run yet: watch its output, and then
	 * call agent_launch_flows().
	 */
	void (*made)(struct agent *agent, const struct pane_ref *pane);
	/* Called once, unless cancelled: the program runs (error NULL) or its start has failed. */
	void (*done)(struct agent *agent, const struct pane_ref *pane, const char *error);
};

/*
 * Starts the agent's program in a new session. If the agent has a pane, the program starts in a new
 * window of that pane's session, and the old pane is closed. Sets agent->launch before any handler
 * is called. The spec must last until done() is called or the launch is cancelled.
 *
 * command replaces the spec's command, unless it is NULL. This function takes command also if it
 * fails. Returns false if tmux is not connected.
 */
bool agent_launch_start(
    struct agent *agent, char **command, const struct agent_launch_handlers *handlers);

/* Call this when the output of the new pane is watched, so that the program starts. */
void agent_launch_flows(struct agent_launch *launch);

/* Ends a launch, and closes what it made. Calls no handler any more. The launch frees itself. */
void agent_launch_cancel(struct agent_launch *launch);

/* The failure of a program: how it ended, its last lines, and closing its pane. */

/*
 * Stores the exit status of the agent's pane. Returns false if the pane is not known or not dead.
 */
bool agent_failure_note(struct agent *agent);

bool agent_failure_is_known(struct agent *agent);
void agent_failure_describe(const struct agent *agent, char *out, size_t size);

/*
 * Reads the last lines of the dead pane into agent->output, if that is possible, and calls done.
 * tmux may not send a program's last output. Returns false if tmux cannot be asked.
 */
bool agent_failure_read(struct agent *agent, void (*done)(struct agent *agent));
void agent_failure_forget(struct agent *agent);

/* Closes and forgets the dead pane, but not the server's last: without panes tmux may exit. */
void agent_failure_close(struct agent *agent);

/* Posts the notification that the program has ended. is_last: it is not started again. */
void agent_failure_notify(const struct agent *agent, bool is_last);
