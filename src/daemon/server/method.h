/* SPDX-License-Identifier: ISC */
/*
 * Methods are rows of tables. The checks of arguments, error texts, describe, tools, help,
 * completion and the manual come from the row of a method.
 *
 * A table ends with a row without a name; methods/tables.c lists the built-in tables. A handler
 * gets a checked struct of arguments. It answers the request once, now or later, by a result or an
 * error.
 */
#pragma once

#include "wire/field.h"
#include "wire/message.h"

struct pane_ref;
struct request;

/*
 * The effects that a method can have. The annotations of MCP tools, the grants (rights) of
 * muxbus-nats and the roles of peers depend on the effects.
 */
enum method_effect {
	METHOD_READS = 1 << 0, /* answers with the present state */
	METHOD_SEES = 1 << 1, /* shows what programs print, or texts of others */
	METHOD_TYPES = 1 << 2, /* changes which text reaches a program in a pane, now or later */
	METHOD_RUNS = 1 << 3, /* starts a program */
	METHOD_CLOSES = 1 << 4, /* can end or overwrite work of people and programs */
	METHOD_SPEAKS_FOR = 1 << 5, /* reports, acknowledges or takes notifications for a pane */
	METHOD_WRITES = 1 << 6, /* changes what the daemon keeps over restarts */
	METHOD_ADMINISTERS = 1 << 7, /* changes the layout of tmux, or the daemon itself */
};

struct method_effect_row {
	unsigned effect; /* enum method_effect */
	const char *name;
	const char *help;
};

/* The last row has the name NULL. */
extern const struct method_effect_row method_effects[];

/* The parameter of methods with METHOD_AGED: how old the listing of tmux may be. */
#define METHOD_MAX_AGE "max_age_ms"

enum method_flag {
	/* may take long: responses of later requests may be sent before the method's own */
	METHOD_WAITS = 1 << 0,
	METHOD_NEEDS_TMUX = 1 << 1, /* refused with tmux_unavailable unless tmux is followed */
	METHOD_TOOL = 1 << 2, /* is in the small default list of tools */
	METHOD_OPEN_WORLD = 1 << 3, /* the result has text that strangers wrote */
	METHOD_UNNOTED = 1 << 4, /* not noted in the history */
	METHOD_NO_TOOL = 1 << 5, /* not a tool: models must not call it */
	METHOD_IDEMPOTENT = 1 << 6, /* the same call a second time changes nothing more */
	METHOD_WITHOUT_TMUX = 1 << 7, /* does not wait for a listing of tmux or an attach */
	/* a declared tool that is not listed: it lacks a program, or the declaration says so */
	METHOD_HIDDEN = 1 << 8,
	METHOD_IMAGE = 1 << 9, /* answers with images, or with the content of a tool server */
	METHOD_COUNTS_KEYS = 1 << 10, /* the handler itself looks for the parameter "key" */
	/* needs output of panes; if output does not come by pipes, the daemon attaches */
	METHOD_BY_OUTPUT = 1 << 11,
	/* for the role full, the handler itself asks for a listing of tmux if it needs one */
	METHOD_LOOKS_ITSELF = 1 << 12,
	/* needs only one object of the model: that in the parameter "pane" or "window" */
	METHOD_ONE_PANE = 1 << 13,
	METHOD_AGED = 1 << 14, /* has the parameter METHOD_MAX_AGE */
	METHOD_OF_SESSIONS = 1 << 15, /* needs only the sessions and clients of the model */
	METHOD_OF_FULL = 1 << 16, /* only the role full may call it */
};

/* Begins a row: .name = METHOD("ping", METHOD_READS). A row with effects of 0 does not compile. */
#define METHOD(method_name, method_effects) \
	(method_name), .effects = (method_effects) + 0 * sizeof(char[(method_effects) > 0 ? 1 : -1])

/* Part of a row: the handler, its struct of arguments, and the tables of fields and results. */
#define METHOD_CALL(handle_, args_struct, fields_, results_) \
	FIELDS_OF(args_struct, fields_), .results = (results_), .handle = (handle_)

