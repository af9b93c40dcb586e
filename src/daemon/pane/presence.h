/* SPDX-License-Identifier: ISC */
/*
 * Presences: agents as they report themselves, by their hooks, over their bridge (muxbus mcp) or by
 * marks in their output, or as Muxbus finds them. A presence has the agent in a pane, its session,
 * and whether it is idle, busy, or asks a person something.
 *
 * A pane has at most one presence. An agent without a known pane is found by its session. A
 * presence ends with its pane or process, by a report of "gone", or by PRESENCES_MAX; a report of
 * another agent replaces it. It survives a restart of the daemon, but then its state is unknown.
 */
#pragma once

#include "daemon/core/pane_ref.h"

/* maximum number; beyond it, the presence with the oldest report is removed */
#define PRESENCES_MAX 1024
#define PRESENCE_NAME_MAX 32 /* bytes of an agent's name: [A-Za-z0-9_.-] */
#define PRESENCE_QUESTION_MAX 256 /* bytes of text without escape sequences */
#define PRESENCE_SESSION_MAX 128 /* bytes of [A-Za-z0-9_.:-], not beginning with '-' */

struct event_log;
struct queue;
struct tmux;

enum presence_state {
	PRESENCE_UNKNOWN,
	PRESENCE_IDLE, /* the agent waits for its next prompt */
	PRESENCE_BUSY, /* the agent works on a turn */
	PRESENCE_ASKING, /* the agent waits for a person's decision, and a key could make it */
	PRESENCE_GONE,
	PRESENCE_STATE_COUNT_,
};

extern const char *const presence_state_names[];

struct presence {
	struct list link;
	struct pane_ref pane; /* cleared: no pane is known */
	char agent[PRESENCE_NAME_MAX + 1];
	char session[PRESENCE_SESSION_MAX + 1]; /* may be "" */
	enum presence_state state;
	int64_t since_ms; /* CLOCK_REALTIME: start of the state */
	int64_t reported_ms; /* CLOCK_MONOTONIC: last report; 0: none since the daemon started */
	pid_t pid; /* the process whose end ends the presence; 0: unknown */
	uint64_t pid_start;
	/* reported by a mark in the pane's output, so it is no reason to type */
	bool is_by_mark;
	char question[PRESENCE_QUESTION_MAX + 1]; /* the question in a mark; "": none */
	bool has_turns; /* the agent has reported "busy", so it reports each turn */
	uint64_t turns; /* changes from idle or unknown to busy since the daemon started */
};

/* A report. presence_check() must have checked the texts. */
struct presence_report {
	const struct pane_ref *pane; /* cleared: no pane is known */
	const char *agent;
	const char *session; /* NULL: not reported */
	enum presence_state state; /* PRESENCE_UNKNOWN: unchanged */
	pid_t pid; /* 0: presence_report() finds it in the pane */
	bool is_by_mark;
	bool is_found; /* Muxbus has found the agent itself, so no event is published */
	const char *question; /* NULL: not reported */
};

struct presence_set *presence_set_new(
    struct tmux *tmux, struct event_log *events, struct queue *queue);
void presence_set_free(struct presence_set *set);
/* Returns the tmux that was given to presence_set_new(). */
struct tmux *presence_set_tmux(const struct presence_set *set);

/*
 * Checks the texts of a report. Returns NULL if both are valid, else an error text. session may be
 * NULL.
 */
const char *presence_check(const char *agent, const char *session);

/*
 * Takes a report. Returns false if the report is not believed, for one of two reasons. Another
 * session of the same process is busy or asking in the pane, and so has started the one that
 * reports. Or the report is a mark, and the agent there is known in another way.
 */
bool presence_report(struct presence_set *set, const struct presence_report *report);

/*
 * Splits a thread ("codex:019a-…") into agent and session. *ret_session points into thread. Returns
 * false if it has another form.
 */
bool presence_split(
    const char *thread, char agent[PRESENCE_NAME_MAX + 1], const char **ret_session);
/* Writes the thread of an agent's session; "": it has no session, or the thread is too long. */
void presence_thread(const char *agent, const char *session, char out[PANE_REF_THREAD_SIZE]);

/*
 * Called after each report that is believed, except reports with is_found, and "gone" of an unknown
 * agent. pane is the address of the agent: its pane and session, as far as known.
 */
struct presence_listener {
	struct list link;
	void (*reported)(struct presence_listener *listener, const struct pane_ref *pane);
};
void presence_listen(struct presence_set *set, struct presence_listener *listener);

/* Returns the agent in a pane; NULL: there is none, or it has ended. */
const struct presence *presence_of_pane(struct presence_set *set, const struct pane_ref *pane);
/* Returns the agent with a session; NULL: none, or ended. Agents known only by marks come last. */
const struct presence *presence_of_session(
    struct presence_set *set, const char *agent, const char *session);

/* Returns true if a presence has the pane, even if the agent has ended. */
bool presence_has_pane(const struct presence_set *set, uint32_t pane);

/* Walks through the agents that have not ended. NULL begins and ends. */
const struct presence *presence_next(struct presence_set *set, const struct presence *previous);
