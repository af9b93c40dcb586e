/* SPDX-License-Identifier: ISC */
/*
 * Typed fields: a table describes the parameters of a method, or the members of an object. The
 * table serves to read checked values into a C struct, and to write help, describe, schemas and the
 * manual. Another table describes the results of a method.
 */
#pragma once

#include "wire/json.h"

enum field_type {
	FIELD_STRING, /* const char *: UTF-8; NULL if absent and without a default */
	FIELD_BOOL, /* bool */
	FIELD_INT, /* int64_t */
	FIELD_NUMBER, /* double */
	FIELD_CHOICE, /* int: index in choices; -1 if absent and without a default */
	FIELD_STRINGS, /* struct field_strings: an array of strings */
	FIELD_KEYS, /* struct field_strings: a string or an array of strings */
	FIELD_STRING_MAP, /* const struct json *: an object of strings; if tolerant, or numbers */
	FIELD_VALUE, /* const struct json *: any value but null, which counts as absent */
};

enum field_flag {
	FIELD_REQUIRED = 1 << 0,
	FIELD_ALIAS = 1 << 1, /* another name for the first row above without this flag */
	FIELD_RARE = 1 << 2, /* seldom needed: not listed in short schemas */
	FIELD_PATH = 1 << 3, /* a path; "~" alone or before "/" becomes the home directory */
	FIELD_CONFIDENTIAL = 1 << 4, /* the value is left out of records: see redaction.h */
	FIELD_CONFIDENTIAL_REST = 1 << 5, /* a list: records contain a part, see redaction.c */
	FIELD_KEPT = 1 << 6, /* if given, a call that else only reads changes the store */
	FIELD_SETTLES = 1 << 7, /* conditions: as FIELD_KEPT if they name a notification or job */
};

/* A NULL-terminated array of count strings, lent as field_read() says; NULL if not given. */
struct field_strings {
	const char *const *strings;
	size_t count;
	bool is_given;
};

struct field {
	const char *name; /* NULL ends a table */
	enum field_type type;
	unsigned flags;
	size_t offset; /* of the member in the struct of arguments */
	size_t given_offset; /* of a bool, set if this parameter or alias is given; 0: none */
	const char *unit; /* such as "s", "bytes", "cells"; NULL: no unit */
	/* Bounds of a number, of a string's bytes, or of an array's elements. Both 0: no bounds. */
	double min;
	double max; /* if less than min, or infinite: no maximum */
	const char *const *choices; /* FIELD_CHOICE: NULL-terminated */
	/* The default as JSON text; NULL: none. Not for arrays and maps; no escapes. */
	const char *preset;
	const char *help; /* for people and models */
	/* FIELD_VALUE: JSON Schema members that describe the value to models; or NULL. */
	const char *shape;
	/* FIELD_VALUE: the fields of the object, for schemas; or NULL. */
	const struct field *members;
	/* FIELD_VALUE: writes members of a JSON Schema; NULL: those of members, if any. */
	void (*put_schema)(struct json_writer *writer, bool in_short);
};

/* Begins a row: {FIELD_ROW(BOOL, struct args, force, "force"), .help = "..."} */
#define FIELD_ROW(type_, struct_, member_, name_) \
	.name = name_, .type = FIELD_##type_, .offset = offsetof(struct_, member_)

/* In a row of a method or condition: sets the fields, and the size of the struct that they fill. */
#define FIELDS_OF(args_struct, fields_) .fields = (fields_), .args_size = sizeof(struct args_struct)

/* A member of a result, for describe, schemas and the manual. */
struct field_result {
	const char *name; /* NULL ends a table; "panes[].pane" is a member of an element */
	const char *type; /* names of JSON types, such as "string" or "string|null" */
	const char *help;
};

#define PANE_DIGITS_MAX 10 /* decimal digits of a 32-bit id */

/* Finds the row of a member by its name. Returns NULL if there is none. */
const struct field *field_find(const struct field *fields, const struct json *member);
/* Returns the row whose alias this row is, or the row itself. */
const struct field *field_principal(const struct field *field);

struct field_error {
	const char *field; /* name of the field, lent from the JSON or the table; or "params" */
	char text[256]; /* "columns: must be 1 to 10000, not 0" */
};

/*
 * Reads params, an object or NULL, into args, which first gets the defaults. An unknown member is
 * an error; null counts as absent. Pointers in args are lent from params and scratch. scratch must
 * be empty, and the caller clears it after the last use of args.
 * fields (NULL: none) has at most 64 rows. Returns 0, or -1 with *ret_error.
 */
int field_read(const struct field *fields, const struct json *params, void *args, size_t args_size,
    struct buf *scratch, struct field_error *ret_error);

#define FIELD_BOUNDS_SIZE 96
/* Writes bounds such as "1 to 10000 cells"; "" if there are none. unit may be NULL. */
void field_describe_bounds(
    const struct field *field, const char *unit, char out[FIELD_BOUNDS_SIZE]);

/*
 * A tolerant reader accepts common mistakes of models if they are unambiguous, such as a number as
 * a string and a string as a number, "yes" for true, a choice in capitals, one string for an array,
 * "3" for the pane "%3".
 */
struct field_tolerance {
	const char *const *ignored; /* unknown names that are accepted and ignored; NULL: none */
	bool ignores_unknown; /* accept and ignore all unknown names */
};

/* Reads like field_read(), but with tolerance; NULL: without. */
int field_read_tolerant(const struct field *fields, const struct field_tolerance *tolerance,
    const struct json *params, void *args, size_t args_size, struct buf *scratch,
    struct field_error *ret_error);

const char *field_type_name(enum field_type type); /* for describe, such as "integer" */

/* Writes a JSON Schema of fields (NULL: none), an object, as the member `name`. */
void field_write_schema(struct json_writer *writer, const char *name, const struct field *fields);

/* Writes the members of a JSON Schema of fields into the open object. */
void field_put_object(struct json_writer *writer, const struct field *fields);

/*
 * Writes the schema of a tool for models, with the shape of each FIELD_VALUE that has one. in_short
 * leaves out more, such as rare fields, bounds and defaults of false. The daemon accepts the rare
 * fields nevertheless.
 */
void field_write_tool_schema(
    struct json_writer *writer, const char *name, const struct field *fields, bool in_short);

/* Writes the schema of a result. in_short leaves out nested and seldom needed members. */
void field_write_result_schema(struct json_writer *writer, const char *name,
    const struct field_result *results, bool in_short);

/* Writes "type"; for "string|null" writes "anyOf", since some readers know no arrays of types. */
void field_put_types(struct json_writer *writer, const char *types);

/*
 * Returns true if a value has the types of a JSON Schema ("type", "anyOf", "properties", "items");
 * missing and further members are allowed. Otherwise *ret_value is the first value of another type,
 * and its place is appended to path.
 */
bool field_schema_fits(const struct json *schema, const struct json *value, struct buf *path,
    const struct json **ret_value);

/* Appends text as lines of mdoc, escaped so that no word is a macro. */
void field_write_mdoc_text(struct buf *out, const char *text);

/* Appends text as one line of an mdoc literal display. The text must not begin with "." or "'". */
void field_write_mdoc_line(struct buf *out, const char *text);

/* Appends fields as items of an mdoc list. These three functions end the process if out is full. */
void field_write_mdoc(struct buf *out, const struct field *fields);
