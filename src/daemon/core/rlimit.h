/* SPDX-License-Identifier: ISC */
/*
 * The limit of open descriptors (RLIMIT_NOFILE). The daemon raises its own limit, and gives the
 * original limit to programs that it starts. Also texts about this and other limits.
 */
#pragma once

#include <sys/resource.h>

#include "base/std.h"

/* Raises the limit of this process to the hard limit. */
void rlimit_raise_files(void);

/* Returns the original limit, for programs that are started; NULL: not known. */
const struct rlimit *rlimit_given_files(void);

/* Returns how many descriptors may be used for peers and jobs. */
size_t rlimit_file_room(void);

/* Returns a text that explains an errno of a limit, and where to look; NULL: another errno. */
const char *rlimit_text(int error);
