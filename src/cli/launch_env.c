/* SPDX-License-Identifier: ISC */
/* The environment of a daemon that muxbus starts. */
#include "cli/launch_env.h"

#include <stddef.h>
#include <unistd.h>

#include "base/secret.h"
#include "base/xalloc.h"

char **launch_env_new(void)
{
	size_t count = 0, kept = 0;
	char **env;
	while (environ[count] != NULL)
		count++;
	env = xcalloc(count + 1, sizeof *env);
	for (size_t i = 0; i < count; i++) {
		if (!secret_is_variable(environ[i]) && !secret_is_agents(environ[i]))
			env[kept++] = environ[i];
	}
	return env;
}
