/* SPDX-License-Identifier: ISC */
/*
 * Names of jobs: unique while they run, and accepted wherever an id is. An id goes first; the
 * name of several jobs means the one that runs, else the latest.
 */
#ifndef DAEMON_JOB_JOB_NAME_H
#define DAEMON_JOB_JOB_NAME_H

#include <stdbool.h>

struct job;
struct job_set;

/* The job of an id or a name; NULL if there is none. */
const struct job *job_name_find(const struct job_set *set, const char *text);

/* The id of the job of that name; text itself if no job has that name. */
const char *job_name_id(const struct job_set *set, const char *text);

/* Whether a name could be an id: "A1B2", "A1B2C3". Such names are refused. */
bool job_name_has_id_form(const char *name);

#endif
