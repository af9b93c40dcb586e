/* SPDX-License-Identifier: ISC */
/*
 * The environment of a daemon that a child of an agent starts. The daemon outlives the agent,
 * serves others, and passes its environment on to jobs.
 */
#ifndef CLI_LAUNCH_ENV_H
#define CLI_LAUNCH_ENV_H

/* Removes from our own environment the agent's variables, and those that look like secrets. */
void launch_env_clean(void);

#endif
