/* SPDX-License-Identifier: ISC */
/*
 * The environment of a daemon that an agent's child starts: the daemon outlives the agent and
 * serves others, and what it has its jobs have.
 */
#ifndef CLI_LAUNCH_ENV_H
#define CLI_LAUNCH_ENV_H

#include <stdbool.h>

/* Whether a variable is the agent's own, or looks like a secret. */
bool launch_env_is_private(const char *name);

/* Takes those out of our own environment. */
void launch_env_clean(void);

#endif
