/* SPDX-License-Identifier: ISC */
/*
 * Converts words of a command line to the parameters of a method; the method's schema gives the
 * types. Words: key=text, key:=JSON, key@=file. A word without a key is the method's main argument.
 */
#pragma once

#include "wire/json.h"

#define ARGUMENTS_FILE_MAX ((size_t)4 * 1024 * 1024) /* bytes of a key@=file or of standard input */
#define ARGUMENTS_MAX 4096 /* words */

/* Longest parameters as JSON, in bytes. */
#define ARGUMENTS_PARAMS_MAX ((size_t)64 * 1024 * 1024)

/*
 * Appends the parameters as a JSON object. schema is the method's params schema from describe;
 * words has argc strings. Returns 0, or -1 with a reason for people, which may contain untrusted
 * bytes.
 */
int arguments_write(struct buf *out, const struct json *schema, int argc, const char *const *words,
    char *ret_reason, size_t size);

/*
 * Returns the field that a word without a key sets: the only required field or, if no field is
 * required, the first of the list `natural` (keys, text, pane, ...) that the method has. Returns
 * NULL if several fields are required, or if the method has no field of the list.
 */
const struct json *arguments_positional(const struct json *schema);

/*
 * Writes one value of a field; property is the schema of the field. text is JSON if is_json, or if
 * the type of the field is not string, number, integer or boolean. Returns as arguments_write().
 */
int arguments_put(struct json_writer *writer, const struct json *property, const char *name,
    const char *text, bool is_json, char *ret_reason, size_t size);

/* Returns true if values of a field are written as JSON (key:=JSON), such as arrays of objects. */
bool arguments_wants_json(const struct json *property);

/* Appends the usage of a method, such as "list_panes [session=text] [window=text]". */
void arguments_usage(struct buf *out, const char *method, const struct json *schema);

/* Appends a method call with these parameters (an object) as words quoted for a shell. */
void arguments_example(
    struct buf *out, const char *method, const struct json *schema, const struct json *params);
