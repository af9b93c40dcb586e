/* SPDX-License-Identifier: ISC */
/*
 * Edits another program's configuration file in JSON: only the bytes of the given member change,
 * all others stay as they were. Text that is not valid JSON is refused, and so is a value of an
 * unexpected type.
 */
#pragma once

#include "base/base.h"

#define CONFIG_PATH_MAX 8 /* names in a path */

/* The text and, after a failure, the reason. A text of white space only counts as "{}". */
struct config_json {
	struct buf text;
	char reason[256]; /* set when a call returns false */
};

/* Returns false with a reason if the text cannot be edited. Always call config_json_finish(). */
bool config_json_init(struct config_json *config, const char *text, size_t len);
void config_json_finish(struct config_json *config);

/*
 * All of these take a path of member names, ended by NULL. They return false with a reason, and
 * change nothing, if a value on the path has the wrong type. Values are JSON text.
 */

/* Sets a member and makes the objects on its path. With only_new an existing member stays. */
bool config_json_set(
    struct config_json *config, const char *const *path, const char *value, bool only_new);

/*
 * Ensures that an array has an element once. The first element that has mark in its text is
 * replaced, others that have it are removed; without one the element is appended.
 */
bool config_json_set_element(
    struct config_json *config, const char *const *path, const char *mark, const char *value);

/* Removes a member, if it exists, and objects on its path that become empty. */
bool config_json_remove(struct config_json *config, const char *const *path);

/* Removes the elements of an array that have mark in their text, like config_json_remove(). */
bool config_json_remove_elements(
    struct config_json *config, const char *const *path, const char *mark);
