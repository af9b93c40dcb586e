/* SPDX-License-Identifier: ISC */
/* Where muxbus-job is. */
#include "daemon/core/supervisor.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void supervisor_find(char *out, size_t size)
{
	static const char *const beside[] = {"muxbus-job", "../muxbus-job"};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;
	self[len > 0 ? len : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t at = 0; slash != NULL && at < sizeof beside / sizeof *beside; at++) {
		if ((size_t)snprintf(out, size, "%.*s/%s", (int)(slash - self), self, beside[at]) <
			size &&
		    access(out, X_OK) == 0)
			return;
	}
	(void)snprintf(out, size, "%s/muxbus-job", MUXBUS_LIBEXECDIR);
}
