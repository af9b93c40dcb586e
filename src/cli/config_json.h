/* SPDX-License-Identifier: ISC */
/*
 * Changing a configuration file in JSON that is somebody else's: only the bytes of the member
 * that is meant change, all others stay as they were written. What is no JSON, as we read it,
 * is refused, and so is what is of another type than expected.
 */
#ifndef CLI_CONFIG_JSON_H
#define CLI_CONFIG_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define CONFIG_PATH_MAX 8 /* names in a path */

/* What is edited, and why it could not be. A text of nothing but white space is "{}". */
struct config_json {
	struct buf text;
	char reason[256]; /* set when a call returns false */
};

/* False, with the reason, if the text cannot be edited. Free with config_json_finish() anyway. */
bool config_json_init(struct config_json *config, const char *text, size_t len);
void config_json_finish(struct config_json *config);

/*
 * All of these take a path of member names, ended by NULL, and return false with a reason if
 * something on it is not what it must be; nothing was changed then. Values are JSON text.
 */

/* Sets a member, making the objects that lead to it. With only_new one that is there stays. */
bool config_json_set(
    struct config_json *config, const char *const *path, const char *value, bool only_new);

/*
 * Sees to it that an array has an element, once: the first that has mark in its text is
 * replaced, others that have it are removed; if there is none it is appended.
 */
bool config_json_set_element(
    struct config_json *config, const char *const *path, const char *mark, const char *value);

/* Removes a member, if it is there, and objects on the way that become empty by that. */
bool config_json_remove(struct config_json *config, const char *const *path);

/* Removes the elements of an array that have mark in their text; as config_json_remove(). */
bool config_json_remove_elements(
    struct config_json *config, const char *const *path, const char *mark);

#endif
