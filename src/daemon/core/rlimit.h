/* SPDX-License-Identifier: ISC */
/* This process raises its limit of descriptors; its programs get the original limit. */
#pragma once

#include <sys/resource.h>

#include "base/std.h"

/* Raises the soft limit to the hard one. */
void rlimit_raise_files(void);

/* Returns the original limit, for programs that are started, or NULL if it was not raised. */
const struct rlimit *rlimit_given_files(void);

/* Returns how many descriptors peers and jobs may use; the others are for the daemon. */
size_t rlimit_file_room(void);

/* Returns words that say which limit was reached and how to raise it, or NULL. */
const char *rlimit_text(int error);
