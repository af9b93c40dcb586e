/* SPDX-License-Identifier: ISC */
#include "daemon/server/method.h"

#include "daemon/queue/notification.h"

static const struct method_table no_tables[1];
static struct {
	const struct method_table *tables;
	struct method *rows;
	size_t count;
} built_in = {.tables = no_tables};

static struct {
	const struct method **rows;
	size_t count;
} others[METHOD_ORIGIN_COUNT_];

/* All rows that are not hidden by others, sorted by name. */
static struct {
	const struct method **rows;
	const char **names; /* NULL-terminated */
	size_t count;
} all;

/* Second spellings. If two are equal, the first counts. */
static struct {
	struct spelling {
		const char *name;
		const struct method *row;
	} * rows;
	size_t count;
} spellings;

static int compare_rows(const void *a, const void *b)
{
	const struct method *const *left = a;
	const struct method *const *right = b;
	return strcmp((*left)->name, (*right)->name);
}

void method_put_result(struct json_writer *writer, const struct json *object)
{
	json_each_member (member, object)
		if (strcmp(member->name, "audited") != 0 && strcmp(member->name, "durable") != 0 &&
		    strcmp(member->name, "repeated") != 0)
			json_put_value(writer, member->name, member);
}

void method_free_tables(struct method *method)
{
	if (method->key_offset == 0)
		return;
	mem_free((void *)method->fields);
	mem_free((void *)method->results);
}

void method_set_tables(const struct method_table *tables)
{
	built_in.tables = tables;
}

/* Aborts the daemon for a row with begun() that has no parameter "key". */
static void refuse_row(const struct method *row)
{
	log_error("the method %s keeps keys and has none", row->name);
	abort();
}

static void collect_built_in(void)
{
	size_t count = 0;
	for (const struct method_table *table = built_in.tables; table->rows != NULL; table++)
		for (const struct method *method = table->rows; method->name != NULL; method++)
			count++;
	built_in.rows = xcalloc(count, sizeof *built_in.rows);
	for (const struct method_table *table = built_in.tables; table->rows != NULL; table++)
		for (const struct method *method = table->rows; method->name != NULL; method++) {
			struct method *row = &built_in.rows[built_in.count++];
			*row = *method;
			row->table_group = table->group;
			method_add_key(row);
			if (row->begun != NULL && row->key_offset == 0)
				refuse_row(row);
		}
}

/* Adds rows, except those whose names are taken. */
static void add_rows(const struct method *const *rows, size_t count)
{
	size_t before = all.count;
	for (size_t i = 0; i < count; i++)
		if (bsearch(&rows[i], all.rows, before, sizeof *all.rows, compare_rows) == NULL)
			all.rows[all.count++] = rows[i];
	qsort(all.rows, all.count, sizeof *all.rows, compare_rows);
}

static void add_spellings(const struct method *row)
{
	for (const char *const *name = row->also; name != NULL && *name != NULL; name++) {
		spellings.rows =
		    xrealloc(spellings.rows, (spellings.count + 1) * sizeof *spellings.rows);
		spellings.rows[spellings.count++] = (struct spelling){*name, row};
	}
}

static void collect_spellings(void)
{
	spellings.count = 0;
	for (size_t i = 0; i < built_in.count; i++)
		add_spellings(&built_in.rows[i]);
	for (size_t origin = 0; origin < METHOD_ORIGIN_COUNT_; origin++)
		for (size_t i = 0; i < others[origin].count; i++)
			add_spellings(others[origin].rows[i]);
}

static void merge(void)
{
	size_t count = built_in.count;
	for (size_t origin = 0; origin < METHOD_ORIGIN_COUNT_; origin++)
		count += others[origin].count;
	mem_free(all.rows);
	mem_free(all.names);
	all.rows = xcalloc(count, sizeof *all.rows);
	all.names = xcalloc(count + 1, sizeof(char *));
	all.count = 0;
	for (size_t i = 0; i < built_in.count; i++)
		all.rows[all.count++] = &built_in.rows[i];
	qsort(all.rows, all.count, sizeof *all.rows, compare_rows);
	for (size_t origin = 0; origin < METHOD_ORIGIN_COUNT_; origin++)
		add_rows(others[origin].rows, others[origin].count);
	for (size_t i = 0; i < all.count; i++)
		all.names[i] = all.rows[i]->name;
	collect_spellings();
}

static void collect(void)
{
	if (built_in.rows == NULL)
		collect_built_in();
	if (all.rows == NULL)
		merge();
}

void method_set_rows(enum method_origin origin, const struct method *const *rows, size_t count)
{
	if (built_in.rows == NULL)
		collect_built_in();
	mem_free(others[origin].rows);
	others[origin].rows = count > 0 ? xmemdup(rows, count * sizeof(struct method *)) : NULL;
	others[origin].count = count;
	merge();
}

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
	if (is_there)
		return all.rows[index];
	for (size_t i = 0; i < spellings.count; i++)
		if (strcmp(spellings.rows[i].name, name) == 0)
			return spellings.rows[i].row;
	return NULL;
}

const char *method_group(const struct method *method)
{
	return method->group != NULL ? method->group : method->table_group;
}

