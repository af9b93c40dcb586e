/* SPDX-License-Identifier: ISC */
/*
 * Guesses which environment variables hold a secret, from their names and values: common secrets
 * are found, and common settings are not taken for one.
 */
#pragma once

#include "base/std.h"

/*
 * Returns true if a variable, "NAME=value", looks like a secret. Underscores separate the words of
 * a name: GITHUB_TOKEN is a secret, TOKENIZERS_PARALLELISM is not.
 */
bool secret_is_variable(const char *variable);

/* Returns true if an agent sets this variable for its children; other programs do not need it. */
bool secret_is_agents(const char *variable);
