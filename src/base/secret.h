/* SPDX-License-Identifier: ISC */
/* Guesses which environment variables hold a secret, and which are meant for an agent. */
#pragma once

#include "base/std.h"

/* Returns true if "NAME=value" looks like a secret, by a word of the name or by the value. */
bool secret_is_variable(const char *variable);

/*
 * Returns true if "NAME=value" is meant for an agent or its children: a program that outlives the
 * agent, such as the daemon, must not pass it on.
 */
bool secret_is_agents(const char *variable);
