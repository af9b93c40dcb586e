/* SPDX-License-Identifier: ISC */
/* The functions that the files of this room offer to each other. All files use agent_state.h. */
#pragma once

#include "daemon/agent/agent_state.h"
#include "daemon/queue/record.h"

extern const struct record_kind agent_kind;
void agent_store(const struct agent *agent);
/*
 * Fills an agent that was just made from a record of the store. Returns false if the record is
 * invalid; the caller frees the agent then.
 */
bool agent_record_read(struct agent *agent, const struct json *value);

/* Returns how many turns the agent has reported; 0 if it reports none. */
uint64_t agent_turns(const struct agent *agent);

/*
 * Returns true if the prompt at the cursor may be older than the task's turn (turn: the work of the
 * agent from a task until its prompt is back): until the agent reports this turn or, if it reports
 * none, until the screen shows work. An answer to a question begins no turn.
 */
bool agent_turn_is_due(
    struct agent_task *task, const struct agent_verdict *verdict, const struct pane_screen *screen);

/*
 * Answers the request when the agent is at its prompt, asks something, or has failed. is_started:
 * the program was started for this request.
 */
void agent_wait_add(struct agent *agent, struct request *request, bool is_started);
void agent_waiters_step(struct agent *agent);
void agent_waiters_end(struct agent *agent);

/*
 * Stops an agent, and answers the request when it has ended. grace_ms is the time from SIGHUP to
 * SIGKILL. Without force the program of an adopted agent goes on, and is only no longer kept.
 */
void agent_stop(
    struct agent_set *set, struct request *request, const char *name, int64_t grace_ms, bool force);

void agent_ending_free(struct agent_ending *ending);
void agent_ending_step(struct agent *agent);
void agent_resume_listen(struct agent_set *set);

/*
 * Returns the command that resumes the agent's conversation; the caller frees it with
 * mem_free_strings(). Returns NULL if no conversation is known, or if the agent's own command names
 * one.
 */
char **agent_resume_command(const struct agent *agent);

/* Returns true if the agent's pane was in another tmux server. */
bool agent_resume_is_needed(const struct agent *agent);

/* Writes that the agent's tmux server has ended, and why its conversation cannot be resumed. */
void agent_resume_describe(const struct agent *agent, char *out, size_t size);

/* Returns why the agent cannot resume, or NULL. */
const char *agent_resume_problem(const struct agent *agent);

/* Adoption of an agent that a person started: agent_adopt.c. */

/* How long an agent behind ssh or su counts as running after it has reported by a mark. */
#define AGENT_MARK_LIVE_MS (5 * 60 * 1000)

struct agent_adoptee {
	struct foreground front;
	/* the name of the program, as "claude": the default for the agent's name */
	char name[AGENT_NAME_MAX + 1];
	bool is_known_agent;
};

/* Finds the agent in front of a pane. Returns false after failing the request. */
bool agent_adopt_look(const struct daemon *parts, struct request *request,
    const struct muxbus_pane *pane, struct agent_adoptee *ret_adoptee);

/* Writes the first free name for a kind: "claude", then "claude-2". */
void agent_adopt_name(const struct agent_set *set, const char *kind, char out[AGENT_NAME_MAX + 1]);

void agent_adopt_spec(
    const struct agent_adoptee *adoptee, const struct muxbus_pane *pane, struct agent_spec *spec);

/* Sets the agent's members from adoptee. The agent's spec must be set before. */
void agent_adopt_take(struct agent *agent, const struct agent_adoptee *adoptee, uint32_t pane);

/* Calls callbacks->ended() at the end of the program. Returns false if it has ended already. */
bool agent_adopt_watch(struct agent *agent);

/*
 * Call this when the first process of a pane has ended. Keeps the exit status if the agent was this
 * process.
 */
void agent_adopt_note_exit(struct agent *agent, const struct event_entry *event);

/* Forgets the program and the pane of the agent. */
void agent_adopt_forget(struct agent *agent);

struct agent_look;

/* look is valid only until this function returns. */
typedef void agent_look_fn(void *data, const struct agent_look *look);

/*
 * Reads the screens of at most 32 panes with agents that are not kept. Calls done once, perhaps
 * before this function returns.
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
	/* Called once: the program runs (error NULL) or failed. The launch is freed after that. */
	void (*done)(struct agent *agent, const struct pane_ref *pane, const char *error);
};

/*
 * Starts the agent's program in a new session or, if the agent has a pane, in a new window of the
 * session of this pane, and closes the old pane. Sets agent->launch before any handler is called.
 * The spec must last until done() is called or the launch is cancelled. command, if not NULL,
 * replaces the spec's command; this function takes it in any case. Returns false if tmux is not
 * connected.
 */
bool agent_launch_start(
    struct agent *agent, char **command, const struct agent_launch_handlers *handlers);

/* Call this when the output of the new pane is watched, so that the program starts. */
void agent_launch_flows(struct agent_launch *launch);

/* Ends a launch: no handler is called any more, the new window is closed. It frees itself. */
void agent_launch_cancel(struct agent_launch *launch);

/* The failure of a program: how it ended, its last lines, and closing its pane. */

/* Stores the exit status of a dead pane in the agent. Returns false if its program still runs. */
bool agent_failure_note(struct agent *agent);

bool agent_failure_is_known(struct agent *agent);
void agent_failure_describe(const struct agent *agent, char *out, size_t size);

/*
 * Reads the last lines from the screen into agent->output, as tmux may not send the last output,
 * and calls done. Returns false if tmux is not connected.
 */
bool agent_failure_read(struct agent *agent, void (*done)(struct agent *agent));
void agent_failure_forget(struct agent *agent);

/* Closes the dead pane, unless it is the last pane of the tmux server, which might end with it. */
void agent_failure_close(struct agent *agent);

/* Posts the notification of a crash. is_last: the program is not started again. */
void agent_failure_notify(const struct agent *agent, bool is_last);
