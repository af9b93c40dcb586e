/* SPDX-License-Identifier: ISC */
/*
 * The limit of open descriptors (RLIMIT_NOFILE): the daemon raises its own; programs that it starts
 * get the original one.
 */
#pragma once

#include <sys/resource.h>

#include "base/std.h"

/* Raises the limit of this process to the hard limit. */
void rlimit_raise_files(void);

/* Returns the original limit, for programs that are started, or NULL if it was not raised. */
const struct rlimit *rlimit_given_files(void);

/* Returns how many descriptors peers and jobs may use; the others are for the daemon. */
size_t rlimit_file_room(void);

/* Returns a text that says which limit caused this errno and how to raise it, or NULL. */
const char *rlimit_text(int error);
