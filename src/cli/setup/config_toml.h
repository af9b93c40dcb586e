/* SPDX-License-Identifier: ISC */
/*
 * Edits one table of a TOML file of another program. Refuses a table that is not under its own
 * header, and text whose keys, headers, strings or brackets it cannot read.
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

/* Sets a key to TOML on one line, unless key.x or (only_new) the key exists. Adds the table. */
bool config_toml_set(struct config_toml *config, const char *key, const char *value, bool only_new);

/* Returns the value of a key or its first key.x (NULL: all pairs), lent until a change, or NULL. */
const char *config_toml_get(struct config_toml *config, const char *key, size_t *ret_len);

/* Removes the table and the tables inside of it, with comments up to the last pair of each. */
bool config_toml_remove(struct config_toml *config);
