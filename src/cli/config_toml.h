/* SPDX-License-Identifier: ISC */
/*
 * Edits one table of another program's configuration file in TOML, line by line: all other lines
 * stay as they were. A table that is written in another form than under a header of its own is
 * refused, and so is text that cannot be parsed.
 */
#ifndef CLI_CONFIG_TOML_H
#define CLI_CONFIG_TOML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct config_toml {
	struct buf text;
	char reason[256]; /* set when a call returns false */
};

/* Returns false with a reason if the text cannot be edited. Always call config_toml_finish(). */
bool config_toml_init(struct config_toml *config, const char *text, size_t len);
void config_toml_finish(struct config_toml *config);

/*
 * Sets a key in the table [parent.name]; a missing table is added at the end of the text. The
 * names are bare keys, value is TOML on one line. With only_new an existing key stays.
 */
bool config_toml_set(struct config_toml *config, const char *parent, const char *name,
    const char *key, const char *value, bool only_new);

/*
 * The value of a key in the table, as text, or the pairs of the table (key NULL); NULL without one, or where the table has a form that is
 * not edited. Lent until the next change.
 */
const char *config_toml_get(struct config_toml *config, const char *parent, const char *name,
    const char *key, size_t *ret_len);

/* Removes the table and those below it, if they exist, with the comments inside. */
bool config_toml_remove(struct config_toml *config, const char *parent, const char *name);

#endif
