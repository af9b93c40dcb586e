/* SPDX-License-Identifier: ISC */
/*
 * The parameter "key" and the results of repeated requests (repeat.h) in tables of methods: the
 * rows are written once, and added to the tables of all methods that change something.
 */
#ifndef DAEMON_SERVER_REPEAT_FIELD_H
#define DAEMON_SERVER_REPEAT_FIELD_H

#include <stddef.h>

#include "wire/field.h"

/* The argument that is added, at the end of the others. */
struct repeat_args {
	const char *key; /* NULL: none */
};

/*
 * Copies of tables (NULL: an empty one) with the rows; the caller frees each. *args_size grows by
 * struct repeat_args, which is at its end. NULL if there is a parameter of that name already.
 */
struct field *repeat_fields_with_key(const struct field *fields, size_t *args_size);
struct field_result *repeat_results_with_key(const struct field_result *results);

/* Copies without the rows; the caller frees each. */
struct field *repeat_other_fields(const struct field *fields);
struct field_result *repeat_other_results(const struct field_result *results);

#endif
