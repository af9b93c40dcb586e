/* SPDX-License-Identifier: ISC */
/*
 * Declarations of tools: one JSON file says how a program, or a tool of an MCP server, becomes a
 * method. Its text is checked whole before anything of it is used; muxbusd(8) has the members.
 */
#pragma once

#include "wire/field.h"

#define DECLARATION_BYTES_MAX ((size_t)64 * 1024) /* of a file */
#define DECLARATION_PARAMETERS_MAX 32
#define DECLARATION_WORDS_MAX 64 /* of a command */
#define DECLARATION_ENV_MAX 8 /* variables that a server hears of */
#define DECLARATION_PROGRAMS_MAX 16 /* needed, and alternatives of each */
#define DECLARATION_NAME_MAX 64
#define DECLARATION_ALSO_MAX 4 /* second spellings of a tool, or of a parameter */
#define DECLARATION_SPELLINGS_MAX 24 /* of all parameters */
#define DECLARATION_TIMEOUT_SEC_MAX 3600
#define DECLARATION_REASON_SIZE 512

enum declaration_answer { DECLARATION_TEXT, DECLARATION_JSON, DECLARATION_IMAGE };

/* A parameter of a server's tool, and the parameter of ours that it is filled from. */
struct declaration_rename {
	const char *theirs; /* NULL ends a list */
	const char *ours;
};

/* A long-lived MCP server on stdio. Declarations with the same server name share the server. */
struct declaration_server {
	const char *name;
	const char *const *command; /* NULL-terminated */
	bool is_per_daemon; /* one for the daemon; else one for each pane of a caller */
	const char *const *env; /* variables of the caller's session that it hears of; or NULL */
	int64_t idle_ms; /* without a call; then the server is ended */
	const char *tool; /* its name in the server */
	const struct declaration_rename *renames; /* NULL: the same names */
};

/* A parameter of type array or object, whose elements field_read() does not check. */
struct declaration_shape {
	const char *type; /* "array", "object"; NULL: field_read() checks it all */
	const char *item; /* the type of each element; NULL: any */
};

/* The first members of an argument struct, filled by the fields that every declared tool has. */
struct declaration_args {
	bool waits;
	const char *pane;
	size_t shown_bytes; /* that the caller gets to see; 0: all. No field fills it */
};

struct declaration {
	const char *name;
	const char *const *also; /* its second spellings; NULL: none */
	const char *group;
	const char *title;
	const char *description;
	const struct field *fields; /* "wait" and "pane", then its own, each before its aliases */
	const struct declaration_shape *shapes; /* of the fields, in the same order */
	size_t args_size; /* of the struct that fields fill */
	const struct field_result *results; /* its own result, then the id of "wait" */
	const char *const *run; /* the words of a program; NULL: a tool of a server */
	struct declaration_server server; /* if run is NULL */
	enum declaration_answer answer; /* of a program */
	const char *image_type; /* DECLARATION_IMAGE: "image/png", or "image/" and "*" for any */
	int64_t timeout_ms;
	bool is_read_only;
	bool is_listed; /* false: it is only there for those who know its name */
	const char *const *const *programs; /* needed; each a list of alternatives; may be NULL */
	/* declaration_free() frees the rest too. */
	void **owned;
	size_t owned_count;
};

void declaration_free(struct declaration *declaration);

/*
 * Keeps the second spellings of a name, each of which is_name() allows; NULL: there are none.
 * where: the place of an error.
 */
bool declaration_read_also(struct declaration *declaration, const char *where, const char *name,
    const struct field_strings *also, bool is_name(const char *text), const char *const **ret_also,
    char *ret_reason);

/* Whether a parameter is one of those that every declared tool has. */
bool declaration_is_own(const char *name);

/* The name that the server of a tool has for one of its parameters. */
const char *declaration_their_name(const struct declaration *declaration, const char *ours);
/* The server's names of all parameters, without "wait" and "pane"; NULL-terminated. */
void declaration_list_gives(
    const struct declaration *declaration, const char *gives[DECLARATION_PARAMETERS_MAX + 1]);

/* Memory that is freed with the declaration. */
void *declaration_own(struct declaration *declaration, void *memory);
char *declaration_copy(struct declaration *declaration, const char *text); /* NULL: NULL */
const char *const *declaration_copy_list(
    struct declaration *declaration, const char *const *strings, size_t count);

/* Writes "WHERE: reason", which ends with what an error of a field says. Returns false. */
bool declaration_refuse(char *ret_reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether text is a name: a letter, then letters, digits and "_"; at most DECLARATION_NAME_MAX. */
bool declaration_is_name(const char *text);
/* The same without capital letters, as names of methods, groups and kinds of events are. */
bool declaration_is_small_name(const char *text);
