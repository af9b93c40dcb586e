/* SPDX-License-Identifier: ISC */
/* A page of help: titles, entries with a name and a text, and results of a search. */
#pragma once

#include "wire/json.h"

#define HELP_PAGE_MAX ((size_t)4 * 1024 * 1024) /* bytes; further text is cut off */
#define HELP_NAME_COLUMNS 22 /* the column where texts of entries begin, if the name leaves room */

struct help_page {
	struct buf out;
	size_t columns; /* of the terminal; a default in a pipe */
	bool has_color;
	bool is_for_grep; /* in a pipe: one line per entry */
};

void help_page_title(struct help_page *page, const char *text);
/* As screen_text_wrap(), for the page. */
void help_page_wrap(struct help_page *page, const char *text, size_t indent, size_t at);
/* Adds a name, made visible, and a text at HELP_NAME_COLUMNS: later if a name in a pipe is long. */
void help_page_entry(struct help_page *page, const char *name, const char *text);

/* Adds the tasks of muxbus(1) that have all words: commands with a comment. False if none has. */
bool help_tasks(struct help_page *page, char *const *words, size_t count);

/*
 * Adds the results of a search in the tables of describe and in muxbus(1). First come tasks, then
 * entries whose name and summary have all words, then the names of entries whose longer text has
 * the missing words. A word matches the beginning of a word; upper and lower case are the same.
 * Returns false if nothing matches.
 */
bool help_search(
    struct help_page *page, const struct json *tables, char *const *words, size_t count);

/*
 * Shows the text in the program $PAGER (default: less), and waits for its end. Returns false,
 * without showing the text, if it fits on the screen, if $PAGER is empty or "cat", if the terminal
 * is dumb or of unknown size, or if the program cannot be run.
 */
bool pager_show(const char *text, size_t len);
