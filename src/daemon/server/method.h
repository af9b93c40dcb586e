/* SPDX-License-Identifier: ISC */
/*
 * Methods are rows of tables. A row describes a method; from it come the checking of arguments,
 * error texts, describe, tools, help, completion and the manual.
 *
 * A table ends with a row without a name; methods/tables.c lists all tables. A handler gets a
 * checked struct, and answers the request exactly once, at once or later, by a result or an error.
 */
#pragma once

#include "wire/field.h"
#include "wire/message.h"

struct pane_ref;
struct request;

/*
 * The effects that a method can have. The annotations of MCP tools, the grants (rights) of
 * muxbus-nats and the roles of peers depend on these.
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

/* The parameter of methods with METHOD_AGED: how old the model may be. */
#define METHOD_MAX_AGE "max_age_ms"

enum method_flag {
	/* may take long: responses of later requests may be sent before its own */
	METHOD_WAITS = 1 << 0,
	METHOD_NEEDS_TMUX = 1 << 1, /* refused with tmux_unavailable unless tmux is followed */
	METHOD_TOOL = 1 << 2, /* is in the small default list of tools */
	METHOD_OPEN_WORLD = 1 << 3, /* its result has text that strangers wrote */
	/* is not noted in the history */
	METHOD_UNNOTED = 1 << 4,
	METHOD_NO_TOOL = 1 << 5, /* never a tool: models must not call it */
	METHOD_IDEMPOTENT = 1 << 6, /* the same call a second time changes nothing more */
	METHOD_WITHOUT_TMUX = 1 << 7, /* never needs tmux: handled while the daemon is detached */
	/* is listed nowhere: it cannot work here now, as a call says, or a declaration hides it */
	METHOD_HIDDEN = 1 << 8,
	METHOD_IMAGE = 1 << 9, /* answers with images, or with the content of a tool server */
	METHOD_COUNTS_KEYS = 1 << 10, /* the handler itself looks for the key */
	/* needs output of panes; if that does not come by pipes, the daemon attaches */
	METHOD_BY_OUTPUT = 1 << 11,
	/* the handler itself asks for a listing of tmux if it needs one */
	METHOD_LOOKS_ITSELF = 1 << 12,
	/* of the model it needs only the object in the parameter "pane" or "window" */
	METHOD_ONE_PANE = 1 << 13,
	METHOD_AGED = 1 << 14, /* has METHOD_MAX_AGE, and may answer from an older model */
	METHOD_OF_SESSIONS = 1 << 15, /* of the model it needs only sessions and clients */
	METHOD_OF_FULL = 1 << 16, /* only the role full may call it */
};

/* Begins a row: .name = METHOD("ping", METHOD_READS). With effects of 0, it does not compile. */
#define METHOD(method_name, method_effects) \
	(method_name), .effects = (method_effects) + 0 * sizeof(char[(method_effects) > 0 ? 1 : -1])

/* In a row: its handler, the struct that the handler gets, and the tables of fields and results. */
#define METHOD_CALL(handle_, args_struct, fields_, results_) \
	FIELDS_OF(args_struct, fields_), .results = (results_), .handle = (handle_)

struct method {
	const char *name; /* set by METHOD(), with the effects; NULL ends a table */
	const char *const *also; /* second spellings, NULL-terminated, not listed; NULL: none */
	unsigned effects; /* enum method_effect */
	const char *title; /* a few words for people */
	const char *summary; /* one sentence */
	const char *help; /* further sentences, or NULL */
	const struct field *fields; /* NULL: no parameters */
	size_t args_size; /* size of the struct that fields fill */
	const struct field_result *results;
	/* schema of the result as JSON, of a declared tool; NULL: results say all */
	const char *result_schema;
	unsigned flags; /* enum method_flag */
	/* The method that shows whether a call whose response was lost had an effect; or NULL. */
	const char *recheck;
	/* The handler. args is valid until it returns: what is needed later must be copied. */
	void (*handle)(struct request *request, const void *args);
	/*
	 * Finds the pane that a call affects, for the role own_panes; cleared: no known pane.
	 * Returns false after failing the request, or putting it off. NULL: a call may affect
	 * several panes, so the role own_panes may call the method only if the method only reads.
	 */
	bool (*affects)(struct request *request, const void *args, struct pane_ref *ret_pane);
	/*
	 * For a method whose source stores the key in one transaction with the effect. Answers a
	 * repeated request whose result was not stored, from the object with this id. NULL:
	 * request_begin_once() stores the key.
	 */
	void (*begun)(struct request *request, const void *args, const char *id);
	const char *example; /* params as JSON text, or NULL */
	const char *group; /* group of a declared tool or a provided method, or NULL */
	const char *table_group; /* group of its table, set by method.c; or NULL */
	size_t key_offset; /* offset of the argument "key" of method_add_key(); 0: none */
	size_t *uses; /* counts the requests that have this row; NULL: the row is never freed */
};

