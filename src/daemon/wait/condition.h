/* SPDX-License-Identifier: ISC */
/*
 * Conditions: what a wait waits for. Each kind is a row with its fields. A condition is armed once;
 * then it matches, or ends because its object is gone. A condition on a state checks the state when
 * it is armed, and matches at once if the state is already reached.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"
#include "wire/field.h"

struct condition;
struct pattern_match;
struct request;

/* A kind of condition. arm fails the request and returns false if the condition cannot be armed. */
struct condition_kind {
	const char *name; /* the member that identifies the kind; NULL ends a table */
	const char *help; /* one sentence */
	const char *about; /* further sentences for the manual; NULL: none */
	const char *example; /* a condition as JSON text */
	const struct field *fields; /* the field called name comes first */
	const char *pane_member; /* the member that names a pane; NULL: the kind has no pane */
	bool needs_tmux; /* always about a pane, whose events or output are needed */
	bool reads_disk; /* reads files, so not allowed for the role read_only */
	bool follows; /* needs events of tmux even without a pane */
	bool by_output; /* needs only the pane's output, also by a pipe, or the end of a process */
	/* Members that name objects of tmux, NULL-terminated; each needs tmux. NULL: none. */
	const char *const *tmux_members;
	size_t args_size;
	bool (*arm)(struct condition *condition, struct request *request, const void *args);
	void (*disarm)(struct condition *condition); /* frees what arm has made; called once */
};

/* For rows whose pane is always in this member, and that need the pane's output. */
#define CONDITION_OF_PANE(member) .pane_member = (member), .needs_tmux = true, .by_output = true

/* The tables of kinds. A row with name NULL ends each. */
extern const struct condition_kind condition_kinds_agent[];
extern const struct condition_kind condition_kinds_cpu[];
extern const struct condition_kind condition_kinds_event[];
extern const struct condition_kind condition_kinds_file[];
extern const struct condition_kind condition_kinds_job[];
extern const struct condition_kind condition_kinds_notification[];
extern const struct condition_kind condition_kinds_pane[];
extern const struct condition_kind condition_kinds_prompt[];
extern const struct condition_kind condition_kinds_sec[];

/* Sets the tables, NULL-terminated and not copied. Call before all other functions here. */
void condition_kind_set_tables(const struct condition_kind *const *tables);

/* Returns the next kind by name; NULL gets the first; NULL after the last. */
const struct condition_kind *condition_kind_next(const struct condition_kind *previous);

enum condition_state {
	CONDITION_PENDING,
	CONDITION_MATCHED,
	CONDITION_GONE, /* its pane, or another object of the condition, does not exist any more */
	CONDITION_LIMIT, /* its pattern took too many steps */
	CONDITION_STATE_COUNT_,
};

struct condition {
	const struct condition_kind *kind;
	const struct daemon *parts;
	enum condition_state state;
	bool at_entry; /* was true when the condition was armed */
	bool has_gap; /* something was lost or not looked at, so a match may have been missed */
	struct buf details; /* what has matched, as a JSON object; empty: nothing */
	void *watch; /* data of the kind */
	uint32_t pane, window, session; /* the objects of the condition; MUXBUS_NO_ID: none */
	bool needs_tmux; /* of a restored condition: it can be armed only while tmux is followed */
	bool is_staying; /* the condition stays pending after a match, and can match again */
	bool takes_all; /* the condition settles all notifications about its matches */
	struct pane_ref own; /* else only notifications to this pane are settled; cleared: none */
	bool is_restored; /* restored from an earlier daemon's record, and not armed */
	/* Called when the state leaves PENDING, or at each match if is_staying; not in arm(). */
	void (*changed)(struct condition *condition, void *data);
	void *data;
	bool is_arming;
};

/*
 * Makes a condition of an object such as {"job":"A1B2"}, and arms it. On error, fails the request
 * and returns NULL. list: the parameter that contains the object, for errors. The condition may
 * have settled already. parts must live longer.
 */
struct condition *condition_new(struct request *request, const struct daemon *parts,
    const struct json *spec, const char *list, bool is_staying,
    void (*changed)(struct condition *condition, void *data), void *data);
void condition_free(struct condition *condition);

/*
 * Makes a condition in the state and with the details (JSON text; NULL: none) that an earlier
 * daemon stored; it is not armed. Returns NULL if spec is no condition.
 */
struct condition *condition_restore(
    const struct json *spec, enum condition_state state, const char *details);

/* Returns true if a kind needs the daemon attached. by_pipe: output comes without a client. */
bool condition_follows(const struct condition_kind *kind, bool by_pipe);
/* As condition_follows(), for any condition of an array; invalid conditions do not count. */
bool condition_any_follows(const struct json *specs, bool by_pipe);
/* Returns true if a condition of an array may be about a pane, so that a fresh model is needed. */
bool condition_any_looks(const struct json *specs);

extern const char *const condition_state_names[CONDITION_STATE_COUNT_];

/* For kinds: returns true if the condition settles notifications to this pane. */
bool condition_takes(const struct condition *condition, const struct pane_ref *pane);

/*
 * For kinds that see only what comes while they are armed: notes a gap if an earlier daemon had
 * armed the condition.
 */
void condition_note_past(struct condition *condition, const struct request *request);

/* For kinds: sets the state, matched or ended. Details must have been written before. */
void condition_settle(struct condition *condition, enum condition_state state);

/* As condition_settle(), with the members of an event as details. */
struct event_entry;
void condition_settle_event(
    struct condition *condition, const struct event_entry *event, enum condition_state state);

/* For kinds: begins the details, an object, of a condition that will be settled. */
void condition_begin_details(struct condition *condition, struct json_writer *writer);
/* For kinds: ends the details, and settles the condition. */
void condition_end_details(
    struct condition *condition, struct json_writer *writer, enum condition_state state);
/* For kinds: writes what the groups of a pattern matched in text as the member captures. */
void condition_put_captures(
    struct json_writer *writer, const struct pattern_match *match, const char *text);

/* Writes a condition as an object: kind, state, objects, at_entry, gap, details. */
void condition_write(struct json_writer *writer, const struct condition *condition);

/* Conditions for readers, in condition_doc.c. */

/* Writes all kinds by name as an object member, as describe has them. */
void condition_write_kinds(struct json_writer *writer, const char *name);

/* Writes the schema of an array of conditions. in_short: only the names, in a description. */
void condition_put_list_schema(struct json_writer *writer, bool in_short);

/* Appends the section about conditions of muxbus-protocol(7) as mdoc. */
void condition_write_mdoc(struct buf *out);
