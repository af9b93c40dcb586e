/* SPDX-License-Identifier: ISC */
/*
 * Converts the words of a command line to the parameters of a method. The method's schema gives
 * the types: key=text, key:=JSON, key@=file. A word without a key is the method's main argument.
 */
#pragma once

#include "wire/json.h"

#define ARGUMENTS_FILE_MAX ((size_t)4 * 1024 * 1024) /* of key@=file and of standard input */
#define ARGUMENTS_MAX 4096 /* words */

/* The longest JSON text of parameters. */
#define ARGUMENTS_PARAMS_MAX ((size_t)64 * 1024 * 1024)

/*
 * Appends the parameters as a JSON object. schema is the method's params schema from describe;
 * words are argc strings. Returns 0, or -1 with a human-readable reason, which may contain
 * untrusted bytes.
 */
int arguments_write(struct buf *out, const struct json *schema, int argc, const char *const *words,
    char *ret_reason, size_t size);

/*
 * The argument for a word without a key: the only required one, else the subject of the method.
 * NULL if the method has no such argument.
 */
const struct json *arguments_positional(const struct json *schema);

/* Whether an argument is typed as JSON, key:=JSON: it is neither a scalar nor a list of texts. */
bool arguments_wants_json(const struct json *property);

/* Appends the usage of a method: "list_panes [session=text] [window=text]". */
void arguments_usage(struct buf *out, const char *method, const struct json *schema);

/* Appends the words of a call with these parameters (an object), quoted for a shell. */
void arguments_example(
    struct buf *out, const char *method, const struct json *schema, const struct json *params);
