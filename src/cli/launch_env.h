/* SPDX-License-Identifier: ISC */
/*
 * The environment of a daemon that muxbus starts. The daemon outlives its caller, which may be an
 * agent, serves others, and passes its environment on to jobs.
 */
#ifndef CLI_LAUNCH_ENV_H
#define CLI_LAUNCH_ENV_H

/*
 * Our own environment without the variables of agents, and without those that look like secrets;
 * NULL-terminated. The caller frees the array; the strings stay ours.
 */
char **launch_env_new(void);

#endif
