/* SPDX-License-Identifier: ISC */
/* The search of muxbus help: what has some words in its text. */
#ifndef CLI_HELP_SEARCH_H
#define CLI_HELP_SEARCH_H

#include <stdbool.h>

#include "cli/help/help_page.h"
#include "wire/json.h"

/* Adds the tasks of muxbus(1) that have all words: each is a command. False: there are none. */
bool help_tasks(struct help_page *page, char *const *words, size_t count);

/*
 * Adds these, and the entries whose name or summary has all words, in upper or lower case, as
 * beginnings of words; then the names of those that have them in their longer texts. False: there
 * is nothing.
 */
bool help_search(
    struct help_page *page, const struct json *tables, char *const *words, size_t count);

#endif
