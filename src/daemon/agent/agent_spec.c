/* SPDX-License-Identifier: ISC */
/* The specification of an agent. */
#include "daemon/agent/agent_spec.h"

#include <string.h>
#include <sys/stat.h>

#include "base/xalloc.h"

char **agent_strings_copy(const char *const *strings, size_t count)
{
	char **copy = xcalloc(count + 1, sizeof *copy);
	for (size_t at = 0; at < count; at++)
		copy[at] = xstrdup(strings[at]);
	return copy;
}

void agent_spec_finish(struct agent_spec *plan)
{
	mem_free_strings(plan->command);
	mem_free_strings(plan->env);
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

/* Whether two paths are of one directory, which links and slashes may write in several ways. */
static bool is_same_directory(const char *one, const char *other)
{
	struct stat status, other_status;
	return strcmp(one, other) == 0 ||
	    (stat(one, &status) == 0 && stat(other, &other_status) == 0 &&
		status.st_dev == other_status.st_dev && status.st_ino == other_status.st_ino);
}

const char *agent_spec_difference(const struct agent_spec *one, const struct agent_spec *other)
{
	if (!is_equal(one->command, other->command))
		return "command";
	if (!is_equal(one->env, other->env))
		return "env";
	return is_same_directory(one->cwd, other->cwd) ? NULL : "cwd";
}
