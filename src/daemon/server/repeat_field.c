/* SPDX-License-Identifier: ISC */
/* The parameter and the results of repeated requests in tables of methods. */
#include "daemon/server/repeat_field.h"

#include <string.h>

#include "base/xalloc.h"
#include "daemon/queue/notification.h"

static const struct field key_field = {FIELD_ROW(STRING, struct repeat_args, key, "key"),
    .flags = FIELD_RARE, .min = 1, .max = NOTIFICATION_KEY_MAX,
    .help = "Done once: asked again with this key within 24 hours, the answer is that of the "
	    "first request."};

static const struct field_result repeat_results[] = {
    {"repeated", "boolean", "true: this key was used, and nothing more was done"},
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

/* A copy without the row of the parameter, and with room for more rows. */
static struct field *copy_fields(const struct field *fields, size_t more)
{
	size_t count = 0;
	struct field *copy = xcalloc(count_fields(fields) + more + 1, sizeof *copy);
	for (; fields != NULL && fields->name != NULL; fields++)
		if (!is_key_field(fields))
			copy[count++] = *fields;
	return copy;
}

/* A copy without the rows of repeat_results, and with more rows behind it. */
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
		copy[count++] = *more;
	return copy;
}

struct field *repeat_fields_with_key(const struct field *fields, size_t *args_size)
{
	const size_t step = sizeof(const char *);
	size_t count = count_fields(fields);
	size_t offset = (*args_size > 0 ? *args_size + step - 1 : step) / step * step; /* not 0 */
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

struct field_result *repeat_results_with_key(const struct field_result *results)
{
	return copy_results(results, repeat_results);
}

struct field *repeat_other_fields(const struct field *fields)
{
	return copy_fields(fields, 0);
}

struct field_result *repeat_other_results(const struct field_result *results)
{
	return copy_results(results, NULL);
}
