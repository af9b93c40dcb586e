/* SPDX-License-Identifier: ISC */
/*
 * Secrets in an environment: which variables hold one, by their names and values. A guess, made
 * so that common secrets go and common settings stay.
 */
#pragma once

#include "base/std.h"

/*
 * Whether a variable, as "NAME=value", looks like a secret. Names are read as words between
 * underscores: GITHUB_TOKEN is one, TOKENIZERS_PARALLELISM is none.
 */
bool secret_is_variable(const char *variable);

/* Whether an agent sets such a variable for its children, which concerns no other program. */
bool secret_is_agents(const char *variable);
