/* SPDX-License-Identifier: ISC */
/*
 * Edits a JSON file of another program: the given member, and the commas and objects around it as
 * needed. A path has the names of members, ended by NULL. Functions return false with a reason if a
 * value on the path has the wrong type, or if the file has a new name in another spelling; do not
 * write the text then. Values are JSON text.
 */
#pragma once

#include "base/base.h"

#define CONFIG_PATH_MAX 8 /* most names in a path */

/* The text, and the reason of a failure. A text of white space alone counts as "{}". */
struct config_json {
	struct buf text;
	char reason[256]; /* set when a function returns false */
};

/* Returns false with a reason if the text cannot be edited. The caller finishes text. */
bool config_json_init(struct config_json *config, const char *text, size_t len);

/* Sets a member, and creates the objects on its path. only_new: an existing member stays. */
bool config_json_set(
    struct config_json *config, const char *const *path, const char *value, bool only_new);

/*
 * Makes an array contain an element once: replaces the first element whose text contains mark, and
 * removes others with mark. If none has it, appends the element. Creates a missing array.
 */
bool config_json_set_element(
    struct config_json *config, const char *const *path, const char *mark, const char *value);

/* Removes a member if it exists, and objects on its path that become empty; not the outermost. */
bool config_json_remove(struct config_json *config, const char *const *path);

/* Removes the elements whose text contains mark; if that empties the array, as the one above. */
bool config_json_remove_elements(
    struct config_json *config, const char *const *path, const char *mark);
