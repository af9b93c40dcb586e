/* SPDX-License-Identifier: ISC */
/* Environments of jobs, and changes of them. */
#include "daemon/job/job.h"

const char **job_env_join(const char *const *one, const char *const *other, size_t max)
{
	const char *const *lists[] = {one, other};
	size_t count = 0, size = 0;
	const char **joined;
	char *text;
	for (size_t list = 0; list < 2; list++)
		for (size_t at = 0; lists[list] != NULL && lists[list][at] != NULL; at++, count++)
			size += strlen(lists[list][at]) + 1;
	if (size > max)
		return NULL;
	joined = xcalloc(1, (count + 1) * sizeof *joined + size);
	text = (char *)(joined + count + 1);
	count = 0;
	for (size_t list = 0; list < 2; list++)
		for (size_t at = 0; lists[list] != NULL && lists[list][at] != NULL; at++) {
			joined[count++] = text;
			text = stpcpy(text, lists[list][at]) + 1;
		}
	return joined;
}

static size_t count_strings(const char *const *strings)
{
	size_t count = 0;
	while (strings != NULL && strings[count] != NULL)
		count++;
	return count;
}

static void change_env(const char **env, size_t *count, const char *change)
{
	size_t len = strcspn(change, "=");
	size_t place = 0;
	while (place < *count && (strncmp(env[place], change, len) != 0 || env[place][len] != '='))
		place++;
	if (change[0] == '\0') {
		*count = 0;
	} else if (change[len] == '=') {
		*count += place == *count;
		env[place] = change;
	} else if (place < *count) {
		env[place] = env[--*count];
	}
	env[*count] = NULL;
}

const char **job_env_make(const char *const *session, const char *const *own, const char *id)
{
	const char *const *lists[] = {session, own};
	size_t count = count_strings((const char *const *)environ);
	const char **env =
	    xcalloc(count + count_strings(lists[0]) + count_strings(lists[1]) + 2, sizeof *env);
	memcpy(env, environ, count * sizeof *env);
	for (size_t list = 0; list < 2; list++)
		for (size_t at = 0; lists[list] != NULL && lists[list][at] != NULL; at++)
			change_env(env, &count, lists[list][at]);
	env[count++] = xasprintf("MUXBUS_JOB=%s", id);
	env[count] = NULL;
	return env;
}
