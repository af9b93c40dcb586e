/* SPDX-License-Identifier: ISC */
/*
 * Agents: interactive programs kept alive, each by a name and in a window of its own. What
 * it is at is known with the fact that says so; a text is typed when it is ready, and what
 * it says is handed over when its prompt is back. A program that ends, or falls back to the
 * shell that it was started from, is started again. Agents are kept in the store: the next
 * daemon finds them running.
 */
#ifndef DAEMON_AGENT_AGENT_H
#define DAEMON_AGENT_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "daemon/agent/agent_spec.h"
#include "daemon/core/pane_ref.h"

#define AGENTS_MAX 64
#define AGENT_TEXT_MAX (64 * 1024) /* bytes of a task */
#define AGENT_TASKS_MAX 16 /* of one agent that wait or are at work */
#define AGENT_RESTARTS_MAX 5 /* in a row */
#define AGENT_SETTLED_MS 60000 /* of life, after which a crash is not in a row with others */
#define AGENT_OUTPUT_MAX (1024 * 1024) /* bytes of output that one answer may be made of */

struct agent;
struct agent_set;
struct daemon;
struct json_writer;
struct request;

enum agent_state {
	AGENT_STARTING, /* its prompt has not been seen yet */
	AGENT_READY, /* at its prompt */
	AGENT_BUSY,
	AGENT_BLOCKED, /* it asks something */
	AGENT_CRASHED, /* its program has ended; it may be started again by itself */
	AGENT_GONE, /* its pane was closed, or its server is gone */
	AGENT_STATE_COUNT_,
};

const char *agent_state_name(enum agent_state state);

/* Loads what the store holds; they are found by agent_set_wake(), once tmux is followed. */
struct agent_set *agent_set_new(struct daemon *daemon);
void agent_set_free(struct agent_set *set);
void agent_set_wake(struct agent_set *set);

size_t agent_count(const struct agent_set *set);
/* Oldest first: NULL starts, NULL ends. */
const struct agent *agent_next(const struct agent_set *set, const struct agent *previous);
const struct agent *agent_find(const struct agent_set *set, const char *name);
/* The one in a pane, NULL if none is. */
const struct agent *agent_of_pane(const struct agent_set *set, uint32_t pane);

enum agent_state agent_state(const struct agent *agent);
/* Whether it is ready, and nothing waits to be typed. */
bool agent_is_free(const struct agent *agent);
const char *agent_name(const struct agent *agent);
const struct pane_ref *agent_pane(const struct agent *agent);
/* Members of an object: name, state, pane, evidence, tasks. */
void agent_write(struct json_writer *writer, const struct agent *agent);
/* The evidence alone, as a member. */
void agent_write_evidence(struct json_writer *writer, const char *name, const struct agent *agent);

/* ---- what is asked for; each answers the request, at once or later ---- */

/* Takes what plan holds. teller is told of crashes; cleared: nobody. */
void agent_ensure(struct agent_set *set, struct request *request, struct agent_spec *plan,
    const struct pane_ref *teller);

struct agent_order {
	const char *agent;
	const char *text;
	size_t len;
	int64_t timeout_ms;
	int64_t max_bytes; /* of output that the answer is made of */
	bool wait; /* else the end is a notification */
	bool progress; /* tell the peer what is said meanwhile */
	bool is_response; /* to what it asks */
	const struct pane_ref *teller;
};
void agent_send(struct agent_set *set, struct request *request, const struct agent_order *order);

void agent_stop(struct agent_set *set, struct request *request, const char *name, int64_t grace_ms);

/* ---- being told of changes ---- */

struct agent_listener {
	struct list link;
	/* After each change of a state; must not stop agents. */
	void (*changed)(struct agent_listener *listener, const struct agent *agent);
	/* It was stopped: agent must not be kept. */
	void (*stopped)(struct agent_listener *listener, const struct agent *agent);
};
void agent_listen(struct agent_set *set, struct agent_listener *listener);
void agent_unlisten(struct agent_listener *listener);

#endif
