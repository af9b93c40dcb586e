/* SPDX-License-Identifier: ISC */
/*
 * Changing one table of a configuration file in TOML that is somebody else's, line by line:
 * all other lines stay as they were written. What writes that table in another way than under
 * a header of its own, or cannot be followed, is refused.
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

/* False, with the reason, if the text cannot be edited. Free with config_toml_finish() anyway. */
bool config_toml_init(struct config_toml *config, const char *text, size_t len);
void config_toml_finish(struct config_toml *config);

/*
 * Sets a key in the table [parent.name], which is made at the end of the text if there is
 * none. The names are bare keys, value is TOML on one line. With only_new a key that is there
 * stays.
 */
bool config_toml_set(struct config_toml *config, const char *parent, const char *name,
    const char *key, const char *value, bool only_new);

/* Removes the table and those below it, if they are there, with the comments inside. */
bool config_toml_remove(struct config_toml *config, const char *parent, const char *name);

#endif
