/* SPDX-License-Identifier: ISC */
/* The kinds of conditions, of all tables. */
#include "daemon/wait/condition_kind.h"

#include <string.h>

static const struct condition_kind *const none[] = {NULL};
static const struct condition_kind *const *condition_tables = none;

void condition_kind_set_tables(const struct condition_kind *const *tables)
{
	condition_tables = tables;
}

const struct condition_kind *condition_kind_next(const struct condition_kind *previous)
{
	const struct condition_kind *next = NULL;
	for (const struct condition_kind *const *table = condition_tables; *table != NULL;
	     table++) {
		for (const struct condition_kind *kind = *table; kind->name != NULL; kind++) {
			if (previous != NULL && strcmp(kind->name, previous->name) <= 0)
				continue;
			if (next == NULL || strcmp(kind->name, next->name) < 0)
				next = kind;
		}
	}
	return next;
}
