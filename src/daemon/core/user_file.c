/* SPDX-License-Identifier: ISC */
/* Files of the user's configuration. */
#include "daemon/core/user_file.h"

#include <stdio.h>
#include <stdlib.h>

bool user_file_find(const char *name, char ret_path[PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int len = -1;
	if (config != NULL && *config == '/')
		len = snprintf(ret_path, PATH_MAX, "%s/muxbus/%s", config, name);
	else if (home != NULL)
		len = snprintf(ret_path, PATH_MAX, "%s/.config/muxbus/%s", home, name);
	if (len >= 0 && len < PATH_MAX)
		return true;
	ret_path[0] = '\0';
	return false;
}
