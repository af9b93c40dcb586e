/* SPDX-License-Identifier: ISC */
/* A page of help: titles, and entries of a name with a text. */
#ifndef CLI_HELP_PAGE_H
#define CLI_HELP_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

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

#endif
