/* SPDX-License-Identifier: ISC */
/* A JSON file makes a program, or a tool of an MCP server, a method: muxbusd(8). */
#pragma once

#include "wire/field.h"

#define DECLARATION_BYTES_MAX ((size_t)64 * 1024) /* of a file */
#define DECLARATION_PARAMETERS_MAX 32
#define DECLARATION_WORDS_MAX 64 /* of a command */
#define DECLARATION_ENV_MAX 8 /* variables of a session for a server */
#define DECLARATION_PROGRAMS_MAX 16 /* needed programs, and alternatives for each */
#define DECLARATION_NAME_MAX 64
#define DECLARATION_ALSO_MAX 4 /* of a tool, or of a parameter */
#define DECLARATION_SPELLINGS_MAX 24 /* of all parameters together */
#define DECLARATION_TIMEOUT_SEC_MAX 3600
#define DECLARATION_REASON_SIZE 512

enum declaration_answer { DECLARATION_TEXT, DECLARATION_JSON, DECLARATION_IMAGE };

/* A parameter of a server's tool gets the value of ours. */
struct declaration_rename {
	const char *theirs; /* NULL ends a list */
	const char *ours;
};

/* An MCP server on stdio. Declarations with the same server name share the server. */
struct declaration_server {
	const char *name;
	const char *const *command; /* NULL-terminated */
	bool is_per_daemon; /* else one server for each pane of a caller */
	const char *const *env; /* variables of the caller's session; or NULL */
	int64_t idle_ms; /* without a call; then the server is ended */
	const char *tool; /* the server's name */
	const struct declaration_rename *renames; /* NULL: equal names */
};

/* Of a parameter whose elements field_read() does not check. */
struct declaration_shape {
	const char *type; /* "array" or "object"; NULL: field_read() checks everything */
	const char *item; /* of each element; NULL: any */
};

/* The first members of an argument struct, for the fields of every declared tool. */
struct declaration_args {
	bool waits;
	const char *pane;
	size_t shown_bytes; /* of the answer that the caller sees; 0: all. No field sets it */
};

struct declaration {
	const char *name;
	const char *const *also; /* or NULL */
	const char *group;
	const char *title;
	const char *description;
	const struct field *fields; /* the declared ones with their aliases, then wait and pane */
	const struct declaration_shape *shapes; /* for each field */
	size_t args_size; /* of the struct that the fields fill */
	const struct field_result *results; /* declared members; else those of the answer */
	const char *result_schema; /* JSON: types of the declared members at all depths; or NULL */
	const char *const *run; /* NULL: a tool of a server */
	struct declaration_server server; /* only if run is NULL */
	enum declaration_answer answer; /* only if run is not NULL */
	const char *image_type; /* of DECLARATION_IMAGE, as "image/png"; "*" means any kind */
	int64_t timeout_ms;
	bool is_read_only;
	bool is_listed; /* false: lists do not show the tool, but it can be called */
	const char *const *const *programs; /* needed; each a list of alternatives; may be NULL */
	void **owned;
	size_t owned_count;
};

/* The text is copied. Returns NULL with a reason that names the wrong member. */
struct declaration *declaration_read(struct json_reader *reader, const char *text, size_t len,
    char ret_reason[DECLARATION_REASON_SIZE]);
void declaration_free(struct declaration *declaration);

/*
 * "parameters" becomes fields, shapes and args_size, "result" becomes results; both may be NULL.
 * Returns false with a reason that names the member.
 */
bool declaration_read_parameters(
    struct declaration *declaration, const struct json *schema, char *ret_reason);
bool declaration_read_result(
    struct declaration *declaration, const struct json *schema, char *ret_reason);

/* Members of files and of provided rows. */
struct declaration_names {
	const char *name, *group, *title, *description;
	struct field_strings also;
};

/* The title may be missing. Returns false with a reason. */
bool declaration_set_names(
    struct declaration *declaration, const struct declaration_names *names, char *ret_reason);

/* *ret_also may be NULL. Returns false with a reason that begins with where. */
bool declaration_read_also(struct declaration *declaration, const char *where, const char *name,
    const struct field_strings *also, bool is_name(const char *text), const char *const **ret_also,
    char *ret_reason);

/* Returns true for "wait" and "pane", which every declared tool has. */
bool declaration_is_own(const char *name);

const char *declaration_their_name(const struct declaration *declaration, const char *ours);
/* Lists the server's names of all parameters, without "wait" and "pane"; NULL-terminated. */
void declaration_list_gives(
    const struct declaration *declaration, const char *gives[DECLARATION_PARAMETERS_MAX + 1]);

/* Returns memory, which the declaration frees. */
void *declaration_own(struct declaration *declaration, void *memory);
char *declaration_copy(struct declaration *declaration, const char *text); /* NULL for NULL */
const char *const *declaration_copy_list(
    struct declaration *declaration, const char *const *strings, size_t count);

/* The reason is "WHERE: what is wrong". Returns false. */
bool declaration_refuse(char *ret_reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A letter, then letters, digits and "_"; at most DECLARATION_NAME_MAX. */
bool declaration_is_name(const char *text);
/* Without capitals, for methods, groups and kinds of events. */
bool declaration_is_small_name(const char *text);
/* As declaration_is_small_name(); returns false with a reason. */
bool declaration_check_name(const char *member, const char *text, char *ret_reason);

#define TOOL_ARGUMENTS_MAX ((size_t)1024 * 1024) /* bytes as JSON */

/*
 * An argument that was not given is left out, unless it has a default. Names are those of the
 * server. Returns false with *ret_error if an element of an array is wrong.
 */
bool tool_arguments_write(struct buf *out, const struct declaration *declaration, const void *args,
    struct field_error *ret_error);

/* The second spellings that the caller used, separated by blanks. */
void tool_arguments_write_spelled(
    struct buf *out, const struct declaration *declaration, const void *args);
