/* SPDX-License-Identifier: ISC */
/*
 * The limit of open descriptors: this process takes as many as the system allows; programs
 * that it starts get the original limit.
 */
#pragma once

#include <sys/resource.h>

/* Raises the soft limit to the hard one. */
void rlimit_raise_files(void);

/* The original limit, for the programs that are started; NULL: it was not raised. */
const struct rlimit *rlimit_given_files(void);
