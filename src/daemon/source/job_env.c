/* SPDX-License-Identifier: ISC */
/* Changes of an environment as lists. */
#include "daemon/source/job_env.h"

#include <string.h>

#include "base/xalloc.h"

const char **job_env_join(const char *const *one, const char *const *other, size_t max)
{
	const char *const *lists[] = {one, other};
	size_t count = 0, size = 0;
	const char **joined;
	char *text;
	for (size_t list = 0; list < 2; list++)
		for (size_t at = 0; lists[list] != NULL && lists[list][at] != NULL; at++, count++)
			size += strlen(lists[list][at]) + 1;
	if (size > max)
		return NULL;
	joined = xcalloc(1, (count + 1) * sizeof *joined + size);
	text = (char *)(joined + count + 1);
	count = 0;
	for (size_t list = 0; list < 2; list++)
		for (size_t at = 0; lists[list] != NULL && lists[list][at] != NULL; at++) {
			joined[count++] = text;
			text = stpcpy(text, lists[list][at]) + 1;
		}
	return joined;
}
