/* SPDX-License-Identifier: ISC */
#include "daemon/methods/group.h"

const char *const method_groups[] = {
    "agents", "daemon", "events", "jobs", "panes", "queue", "tmux", "waits", NULL};

const struct method_set method_sets[] = {
    {"assistant", {"default", "jobs", "files", "desktop", "browser"}},
    {"coding", {"default", "jobs", "agents", "files", "code"}},
    {.name = NULL},
};

static void write_group(struct json_writer *writer, const char *group)
{
	json_array_begin(writer, group);
	for (const struct method *method = method_next(NULL); method != NULL;
	     method = method_next(method)) {
		const char *own = method_group(method);
		if (own != NULL && !(method->flags & METHOD_HIDDEN) && strcmp(own, group) == 0)
			json_put_str(writer, NULL, method->name);
	}
	json_array_end(writer);
}

static bool begins_group(const struct method *method)
{
	const struct method *first = NULL;
	if (method->group == NULL || method->flags & METHOD_HIDDEN ||
	    str_is_in(method->group, method_groups))
		return false;
	do
		first = method_next(first);
	while (first->group == NULL || first->flags & METHOD_HIDDEN ||
	    strcmp(first->group, method->group) != 0);
	return first == method;
}

static bool is_in_set(const struct method *method, const struct method_set *set)
{
	const char *own = method_group(method);
	for (const char *const *group = set->groups; *group != NULL; group++)
		if (strcmp(*group, "default") == 0 ? method->flags & METHOD_TOOL
						   : own != NULL && strcmp(own, *group) == 0)
			return true;
	return false;
}

static void write_set(struct json_writer *writer, const struct method_set *set)
{
	json_array_begin(writer, set->name);
	for (const struct method *method = method_next(NULL); method != NULL;
	     method = method_next(method))
		if (!(method->flags & METHOD_HIDDEN) && is_in_set(method, set))
			json_put_str(writer, NULL, method->name);
	json_array_end(writer);
}

void method_groups_write(struct json_writer *writer, const char *name)
{
	json_object_begin(writer, name);
	for (const char *const *group = method_groups; *group != NULL; group++)
		write_group(writer, *group);
	for (const struct method *method = method_next(NULL); method != NULL;
	     method = method_next(method))
		if (begins_group(method))
			write_group(writer, method->group);
	for (const struct method_set *set = method_sets; set->name != NULL; set++)
		write_set(writer, set);
	json_object_end(writer);
}
