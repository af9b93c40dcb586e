/* SPDX-License-Identifier: ISC */
/*
 * Declarations: JSON files (see muxbusd(8)). Each makes a method of the daemon from a program, or
 * from a tool of an MCP server. The row of a provided method is also kept as a declaration.
 */
#pragma once

#include "wire/field.h"

#define DECLARATION_BYTES_MAX ((size_t)64 * 1024) /* of a file */
#define DECLARATION_PARAMETERS_MAX 32
#define DECLARATION_WORDS_MAX 64 /* of a command */
#define DECLARATION_ENV_MAX 8 /* maximum number of session variables for a tool server */
/* maximum number of needed programs, and of alternatives for each */
#define DECLARATION_PROGRAMS_MAX 16
#define DECLARATION_NAME_MAX 64
/* maximum number of second names of a tool, and second spellings of a parameter */
#define DECLARATION_ALSO_MAX 4
/* maximum number of second spellings of all parameters together */
#define DECLARATION_SPELLINGS_MAX 24
#define DECLARATION_TIMEOUT_SEC_MAX 3600
#define DECLARATION_REASON_SIZE 512

enum declaration_answer { DECLARATION_TEXT, DECLARATION_JSON, DECLARATION_IMAGE };

/* A parameter of a tool server's tool that gets the value of one of our parameters. */
struct declaration_rename {
	const char *theirs; /* the server's name; NULL ends a list */
	const char *ours;
};

/* A tool server: an MCP server on stdio. Declarations with the same server name share a server. */
struct declaration_server {
	const char *name;
	const char *const *command; /* NULL-terminated */
	bool is_per_daemon; /* false: there is one server for each pane of a caller */
	/* names of variables of the caller's session for the server; or NULL */
	const char *const *env;
	int64_t idle_ms; /* time without a call after which the server is ended */
	const char *tool; /* the server's name of the tool */
	const struct declaration_rename *renames; /* NULL: parameters have the same names */
};

/* A check of a parameter that field_read() does not do. */
struct declaration_shape {
	const char *type; /* "array" or "object"; NULL: field_read() checks all */
	const char *item; /* type of each element; NULL: any */
};

/* The struct of arguments of each declared tool or provided method begins with these members. */
struct declaration_args {
	bool waits;
	const char *pane;
	/* how many bytes of the answer the caller sees; 0: all. No parameter sets this */
	size_t shown_bytes;
};

struct declaration {
	const char *name;
	const char *const *also; /* second names, NULL-terminated; or NULL */
	const char *group;
	const char *title;
	const char *description;
	/* the declared parameters with their aliases; then wait and pane */
	const struct field *fields;
	const struct declaration_shape *shapes; /* one for each field */
	size_t args_size; /* size of the struct that the fields fill */
	/* the declared members; else those of the kind of answer */
	const struct field_result *results;
	/* types of the declared members at all depths, as JSON; or NULL */
	const char *result_schema;
	/* the program's command; NULL: a tool of a tool server, or a provided method */
	const char *const *run;
	struct declaration_server server; /* for a tool of a tool server */
	enum declaration_answer answer; /* for a program or a provided method */
	const char *image_type; /* for DECLARATION_IMAGE: as "image/png"; "*" means any kind */
	int64_t timeout_ms;
	bool is_read_only;
	bool is_listed; /* false: lists do not show the tool, but it can be called */
	/* the programs that are needed, each a list of alternatives; may be NULL */
	const char *const *const *programs;
	void **owned;
	size_t owned_count;
};

/* Reads a declaration; text is copied. Returns NULL with a reason if it is not valid. */
struct declaration *declaration_read(struct json_reader *reader, const char *text, size_t len,
    char ret_reason[DECLARATION_REASON_SIZE]);
void declaration_free(struct declaration *declaration);

/*
 * These read the member parameters (into fields, shapes and args_size) and the member result (into
 * results and result_schema). schema may be NULL. They return false with a reason.
 */
bool declaration_read_parameters(
    struct declaration *declaration, const struct json *schema, char *ret_reason);
bool declaration_read_result(
    struct declaration *declaration, const struct json *schema, char *ret_reason);

/* Members that files and provided rows have in common. */
struct declaration_names {
	const char *name, *group, *title, *description;
	struct field_strings also;
};

/* Checks and copies the names; the title may be missing. Returns false with a reason. */
bool declaration_set_names(
    struct declaration *declaration, const struct declaration_names *names, char *ret_reason);

/* Copies second names to *ret_also; NULL: none. Returns false with a reason at where. */
bool declaration_read_also(struct declaration *declaration, const char *where, const char *name,
    const struct field_strings *also, bool is_name(const char *text), const char *const **ret_also,
    char *ret_reason);

/* Returns true for "wait" and "pane", parameters that each declaration has. */
bool declaration_is_own(const char *name);

/* Returns the tool server's name of one of our parameters. */
const char *declaration_their_name(const struct declaration *declaration, const char *ours);
/* Lists the tool server's names of all parameters, without "wait" and "pane"; NULL-terminated. */
void declaration_list_gives(
    const struct declaration *declaration, const char *gives[DECLARATION_PARAMETERS_MAX + 1]);

/* Gives memory to the declaration, which frees it. Returns memory. */
void *declaration_own(struct declaration *declaration, void *memory);
/* returns NULL for NULL */
char *declaration_copy(struct declaration *declaration, const char *text);
const char *const *declaration_copy_list(
    struct declaration *declaration, const char *const *strings, size_t count);

/* Writes a reason, such as "WHERE: what is wrong". Returns false. */
bool declaration_refuse(char *ret_reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns true for letters, digits (not first) and "_"; 1 to DECLARATION_NAME_MAX bytes. */
bool declaration_is_name(const char *text);
/* The same without capitals. */
bool declaration_is_small_name(const char *text);
/* Checks a name by declaration_is_small_name(); returns false with a reason about this member. */
bool declaration_check_name(const char *member, const char *text, char *ret_reason);

#define TOOL_ARGUMENTS_MAX ((size_t)1024 * 1024) /* maximum bytes as JSON */

/*
 * Appends the arguments of a call as a JSON object, with the names of the tool server. Leaves out
 * wait, pane, and an argument that was not given and has no default. Returns false with *ret_error
 * if an array or object, or an element of an array, has a wrong type, or if out is too small.
 */
bool tool_arguments_write(struct buf *out, const struct declaration *declaration, const void *args,
    struct field_error *ret_error);

/* Appends the second spellings that the caller used, separated by blanks. */
void tool_arguments_write_spelled(
    struct buf *out, const struct declaration *declaration, const void *args);