struct method {
	const char *name; /* in tables set by METHOD(), with the effects; NULL ends a table */
	const char *const *also; /* second spellings, NULL-terminated; NULL: none */
	unsigned effects; /* enum method_effect */
	const char *title; /* a few words for people */
	const char *summary; /* one sentence */
	const char *help; /* further sentences, or NULL */
	const struct field *fields; /* NULL: no parameters */
	size_t args_size; /* size of the struct that fields fill */
	const struct field_result *results;
	/* JSON Schema of the result, as text; NULL: made from `results` */
	const char *result_schema;
	unsigned flags; /* enum method_flag */
	/* The method that shows the effect of a call whose response was lost; or NULL. */
	const char *recheck;
	/* The handler. args is valid until it returns. */
	void (*handle)(struct request *request, const void *args);
	/*
	 * For the role own_panes: finds the pane that a call affects; cleared: no known pane.
	 * Returns false after failing the request or putting it off. NULL: the role own_panes may
	 * call the method only if the method is read-only.
	 */
	bool (*affects)(struct request *request, const void *args, struct pane_ref *ret_pane);
	/*
	 * Answers a repeated request whose result was not stored, from the object with this id. A
	 * method with begun() stores the key itself, in one transaction with the effect. NULL:
	 * request_begin_once() stores the key.
	 */
	void (*begun)(struct request *request, const void *args, const char *id);
	const char *example; /* params as JSON text, or NULL */
	const char *group; /* group of a method that is not built in; NULL for a built-in one */
	const char *table_group; /* group of its table, set by method.c; or NULL */
	size_t key_offset; /* offset of the struct repeat_args of method_add_key(); 0: none */
	size_t *uses; /* counter of the open requests with this row; NULL: not counted */
};

/* maximum bytes of the arguments of a declared tool or a provided method */
#define METHOD_ARGS_MAX 2048

/* A table of methods, and the group to which its methods belong. */
struct method_table {
	const struct method *rows; /* NULL ends a list of tables */
	const char *group;
};

/*
 * Sets the tables of built-in methods, which must outlive their use. Call this before the other
 * functions here.
 */
void method_set_tables(const struct method_table *tables);

/*
 * Where rows that are not built in come from. A built-in row hides a row of the same name, and a
 * declared tool hides a provided method.
 */
enum method_origin {
	METHOD_DECLARED, /* declared tools */
	METHOD_PROVIDED, /* methods of providers */
	METHOD_ORIGIN_COUNT_,
};

/* Replaces all rows of an origin. The rows must last until the next call for this origin. */
void method_set_rows(enum method_origin origin, const struct method *const *rows, size_t count);

/* Returns the row with this name or second spelling, or NULL. */
const struct method *method_find(const char *name);

const char *method_group(const struct method *method);

/* Returns true if name is that of a built-in method; second spellings do not count. */
bool method_is_built_in(const char *name);

const char *method_nearest(const char *name);

/* Returns advice for the name of a method that other systems have; NULL: none. */
const char *method_advice(const char *name);

/* Walks through all rows, sorted by name. NULL begins and ends. */
const struct method *method_next(const struct method *previous);

/*
 * Adds the parameter "key" (repeat.h) to a row that lacks it, unless the method is read-only. The
 * row gets new tables, which method_free_tables() frees. method.c does this for built-in rows.
 */
void method_add_key(struct method *method);
void method_free_tables(struct method *method);

/*
 * Writes the members of a result, except those that request.c adds (audited, durable, repeated).
 * object may be NULL.
 */
void method_put_result(struct json_writer *writer, const struct json *object);

/* Writes the JSON Schema of a method's result as the member name; in_short: see field.h. */
void method_write_result_schema(
    struct json_writer *writer, const char *name, const struct method *method, bool in_short);

/* Returns true if the method has no effects besides METHOD_READS and METHOD_SEES. */
bool method_is_read_only(const struct method *method);
/* Returns true if the method has the effect METHOD_CLOSES. */
bool method_is_destructive(const struct method *method);

void method_write(struct json_writer *writer, const char *name, const struct method *method);

/* Appends the reference section of muxbus-protocol(7) as mdoc. */
void method_write_mdoc(struct buf *out);

/* The parameter "key", and the results of repeated requests (repeat.h). */

struct repeat_args {
	const char *key; /* NULL: none */
};

/* These return copies without the rows about keys; NULL becomes an empty table. Caller frees. */
struct field *repeat_other_fields(const struct field *fields);
struct field_result *repeat_other_results(const struct field_result *results);

/*
 * Roles limit what a peer may do. A peer has the role of its socket, or a narrower one that it has
 * chosen; it cannot get a wider one. Methods that are not built in may lie about their effects, so
 * only the role full may call them.
 */

/* A later role may do less than an earlier one. */
enum role {
	ROLE_FULL,
	/* reads; affects only the pane of the peer and the panes that the peer made */
	ROLE_OWN_PANES,
	ROLE_READ_ONLY, /* only reads; may not use conditions on files */
	ROLE_COUNT_,
};

extern const char *const role_names[ROLE_COUNT_ + 1];

/* Returns true if a role may call a method, at least with some parameters. */
bool role_has(enum role role, const struct method *method);
