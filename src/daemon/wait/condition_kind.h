/* SPDX-License-Identifier: ISC */
/* The kinds of conditions: rows of tables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "wire/field.h"

struct condition;
struct request;

/* One kind. arm fails the request and returns false if the condition cannot be. */
struct condition_kind {
	const char *name; /* the member by which it is known; NULL ends the table */
	const char *help; /* one sentence */
	const char *about; /* more, for the manual; NULL: none */
	const char *example; /* the object as JSON text */
	const struct field *fields; /* the one of this name first */
	const char *pane_member; /* that names its pane; NULL: it is never about one */
	bool needs_tmux; /* it is always about a pane, and follows it */
	bool reads_disk; /* it looks at files that a person's rights open */
	bool follows; /* it needs events of tmux too, without a pane */
	bool
	    by_output; /* the output of its pane tells it, by a pipe too, or the end of a process */
	/* Members that name objects of tmux, NULL-terminated: with one it needs tmux. NULL: none. */
	const char *const *tmux_members;
	size_t args_size;
	bool (*arm)(struct condition *condition, struct request *request, const void *args);
	void (*disarm)(struct condition *condition); /* frees what arm made; called once */
};

/* The tables of kinds; each ended by a row without a name. */
extern const struct condition_kind condition_kinds_agent[];
extern const struct condition_kind condition_kinds_cpu[];
extern const struct condition_kind condition_kinds_event[];
extern const struct condition_kind condition_kinds_file[];
extern const struct condition_kind condition_kinds_job[];
extern const struct condition_kind condition_kinds_notification[];
extern const struct condition_kind condition_kinds_pane[];
extern const struct condition_kind condition_kinds_prompt[];
extern const struct condition_kind condition_kinds_sec[];

/* Takes all tables, NULL-terminated and lent: before anything else here. */
void condition_kind_set_tables(const struct condition_kind *const *tables);

/* Walks all kinds sorted by name: NULL starts, NULL ends. */
const struct condition_kind *condition_kind_next(const struct condition_kind *previous);
