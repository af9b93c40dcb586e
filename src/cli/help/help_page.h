/* SPDX-License-Identifier: ISC */
/* A page of help: titles, entries of a name with a text; what has some words in its text. */
#pragma once

#include "wire/json.h"

#define HELP_PAGE_MAX ((size_t)4 * 1024 * 1024) /* bytes; more is cut */
#define HELP_NAME_COLUMNS 22 /* the texts of entries begin there */

struct help_page {
	struct buf out;
	size_t columns; /* of the terminal */
	bool has_color;
	bool is_for_grep; /* each entry is one line */
};

void help_page_title(struct help_page *page, const char *text);
void help_page_wrap(struct help_page *page, const char *text, size_t indent, size_t at);
void help_page_entry(struct help_page *page, const char *name, const char *text);

/* Adds the tasks of muxbus(1) that have all words: each is a command. False: there are none. */
bool help_tasks(struct help_page *page, char *const *words, size_t count);

/*
 * Adds these, and the entries whose name or summary has all words, in upper or lower case, as
 * beginnings of words; then the names of those that have them in their longer texts. False: there
 * is nothing.
 */
bool help_search(
    struct help_page *page, const struct json *tables, char *const *words, size_t count);

/*
 * Shows the text by $PAGER, else less, and waits for the pager's end. Returns false if the text
 * fits the terminal, or no pager could be run: nothing was printed then.
 */
bool pager_show(const char *text, size_t len);
