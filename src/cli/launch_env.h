/* SPDX-License-Identifier: ISC */
/*
 * The environment of a daemon that an agent's child starts: the daemon outlives the agent and
 * serves others, and what it has its jobs have.
 */
#ifndef CLI_LAUNCH_ENV_H
#define CLI_LAUNCH_ENV_H

/* Removes from our own environment the agent's variables, and those that look like secrets. */
void launch_env_clean(void);

#endif
