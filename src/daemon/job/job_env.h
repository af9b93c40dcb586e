/* SPDX-License-Identifier: ISC */
/*
 * Changes of an environment as lists: "NAME=value" sets, "NAME" removes, "" removes all before it;
 * NULL-terminated.
 */
#pragma once

#include "base/base.h"

/*
 * Copies two lists (NULL: empty) into one, which is one block of memory. NULL if the strings have
 * more than max bytes.
 */
const char **job_env_join(const char *const *one, const char *const *other, size_t max);

/*
 * The environment of a job: the daemon's with two lists of changes (NULL: none), and the job's id
 * last. The caller frees the array and the last string.
 */
const char **job_env_make(const char *const *session, const char *const *own, const char *id);
