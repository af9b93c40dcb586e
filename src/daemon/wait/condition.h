/* SPDX-License-Identifier: ISC */
/*
 * Conditions: what a wait waits for. Each kind is a row with its fields. A condition is armed
 * once, and then comes true, or ends because its object is gone. A condition on a state looks
 * at the state when it is armed, and matches at once if the state is there already.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"
#include "wire/field.h"

struct condition;
struct request;

/* One kind. arm fails the request and returns false if the condition cannot be. */
struct condition_kind {
	const char *name; /* the member by which it is known; NULL ends the table */
	const char *help; /* one sentence */
	const char *about; /* more, for the manual; NULL: none */
	const char *example; /* the object as JSON text */
	const struct field *fields; /* the one of this name first */
	const char *pane_member; /* that names its pane; NULL: it is never about one */
	bool needs_tmux; /* it is always about a pane, and follows it */
	bool reads_disk; /* it looks at files that a person's rights open */
	bool follows; /* it needs events of tmux too, without a pane */
	bool
	    by_output; /* the output of its pane tells it, by a pipe too, or the end of a process */
	/* Members that name objects of tmux, NULL-terminated: with one it needs tmux. NULL: none. */
	const char *const *tmux_members;
	size_t args_size;
	bool (*arm)(struct condition *condition, struct request *request, const void *args);
	void (*disarm)(struct condition *condition); /* frees what arm made; called once */
};

/* In a row: it is always about the pane that this member names, and needs the pane's output. */
#define CONDITION_OF_PANE(member) .pane_member = (member), .needs_tmux = true, .by_output = true

/* The tables of kinds; each ended by a row without a name. */
extern const struct condition_kind condition_kinds_agent[];
extern const struct condition_kind condition_kinds_cpu[];
extern const struct condition_kind condition_kinds_event[];
extern const struct condition_kind condition_kinds_file[];
extern const struct condition_kind condition_kinds_job[];
extern const struct condition_kind condition_kinds_notification[];
extern const struct condition_kind condition_kinds_pane[];
extern const struct condition_kind condition_kinds_prompt[];
extern const struct condition_kind condition_kinds_sec[];

/* Takes all tables, NULL-terminated and lent: before anything else here. */
void condition_kind_set_tables(const struct condition_kind *const *tables);

/* Walks all kinds sorted by name: NULL starts, NULL ends. */
const struct condition_kind *condition_kind_next(const struct condition_kind *previous);

enum condition_state {
	CONDITION_PENDING,
	CONDITION_MATCHED,
	CONDITION_GONE, /* its pane, or what else it looked at, is no more */
	CONDITION_LIMIT, /* its pattern took too many steps */
	CONDITION_STATE_COUNT_,
};

struct condition {
	const struct condition_kind *kind;
	const struct daemon *parts;
	enum condition_state state;
	bool at_entry; /* it was true when it was armed */
	bool has_gap; /* some output or text was not looked at: it may have come true unseen */
	struct buf details; /* members that say what came true, as JSON */
	void *watch; /* the kind's own */
	uint32_t pane, window, session; /* that it looks at; MUXBUS_NO_ID: none */
	bool needs_tmux; /* it can be armed only while tmux is followed */
	bool is_staying; /* it stays pending with each match, and comes true again */
	bool takes_all; /* what it reports is not reported again */
	struct pane_ref own; /* else, if it is addressed to this pane; cleared: never */
	bool is_restored; /* it stands for one of an earlier life: nothing is armed */
	/* Called when the state leaves PENDING, or with each match; not during arming. */
	void (*changed)(struct condition *condition, void *data);
	void *data;
	bool is_arming;
};

/*
 * Makes a condition of an object such as {"job":"A1B2"}, and arms it. NULL after failing
 * the request. list: the parameter that it stands in. Its state may have left PENDING already.
 * parts outlive it.
 */
struct condition *condition_new(struct request *request, const struct daemon *parts,
    const struct json *spec, const char *list, bool is_staying,
    void (*changed)(struct condition *condition, void *data), void *data);
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
/* The same for an array of conditions; an invalid condition does not. */
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
void condition_begin_details(struct condition *condition, struct json_writer *writer);

/* Writes it as an object: kind, state, at_entry, and its details. */
void condition_write(struct json_writer *writer, const struct condition *condition);
