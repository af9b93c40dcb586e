/* SPDX-License-Identifier: ISC */
/* The state directory, or one for sockets; refused if another user could have changed its files. */
#pragma once

#include "base/base.h"

/*
 * Makes the directory (0700) and its missing parents, or checks the existing ones. Refuses a
 * directory that is not ours, is a symbolic link, or is writable by others. Refuses parents as
 * file_check_parents() does. Returns a descriptor, or -1 with a reason and advice.
 */
int state_dir_open(const char *path, char *ret_reason, size_t size);
