/* SPDX-License-Identifier: ISC */
/* What an agent is to be. */
#include "daemon/agent/agent_spec.h"

#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"

char **agent_strings_copy(const char *const *strings, size_t count)
{
	char **copy = xcalloc(count + 1, sizeof *copy);

	for (size_t at = 0; at < count; at++)
		copy[at] = xstrdup(strings[at]);
	return copy;
}

void agent_strings_free(char **strings)
{
	for (size_t at = 0; strings != NULL && strings[at] != NULL; at++)
		mem_free(strings[at]);
	mem_free(strings);
}

void agent_spec_finish(struct agent_spec *plan)
{
	agent_strings_free(plan->command);
	agent_strings_free(plan->env);
	mem_free(plan->cwd);
	mem_free(plan->prompt);
	*plan = (struct agent_spec){0};
}

static bool is_equal(char *const *one, char *const *other)
{
	for (; *one != NULL && *other != NULL; one++, other++) {
		if (strcmp(*one, *other) != 0)
			return false;
	}
	return *one == NULL && *other == NULL;
}

bool agent_spec_equal(const struct agent_spec *one, const struct agent_spec *other)
{
	return is_equal(one->command, other->command) && is_equal(one->env, other->env) &&
	    strcmp(one->cwd, other->cwd) == 0;
}

static void write_strings(struct json_writer *writer, const char *name, char *const *strings)
{
	json_array_begin(writer, name);
	for (; *strings != NULL; strings++)
		(void)json_put_text(writer, NULL, *strings, strlen(*strings));
	json_array_end(writer);
}

void agent_spec_write(struct json_writer *writer, const struct agent_spec *plan)
{
	json_put_str(writer, "name", plan->name);
	write_strings(writer, "command", plan->command);
	write_strings(writer, "env", plan->env);
	(void)json_put_text(writer, "cwd", plan->cwd, strlen(plan->cwd));
	json_put_str(writer, "prompt", plan->prompt);
	json_put_int(writer, "width", plan->width);
	json_put_int(writer, "height", plan->height);
	json_put_int(writer, "history_limit", plan->history_limit);
	json_put_int(writer, "startup_timeout_ms", plan->startup_timeout_ms);
}

static char **read_strings(const struct json *value, const char *name)
{
	const struct json *list = json_member(value, name);
	char **strings;
	size_t at = 0;

	if (list == NULL || list->type != JSON_ARRAY)
		return NULL;
	strings = xcalloc(list->count + 1, sizeof *strings);
	for (const struct json *element = list->child; element != NULL; element = element->next) {
		if (element->type == JSON_STRING)
			strings[at++] = xstrdup(element->text);
	}
	return strings;
}

static int64_t read_int(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	int64_t number = 0;

	return member != NULL && json_int(member, &number) ? number : 0;
}

static char *read_text(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);

	return member != NULL && member->type == JSON_STRING ? xstrdup(member->text) : NULL;
}

bool agent_spec_read(const struct json *value, struct agent_spec *ret_plan)
{
	const struct json *name = json_member(value, "name");

	*ret_plan = (struct agent_spec){
	    .command = read_strings(value, "command"),
	    .env = read_strings(value, "env"),
	    .cwd = read_text(value, "cwd"),
	    .prompt = read_text(value, "prompt"),
	    .width = read_int(value, "width"),
	    .height = read_int(value, "height"),
	    .history_limit = read_int(value, "history_limit"),
	    .startup_timeout_ms = read_int(value, "startup_timeout_ms"),
	};
	if (name == NULL || name->type != JSON_STRING || name->len > AGENT_NAME_MAX)
		return false;
	snprintf(ret_plan->name, sizeof ret_plan->name, "%s", name->text);
	return ret_plan->command != NULL && ret_plan->command[0] != NULL && ret_plan->env != NULL &&
	    ret_plan->cwd != NULL && ret_plan->width > 0 && ret_plan->height > 0;
}
