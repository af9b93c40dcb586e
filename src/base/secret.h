/* SPDX-License-Identifier: ISC */
/* Guesses from names and values which environment variables hold a secret. */
#pragma once

#include "base/std.h"

/* Returns true if "NAME=value" looks like a secret. "_" separates the words of a name. */
bool secret_is_variable(const char *variable);

/* Returns true if an agent sets this variable for its children; other programs do not need it. */
bool secret_is_agents(const char *variable);
