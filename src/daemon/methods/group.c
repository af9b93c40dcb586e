/* SPDX-License-Identifier: ISC */
/* Groups of methods, by which agents choose their tools. */
#include "daemon/methods/group.h"

#include <string.h>

#include "daemon/agent/agent.h"
#include "daemon/job/job.h"
#include "daemon/methods/tables.h"
#include "daemon/timer/timer.h"
#include "daemon/wait/wait.h"
#include "daemon/watch/watch.h"

static const struct {
	const struct method *table;
	const char *group;
} rows[] = {
    {methods_agent, "agents"},
    {methods_capture, "panes"},
    {methods_command, "tmux"},
    {methods_consumer, "queue"},
    {methods_daemon, "daemon"},
    {methods_execute, "jobs"},
    {methods_fleet, "daemon"},
    {methods_history, "daemon"},
    {methods_input, "panes"},
    {methods_job, "jobs"},
    {methods_list, "panes"},
    {methods_meter, "daemon"},
    {methods_pane, "panes"},
    {methods_presence, "agents"},
    {methods_provide, "daemon"},
    {methods_puller, "queue"},
    {methods_queue, "queue"},
    {methods_rest, "daemon"},
    {methods_self_command, "agents"},
    {methods_subscribe, "events"},
    {methods_timer, "waits"},
    {methods_tool, "daemon"},
    {methods_wait, "waits"},
    {methods_wake_policy, "queue"},
    {methods_watch, "waits"},
    {methods_watch_list, "waits"},
    {methods_window, "panes"},
};

const char *const method_groups[] = {
    "agents", "daemon", "events", "jobs", "panes", "queue", "tmux", "waits", NULL};

const char *method_group(const struct method *method)
{
	if (method->group != NULL)
		return method->group;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (const struct method *row = rows[i].table; row->name != NULL; row++)
			if (strcmp(row->name, method->name) == 0)
				return rows[i].group;
	return NULL;
}

static bool is_built_in(const char *name)
{
	for (const char *const *group = method_groups; *group != NULL; group++)
		if (strcmp(*group, name) == 0)
			return true;
	return false;
}

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

/* Whether a method is the first listed one of a declared group. */
static bool begins_group(const struct method *method)
{
	const struct method *first = NULL;
	if (method->group == NULL || method->flags & METHOD_HIDDEN || is_built_in(method->group))
		return false;
	do
		first = method_next(first);
	while (first->group == NULL || first->flags & METHOD_HIDDEN ||
	    strcmp(first->group, method->group) != 0);
	return first == method;
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
	json_object_end(writer);
}
