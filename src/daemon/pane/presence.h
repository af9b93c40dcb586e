/* SPDX-License-Identifier: ISC */
/*
 * Presences: agents as they report themselves, from their hooks or over their bridge: which
 * agent sits in a pane, in which session, and whether it is idle, busy, or asks a person
 * something. Such edges are exact, where a screen can only be judged.
 *
 * At most one a pane; one whose pane is not known is found by its session. A presence ends
 * with its pane, its process, or the word "gone". Over a restart of the daemon it is kept,
 * but for its state: what was reported meanwhile is not known.
 */
#pragma once

#include "daemon/core/pane_ref.h"

#define PRESENCES_MAX 1024 /* then the one that was silent longest is forgotten */
#define PRESENCE_NAME_MAX 32 /* of an agent: [A-Za-z0-9_.-] */
#define PRESENCE_QUESTION_MAX 256 /* bytes, and clean text */
#define PRESENCE_SESSION_MAX 128 /* [A-Za-z0-9_.:-], not beginning with '-' */

struct event_log;
struct queue;
struct tmux;

enum presence_state {
	PRESENCE_UNKNOWN,
	PRESENCE_IDLE, /* it waits for its next prompt */
	PRESENCE_BUSY, /* it works on a turn */
	PRESENCE_ASKING, /* it waits for a person's decision: a key would be one */
	PRESENCE_GONE,
	PRESENCE_STATE_COUNT_,
};

const char *presence_state_name(enum presence_state state);

struct presence {
	struct list link;
	struct pane_ref pane; /* cleared: in none that is known */
	char agent[PRESENCE_NAME_MAX + 1];
	char session[PRESENCE_SESSION_MAX + 1]; /* "": not reported */
	enum presence_state state;
	int64_t since_ms; /* CLOCK_REALTIME: of its state */
	int64_t reported_ms; /* CLOCK_MONOTONIC: the last report; 0: in an earlier life */
	pid_t pid; /* whose end is its end; 0: not known */
	uint64_t pid_start;
	bool is_by_mark; /* reported in the pane's output: never a reason to type */
	char question[PRESENCE_QUESTION_MAX + 1]; /* while it asks by a mark; "": not reported */
	bool has_turns; /* it has reported busy: it reports whenever a turn begins */
	uint64_t turns; /* how often it became busy in this life */
};

/* The report of an agent about itself. The texts are checked by presence_check(). */
struct presence_report {
	const struct pane_ref *pane; /* cleared: in none that is known */
	const char *agent;
	const char *session; /* NULL: not reported */
	enum presence_state state; /* PRESENCE_UNKNOWN: as before */
	pid_t pid; /* 0: the program in front of the pane */
	bool is_by_mark; /* in the pane's output */
	bool is_found; /* found by us: no report of the agent, and no event */
	const char *question; /* NULL: not reported */
};

/* Loads the presences of the queue's store. */
struct presence_set *presence_set_new(
    struct tmux *tmux, struct event_log *events, struct queue *queue);
void presence_set_free(struct presence_set *set);
struct tmux *presence_set_tmux(const struct presence_set *set); /* that it was given */

/* NULL if both are of their form, else why not. session may be NULL. */
const char *presence_check(const char *agent, const char *session);

/*
 * Takes a report. False if it is not believed: another session of the same process is at
 * work in that pane, so this one was started by it; or it is a mark, and an agent that is there
 * has reported itself in another way.
 */
bool presence_report(struct presence_set *set, const struct presence_report *report);

/* The agent and session of a thread; false if the text is not of that form. */
bool presence_split(
    const char *thread, char agent[PRESENCE_NAME_MAX + 1], const char **ret_session);
void presence_thread(const char *agent, const char *session, char out[PANE_REF_THREAD_SIZE]);

/*
 * Called after each report that is believed, with the address of the agent: its pane, cleared if
 * that is not known, and its session as the thread, unless the name is too long for one.
 */
struct presence_listener {
	struct list link;
	void (*reported)(struct presence_listener *listener, const struct pane_ref *pane);
};
void presence_listen(struct presence_set *set, struct presence_listener *listener);

/*
 * The agent in a pane, or with that session: known by marks only if none reported itself. NULL if
 * there is none, or none any more.
 */
const struct presence *presence_of_pane(struct presence_set *set, const struct pane_ref *pane);
const struct presence *presence_of_session(
    struct presence_set *set, const char *agent, const char *session);

/* Whether a program of a pane with this number has reported, gone or not. Reads no process. */
bool presence_has_pane(const struct presence_set *set, uint32_t pane);

/* Walks those that are still there: NULL starts, NULL ends. */
const struct presence *presence_next(struct presence_set *set, const struct presence *previous);
