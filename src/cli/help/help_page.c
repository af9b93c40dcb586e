/* SPDX-License-Identifier: ISC */
#include "cli/help/help_page.h"

#include <ctype.h>

#include "cli/verb.h"

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
	size_t width = utf8_cells(name, strlen(name)), gap = 1;
	(void)buf_printf(&page->out, "  %s", screen_style(page->has_color, SCREEN_NAME));
	(void)screen_text_line(&page->out, name, strlen(name));
	(void)buf_append_str(&page->out, screen_style(page->has_color, SCREEN_PLAIN));
	if (width + 3 <= HELP_NAME_COLUMNS)
		gap = HELP_NAME_COLUMNS - 2 - width;
	else if (!page->is_for_grep)
		(void)buf_append_byte(&page->out, '\n'), gap = HELP_NAME_COLUMNS;
	(void)buf_printf(&page->out, "%*s", (int)gap, "");
	screen_text_wrap(&page->out, text, page->is_for_grep ? 0 : page->columns, HELP_NAME_COLUMNS,
	    HELP_NAME_COLUMNS);
}

struct help_words {
	struct help_page *page;
	char *const *words;
	size_t count;
	bool is_found;
	struct buf others;
};

static bool has_word(const char *text, const char *word)
{
	for (const char *at = text; at != NULL && (at = strcasestr(at, word)) != NULL; at++)
		if (at == text || !isalnum((unsigned char)at[-1]))
			return true;
	return false;
}

static bool has_words(const struct help_words *search, const char *const texts[3])
{
	for (size_t i = 0; i < search->count; i++) {
		const char *word = search->words[i];
		if (!has_word(texts[0], word) && !has_word(texts[1], word) &&
		    !has_word(texts[2], word))
			return false;
	}
	return true;
}

static void look_at(
    struct help_words *search, const char *name, const char *summary, const char *text)
{
	const char *const brief[3] = {name, summary, NULL}, *const whole[3] = {name, summary, text};
	if (has_words(search, brief)) {
		if (!search->is_found)
			help_page_title(search->page, "Verbs and methods");
		search->is_found = true;
		help_page_entry(search->page, name, summary);
	} else if (has_words(search, whole)) {
		(void)buf_printf(&search->others, "%s%s", search->others.len > 0 ? ", " : "", name);
	}
}

static void look_at_table(
    struct help_words *search, const struct json *table, const char *prefix, const char *summary)
{
	char name[256];
	json_each_member (row, table) {
		if (verb_find(row->name) != NULL && *prefix == '\0')
			continue;
		(void)snprintf(name, sizeof name, "%s%s", prefix, row->name);
		if (row->type == JSON_STRING)
			look_at(search, name, row->text, NULL);
		else
			look_at(search, name, json_get_str(row, summary, ""),
			    json_get_str(row, "help", ""));
	}
}

bool help_tasks(struct help_page *page, char *const *words, size_t count)
{
	const struct help_words search = {.words = words, .count = count};
	const char *text = verb_text("tasks");
	char line[256];
	bool is_found = false;
	for (; text != NULL && *text; text += strcspn(text, "\n") + 1) {
		(void)snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
		if (strchr(line, '#') == NULL ||
		    !has_words(&search, (const char *const[]){line, NULL, NULL}))
			continue;
		if (!is_found)
			help_page_title(page, "Tasks");
		is_found = true;
		(void)buf_printf(&page->out, "  %s\n", line);
	}
	return is_found;
}

bool help_search(
    struct help_page *page, const struct json *tables, char *const *words, size_t count)
{
	struct help_words search = {.page = page, .words = words, .count = count};
	bool is_found = help_tasks(page, words, count);
	buf_init(&search.others, HELP_PAGE_MAX);
	for (const struct verb *verb = verbs; verb->name != NULL; verb++)
		if (verb->summary != NULL)
			look_at(&search, verb->name, verb->summary, verb_text(verb->name));
	look_at_table(&search, json_member(tables, "methods"), "", "summary");
	look_at_table(&search, json_member(tables, "conditions"), "wait ", "help");
	look_at_table(&search, json_member(tables, "events"), "watch ", "help");
	is_found = is_found || search.is_found;
	if (search.others.len > 0) {
		help_page_title(page, is_found ? "Also in the help of" : "In the help of");
		is_found = true;
		(void)buf_append_str(&page->out, "  ");
		help_page_wrap(page, buf_text(&search.others), 2, 2);
	}
	if (is_found)
		(void)buf_append_str(&page->out, "\nMore: muxbus help NAME\n");
	buf_finish(&search.others);
	return is_found;
}
