/* SPDX-License-Identifier: ISC */
/*
 * Conditions of waits. An armed condition matches, or ends because its object does not exist any
 * more or its pattern is too slow. A condition on a state matches at once if the state is reached
 * already.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"
#include "wire/field.h"

struct condition;
struct pattern_match;
struct request;

/* A kind of condition. */
struct condition_kind {
	const char *name; /* name of the kind; NULL ends a table */
	const char *help; /* one sentence */
	const char *about; /* further sentences for the manual; NULL: none */
	const char *example; /* JSON text */
	const struct field *fields; /* the members; the one with the name of the kind is first */
	const char *pane_member; /* the member that names a pane; NULL: the kind has no pane */
	bool needs_tmux; /* needs events or output of a pane */
	bool reads_disk; /* reads files, so the role read_only may not use it */
	bool follows; /* needs events of tmux even without a pane */
	/* needs no tmux client if output comes by a pipe */
	bool by_output;
	/* The members that name objects of tmux, NULL-terminated; NULL: none. */
	const char *const *tmux_members;
	size_t args_size;
	/* Begins to watch. Returns false after failing the request or putting it off. */
	bool (*arm)(struct condition *condition, struct request *request, const void *args);
	void (*disarm)(struct condition *condition); /* frees what arm() has made; called once */
};

/* For kinds that need the output of the pane in this member. */
#define CONDITION_OF_PANE(member) .pane_member = (member), .needs_tmux = true, .by_output = true

extern const struct condition_kind condition_kinds_agent[];
extern const struct condition_kind condition_kinds_cpu[];
extern const struct condition_kind condition_kinds_event[];
extern const struct condition_kind condition_kinds_file[];
extern const struct condition_kind condition_kinds_job[];
extern const struct condition_kind condition_kinds_notification[];
extern const struct condition_kind condition_kinds_pane[];
extern const struct condition_kind condition_kinds_prompt[];
extern const struct condition_kind condition_kinds_sec[];

/* Sets the tables of kinds: a list that ends with NULL, and must last. Call this first. */
void condition_kind_set_tables(const struct condition_kind *const *tables);

/* Walks through the kinds, sorted by name. Begin with NULL; returns NULL at the end. */
const struct condition_kind *condition_kind_next(const struct condition_kind *previous);

enum condition_state {
	CONDITION_PENDING,
	CONDITION_MATCHED,
	CONDITION_GONE, /* the object does not exist any more */
	CONDITION_LIMIT, /* the search for its pattern was given up (PATTERN_LIMIT) */
	CONDITION_STATE_COUNT_,
};

struct condition {
	const struct condition_kind *kind;
	const struct daemon *parts;
	enum condition_state state;
	bool at_entry; /* was true already when it was armed */
	bool has_gap; /* a match may have been missed */
	struct buf details; /* a JSON object for the answer; empty: none */
	void *watch; /* data of the kind of condition */
	uint32_t pane, window, session; /* MUXBUS_NO_ID: none */
	bool needs_tmux; /* is restored, and can be armed only while tmux is followed */
	bool is_staying; /* can match again */
	bool takes_all; /* a match settles notifications for all panes */
	struct pane_ref own; /* a match settles notifications for this pane; cleared: for none */
	bool is_unarmed; /* was restored and not armed yet, or was disarmed */
	/* called when the condition ends, and if is_staying at each match; not within arm() */
	void (*changed)(struct condition *condition, void *data);
	void *data;
	bool is_arming;
};

/*
 * Makes a condition of an object such as {"job":"A1B2"}, and arms it. list is the parameter that
 * has the object, for errors. Returns NULL after failing the request or putting it off. The
 * condition may have matched or ended already. parts must outlive it.
 */
struct condition *condition_new(struct request *request, const struct daemon *parts,
    const struct json *spec, const char *list, bool is_staying,
    void (*changed)(struct condition *condition, void *data), void *data);
void condition_free(struct condition *condition);
/* Stops watching; the state stays. Do not call this from a callback of the watched object. */
void condition_disarm(struct condition *condition);

/* Makes a stored condition, not armed. details: JSON, or NULL. Returns NULL if spec is invalid. */
struct condition *condition_restore(
    const struct json *spec, enum condition_state state, const char *details);

/* Returns true if a kind needs the daemon attached. by_pipe: output comes without a tmux client. */
bool condition_follows(const struct condition_kind *kind, bool by_pipe);
/* The same for any of these conditions. Invalid ones do not count. */
bool condition_any_follows(const struct json *specs, bool by_pipe);
/* Returns true if one of these may be about an object of tmux, and so needs a fresh model. */
bool condition_any_looks(const struct json *specs);

extern const char *const condition_state_names[CONDITION_STATE_COUNT_];
/* Returns true if a match settles a notification to this pane. */
bool condition_takes(const struct condition *condition, const struct pane_ref *pane);

/* Notes that a restored condition has a gap. For kinds that see only what happens while armed. */
void condition_note_past(struct condition *condition, const struct request *request);

/* Ends a pending condition, or reports its match if it stays. Write the details before. */
void condition_settle(struct condition *condition, enum condition_state state);

/* The same, with the members of an event as details. */
struct event_entry;
void condition_settle_event(
    struct condition *condition, const struct event_entry *event, enum condition_state state);

void condition_begin_details(struct condition *condition, struct json_writer *writer);
/* Ends the details, and calls condition_settle(). */
void condition_end_details(
    struct condition *condition, struct json_writer *writer, enum condition_state state);
/* Writes the member captures: the parts of text that a match has captured. */
void condition_put_captures(
    struct json_writer *writer, const struct pattern_match *match, const char *text);

void condition_write(struct json_writer *writer, const struct condition *condition);

void condition_write_kinds(struct json_writer *writer, const char *name);

/* Writes the schema of a list of conditions. in_short: only the kinds' names, as description. */
void condition_put_list_schema(struct json_writer *writer, bool in_short);

/* Appends the kinds as a section of muxbus-protocol(7). */
void condition_write_mdoc(struct buf *out);
