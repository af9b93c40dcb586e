/* SPDX-License-Identifier: ISC */
/*
 * Words of a command line become the parameters of a method. A word is key=text, key:=JSON or
 * key@=file; the method's schema gives the type. A word without a key is the main argument, or the
 * pane before it.
 */
#pragma once

#include "wire/json.h"

#define ARGUMENTS_FILE_MAX ((size_t)4 * 1024 * 1024) /* bytes of a key@=file or of standard input */
#define ARGUMENTS_MAX 4096 /* words of one call */

#define ARGUMENTS_PARAMS_MAX ((size_t)64 * 1024 * 1024) /* bytes of the parameters as JSON */

/*
 * Appends the parameters as a JSON object. schema is the method's params schema from describe;
 * words has argc words. Returns 0, or -1 with a reason for people, which may contain untrusted
 * bytes.
 */
int arguments_write(struct buf *out, const struct json *schema, int argc, const char *const *words,
    char *ret_reason, size_t size);

/*
 * Returns the field of the main argument: the only required field or, if none is required, the
 * first that the method has of a list (keys, text, pane, ...). NULL if there is none.
 */
const struct json *arguments_positional(const struct json *schema);

/*
 * Writes one value of a field; property is the field's schema. text is JSON if is_json, or if the
 * type is not string, number, integer or boolean. Returns as arguments_write().
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
