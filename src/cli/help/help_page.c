/* SPDX-License-Identifier: ISC */
/* A page of help. */
#include "cli/help/help_page.h"

#include <string.h>

#include "base/cells.h"
#include "cli/screen_text.h"

void help_page_title(struct help_page *page, const char *text)
{
	(void)buf_printf(&page->out, "%s%s%s%s\n", page->out.len > 0 ? "\n" : "",
	    screen_style(page->has_color, SCREEN_BOLD), text,
	    screen_style(page->has_color, SCREEN_PLAIN));
}

void help_page_wrap(struct help_page *page, const char *text, size_t indent, size_t at)
{
	screen_text_wrap(&page->out, text, page->columns, indent, at);
}

void help_page_entry(struct help_page *page, const char *name, const char *text)
{
	size_t width = cells_width(name, strlen(name)), gap = 1;
	(void)buf_printf(&page->out, "  %s%s%s", screen_style(page->has_color, SCREEN_NAME), name,
	    screen_style(page->has_color, SCREEN_PLAIN));
	if (width + 3 <= HELP_NAME_COLUMNS)
		gap = HELP_NAME_COLUMNS - 2 - width;
	else if (!page->is_for_grep)
		(void)buf_append_byte(&page->out, '\n'), gap = HELP_NAME_COLUMNS;
	(void)buf_printf(&page->out, "%*s", (int)gap, "");
	screen_text_wrap(&page->out, text, page->is_for_grep ? 0 : page->columns, HELP_NAME_COLUMNS,
	    HELP_NAME_COLUMNS);
}
