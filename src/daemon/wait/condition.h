/* SPDX-License-Identifier: ISC */
/*
 * A condition of a wait is armed once; then it matches, or ends because its object is gone. A
 * condition on a state matches at once if the state is already reached.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/core/pane_ref.h"
#include "wire/field.h"

struct condition;
struct pattern_match;
struct request;

/* arm returns false after failing the request. */
struct condition_kind {
	const char *name; /* identifies the kind; NULL ends a table */
	const char *help; /* one sentence */
	const char *about; /* further sentences of the manual; NULL: none */
	const char *example; /* JSON text */
	const struct field *fields; /* the field called name comes first */
	const char *pane_member; /* names a pane; NULL: the kind has no pane */
	bool needs_tmux; /* needs the events or the output of a pane */
	bool reads_disk; /* reads files, so not for the role read_only */
	bool follows; /* needs events of tmux even without a pane */
	bool by_output; /* needs only output, also by a pipe, or the end of a process */
	/* Members that name objects of tmux, NULL-terminated; NULL: none. */
	const char *const *tmux_members;
	size_t args_size;
	bool (*arm)(struct condition *condition, struct request *request, const void *args);
	void (*disarm)(struct condition *condition); /* frees what arm has made; called once */
};

/* For kinds that need the output of the pane in this member. */
#define CONDITION_OF_PANE(member) .pane_member = (member), .needs_tmux = true, .by_output = true

/* A row with name NULL ends each. */
extern const struct condition_kind condition_kinds_agent[];
extern const struct condition_kind condition_kinds_cpu[];
extern const struct condition_kind condition_kinds_event[];
extern const struct condition_kind condition_kinds_file[];
extern const struct condition_kind condition_kinds_job[];
extern const struct condition_kind condition_kinds_notification[];
extern const struct condition_kind condition_kinds_pane[];
extern const struct condition_kind condition_kinds_prompt[];
extern const struct condition_kind condition_kinds_sec[];

/* NULL-terminated and not copied. Call before all other functions here. */
void condition_kind_set_tables(const struct condition_kind *const *tables);

/* By name; NULL gets the first; NULL after the last. */
const struct condition_kind *condition_kind_next(const struct condition_kind *previous);

enum condition_state {
	CONDITION_PENDING,
	CONDITION_MATCHED,
	CONDITION_GONE, /* its object does not exist any more */
	CONDITION_LIMIT, /* its pattern took too many steps */
	CONDITION_STATE_COUNT_,
};

struct condition {
	const struct condition_kind *kind;
	const struct daemon *parts;
	enum condition_state state;
	bool at_entry; /* true already when armed */
	bool has_gap; /* a match may have been missed */
	struct buf details; /* JSON object; empty: nothing */
	void *watch; /* data of the kind */
	uint32_t pane, window, session; /* MUXBUS_NO_ID: none */
	bool needs_tmux; /* restored, and can be armed only while tmux is followed */
	bool is_staying; /* can match again */
	bool takes_all; /* settles all notifications about its matches */
	struct pane_ref own; /* else only notifications to this pane are settled; cleared: none */
	bool is_restored; /* by a new daemon, and not armed */
	/* Called when the state leaves PENDING, or at each match if is_staying; not in arm(). */
	void (*changed)(struct condition *condition, void *data);
	void *data;
	bool is_arming;
};

/*
 * Makes a condition of an object such as {"job":"A1B2"}, and arms it. Returns NULL after failing
 * the request. list: the parameter with the object, for errors.
 *
 * The condition may have settled already. parts must live longer.
 */
struct condition *condition_new(struct request *request, const struct daemon *parts,
    const struct json *spec, const char *list, bool is_staying,
    void (*changed)(struct condition *condition, void *data), void *data);
void condition_free(struct condition *condition);

/* Not armed. details: JSON text; NULL: none. Returns NULL if spec is no condition. */
struct condition *condition_restore(
    const struct json *spec, enum condition_state state, const char *details);

/* Returns true if the daemon must be attached. by_pipe: output comes without a client. */
bool condition_follows(const struct condition_kind *kind, bool by_pipe);
/* As condition_follows(). Invalid conditions do not count. */
bool condition_any_follows(const struct json *specs, bool by_pipe);
/* Returns true if a condition may be about a pane, so that a fresh model is needed. */
bool condition_any_looks(const struct json *specs);

extern const char *const condition_state_names[CONDITION_STATE_COUNT_];
bool condition_takes(const struct condition *condition, const struct pane_ref *pane);

/* For kinds that see only what comes while they are armed: a restored condition has a gap. */
void condition_note_past(struct condition *condition, const struct request *request);

/* Write the details before. */
void condition_settle(struct condition *condition, enum condition_state state);

/* The members of the event are the details. */
struct event_entry;
void condition_settle_event(
    struct condition *condition, const struct event_entry *event, enum condition_state state);

void condition_begin_details(struct condition *condition, struct json_writer *writer);
/* Also settles the condition. */
void condition_end_details(
    struct condition *condition, struct json_writer *writer, enum condition_state state);
/* Writes the member captures. */
void condition_put_captures(
    struct json_writer *writer, const struct pattern_match *match, const char *text);

void condition_write(struct json_writer *writer, const struct condition *condition);

void condition_write_kinds(struct json_writer *writer, const char *name);

/* in_short: only the names of the kinds, in a description. */
void condition_put_list_schema(struct json_writer *writer, bool in_short);

/* As a section of muxbus-protocol(7). */
void condition_write_mdoc(struct buf *out);
