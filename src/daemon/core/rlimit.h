/* SPDX-License-Identifier: ISC */
/*
 * The limits of the system. Of descriptors this process takes as many as are allowed; programs
 * that it starts get the original limit.
 */
#pragma once

#include <sys/resource.h>

#include "base/std.h"

/* Raises the soft limit to the hard one. */
void rlimit_raise_files(void);

/* The original limit, for the programs that are started; NULL: it was not raised. */
const struct rlimit *rlimit_given_files(void);

/* How many descriptors peers, or jobs, may have: the others are for all else. */
size_t rlimit_file_room(void);

/* The words for an error number that says what is short, and the setting for it; else NULL. */
const char *rlimit_text(int error);
