/* SPDX-License-Identifier: ISC */
/*
 * Declarations of tools: a JSON file says how a program, or a tool of an MCP server, becomes a
 * method. The whole text is checked before any part is used; muxbusd(8) describes the members.
 */
#pragma once

#include "wire/field.h"

#define DECLARATION_BYTES_MAX ((size_t)64 * 1024) /* bytes of a file */
#define DECLARATION_PARAMETERS_MAX 32
#define DECLARATION_WORDS_MAX 64 /* words of a command */
#define DECLARATION_ENV_MAX 8 /* variables of a session that a server can ask for */
#define DECLARATION_PROGRAMS_MAX 16 /* needed programs, and alternatives for each */
#define DECLARATION_NAME_MAX 64
#define DECLARATION_ALSO_MAX 4 /* second spellings of a tool, or of a parameter */
#define DECLARATION_SPELLINGS_MAX 24 /* second spellings of all parameters together */
#define DECLARATION_TIMEOUT_SEC_MAX 3600
#define DECLARATION_REASON_SIZE 512

enum declaration_answer { DECLARATION_TEXT, DECLARATION_JSON, DECLARATION_IMAGE };

/* A parameter of a server's tool, and our parameter whose value it gets. */
struct declaration_rename {
	const char *theirs; /* NULL ends a list */
	const char *ours;
};

/* A long-lived MCP server on stdio. Declarations with the same server name share the server. */
struct declaration_server {
	const char *name;
	const char *const *command; /* NULL-terminated */
	bool is_per_daemon; /* one server for all panes; else one for each pane of a caller */
	const char *const *env; /* variables of the caller's session for the server; or NULL */
	int64_t idle_ms; /* time without a call after which the server is ended */
	const char *tool; /* the server's name of the tool */
	const struct declaration_rename *renames; /* NULL: equal names */
};

/* The type of a parameter whose elements field_read() does not check: an array or object. */
struct declaration_shape {
	const char *type; /* "array" or "object"; NULL: field_read() checks everything */
	const char *item; /* the type of each element; NULL: any */
};

/* The first members of an argument struct, filled by the fields that every declared tool has. */
struct declaration_args {
	bool waits;
	const char *pane;
	size_t shown_bytes; /* of the answer that the caller sees; 0: all. No field sets it */
};

struct declaration {
	const char *name;
	const char *const *also; /* second spellings of the name; or NULL */
	const char *group;
	const char *title;
	const char *description;
	const struct field *fields; /* the declared ones with their aliases, then wait and pane */
	const struct declaration_shape *shapes; /* for each field, in the same order */
	size_t args_size; /* size of the struct that the fields fill */
	const struct field_result *results; /* declared members; else those of the answer */
	const char *result_schema; /* JSON: types of the declared members at all depths; or NULL */
	const char *const *run; /* words of the command; NULL: a tool of a server */
	struct declaration_server server; /* only if run is NULL */
	enum declaration_answer answer; /* only if run is not NULL */
	const char *image_type; /* if DECLARATION_IMAGE: as "image/png"; "*" means any kind */
	int64_t timeout_ms;
	bool is_read_only;
	bool is_listed; /* false: lists do not show it, but it can be called */
	const char *const *const *programs; /* needed; each a list of alternatives; may be NULL */
	/* Memory that declaration_free() frees. */
	void **owned;
	size_t owned_count;
};

/*
 * Reads the text of a file, which is copied. On error, returns NULL with a sentence that names the
 * wrong member.
 */
struct declaration *declaration_read(struct json_reader *reader, const char *text, size_t len,
    char ret_reason[DECLARATION_REASON_SIZE]);
void declaration_free(struct declaration *declaration);

/*
 * Read "parameters" (NULL: none) into fields, shapes and args_size, and "result" (NULL: none) into
 * results. On error, return false with a reason that names the member.
 */
bool declaration_read_parameters(
    struct declaration *declaration, const struct json *schema, char *ret_reason);
bool declaration_read_result(
    struct declaration *declaration, const struct json *schema, char *ret_reason);

/* The members of files and of provided rows that name a method. */
struct declaration_names {
	const char *name, *group, *title, *description;
	struct field_strings also;
};

/* Checks and keeps names; without a title, the name. On error, returns false with a reason. */
bool declaration_set_names(
    struct declaration *declaration, const struct declaration_names *names, char *ret_reason);

/*
 * Keeps the second spellings of a name in *ret_also (NULL: none). Each must be valid for is_name().
 * where: the place, for an error. On error, returns false with a reason.
 */
bool declaration_read_also(struct declaration *declaration, const char *where, const char *name,
    const struct field_strings *also, bool is_name(const char *text), const char *const **ret_also,
    char *ret_reason);

/* Returns true for "wait" and "pane", which every declared tool has. */
bool declaration_is_own(const char *name);

/* Returns the server's name of a parameter. */
const char *declaration_their_name(const struct declaration *declaration, const char *ours);
/* Lists the server's names of all parameters, without "wait" and "pane"; NULL-terminated. */
void declaration_list_gives(
    const struct declaration *declaration, const char *gives[DECLARATION_PARAMETERS_MAX + 1]);

/* Passes memory to the declaration, which frees it. Returns memory. */
void *declaration_own(struct declaration *declaration, void *memory);
char *declaration_copy(struct declaration *declaration, const char *text); /* NULL for NULL */
const char *const *declaration_copy_list(
    struct declaration *declaration, const char *const *strings, size_t count);

/* Writes a reason, "WHERE: what is wrong". Returns false. */
bool declaration_refuse(char *ret_reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns true if text is a letter, then letters, digits and "_"; at most DECLARATION_NAME_MAX. */
bool declaration_is_name(const char *text);
/* Like declaration_is_name(), but refuses capitals: for methods, groups, kinds of events. */
bool declaration_is_small_name(const char *text);
/* Returns true if a member's text is such a small name; else false with a reason. */
bool declaration_check_name(const char *member, const char *text, char *ret_reason);

/* Checked arguments: tool_arguments.c. */

#define TOOL_ARGUMENTS_MAX ((size_t)1024 * 1024) /* bytes as JSON */

/*
 * Appends the object with each argument that was given or has a default; names are those of the
 * server. Checks the elements of arrays first. Returns false with *ret_error if one is wrong.
 */
bool tool_arguments_write(struct buf *out, const struct declaration *declaration, const void *args,
    struct field_error *ret_error);

/* Appends the second spellings that the caller used, separated by blanks. */
void tool_arguments_write_spelled(
    struct buf *out, const struct declaration *declaration, const void *args);
