/* SPDX-License-Identifier: ISC */
/*
 * Typed fields: a table lists the parameters of a method, and one function turns JSON into a
 * checked C struct. Help, describe, schemas, completion and the manual come from the same rows.
 */
#pragma once

#include "wire/json.h"

enum field_type {
	FIELD_STRING, /* const char *: UTF-8; NULL if absent */
	FIELD_BOOL, /* bool */
	FIELD_INT, /* int64_t */
	FIELD_NUMBER, /* double */
	FIELD_CHOICE, /* int: index in choices; -1 if absent and without default */
	FIELD_STRINGS, /* struct field_strings: an array of strings */
	FIELD_KEYS, /* struct field_strings: a string or an array of strings */
	FIELD_STRING_MAP, /* const struct json *: an object whose values are strings */
	FIELD_VALUE, /* const struct json *: any value */
};

enum field_flag {
	FIELD_REQUIRED = 1 << 0,
	FIELD_ALIAS = 1 << 1, /* another name for the field above it; not listed in schemas */
	FIELD_RARE = 1 << 2, /* seldom needed: not listed in short schemas */
	FIELD_PATH = 1 << 3, /* an absolute path, or "~" and "~/...", read as the home directory */
	FIELD_CONFIDENTIAL = 1 << 4, /* records of requests have its size only */
	FIELD_CONFIDENTIAL_REST = 1 << 5, /* the same of words behind a command's name */
	FIELD_KEPT = 1 << 6, /* with it the call keeps something, or moves a place that is kept */
	FIELD_SETTLES = 1 << 7, /* conditions: one of a notification or a job takes that away */
};

/* Strings lent from the JSON tree; NULL-terminated array of count strings. */
struct field_strings {
	const char *const *strings;
	size_t count;
	bool is_given;
};

struct field {
	const char *name; /* NULL ends a table */
	enum field_type type;
	unsigned flags;
	size_t offset; /* of its member in the struct of arguments */
	size_t given_offset; /* of a bool that is set if it, or this alias, was given; 0: none */
	const char *unit; /* "s", "bytes", "cells"; NULL: none */
	/* Bounds: of numbers; of strings in bytes; of arrays in elements. Both 0: none. */
	double min;
	double max; /* below min: no maximum */
	const char *const *choices; /* FIELD_CHOICE: NULL-terminated */
	/* The default as JSON text, NULL: none. Strings without escapes; not for arrays and maps. */
	const char *preset;
	const char *help; /* one sentence for people and models */
	/* FIELD_VALUE: its type, as members of a JSON Schema; NULL: any. For models only. */
	const char *shape;
	/* FIELD_VALUE: an object of these fields; NULL: see put_schema and shape. */
	const struct field *members;
	/* FIELD_VALUE: writes what it is, as members of a JSON Schema; NULL: see shape. */
	void (*put_schema)(struct json_writer *writer, bool in_short);
};

/* Begins a row: {FIELD_ROW(BOOL, struct args, force, "force"), .help = "..."} */
#define FIELD_ROW(type_, struct_, member_, name_) \
	.name = name_, .type = FIELD_##type_, .offset = offsetof(struct_, member_)

/* In a row of a table of methods or the like: its fields, and the size of the struct they fill. */
#define FIELDS_OF(args_struct, fields_) .fields = (fields_), .args_size = sizeof(struct args_struct)

/* A member of a result, for describe, schemas and the manual. */
struct field_result {
	const char *name; /* NULL ends a table; "panes[].pane" for members of members */
	const char
	    *type; /* "string", "integer", "number", "boolean", "object", "array", "string|null" */
	const char *help;
};

struct field_error {
	const char *field; /* its name, lent from the JSON or the table */
	char text[256]; /* "columns: must be 1 to 10000, not 0" */
};

/*
 * Reads params (an object, or NULL for none) into args (args_size bytes, first zeroed and
 * set to defaults) by the table fields (NULL for none, 64 rows at most). Unknown members are
 * refused, with the nearest name; null counts as absent. Strings are lent from params; arrays and
 * default strings from scratch, which must be empty. The caller clears scratch when args is no
 * longer used. Returns 0, or -1 and *ret_error.
 */
int field_read(const struct field *fields, const struct json *params, void *args, size_t args_size,
    struct buf *scratch, struct field_error *ret_error);

#define FIELD_BOUNDS_SIZE 96
/* "1 to 10000 cells", "at least 1 s"; the empty string without bounds. */
void field_describe_bounds(
    const struct field *field, const char *unit, char out[FIELD_BOUNDS_SIZE]);

/*
 * Mistakes that are accepted from models: a number as a string, and the reverse; "yes" for
 * true; a choice in capitals; one string for an array of one; and a pane ("pane") by the
 * number of its id alone. Ambiguous values are still refused.
 */
struct field_tolerance {
	const char *const *ignored; /* names that are accepted without being a field; NULL: none */
	bool ignores_unknown; /* any other name, too */
};

/* field_read() with tolerance (NULL: none). */
int field_read_tolerant(const struct field *fields, const struct field_tolerance *tolerance,
    const struct json *params, void *args, size_t args_size, struct buf *scratch,
    struct field_error *ret_error);

/*
 * Writes params (NULL: none) for a record of the request: confidential fields, and names that are
 * no field, with the size of their value only. Returns whether something was left out.
 */
bool field_write_record(
    struct json_writer *writer, const struct field *fields, const struct json *params);

/* The name of a type in describe: "string", "boolean", "integer", "number", … */
const char *field_type_name(enum field_type type);

/* Writes a JSON Schema (type object) of a table of fields (NULL for none) as member name. */
void field_write_schema(struct json_writer *writer, const char *name, const struct field *fields);

/* The same as members of an object that is open. */
void field_put_object(struct json_writer *writer, const struct field *fields);

/*
 * The same for tools of models: every value gets a type. Kept short, since models read
 * schemas repeatedly: without rare fields, bounds, and defaults that the help does not need;
 * the daemon still accepts all of these.
 */
void field_write_tool_schema(
    struct json_writer *writer, const char *name, const struct field *fields, bool in_short);

/*
 * Writes a JSON Schema of a result (NULL for none) as member name: the type of each member;
 * further members are allowed. No member is required: absent means unknown. The short form
 * leaves out the members of members.
 */
void field_write_result_schema(struct json_writer *writer, const char *name,
    const struct field_result *results, bool in_short);

/* Appends text as lines of mdoc without macros. */
void field_write_mdoc_text(struct buf *out, const char *text);

/* Appends text as one line of mdoc in which nothing is a macro, for literal displays. */
void field_write_mdoc_line(struct buf *out, const char *text);

/* Appends a table of fields as mdoc list items; ends the process if there is no room. */
void field_write_mdoc(struct buf *out, const struct field *fields);
