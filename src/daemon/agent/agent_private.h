/* SPDX-License-Identifier: ISC */
/* The parts of kept agents for each other. Each part is built on agent_state.h. */
#pragma once

#include "daemon/agent/agent_state.h"
#include "daemon/queue/record.h"

extern const struct record_kind agent_kind;
void agent_store(const struct agent *agent);
/* Fills spec, which the caller finishes, pane, teller and profile. Returns false if invalid. */
bool agent_record_read(struct agent *agent, const struct json *value);

/* Returns how many turns the agent has reported; 0 if it reports none. */
uint64_t agent_turns(const struct agent *agent);

/*
 * Returns true if the prompt at the cursor may be older than the task's turn: until the agent
 * reports this turn or, without reports, until the screen shows work. An answer to a question
 * begins no turn.
 */
bool agent_turn_is_due(
    struct agent_task *task, const struct agent_verdict *verdict, const struct pane_screen *screen);

/* The answer comes when the agent is at its prompt, asks something, or has failed. */
void agent_wait_add(struct agent *agent, struct request *request, bool is_started);
void agent_waiters_step(struct agent *agent);
void agent_waiters_end(struct agent *agent);

/* The request is answered at the end. Without force an adopted agent is only released. */
void agent_stop(
    struct agent_set *set, struct request *request, const char *name, int64_t grace_ms, bool force);

void agent_ending_free(struct agent_ending *ending);
void agent_ending_step(struct agent *agent);
void agent_resume_listen(struct agent_set *set);

void agent_resume_forget(struct agent *agent);

/* NULL: no conversation, or the agent's own command names one. The caller frees the command. */
char **agent_resume_command(const struct agent *agent);

/* Returns true if the agent's pane was in another tmux server. */
bool agent_resume_is_needed(const struct agent *agent);

/* Writes that the agent's tmux server has ended, and why its conversation cannot be resumed. */
void agent_resume_describe(const struct agent *agent, char *out, size_t size);

/* Returns why the agent cannot resume, or NULL. */
const char *agent_resume_problem(const struct agent *agent);

/* Adoption of an agent that a person started: agent_adopt.c. */

/* How long an agent behind ssh or su counts as being in front after a mark. */
#define AGENT_MARK_LIVE_MS (5 * 60 * 1000)

struct agent_adoptee {
	struct foreground front;
	char name[AGENT_NAME_MAX + 1]; /* name of its kind, the default for the agent's name */
	bool is_known_agent;
};

/* Finds the agent in front of a pane. Returns false after failing the request. */
bool agent_adopt_look(const struct daemon *parts, struct request *request,
    const struct muxbus_pane *pane, struct agent_adoptee *ret_adoptee);

/* Writes the first free name: "claude", "claude-2". */
void agent_adopt_name(const struct agent_set *set, const char *kind, char out[AGENT_NAME_MAX + 1]);

void agent_adopt_spec(
    const struct agent_adoptee *adoptee, const struct muxbus_pane *pane, struct agent_spec *spec);

/* The agent's spec is set already. */
void agent_adopt_take(struct agent *agent, const struct agent_adoptee *adoptee, uint32_t pane);

/* Calls callbacks->ended() at the end of the program. Returns false if it has ended already. */
bool agent_adopt_watch(struct agent *agent);

/* The first process of a pane has ended. The exit status is kept if it is the agent's. */
void agent_adopt_note_exit(struct agent *agent, const struct event_entry *event);

/* The agent has no program and no pane any more. */
void agent_adopt_forget(struct agent *agent);

struct agent_look;

/* look is lent until this returns. */
typedef void agent_look_fn(void *data, const struct agent_look *look);

/* Reads the screens of up to 32 panes. Calls done once, perhaps at once. */
void agent_found_look(struct agent_set *set, agent_look_fn *done, void *data);

/* Writes agents as list elements: those that ask something if is_blocked, else the others. */
void agent_write_found(struct json_writer *writer, struct agent_set *set,
    const struct agent_look *look, bool is_blocked);

struct agent_launch_handlers {
	/* The pane exists, and its program does not run yet, so that its output can be watched. */
	void (*made)(struct agent *agent, const struct pane_ref *pane);
	/* The program runs (error NULL), or failed to start. The launch is freed. */
	void (*done)(struct agent *agent, const struct pane_ref *pane, const char *error);
};

/*
 * Makes a session or, if the agent has a pane, a window in the session of this pane, which is
 * closed. Sets agent->launch before any handler is called. The spec must last until done is called
 * or the launch is cancelled. command replaces the spec's, and is freed by the launch. Returns
 * false if tmux is not connected.
 */
bool agent_launch_start(
    struct agent *agent, char **command, const struct agent_launch_handlers *handlers);

/* The output of the new pane is watched, so the program may start. */
void agent_launch_flows(struct agent_launch *launch);

/* No handler is called any more, and the window is closed. */
void agent_launch_cancel(struct agent_launch *launch);

/* The failure of a program: its end in words, its last lines, and closing its pane. */

/* Keeps the exit status of a dead pane. Returns false if its program has not ended. */
bool agent_failure_note(struct agent *agent);

bool agent_failure_is_known(struct agent *agent);
void agent_failure_describe(const struct agent *agent, char *out, size_t size);

/* tmux may not send the last output, so the screen is read. Returns false without a connection. */
bool agent_failure_read(struct agent *agent, void (*done)(struct agent *agent));
void agent_failure_forget(struct agent *agent);

/* The last pane of the server is not closed. */
void agent_failure_close(struct agent *agent);

/* is_last: the program is not started again. */
void agent_failure_notify(const struct agent *agent, bool is_last);
