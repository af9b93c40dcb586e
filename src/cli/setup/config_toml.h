/* SPDX-License-Identifier: ISC */
/*
 * Edits one table of a TOML file of another program. Refuses a table that is not under its own
 * header, and text in which a string or bracket has no end.
 */
#pragma once

#include "base/base.h"

struct config_toml {
	const char *table; /* lent */
	struct buf text;
	char reason[256]; /* set when a function returns false */
};

/* table: bare keys with dots, lent. Returns false with a reason. The caller finishes the text. */
bool config_toml_init(struct config_toml *config, const char *table, const char *text, size_t len);

/* Sets a bare key to TOML on one line. Adds a missing table. only_new: an existing key stays. */
bool config_toml_set(struct config_toml *config, const char *key, const char *value, bool only_new);

/* Returns a key's value (key NULL: all pairs), lent until the next change, or NULL without one. */
const char *config_toml_get(struct config_toml *config, const char *key, size_t *ret_len);

/* Removes the table and the tables inside of it, with their comments. */
bool config_toml_remove(struct config_toml *config);
