/* SPDX-License-Identifier: ISC */
/* Files of the user's configuration: in $XDG_CONFIG_HOME/muxbus, else in ~/.config/muxbus. */
#ifndef DAEMON_CORE_USER_FILE_H
#define DAEMON_CORE_USER_FILE_H

#include <limits.h>
#include <stdbool.h>

/* The path of a file, which need not exist. False and "" if there is no place for it. */
bool user_file_find(const char *name, char ret_path[PATH_MAX]);

#endif
