/* SPDX-License-Identifier: ISC */
/* The methods: all tables as one, sorted by name. */
#include "daemon/server/method.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "daemon/server/repeat_field.h"

/* The rows of all tables, with the parameter "key". */
static struct {
	struct method *rows;
	size_t count;
} built_in;

/* All rows by name, and their names; made again when the declared ones change. */
static struct {
	const struct method **rows;
	const char **names; /* NULL-terminated */
	size_t count;
} all;

static int compare_rows(const void *a, const void *b)
{
	const struct method *const *left = a;
	const struct method *const *right = b;
	return strcmp((*left)->name, (*right)->name);
}

void method_add_key(struct method *method)
{
	struct field *fields;
	if (method_is_read_only(method) || method->key_offset > 0)
		return;
	fields = repeat_fields_with_key(method->fields, &method->args_size);
	if (fields == NULL)
		return;
	method->key_offset = method->args_size - sizeof(struct repeat_args);
	method->fields = fields;
	method->results = repeat_results_with_key(method->results);
}

void method_free_tables(struct method *method)
{
	if (method->key_offset == 0)
		return;
	mem_free((void *)method->fields);
	mem_free((void *)method->results);
}

/* Its requests would be done twice. */
static void refuse_row(const struct method *row)
{
	log_error("the method %s keeps keys and has none", row->name);
	abort();
}

static void collect_built_in(void)
{
	size_t count = 0;
	for (const struct method *const *table = method_tables; *table != NULL; table++)
		for (const struct method *method = *table; method->name != NULL; method++)
			count++;
	built_in.rows = xcalloc(count, sizeof *built_in.rows);
	for (const struct method *const *table = method_tables; *table != NULL; table++)
		for (const struct method *method = *table; method->name != NULL; method++) {
			struct method *row = &built_in.rows[built_in.count++];
			*row = *method;
			method_add_key(row);
			if (row->begun != NULL && row->key_offset == 0)
				refuse_row(row);
		}
}

void method_set_declared(const struct method *const *declared, size_t declared_count)
{
	size_t count;
	if (built_in.rows == NULL)
		collect_built_in();
	count = built_in.count + declared_count;
	mem_free(all.rows);
	mem_free(all.names);
	all.rows = xcalloc(count, sizeof(struct method *));
	all.names = xcalloc(count + 1, sizeof(char *));
	all.count = 0;
	for (size_t i = 0; i < built_in.count; i++)
		all.rows[all.count++] = &built_in.rows[i];
	for (size_t i = 0; i < declared_count; i++)
		all.rows[all.count++] = declared[i];
	qsort(all.rows, all.count, sizeof(struct method *), compare_rows);
	for (size_t i = 0; i < all.count; i++)
		all.names[i] = all.rows[i]->name;
}

static void collect(void)
{
	if (all.rows == NULL)
		method_set_declared(NULL, 0);
}

/* Where a name stands or would stand. */
static size_t position(const char *name, bool *ret_is_there)
{
	size_t low = 0;
	size_t high = all.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, all.names[middle]);
		if (order == 0) {
			*ret_is_there = true;
			return middle;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	*ret_is_there = false;
	return low;
}

const struct method *method_find(const char *name)
{
	bool is_there;
	size_t index;
	collect();
	index = position(name, &is_there);
	return is_there ? all.rows[index] : NULL;
}

bool method_is_built_in(const char *name)
{
	for (const struct method *const *table = method_tables; *table != NULL; table++)
		for (const struct method *method = *table; method->name != NULL; method++)
			if (strcmp(method->name, name) == 0)
				return true;
	return false;
}

const char *method_nearest(const char *name)
{
	collect();
	return str_nearest(name, all.names);
}

const struct method *method_next(const struct method *previous)
{
	bool is_there;
	size_t index;
	collect();
	index = previous != NULL ? position(previous->name, &is_there) + 1 : 0;
	return index < all.count ? all.rows[index] : NULL;
}

bool method_is_read_only(const struct method *method)
{
	return method->effects == METHOD_READS;
}

bool method_is_destructive(const struct method *method)
{
	return (method->effects & METHOD_CLOSES) != 0;
}
