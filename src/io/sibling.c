/* SPDX-License-Identifier: ISC */
/* Finding the programs beside this one. */
#include "io/sibling.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void sibling_find(const char *name, char *out, size_t size)
{
	static const char *const ways[] = {"", "../"};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;
	self[len > 0 ? len : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t at = 0; slash != NULL && at < sizeof ways / sizeof *ways; at++) {
		if ((size_t)snprintf(
			out, size, "%.*s/%s%s", (int)(slash - self), self, ways[at], name) < size &&
		    access(out, X_OK) == 0)
			return;
	}
	(void)snprintf(out, size, "%s/%s", MUXBUS_LIBEXECDIR, name);
}
