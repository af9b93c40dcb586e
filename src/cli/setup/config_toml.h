/* SPDX-License-Identifier: ISC */
/*
 * Edits one table of another program's configuration file in TOML: all other lines stay as they
 * were. It knows statements, strings and brackets, and takes values as they are. A table that is
 * written in another form than under a header of its own is refused, and so is a text in which a
 * string or bracket has no end. Codex has no command for it: `codex mcp add` writes two of our
 * five keys, drops a person's comments and replaces a person's own entry.
 */
#pragma once

#include "base/base.h"

struct config_toml {
	const char *table; /* borrowed */
	struct buf text;
	char reason[256]; /* set when a call returns false */
};

/*
 * The table is named by bare keys with dots, and outlives config. Returns false with a reason if
 * the text cannot be edited. Always call config_toml_finish().
 */
bool config_toml_init(struct config_toml *config, const char *table, const char *text, size_t len);
void config_toml_finish(struct config_toml *config);

/*
 * Sets a bare key in the table; a missing table is added at the end of the text. value is TOML on
 * one line. With only_new an existing key stays.
 */
bool config_toml_set(struct config_toml *config, const char *key, const char *value, bool only_new);

/*
 * The value of a key in the table, as text, or the pairs of the table (key NULL); NULL without
 * one. Lent until the next change.
 */
const char *config_toml_get(struct config_toml *config, const char *key, size_t *ret_len);

/* Removes the table and those below it, if they exist, with the comments inside. */
bool config_toml_remove(struct config_toml *config);
