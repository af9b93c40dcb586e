/* SPDX-License-Identifier: ISC */
/*
 * Names of jobs: unique while the jobs run, and accepted wherever an id is. A text is first
 * compared with ids. If several jobs have a name, the name means the running one, else the latest.
 */
#pragma once

#include "base/base.h"

struct job_set;
struct request;

/* The field for job_name_get(), of a struct of arguments with the member job. */
#define JOB_FIELD(args_struct)                                                       \
	{FIELD_ROW(STRING, struct args_struct, job, "job"), .flags = FIELD_REQUIRED, \
	    .help = "Its id or name."},                                              \
	{                                                                            \
		.name = "id", .flags = FIELD_ALIAS                                   \
	}

/* Returns the job with this id or name, or NULL. */
const struct job *job_name_find(const struct job_set *set, const char *text);

/* As job_name_find(); if there is no such job, fails the request and returns NULL. */
const struct job *job_name_get(struct request *request, const char *text);

/* Returns the id of the job with this id or name, or text if there is no such job. */
const char *job_name_id(const struct job_set *set, const char *text);

/*
 * Checks the name of a new job (NULL: no name, allowed): it must not look like an id, and no
 * running job may have it. Returns false after failing the request.
 */
bool job_name_check(struct request *request, const char *name);
