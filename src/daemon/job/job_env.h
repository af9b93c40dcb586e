/* SPDX-License-Identifier: ISC */
/*
 * Changes of an environment, as NULL-terminated lists: "NAME=value" sets a variable, "NAME" removes
 * it, "" removes all variables so far.
 */
#pragma once

#include "base/base.h"

/* Joins two lists (NULL: empty); the caller frees. Returns NULL if the strings exceed max bytes. */
const char **job_env_join(const char *const *one, const char *const *other, size_t max);

/*
 * Returns the environment of a job: the daemon's with two lists of changes (NULL: none), and the
 * job's id as last string. The caller frees the array and its last string.
 */
const char **job_env_make(const char *const *session, const char *const *own, const char *id);
