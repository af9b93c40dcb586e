/* SPDX-License-Identifier: ISC */
/*
 * Words of a command line as the parameters of a method, typed by the method's own schema:
 * key=text, key:=JSON, key@=file; a word without a key is for the argument that the method
 * cannot do without.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <stddef.h>

#include "base/buf.h"
#include "wire/json.h"

#define ARGUMENTS_FILE_MAX ((size_t)4 * 1024 * 1024) /* of key@=file, and of standard input */
#define ARGUMENTS_MAX 4096 /* words */

/* The longest JSON text of parameters. */
#define ARGUMENTS_PARAMS_MAX ((size_t)64 * 1024 * 1024)

/*
 * Appends the parameters as a JSON object. schema is that of the method's params, as describe
 * has it; words are argc strings. Returns 0, or -1 with a reason for people, in which
 * strangers' bytes may be.
 */
int arguments_write(struct buf *out, const struct json *schema, int argc, const char *const *words,
    char *ret_reason, size_t size);

/*
 * The argument that a word without a key is for, or NULL if there is none: the only required
 * one, else the one that says what the method is about.
 */
const struct json *arguments_positional(const struct json *schema);

/* Appends how a method is called: "list_panes [session=text] [window=text]". */
void arguments_usage(struct buf *out, const char *method, const struct json *schema);

/* Appends the words, quoted for a shell, of a call with these parameters (an object). */
void arguments_example(
    struct buf *out, const char *method, const struct json *schema, const struct json *params);

#endif