bool method_is_built_in(const char *name)
{
	if (built_in.rows == NULL)
		collect_built_in();
	for (size_t i = 0; i < built_in.count; i++)
		if (strcmp(built_in.rows[i].name, name) == 0)
			return true;
	return false;
}

const char *method_nearest(const char *name)
{
	collect();
	return str_nearest(name, all.names);
}

const char *method_advice(const char *name)
{
	static const struct {
		const char *name, *advice;
	} rows[] = {
	    {"rehydrate",
		"its store is the agent's own: `muxbus record` keeps what a pane prints, see "
		"read_output"},
	    {"rename_session",
		"tmux does it with the command "
		"[\"rename-session\",\"-t\",\"work\",\"play\"], see run_tmux"},
	};
	return str_row(rows, name) != NULL ? str_row(rows, name)->advice : NULL;
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
	return (method->effects & ~(unsigned)(METHOD_READS | METHOD_SEES)) == 0;
}

bool method_is_destructive(const struct method *method)
{
	return (method->effects & METHOD_CLOSES) != 0;
}

const char *const role_names[ROLE_COUNT_ + 1] = {
    [ROLE_FULL] = "full",
    [ROLE_OWN_PANES] = "own_panes",
    [ROLE_READ_ONLY] = "read_only",
};

bool role_has(enum role role, const struct method *method)
{
	if (role == ROLE_FULL)
		return true;
	if (method->group != NULL || method->flags & METHOD_OF_FULL)
		return false;
	return method_is_read_only(method) || (role == ROLE_OWN_PANES && method->affects != NULL);
}

static const struct field key_field = {FIELD_ROW(STRING, struct repeat_args, key, "key"),
    .flags = FIELD_RARE | FIELD_CONFIDENTIAL, .min = 1, .max = NOTIFICATION_KEY_MAX,
    .help = "Done once: asked again with this key within 24 hours, the answer is that of the "
	    "first request."};

static const struct field_result repeat_results[] = {
    {"repeated", "boolean", "true: this key was used, and nothing more was done"},
    {"durable", "boolean", "false: the key is in memory only, because the disk is full or fails"},
    {0},
};

static bool is_key_field(const struct field *field)
{
	return strcmp(field->name, "key") == 0 && strcmp(field->help, key_field.help) == 0;
}

static bool is_repeat_result(const struct field_result *result)
{
	for (const struct field_result *row = repeat_results; row->name != NULL; row++)
		if (strcmp(result->name, row->name) == 0 && strcmp(result->help, row->help) == 0)
			return true;
	return false;
}

static size_t count_fields(const struct field *fields)
{
	size_t count = 0;
	while (fields != NULL && fields[count].name != NULL)
		count++;
	return count;
}

static size_t count_results(const struct field_result *results)
{
	size_t count = 0;
	while (results != NULL && results[count].name != NULL)
		count++;
	return count;
}

static struct field *copy_fields(const struct field *fields, size_t more)
{
	size_t count = 0;
	struct field *copy = xcalloc(count_fields(fields) + more + 1, sizeof *copy);
	for (; fields != NULL && fields->name != NULL; fields++)
		if (!is_key_field(fields))
			copy[count++] = *fields;
	return copy;
}

static bool has_result(const struct field_result *results, const char *name)
{
	while (results->name != NULL && strcmp(results->name, name) != 0)
		results++;
	return results->name != NULL;
}

static struct field_result *copy_results(
    const struct field_result *results, const struct field_result *more)
{
	size_t count = 0;
	struct field_result *copy =
	    xcalloc(count_results(results) + count_results(more) + 1, sizeof *copy);
	for (; results != NULL && results->name != NULL; results++)
		if (!is_repeat_result(results))
			copy[count++] = *results;
	for (; more != NULL && more->name != NULL; more++)
		if (!has_result(copy, more->name))
			copy[count++] = *more;
	return copy;
}

/*
 * Returns a copy of fields (may be NULL) with the parameter "key"; NULL if the fields have it
 * already. *args_size grows, since struct repeat_args follows the other arguments.
 */
static struct field *fields_with_key(const struct field *fields, size_t *args_size)
{
	const size_t step = sizeof(const char *);
	size_t count = count_fields(fields);
	/* The offset must not be 0, which means: no key. */
	size_t offset = (*args_size > 0 ? *args_size + step - 1 : step) / step * step;
	struct field *copy;
	for (size_t at = 0; at < count; at++)
		if (strcmp(fields[at].name, "key") == 0)
			return NULL;
	copy = copy_fields(fields, 1);
	copy[count] = key_field;
	copy[count].offset += offset;
	*args_size = offset + sizeof(struct repeat_args);
	return copy;
}

void method_add_key(struct method *method)
{
	struct field *fields;
	if (method_is_read_only(method) || method->key_offset > 0)
		return;
	fields = fields_with_key(method->fields, &method->args_size);
	if (fields == NULL)
		return;
	method->key_offset = method->args_size - sizeof(struct repeat_args);
	method->fields = fields;
	method->results = copy_results(method->results, repeat_results);
}

struct field *repeat_other_fields(const struct field *fields)
{
	return copy_fields(fields, 0);
}

struct field_result *repeat_other_results(const struct field_result *results)
{
	return copy_results(results, NULL);
}
