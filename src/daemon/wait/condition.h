/* SPDX-License-Identifier: ISC */
/*
 * Conditions: what a wait waits for. Each kind is a row with its fields. A condition is armed
 * once, and then comes true, or ends because its object is gone. A condition on a state looks
 * at the state when it is armed, and matches at once if the state is there already.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "daemon/core/pane_ref.h"
#include "daemon/wait/condition_kind.h"
#include "wire/json.h"

struct agent_set;
struct event_base;
struct event_log;
struct job_set;
struct presence_set;
struct queue;
struct screen_sign_set;
struct stream_set;
struct tmux;
struct watch_set;

/* The parts that conditions look at. */
struct condition_parts {
	struct event_base *base;
	struct event_log *events;
	struct tmux *tmux;
	struct stream_set *streams;
	struct queue *queue;
	struct job_set *jobs;
	struct watch_set *watches;
	struct agent_set *agents;
	struct presence_set *presences;
	const struct screen_sign_set *signs;
	bool by_pipe; /* output comes by pipes where it can */
};

enum condition_state {
	CONDITION_PENDING,
	CONDITION_MATCHED,
	CONDITION_GONE, /* its pane, or what else it looked at, is no more */
	CONDITION_LIMIT, /* its pattern took too many steps */
	CONDITION_STATE_COUNT_,
};

struct condition {
	const struct condition_kind *kind;
	const struct condition_parts *parts;
	enum condition_state state;
	bool at_entry; /* it was true when it was armed */
	struct buf details; /* members that say what came true, as JSON */
	void *watch; /* the kind's own */
	uint32_t pane, window, session; /* that it looks at; MUXBUS_NO_ID: none */
	bool needs_tmux; /* it can be armed only while tmux is followed */
	bool takes_all; /* what it reports is not reported again */
	struct pane_ref own; /* else, if it is addressed to this pane; cleared: never */
	bool is_restored; /* it stands for one of an earlier life: nothing is armed */
	/* Called once, when the state leaves PENDING; not during arming. May free it. */
	void (*changed)(struct condition *condition, void *data);
	void *data;
	bool is_arming;
};

/*
 * Makes a condition of an object such as {"job":"A1B2"}, and arms it. NULL after failing
 * the request. Its state may have left PENDING already. parts outlive it.
 */
struct condition *condition_new(struct request *request, const struct condition_parts *parts,
    const struct json *spec, void (*changed)(struct condition *condition, void *data), void *data);
void condition_free(struct condition *condition);

/*
 * One of an earlier life, in a state that it had, with its details as JSON text (NULL: none);
 * nothing is armed. NULL if the spec is none.
 */
struct condition *condition_restore(
    const struct json *spec, enum condition_state state, const char *details);

/*
 * Whether the daemon has to be attached while a condition is pending. by_pipe: the output of panes
 * needs no client.
 */
bool condition_follows(const struct condition_kind *kind, bool by_pipe);
/* The same of an array of conditions; what is none does not. */
bool condition_any_follows(const struct json *specs, bool by_pipe);
/* Whether one of an array of conditions can be about a pane: a model that is read now is needed. */
bool condition_any_looks(const struct json *specs);

extern const char *const condition_state_names[CONDITION_STATE_COUNT_];

/* For the kinds: whether what is addressed to a pane is not to be reported again. */
bool condition_takes(const struct condition *condition, const struct pane_ref *pane);

/* For the kinds: it has come true, or ended. Details were written before. */
void condition_settle(struct condition *condition, enum condition_state state);

/* The same; the members of an event are the details. */
struct event_entry;
void condition_settle_event(
    struct condition *condition, const struct event_entry *event, enum condition_state state);

/* Begins the details of a condition that is about to be settled, as JSON. */
struct json_writer;
void condition_begin_details(struct condition *condition, struct json_writer *writer);

/* Writes it as an object: kind, state, at_entry, and its details. */
void condition_write(struct json_writer *writer, const struct condition *condition);
