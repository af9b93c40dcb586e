/* SPDX-License-Identifier: ISC */
/* The environment of a daemon that an agent's child starts. */
#include "cli/launch_env.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not secrets, despite their names: sockets and files of an SSH agent and a display. */
static const char *const harmless[] = {"SSH_AUTH_SOCK", "XAUTHORITY", NULL};

static const char *const secret_parts[] = {
    "AUTH", "CERT", "CREDENTIAL", "KEY", "PASSW", "PRIVATE", "SECRET", "TOKEN", NULL};

/* Variables that agents set for their children. */
static const char *const private_prefixes[] = {"AI_AGENT", "ANTHROPIC_", "CLAUDE", "CODEX_",
    "COPILOT_", "GEMINI_", "NODE_", "OPENAI_", "OPENCODE", "TMUX_PANE", NULL};

/* Whether a variable is the agent's own, or looks like a secret. */
static bool is_private(const char *name)
{
	for (size_t i = 0; harmless[i] != NULL; i++) {
		if (strcmp(name, harmless[i]) == 0)
			return false;
	}
	for (size_t i = 0; private_prefixes[i] != NULL; i++) {
		if (strncmp(name, private_prefixes[i], strlen(private_prefixes[i])) == 0)
			return true;
	}
	for (size_t i = 0; secret_parts[i] != NULL; i++) {
		if (strcasestr(name, secret_parts[i]) != NULL)
			return true;
	}
	return false;
}

void launch_env_clean(void)
{
	char name[256];
	size_t i = 0;
	while (environ[i] != NULL) {
		size_t len = strcspn(environ[i], "=");
		/* Longer names are unknown to us: they stay. */
		(void)snprintf(
		    name, sizeof name, "%.*s", len < sizeof name ? (int)len : 0, environ[i]);
		if (*name && is_private(name) && unsetenv(name) == 0)
			i = 0;
		else
			i++;
	}
}
