/* SPDX-License-Identifier: ISC */
/* The environment of a daemon that muxbus starts. */
#include "cli/launch_env.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/secret.h"
#include "base/xalloc.h"

/* The beginnings of variables that agents set for their children. */
static const char *const private_prefixes[] = {"AI_AGENT", "ANTHROPIC_", "CLAUDE", "CODEX_",
    "COPILOT_", "GEMINI_", "GIT_CONFIG_COUNT=", "GIT_CONFIG_KEY_",
    "GIT_CONFIG_PARAMETERS=", "GIT_CONFIG_VALUE_", "NODE_CHANNEL_",
    "NODE_ENV=", "NODE_OPTIONS=", "OPENAI_", "OPENCODE", "TMUX_PANE=", NULL};

static bool is_private(const char *variable)
{
	for (size_t i = 0; private_prefixes[i] != NULL; i++) {
		if (strncmp(variable, private_prefixes[i], strlen(private_prefixes[i])) == 0)
			return true;
	}
	return secret_is_variable(variable);
}

char **launch_env_new(void)
{
	size_t count = 0, kept = 0;
	char **env;
	while (environ[count] != NULL)
		count++;
	env = xcalloc(count + 1, sizeof *env);
	for (size_t i = 0; i < count; i++) {
		if (!is_private(environ[i]))
			env[kept++] = environ[i];
	}
	return env;
}
