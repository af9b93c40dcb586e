/* SPDX-License-Identifier: ISC */
/*
 * Names of jobs: unique while they run, and accepted wherever an id is. An id goes first; the
 * name of several jobs means the one that runs, else the latest.
 */
#pragma once

#include "base/base.h"

struct job_set;
struct request;

/* The job of an id or a name; NULL if there is none. */
const struct job *job_name_find(const struct job_set *set, const char *text);

/* The same; NULL after failing the request. */
const struct job *job_name_get(struct request *request, const char *text);

/* The id of the job of that name; text itself if no job has that name. */
const char *job_name_id(const struct job_set *set, const char *text);

/*
 * Whether a new job may have this name (NULL: none): not one that could be an id, nor that of a
 * running job. False after failing the request.
 */
bool job_name_check(struct request *request, const char *name);