/* maximum bytes of the arguments of a declared tool or a provided method */
#define METHOD_ARGS_MAX 2048

/* A table of methods, and the group to which its methods belong. */
struct method_table {
	const struct method *rows; /* NULL ends a list of tables */
	const char *group;
};

/*
 * Sets the tables of built-in methods, which must outlive all calls. Call this before the other
 * functions here.
 */
void method_set_tables(const struct method_table *tables);

/*
 * Where rows that are not built in come from. Of rows with the same name, the built-in one counts,
 * or else the first.
 */
enum method_origin {
	METHOD_DECLARED, /* declared tools */
	METHOD_PROVIDED, /* by peers */
	METHOD_ORIGIN_COUNT_,
};

/* Replaces all rows of an origin. rows and their names must last until the next call. */
void method_set_rows(enum method_origin origin, const struct method *const *rows, size_t count);

/* Returns the row with this name or second spelling, or NULL. */
const struct method *method_find(const char *name);

const char *method_group(const struct method *method);

/* Returns true if this is the name of a built-in method. A second spelling does not count. */
bool method_is_built_in(const char *name);

const char *method_nearest(const char *name);

/* Returns advice for a name that other systems have and Muxbus does not; NULL: none. */
const char *method_advice(const char *name);

/* Walks through all rows, sorted by name. NULL begins and ends. */
const struct method *method_next(const struct method *previous);

/*
 * Adds the parameter "key" (repeat.h) to the row of a method that changes something and does not
 * have it. The row gets new tables, which method_free_tables() frees. For built-in rows, method.c
 * calls it.
 */
void method_add_key(struct method *method);
void method_free_tables(struct method *method);

/* Writes the members of a result, except those that only the daemon writes. object may be NULL. */
void method_put_result(struct json_writer *writer, const struct json *object);

/* Writes the JSON Schema of a method's result as member `name`; in_short: no nested members. */
void method_write_result_schema(
    struct json_writer *writer, const char *name, const struct method *method, bool in_short);

/* Returns true if a method only reads and sees. */
bool method_is_read_only(const struct method *method);
/* Returns true if a method can end or overwrite work of people and programs. */
bool method_is_destructive(const struct method *method);

void method_write(struct json_writer *writer, const char *name, const struct method *method);

/* Appends the reference section of muxbus-protocol(7) as mdoc. */
void method_write_mdoc(struct buf *out);

/* The parameter "key", and the results of repeated requests (repeat.h). */

struct repeat_args {
	const char *key; /* NULL: none */
};

/* Return copies of tables (NULL: an empty one) without rows about keys; the caller frees each. */
struct field *repeat_other_fields(const struct field *fields);
struct field_result *repeat_other_results(const struct field_result *results);

/*
 * Roles limit what a peer may do. A peer has the role of its socket, or a narrower one that it has
 * chosen; its rights never grow. Declared tools and provided methods may lie about their effects,
 * so only the role full may call them.
 */

/* Each role may do less than the one before it. */
enum role {
	ROLE_FULL,
	/* reads; types, runs and closes only in its own pane and in panes that it made */
	ROLE_OWN_PANES,
	ROLE_READ_ONLY, /* reads, but no files; and its reading leaves no traces */
	ROLE_COUNT_,
};

extern const char *const role_names[ROLE_COUNT_ + 1];

/* Returns true if a role may call a method at all, with the right parameters. */
bool role_has(enum role role, const struct method *method);
